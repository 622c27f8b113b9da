// Queries a database that may be unreachable or stop answering, and logs an outage once when it begins and once when it
// is over, however many queries fail meanwhile. A server that was switched off, or a network that was cut, leaves a
// connection waiting for a quarter of an hour; such connections are dropped and opened again.
import postgres from "postgres";
import { codeOf, type Log } from "../log/log.ts";
import type { Sql } from "./connect.ts";
import { isDeadlock } from "./retry-transaction.ts";
import { withTimeout } from "./timeout.ts";
import { isDatabaseTrouble } from "./trouble.ts";

export interface ResilientConnection {
  /**
   * Runs the work and waits at most `timeout` milliseconds for its result.
   * @throws QueryTimeout, or what the work throws. An error that is no trouble of the database (see `isDatabaseTrouble`), and a
   * deadlock, are not logged here and cause no reconnect.
   */
  query<Result>(work: (sql: Sql) => Promise<Result>, timeout?: number): Promise<Result>;
  /** Ends the sessions. A query that this cuts off is rejected, but it is no outage. */
  end(): Promise<void>;
}

/** Makes a resilient connection; `open` opens its pool, and opens it again after each loss. */
export function makeResilientConnection(
  open: () => Sql,
  log: Log,
  defaultTimeout = 15_000,
): ResilientConnection {
  let sql = open();
  let failures = 0;
  let isUnreachable = false;
  let isEnded = false;

  // Of several queries that fail together, the first reconnects for all.
  const reconnect = (used: Sql) => {
    if (sql === used) sql = open();
    used.end({ timeout: 0 }).catch(() => {});
  };

  const failed = (error: unknown, used: Sql): never => {
    // A deadlock is trouble that a retry ends, and no outage: the database answered.
    if (isEnded || !isDatabaseTrouble(error) || isDeadlock(error)) throw error;
    // A connection that broke in the middle of a write may never work again (postgres.js, issue 1133).
    if (!(error instanceof postgres.PostgresError) || error.code === readOnly) reconnect(used);
    failures += 1;
    if (!isUnreachable) log("database-unreachable", { code: codeOf(error) });
    isUnreachable = true;
    throw error;
  };

  return {
    query: async (work, timeout = defaultTimeout) => {
      const used = sql;
      const failuresBefore = failures;
      const result = await withTimeout(timeout, work(used)).catch((error) => failed(error, used));
      // An answer to a query that was sent before the outage began does not end it.
      if (isUnreachable && failures === failuresBefore) {
        isUnreachable = false;
        log("database-ready");
      }
      return result;
    },
    end: () => {
      isEnded = true;
      return sql.end({ timeout: 1 });
    },
  };
}

/**
 * The SQLSTATE of a database that takes no writes. A session goes on reporting it when the database takes them again, or
 * when another server of several does: only a new connection finds out.
 */
const readOnly = "25006";
