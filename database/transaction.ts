// A transaction whose loss does no harm. When a connection is lost inside postgres.js 3.4.9's own `begin`, it writes the
// rollback to a socket that is gone, from where nobody can catch the error: the whole program ends (its issue 1208).
import type postgres from "postgres";
import { codeOf } from "../log/log.ts";
import type { Sql } from "./connect.ts";

/** Reads the database as it was at one moment. */
export const oneMoment = "isolation level repeatable read read only";

/** Does all of the work or none of it. @throws what the work throws, or the loss of the connection. */
export async function transaction<Result>(
  sql: Sql,
  work: (tx: postgres.TransactionSql) => Promise<Result>,
  kind = "",
): Promise<Result> {
  const done = await sql.begin(kind, async (tx) => {
    try {
      return { result: await work(tx) };
    } catch (error) {
      // What is lost needs no rollback. `begin` hears of the loss by itself, in a moment, and ends with it.
      if (isLoss(error)) return new Promise<never>(() => {});
      throw error;
    }
  });
  return (done as { result: Result }).result;
}

/** The connection is gone, and with it what was not committed. */
export const isLoss = (error: unknown) =>
  /^(CONNECTION_(CLOSED|DESTROYED|ENDED)|ECONNRESET|EPIPE|ETIMEDOUT)$/.test(codeOf(error));
