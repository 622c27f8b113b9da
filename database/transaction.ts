// A transaction that rejects, where the caller can catch it, when its connection is lost. postgres.js 3.4.9's own `begin` then writes the rollback to a socket
// that is gone, where no caller can catch the error, and the whole program ends (its issue 1208).
import type postgres from "postgres";
import { codeOf } from "../log/log.ts";
import type { Sql } from "./connect.ts";
import { StoppedCopy } from "./copy-out.ts";

/** Reads the database as it was at one moment. */
export const oneMoment = "isolation level repeatable read read only";

/** Does all of the work or none of it. @throws what the work throws, or the loss of the connection. */
export async function transaction<Result>(
  sql: Sql,
  work: (tx: postgres.TransactionSql) => Promise<Result>,
  kind = "",
): Promise<Result> {
  const loss = Promise.withResolvers<never>();
  const done = sql.begin(kind, async (tx) => {
    try {
      return { result: await work(tx) };
    } catch (error) {
      // The transaction only reads, so it needs no rollback. The connection takes none, because it still sends rows.
      if (error instanceof StoppedCopy) loss.reject(error.cause);
      // A lost connection needs no rollback. `begin` rejects by itself when the socket closes; a server in the
      // middle of a long statement closes its end late, so this rejects after half a second.
      else if (isLoss(error)) setTimeout(loss.reject, 500, error);
      else throw error;
      return new Promise<never>(() => {});
    }
  });
  const { result } = (await Promise.race([done, loss.promise])) as { result: Result };
  return result;
}

/** The connection is gone, and with it what was not committed. */
export const isLoss = (error: unknown) =>
  /^(CONNECTION_(CLOSED|DESTROYED|ENDED)|ECONNRESET|EPIPE|ETIMEDOUT)$/.test(codeOf(error));
