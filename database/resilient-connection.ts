// Asks a database that may be away or fall silent, and says so in the log: once when an outage begins and once when it is
// over, however often it is asked. A server that was switched off, or a network that was cut, answers nothing for a
// quarter of an hour, and connections that wait for it are lost; so they are dropped and opened anew.
import postgres from "postgres";
import { codeOf, type Log } from "../log/log.ts";
import type { Sql } from "./connect.ts";

export interface PatientDatabase {
  /** Asks, and waits so many milliseconds for the answer. @throws DatabaseSilent, or the database's error. */
  ask<Answer>(question: (sql: Sql) => Promise<Answer>, patience?: number): Promise<Answer>;
  end(): Promise<void>;
}

/** No answer came. Whether the question was carried out is not known. */
export class DatabaseSilent extends Error {
  override name = "DatabaseSilent";
}

/** Makes a database to ask; `open` opens its connections, again and again if need be. */
export function makePatient(open: () => Sql, log: Log, usualPatience = 15_000): PatientDatabase {
  let sql = open();
  let failures = 0;
  let isAway = false;

  // Of several questions that wait, the first to fail opens anew for all.
  const renew = (asked: Sql) => {
    if (sql === asked) sql = open();
    asked.end({ timeout: 0 }).catch(() => {});
  };

  const failed = (error: unknown, asked: Sql): never => {
    if (isAboutValues(error)) throw error;
    // A connection that broke in the middle of a write may never work again (postgres.js, issue 1133).
    if (!(error instanceof postgres.PostgresError) || error.code === readOnly) renew(asked);
    failures += 1;
    if (!isAway) log("database-unreachable", { code: codeOf(error) });
    isAway = true;
    throw error;
  };

  return {
    ask: async (question, patience = usualPatience) => {
      const asked = sql;
      const failuresBefore = failures;
      const answer = await within(patience, question(asked)).catch((error) => failed(error, asked));
      // An answer to what was asked before the outage began does not end it.
      if (isAway && failures === failuresBefore) {
        isAway = false;
        log("database-ready");
      }
      return answer;
    },
    end: () => sql.end({ timeout: 1 }),
  };
}

/** The answer, if it comes within so many milliseconds. @throws DatabaseSilent if it does not. */
export async function within<Answer>(milliseconds: number, answer: PromiseLike<Answer>): Promise<Answer> {
  const { promise: tired, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new DatabaseSilent()), milliseconds);
  return Promise.race([answer, tired]).finally(() => clearTimeout(timer));
}

/**
 * Whether an error is the database's answer about the values it was given, and no trouble of its own. SQLSTATE classes:
 * 22 and 23 are bad values, 54 a value too large for the server, P0 raised by a trigger.
 */
export const isAboutValues = (error: unknown): boolean => /^(22|23|54|P0)/.test(codeOf(error));

/**
 * What a database says that takes no writes. A session goes on saying it when the database takes them again, or when
 * another server of several does: only a new connection finds out.
 */
const readOnly = "25006";
