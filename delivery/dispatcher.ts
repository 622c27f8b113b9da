// The dispatcher of a channel: claims what is due, sends it, and records what came of it. Each channel has its own, so that one
// that is down delays no other. The worker drives it, and so does a single run on a hosted function.
import type { ResilientConnection } from "../database/resilient-connection.ts";
import { isDatabaseTrouble } from "../database/trouble.ts";
import { logBug } from "../log/bug.ts";
import { codeOf, type Log } from "../log/log.ts";
import { isLastAttempt } from "./backoff.ts";
import type { Channel, Outcome } from "./channels/channel.ts";
import { makeCircuitBreaker } from "./circuit-breaker.ts";
import { claim, retryNow } from "./claim.ts";
import type { Delivery } from "./delivery.ts";
import { makeResults } from "./results.ts";

export interface DispatcherDependencies {
  database: ResilientConnection;
  log: Log;
  /** A test's own time; otherwise the database says what is due. */
  now?: (() => Date) | undefined;
  /** Whether what waits is retried at the first look, because its settings may have been corrected. */
  retriesAtStart?: boolean | undefined;
}

export interface Dispatcher {
  /** Looks for what is due and sends it. Called again while it looks, it looks once more. Never throws. */
  run(): void;
  /** Claims nothing more. */
  stop(): void;
  /** Aborts what is under way; its deliveries are due again at once. */
  abort(): void;
  /** Settles when nothing is under way and everything is recorded. */
  drained(): Promise<void>;
}

/** Seconds a dispatcher holds what it claimed: longer than any message takes. */
const lease = 90;

/** Milliseconds after which a claim that failed because of a bug is tried again. */
const pauseAfterBug = 60_000;

/** Makes the dispatcher of a channel. */
export function makeDispatcher(
  channel: Channel,
  { database, log, now, retriesAtStart = true }: DispatcherDependencies,
): Dispatcher {
  const clock = () => (now?.() ?? new Date()).getTime();
  const breaker = makeCircuitBreaker(clock);
  const results = makeResults(database, log, now);
  const abort = new AbortController();
  let isStopped = false;
  let isLooking = false;
  let looksAgain = false;
  let retries = retriesAtStart;
  let pausedUntil = 0;
  let underWay = 0;
  const onDrained: (() => void)[] = [];

  // While the breaker is open, one message at a time tries whether the receiver is back.
  const free = () => (breaker.isOpen() ? 1 : channel.concurrency) - underWay;
  const mayClaim = () => !isStopped && free() > 0 && !breaker.isPaused() && clock() >= pausedUntil;
  const add = (deliveries: Delivery[], outcome: Outcome) =>
    results.add(deliveries, outcome, abort.signal.aborted);
  const flush = () => void results.flush().then(resolveWhenDrained);

  async function look(): Promise<void> {
    await retryIfAsked();
    do {
      looksAgain = false;
      const max = free() * channel.batch;
      const { cooldown } = channel;
      const deliveries = await database.query((sql) =>
        claim(sql, channel.name, { max, lease, cooldown, at: now?.() }),
      );
      const [sendable, unsendable] = sort(deliveries);
      for (const [delivery, reason] of unsendable) add([delivery], { kind: "permanent", reason });
      for (const message of batchesOf(sendable, channel.batch)) void send(message);
      if (unsendable.length > 0) flush();
      looksAgain ||= deliveries.length === max;
    } while (looksAgain && mayClaim());
  }

  async function retryIfAsked(): Promise<void> {
    if (!retries) return;
    retries = false;
    try {
      await database.query((sql) => retryNow(sql, channel.name, now?.()));
    } catch (error) {
      retries = true;
      throw error;
    }
  }

  function run(): void {
    flush();
    looksAgain = true;
    if (isLooking || !mayClaim()) return;
    isLooking = true;
    look()
      .catch((error) => {
        // The next sweep asks again. An outage of the database is in the log already; a bug is not.
        looksAgain = false;
        if (isDatabaseTrouble(error)) return;
        logBug(log, error);
        pausedUntil = clock() + pauseAfterBug;
      })
      .finally(() => {
        isLooking = false;
        if (looksAgain && mayClaim()) run();
        resolveWhenDrained();
      });
  }

  async function send(deliveries: [Delivery, ...Delivery[]]): Promise<void> {
    underWay += 1;
    const outcome = await outcomeOf(deliveries);
    add(deliveries, outcome);
    recordOutcome(outcome);
    await results.flush();
    underWay -= 1;
    // Looks for more once half of the places are free; until then the worker's sweep does, because a query after each delivery
    // would be too many.
    if (underWay === 0 || free() >= channel.concurrency / 2) run();
    resolveWhenDrained();
  }

  // `send` returns every failure as an outcome. One that throws has a bug, and its deliveries are tried again.
  async function outcomeOf(deliveries: [Delivery, ...Delivery[]]): Promise<Outcome> {
    try {
      return await channel.send(deliveries, abort.signal);
    } catch (error) {
      logBug(log, error);
      return { kind: "transient", reason: `a bug of this program (${codeOf(error)})` };
    }
  }

  function recordOutcome(outcome: Outcome): void {
    if (outcome.kind === "transient" && abort.signal.aborted) return;
    const change = breaker.recordOutcome(outcome);
    if (change === "opened" && "reason" in outcome)
      log("channel-down", { channel: channel.name, reason: outcome.reason });
    if (change !== "closed") return;
    log("channel-up", { channel: channel.name });
    // What waits because of the outage is retried at the next look.
    retries = true;
  }

  function resolveWhenDrained(): void {
    if (isLooking || underWay > 0 || results.isFlushing()) return;
    for (const resolve of onDrained.splice(0)) resolve();
  }

  return {
    run,
    stop: () => {
      isStopped = true;
    },
    abort: () => abort.abort(),
    drained: () =>
      new Promise((resolve) => {
        onDrained.push(resolve);
        resolveWhenDrained();
      }),
  };
}

/** Separates deliveries that can be sent from those that cannot, which come with the reason. */
function sort(deliveries: readonly Delivery[]): [Delivery[], [Delivery, string][]] {
  const sendable: Delivery[] = [];
  const unsendable: [Delivery, string][] = [];
  for (const delivery of deliveries) {
    const reason = whyUnsendable(delivery);
    if (reason) unsendable.push([delivery, reason]);
    else sendable.push(delivery);
  }
  return [sendable, unsendable];
}

function whyUnsendable({ attempt, owedFor, event, lead }: Delivery): string | undefined {
  // The last attempt allowed was the one before: its process ended without recording a result.
  if (isLastAttempt(attempt - 1, owedFor)) return "the program died at the last attempt";
  if (!lead && event !== "lead.erased") return "the lead is gone";
  return undefined;
}

function batchesOf<T>(all: readonly T[], size: number): [T, ...T[]][] {
  const count = Math.ceil(all.length / size);
  return Array.from({ length: count }, (_, i) => all.slice(i * size, (i + 1) * size) as [T, ...T[]]);
}
