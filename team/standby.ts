// Reads on a standby what takes long to read, so that it costs the primary nothing. The primary first says who asks, and writes the entry
// in the audit log. A standby without that entry refuses, so nobody reads there unseen, and nobody reads old data.
import { setTimeout as wait } from "node:timers/promises";
import type { Sql } from "../database/connect.ts";
import { makeResilientConnection } from "../database/resilient-connection.ts";
import type { Log } from "../log/log.ts";
import { type Ask, askWithSession, Refused } from "./ask.ts";
import { me } from "./sessions.ts";

/** A standby. A server that was promoted by mistake gets no new entries from the primary, so nothing is read there either. */
export interface Standby {
  /**
   * Asks the standby as the member whose session it is, and the primary where the standby refuses, does not answer, or is more than one or
   * two seconds behind.
   * @throws Refused by the primary, or its error
   */
  askFor(token: string | undefined, primary: Ask): Ask;
  end(): Promise<void>;
}

/**
 * In milliseconds: the pauses in which a standby gets what the primary has written, how long one that failed is not asked, and how long a
 * query may take there before the primary is asked.
 */
const pauses = [10, 20, 50, 100, 200, 400, 800];
const avoidance = 30_000;
const queryTimeout = 5_000;

/** Opens a standby; `open` opens its pool. */
export function openStandby(open: () => Sql, log: Log): Standby {
  // It has no log of its own, because its lines would say that the database is unreachable; `avoid` logs instead.
  const database = makeResilientConnection(open, () => {}, queryTimeout);
  let avoidedUntil = 0;

  const avoid = () => {
    avoidedUntil = performance.now() + avoidance;
    log("standby-avoided");
  };

  /** Answers from the standby, or says that it refused, is still behind after the pauses, or does not answer. */
  const askWithRetries = async (ask: Ask, call: Parameters<Ask>[0]): Promise<Asked> => {
    for (const pause of pauses) {
      try {
        return { answer: await ask(call) };
      } catch (error) {
        if (!(error instanceof Refused)) return "no answer";
        if (!isBehind(error)) return "refused";
        await wait(pause);
      }
    }
    return ask(call).then(
      (answer) => ({ answer }),
      (error) => (error instanceof Refused ? "behind" : "no answer"),
    );
  };

  return {
    end: database.end,
    askFor(token, primary) {
      const standby = askWithSession(database, token);
      return async (call) => {
        if (performance.now() < avoidedUntil) return primary(call);
        // Whether the session has ended is known on the primary first.
        await me(primary);
        const asked = await askWithRetries(standby, call);
        if (typeof asked === "object") return asked.answer;
        if (asked === "no answer") avoid();
        const answer = await primary(call);
        // What the primary refuses too says nothing about the standby: anybody who is signed in can ask for another's entry.
        if (asked === "behind") avoid();
        return answer;
      };
    },
  };
}

type Asked = { answer: unknown } | "refused" | "behind" | "no answer";

// The session, or the entry of the audit log, is not there yet.
const isBehind = ({ status }: Refused): boolean => status === 401 || status === 403;

type Reading = "read reports" | "read campaigns" | "read experiments";

/**
 * Calls a function that reads something for a manager, with an entry in the audit log. Without a standby the function writes the entry
 * itself. With one the primary writes it first, and the function on the standby requires that `entry`.
 */
export async function askToRead(
  ask: Ask,
  standby: Ask | undefined,
  reading: Reading,
  period: { since?: string; until?: string },
  call: (sql: Sql, entry: string | null) => ReturnType<Parameters<Ask>[0]>,
): Promise<unknown> {
  if (!standby) return ask((sql) => call(sql, null));
  const entry = (await ask((sql) => sql`team.record_reading(${reading}, ${sql.json(period)})`)) as string;
  return standby((sql) => call(sql, entry));
}

/** Waits until a standby has an entry of the audit log. False when it has not after some seconds. */
export async function waitForEntry(standby: Sql, entry: string): Promise<boolean> {
  for (const pause of [0, ...pauses, 1_600]) {
    await wait(pause);
    const found = await standby`select from private.audit_log where id = ${entry}::text::bigint`;
    if (found.length > 0) return true;
  }
  return false;
}
