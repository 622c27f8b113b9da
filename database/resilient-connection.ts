// Queries a database that may be unreachable or stop answering, and logs an outage once when it begins and once when it
// is over, however many queries fail meanwhile. A server that was switched off, or a network that was cut, leaves a
// connection waiting for a quarter of an hour; such connections are dropped and opened again.
import postgres from "postgres";
import { codeOf, type Log } from "../log/log.ts";
import type { Sql } from "./connect.ts";

export interface ResilientConnection {
  /**
   * Runs the work and waits at most `timeout` milliseconds for its result.
   * @throws QueryTimeout, or the database's error.
   */
  query<Result>(work: (sql: Sql) => Promise<Result>, timeout?: number): Promise<Result>;
  end(): Promise<void>;
}

/** No answer came in time. Whether the statement was carried out is not known. */
export class QueryTimeout extends Error {
  override name = "QueryTimeout";
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

  // Of several queries that fail together, the first reconnects for all.
  const reconnect = (used: Sql) => {
    if (sql === used) sql = open();
    used.end({ timeout: 0 }).catch(() => {});
  };

  const failed = (error: unknown, used: Sql): never => {
    if (isAboutValues(error)) throw error;
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
    end: () => sql.end({ timeout: 1 }),
  };
}

/** The result, if it comes within so many milliseconds. @throws QueryTimeout if it does not. */
export async function withTimeout<Result>(
  milliseconds: number,
  result: PromiseLike<Result>,
): Promise<Result> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new QueryTimeout()), milliseconds);
  return Promise.race([result, late]).finally(() => clearTimeout(timer));
}

/**
 * Whether an error is the database's answer about the values it was given, and no trouble of its own. SQLSTATE classes:
 * 22 and 23 are bad values, 54 a value too large for the server, P0 raised by a trigger.
 */
export const isAboutValues = (error: unknown): boolean => /^(22|23|54|P0)/.test(codeOf(error));

/**
 * The SQLSTATE of a database that takes no writes. A session goes on reporting it when the database takes them again, or
 * when another server of several does: only a new connection finds out.
 */
const readOnly = "25006";
