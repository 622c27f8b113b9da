// Calls the functions of the database's schema `team`, each in one statement with the session token of the member. SQL finds out who
// that is and what they may do, and writes the audit log.
import type postgres from "postgres";
import type { JSONValue } from "postgres";
import type { Sql } from "../database/connect.ts";
import type { ResilientConnection } from "../database/resilient-connection.ts";
import { retryDeadlock } from "../database/retry-transaction.ts";
import { codeOf } from "../log/log.ts";

/** A call of one function of the schema `team`, such as sql`team.open_lead(${entry})`. */
type Call = (sql: Sql) => postgres.PendingQuery<postgres.Row[]>;

/** Calls one function and returns its value. @throws Refused, or the database's error. */
export type Ask = (call: Call) => Promise<unknown>;

/**
 * The database refused what was asked. `status` is the HTTP status of the refusal: 400 bad values, 401 no session, or a sign-in that is
 * refused, 403 no right to it, or no entry in the audit log, 404 no such thing, 409 there is one already, or several, 423 locked. The
 * message is ours and names no person.
 */
export class Refused extends Error {
  override name = "Refused";
  readonly status: number;

  constructor(status: number, message: string, cause?: unknown) {
    super(message, { cause });
    this.status = status;
  }
}

/** The values that are set, as SQL takes them in JSON. */
export const withoutUnset = (values: object): Record<string, JSONValue> =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));

/** Calls with the session token of a member. For an unknown token SQL raises 401. */
export const askWithSession = (database: ResilientConnection, token: string | undefined): Ask =>
  // A text that is never a token, because on the owner's connection an empty one means the operator.
  makeAsk((work) => database.query(work), token || "none");

/** Calls as the operator, over the owner's connection. */
export const askAsOperator = (sql: Sql): Ask => makeAsk((work) => work(sql), "");

function makeAsk(run: (work: (sql: Sql) => Promise<unknown>) => Promise<unknown>, session: string): Ask {
  return (call) =>
    retryDeadlock(() =>
      run(async (sql) => {
        // The setting holds for this one statement, because its transaction ends with it.
        const [row] = await sql<{ answer: unknown }[]>`
          with session as materialized (select set_config('leads.session', ${session}, true) as token)
          select ${call(sql)} as answer from session where session.token is not null`;
        return row?.answer;
      }),
    ).catch((error) => {
      throw refusalOf(error) ?? error;
    });
}

// The functions refuse with SQLSTATE PTnnn, which PostgREST reads as a status. Class 22 is an invalid value, such as an unknown time zone.
// 23503 for a lead: it was erased after the function had found it.
function refusalOf(error: unknown): Refused | undefined {
  const code = codeOf(error);
  if (code === "23503" && /_lead_id_fkey$/.test((error as postgres.PostgresError).constraint_name ?? "")) {
    return new Refused(404, "There is no such lead.", error);
  }
  const [, status] = /^PT([45]\d\d)$/.exec(code) ?? [];
  if (status) return new Refused(Number(status), (error as Error).message, error);
  return code.startsWith("22") ? new Refused(400, "not a value", error) : undefined;
}
