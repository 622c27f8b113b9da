// The results of attempts: logged at once, and recorded as soon as the database takes them. What could not be recorded,
// because the database is unreachable, is kept and recorded the next time. Results that arrive while one statement is under way
// share the next one.
import type { ResilientConnection } from "../database/resilient-connection.ts";
import { isDatabaseTrouble } from "../database/trouble.ts";
import { logBug } from "../log/bug.ts";
import type { Log } from "../log/log.ts";
import { isLastAttempt, pauseAfterBug, waitAfter } from "./backoff.ts";
import type { Outcome } from "./channels/channel.ts";
import { askedToWaitSuffix, type Result, record, refusedSuffix } from "./claim.ts";
import type { Clock } from "./clock.ts";
import type { Delivery } from "./delivery.ts";

export interface Results {
  /** Adds what came of deliveries. With `isDueAgain` those not delivered are due at once, because it was not the channel that failed. */
  add(deliveries: readonly Delivery[], outcome: Outcome, isDueAgain: boolean): void;
  /**
   * Records what was added. Returns false when the database is unreachable. Never rejects. What cannot be recorded because of a bug is tried
   * again after a pause. It delays others by a pause, or by several where three that fail stand before them.
   */
  flush(): Promise<boolean>;
  isFlushing(): boolean;
}

export function makeResults(
  database: ResilientConnection,
  log: Log,
  now: (() => Date) | undefined,
  clock: Clock,
): Results {
  let results: Result[] = [];
  let flushing: Promise<boolean> | undefined;
  const refused: Result[] = [];
  let retryAt = 0;

  const recordThese = (some: readonly Result[]) => database.query((sql) => record(sql, some, now?.()));

  // `flushing` is emptied here and not once the promise has settled, because a result that is added in between needs another flush.
  const over = (isDone: boolean) => {
    flushing = undefined;
    return isDone;
  };

  async function recordAll(): Promise<boolean> {
    while (results.length > 0) {
      const batch = results;
      results = [];
      try {
        await recordThese(batch);
      } catch (error) {
        if (isDatabaseTrouble(error)) {
          results = [...batch, ...results];
          return over(false);
        }
        if (clock() >= retryAt) {
          logBug(log, error);
          retryAt = clock() + pauseAfterBug;
        }
        const each = await recordEach(batch, recordThese);
        refused.push(...each.refused);
        results = [...each.left, ...results];
        if (each.left.length > 0) return over(false);
      }
    }
    return over(true);
  }

  return {
    add(deliveries, outcome, isDueAgain) {
      for (const delivery of deliveries) {
        const result = resultOf(delivery, outcome, isDueAgain);
        results.push(result);
        logResult(log, delivery, result);
      }
    },
    async flush() {
      if (clock() >= retryAt) results.push(...refused.splice(0));
      return results.length === 0 ? (flushing ?? true) : (flushing ??= recordAll());
    },
    isFlushing: () => flushing !== undefined,
  };
}

/**
 * Records results one by one. Returns those to try again after a pause, because a bug refuses them, and those that are left when the database is
 * unreachable.
 */
async function recordEach(
  results: readonly Result[],
  recordThese: (some: readonly Result[]) => Promise<void>,
): Promise<{ refused: Result[]; left: readonly Result[] }> {
  const refused: Result[] = [];
  for (const [nth, result] of results.entries()) {
    // Three in a row: the fault is probably in all. The rest is not tried now, and comes first the next time.
    if (nth === 3 && refused.length === 3) return { refused: [...results.slice(nth), ...refused], left: [] };
    try {
      await recordThese([result]);
    } catch (error) {
      if (isDatabaseTrouble(error)) return { refused, left: results.slice(nth) };
      refused.push(result);
    }
  }
  return { refused, left: [] };
}

function resultOf(delivery: Delivery, outcome: Outcome, isDueAgain: boolean): Result {
  const { leadId, channel, event, attempt, claimedUntil, owedFor } = delivery;
  const key = { leadId, channel, event, claimedUntil };
  if (outcome.kind === "delivered") return { ...key, delivered: true };
  const { reason } = outcome;
  if (isDueAgain) return { ...key, reason, wait: 0 };
  if (outcome.kind === "permanent" || isLastAttempt(attempt, owedFor))
    return { ...key, reason, failed: true };
  const { seconds, isAsked } = waitAfter(attempt, outcome.askedToWait);
  const suffix = isAsked ? askedToWaitSuffix : outcome.isRefusedContent ? refusedSuffix : "";
  return { ...key, reason: `${reason}${suffix}`, wait: seconds };
}

function logResult(log: Log, { id, leadId, event, channel, attempt }: Delivery, result: Result): void {
  // As the webhook names it. `event` is the log's own word.
  const facts = { channel, type: event, delivery: id, lead: leadId, attempt };
  if ("delivered" in result) log("delivered", facts);
  else if ("failed" in result) log("delivery-failed", { ...facts, reason: result.reason });
  else log("delivery-postponed", { ...facts, reason: result.reason, wait: `${Math.round(result.wait)}s` });
}
