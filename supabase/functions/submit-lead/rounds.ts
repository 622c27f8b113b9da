// Rounds of delivering, for a place where nothing stays: each call sets one off, and calls that come meanwhile share the
// next one. A round has a time of its own, well under what the platform lets a call live.
import type { Sql } from "../../../database/connect.ts";
import { type DeliveryParts, deliverDue } from "../../../delivery/deliver.ts";
import { indexNewLeads } from "../../../delivery/outbox.ts";
import { carryOutRetention, tellOfWaiting } from "../../../delivery/scheduled-jobs.ts";
import { logBug } from "../../../log/bug.ts";

export interface RoundsSettings {
  parts: DeliveryParts;
  /** Where this function is, and a key that it knows: the database calls it there each minute. */
  submitLead: { url: string; key: string };
  /** Seconds that a round may take. */
  seconds?: number;
}

/** Makes the rounds. `wake` settles when nothing that was asked for is under way any more, and never rejects. */
export function makeRounds({ parts, submitLead, seconds = 45 }: RoundsSettings): { wake(): Promise<void> } {
  const { database, log } = parts;
  let underWay: Promise<void> | undefined;
  let again = false;
  let arranged = false;

  async function round(): Promise<void> {
    await deliverDue(parts, { seconds });
    await database.query(indexNewLeads);
    await database.query((sql) => tellOfWaiting(sql, log));
    if (arranged) return;
    // Once in the life of a process, which here is some minutes.
    await database.query((sql) => arrangeCalls(sql, submitLead));
    await database.query((sql) => carryOutRetention(sql, log));
    arranged = true;
  }

  async function rounds(): Promise<void> {
    do {
      again = false;
      await round().catch((error) => logBug(log, error));
    } while (again);
  }

  return {
    wake: () => {
      again = true;
      underWay ??= rounds().finally(() => {
        underWay = undefined;
      });
      return underWay;
    },
  };
}

const arrangeCalls = (sql: Sql, { url, key }: RoundsSettings["submitLead"]) =>
  sql`select private.schedule_wake_up_call(${url}, ${key})`;
