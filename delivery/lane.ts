// A lane does all the sending on one channel: it claims what is due, sends, and writes down what came of it. Each
// channel has its own, so that one that is down delays no other. The worker and the one-shot drain both drive it.
import type { PatientDatabase } from "../database/patience.ts";
import { codeOf, type Log } from "../log.ts";
import { mostAttempts, waitAfter } from "./backoff.ts";
import type { Channel, Outcome } from "./channel.ts";
import { claim, type Delivery, hasten, type Result, record } from "./outbox.ts";

export interface LaneSettings {
  database: PatientDatabase;
  log: Log;
  /** A test's own time; otherwise the database says what is due. */
  now?: (() => Date) | undefined;
}

export interface Lane {
  /** Looks for what is due and sends it. Called again while it looks, it looks once more. Never throws. */
  run(): void;
  /** Claims nothing more. */
  stop(): void;
  /** Breaks off what is under way; its deliveries are due again at once. */
  abandon(): void;
  /** Settles when nothing is under way and all is written down. */
  quiet(): Promise<void>;
}

/** Seconds a worker holds what it claimed: longer than any send takes. */
const lease = 90;

/** So many failures in a row are an outage of the channel, and not one delivery that it dislikes. */
const outage = 3;

/** Makes the lane of a channel. */
export function makeLane(channel: Channel, { database, log, now }: LaneSettings): Lane {
  const breaksOff = new AbortController();
  const clock = () => (now?.() ?? new Date()).getTime();
  let stopped = false;
  let looking = false;
  let lookAgain = false;
  let underWay = 0;
  let failuresInARow = 0;
  let pausedUntil = 0;
  let results: Result[] = [];
  let recording: Promise<void> | undefined;
  let onQuiet: (() => void)[] = [];

  const isDown = () => failuresInARow >= outage;
  // While the channel is down, one message at a time tries whether it is back.
  const free = () => (isDown() ? 1 : channel.concurrency) - underWay;
  const mayClaim = () => !stopped && free() > 0 && clock() >= pausedUntil;

  async function look(): Promise<void> {
    do {
      lookAgain = false;
      const most = free() * channel.batch;
      const deliveries = await database.ask((sql) =>
        claim(sql, channel.name, { most, lease, rest: channel.rest, at: now?.() }),
      );
      const [sendable, unsendable] = sort(deliveries);
      for (const [delivery, reason] of unsendable) settle([delivery], { kind: "never", reason });
      for (const message of portions(sendable, channel.batch)) void send(message);
      if (unsendable.length > 0) void writeDown();
      lookAgain ||= deliveries.length === most;
    } while (lookAgain && mayClaim());
  }

  function run(): void {
    if (results.length > 0) void writeDown();
    lookAgain = true;
    if (looking || !mayClaim()) return;
    looking = true;
    look()
      .catch(() => {
        // The database says in the log that it is away. The next sweep asks again; at once would be hammering.
        lookAgain = false;
      })
      .finally(() => {
        looking = false;
        if (lookAgain && mayClaim()) run();
        tellWhenQuiet();
      });
  }

  async function send(deliveries: [Delivery, ...Delivery[]]): Promise<void> {
    underWay += 1;
    const outcome = await outcomeOf(channel, deliveries, breaksOff.signal);
    settle(deliveries, outcome);
    await Promise.all([heed(outcome), writeDown()]);
    underWay -= 1;
    // Asking for one at a time would be a question a delivery; the worker's sweep asks when sends are slow.
    if (underWay === 0 || free() >= channel.concurrency / 2) run();
    tellWhenQuiet();
  }

  function settle(deliveries: Delivery[], outcome: Outcome): void {
    for (const delivery of deliveries) {
      const result = resultOf(delivery, outcome, breaksOff.signal.aborted);
      results.push(result);
      tell(log, delivery, result);
    }
  }

  async function heed(outcome: Outcome): Promise<void> {
    if (outcome.kind !== "not now") {
      const isBack = isDown();
      failuresInARow = 0;
      pausedUntil = 0;
      if (isBack) await database.ask((sql) => hasten(sql, channel.name, now?.())).catch(() => {});
    } else if (clock() >= pausedUntil && !breaksOff.signal.aborted) {
      // What fails while the channel pauses had been sent before, and tells nothing new.
      failuresInARow += 1;
      pausedUntil = clock() + 1000 * pauseAfter(failuresInARow, outcome.askedToWait);
    }
  }

  // What could not be written down, because the database is away, is kept and written by the next run. All that
  // ended while one statement was under way goes into the next one.
  function writeDown(): Promise<void> {
    recording ??= (async () => {
      while (results.length > 0) {
        const batch = results;
        results = [];
        try {
          await database.ask((sql) => record(sql, batch, now?.()));
        } catch {
          results = [...batch, ...results];
          return;
        }
      }
    })().finally(() => {
      recording = undefined;
    });
    return recording;
  }

  function tellWhenQuiet(): void {
    if (looking || underWay > 0 || recording) return;
    for (const tell of onQuiet.splice(0)) tell();
  }

  return {
    run,
    stop: () => {
      stopped = true;
    },
    abandon: () => breaksOff.abort(),
    quiet: () =>
      new Promise((resolve) => {
        onQuiet.push(resolve);
        tellWhenQuiet();
      }),
  };
}

/** Seconds the channel pauses in an outage, or when it asks; the deliveries have their own waits besides. */
const pauseAfter = (failures: number, asked = 0) =>
  Math.max(failures < outage ? 0 : Math.min(2 ** (failures - outage), 30), Math.min(asked, 60));

// A send should make an outcome of everything. Should one throw all the same, that is no reason to lose a lead.
async function outcomeOf(channel: Channel, deliveries: [Delivery, ...Delivery[]], stop: AbortSignal) {
  try {
    return await channel.send(deliveries, stop);
  } catch (error) {
    return { kind: "not now", reason: `failed inside (${codeOf(error)})` } as const;
  }
}

/** Parts deliveries that can be sent from those that cannot, which come with the reason. */
function sort(deliveries: readonly Delivery[]): [Delivery[], [Delivery, string][]] {
  const sendable: Delivery[] = [];
  const unsendable: [Delivery, string][] = [];
  for (const delivery of deliveries) {
    const reason = whyNot(delivery);
    if (reason) unsendable.push([delivery, reason]);
    else sendable.push(delivery);
  }
  return [sendable, unsendable];
}

function whyNot({ attempt, event, lead }: Delivery): string | undefined {
  if (attempt > mostAttempts) return "the worker died at the last try";
  if (!lead && event !== "lead.erased") return "the lead is gone";
  return undefined;
}

function portions<T>(all: readonly T[], size: number): [T, ...T[]][] {
  const count = Math.ceil(all.length / size);
  return Array.from({ length: count }, (_, i) => all.slice(i * size, (i + 1) * size) as [T, ...T[]]);
}

function resultOf({ id, attempt }: Delivery, outcome: Outcome, brokenOff: boolean): Result {
  if (outcome.kind === "delivered") return { id, attempt, delivered: true };
  const { reason } = outcome;
  if (brokenOff) return { id, attempt, reason, wait: 0 };
  const wait = outcome.kind === "never" ? undefined : waitAfter(attempt, outcome.askedToWait);
  return wait === undefined ? { id, attempt, reason, failed: true } : { id, attempt, reason, wait };
}

function tell(log: Log, { id, leadId, event, channel }: Delivery, result: Result): void {
  const facts = { channel, event, delivery: id, lead: leadId, attempt: result.attempt };
  if ("delivered" in result) log("delivered", facts);
  else if ("failed" in result) log("delivery-failed", { ...facts, reason: result.reason });
  else log("delivery-postponed", { ...facts, reason: result.reason, wait: `${Math.round(result.wait)}s` });
}
