// What became of tries: said in the log at once, and written down as soon as the database takes it. What could not be
// written, because the database is away, is kept and written the next time; all that ends while one statement is under
// way goes into the next one.
import type { ResilientConnection } from "../database/resilient-connection.ts";
import type { Log } from "../log/log.ts";
import { waitAfter } from "./backoff.ts";
import type { Outcome } from "./channels/channel.ts";
import { type Result, record } from "./claim.ts";
import type { Delivery } from "./delivery.ts";

export interface Results {
  /** Notes what came of deliveries. One that we broke off ourselves is due again at once. */
  note(deliveries: readonly Delivery[], outcome: Outcome, brokenOff: boolean): void;
  /** Writes what was noted. Settles when it is written, or the database is away. Never rejects. */
  writeDown(): Promise<void>;
  isWriting(): boolean;
}

export function makeResults(database: ResilientConnection, log: Log, now: (() => Date) | undefined): Results {
  let results: Result[] = [];
  let writing: Promise<void> | undefined;

  async function writeAll(): Promise<void> {
    while (results.length > 0) {
      const batch = results;
      results = [];
      try {
        await database.query((sql) => record(sql, batch, now?.()));
      } catch {
        results = [...batch, ...results];
        return;
      }
    }
  }

  return {
    note(deliveries, outcome, brokenOff) {
      for (const delivery of deliveries) {
        const result = resultOf(delivery, outcome, brokenOff);
        results.push(result);
        tell(log, delivery, result);
      }
    },
    async writeDown() {
      if (results.length === 0) return writing;
      writing ??= writeAll().finally(() => {
        writing = undefined;
      });
      return writing;
    },
    isWriting: () => writing !== undefined,
  };
}

function resultOf(
  { leadId, channel, event, attempt }: Delivery,
  outcome: Outcome,
  brokenOff: boolean,
): Result {
  const which = { leadId, channel, event, attempt };
  if (outcome.kind === "delivered") return { ...which, delivered: true };
  const { reason } = outcome;
  if (brokenOff) return { ...which, reason, wait: 0 };
  const wait = outcome.kind === "never" ? undefined : waitAfter(attempt, outcome.askedToWait);
  return wait === undefined ? { ...which, reason, failed: true } : { ...which, reason, wait };
}

function tell(log: Log, { id, leadId, event, channel }: Delivery, result: Result): void {
  const facts = { channel, event, delivery: id, lead: leadId, attempt: result.attempt };
  if ("delivered" in result) log("delivered", facts);
  else if ("failed" in result) log("delivery-failed", { ...facts, reason: result.reason });
  else log("delivery-postponed", { ...facts, reason: result.reason, wait: `${Math.round(result.wait)}s` });
}
