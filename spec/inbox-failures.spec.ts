// What a failed request of the inbox is answered with.
import postgres from "postgres";
import { describe, expect, it } from "vitest";
import { NoWritableServer } from "../database/several-servers.ts";
import { QueryTimeout } from "../database/timeout.ts";
import { answerToFailure } from "../inbox/failures.ts";

const sqlState = (code: string) =>
  Object.assign(Object.create(postgres.PostgresError.prototype), { code, message: "refused" });
const withCode = (code: string) => Object.assign(new Error("failed"), { code });

/** The status of the answer, and what is logged. */
function answered(error: unknown): [number, string[]] {
  const logged: string[] = [];
  const { status } = answerToFailure(error, "/api/queue", (event) => logged.push(event));
  return [status, logged];
}

describe("a request of the inbox that fails", () => {
  it("is answered with 503, after which the page asks again for what it shows, and is no bug, where the database does not answer, for whatever reason", () => {
    const states = "08006 25006 25P03 25P04 26000 28P01 3D000 40P01 53300 55P03 57P01 58030 XX000".split(" ");
    const systems = ["ECONNREFUSED", "EAI_AGAIN", "ENETUNREACH", "CERT_HAS_EXPIRED", "CONNECTION_CLOSED"];
    for (const error of states.map(sqlState).concat(systems.map(withCode)))
      expect([error.code, ...answered(error)]).toEqual([error.code, 503, []]);
    for (const error of [new QueryTimeout(), new NoWritableServer()])
      expect([error.name, ...answered(error)]).toEqual([error.name, 503, []]);
  });

  it("is answered with 500 and logged as a bug when the statement or the program itself is wrong", () => {
    for (const error of [sqlState("42703"), sqlState("23505"), new TypeError("not a function")])
      expect(answered(error)).toEqual([500, ["bug"]]);
  });
});
