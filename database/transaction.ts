// A transaction that rejects, where the caller can catch it, when its connection is lost. postgres.js 3.4.9's own `begin` then writes the
// rollback or the commit to a socket that is gone, where no caller can catch the error, and the whole program ends (its issue 1208). It
// also sends what the work asks later, over a connection that may be another session by then.
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
  const ended = Promise.withResolvers<never>();
  let failure: unknown;
  const done = sql.begin(kind, async (tx) => {
    try {
      const result = await work(guarded(tx, () => failure));
      if (!failure) return { result };
    } catch (error) {
      // The transaction only reads, so it needs no rollback. The connection takes none, because it still sends rows.
      if (error instanceof StoppedCopy) ended.reject(error.cause);
      // A lost connection needs no rollback. `begin` rejects by itself when the socket closes; a server in the
      // middle of a long statement closes its end late, so this rejects after half a second.
      else if (isLoss(error)) setTimeout(ended.reject, 500, error);
      else if (!failure) throw error;
    }
    return new Promise<never>(() => {});
  });
  // When the connection is lost, `begin` rejects at once; the work may still be busy with something else.
  done.catch((error) => {
    failure = error;
  });
  const { result } = (await Promise.race([done, ended.promise])) as { result: Result };
  return result;
}

/** Like `tx`, but once there is a `failure`, a query is not sent and rejects with it. */
function guarded(tx: postgres.TransactionSql, failure: () => unknown): postgres.TransactionSql {
  const guard = <Made>(made: Made): Made => {
    // A part of a query, such as a list of values, is never sent by itself.
    if (!(made instanceof Promise && "handler" in made)) return made;
    const send = made.handler as (query: { reject(error: unknown): void }) => void;
    const sendUnlessFailed: typeof send = (query) =>
      failure() === undefined ? send(query) : query.reject(failure());
    return Object.assign(made, { handler: Object.assign(sendUnlessFailed, send) });
  };
  return new Proxy(tx, {
    apply: (target, self, given) => guard(Reflect.apply(target, self, given)),
    get: (target, name) =>
      name === "unsafe"
        ? (...given: Parameters<typeof target.unsafe>) => guard(target.unsafe(...given))
        : Reflect.get(target, name),
  });
}

/** The connection is gone, and with it what was not committed. */
export const isLoss = (error: unknown) =>
  /^(CONNECTION_(CLOSED|DESTROYED|ENDED)|ECONNRESET|ECONNABORTED|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENETDOWN)$/.test(
    codeOf(error),
  );
