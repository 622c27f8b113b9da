// A lane does all the sending on one channel: it claims what is due, sends, and writes down what came of it. Each
// channel has its own, so that one that is down delays no other. The worker and the one-shot drain both drive it.
import type { ResilientConnection } from "../database/resilient-connection.ts";
import { codeOf, type Log } from "../log/log.ts";
import { mostAttempts } from "./backoff.ts";
import type { Channel, Outcome } from "./channels/channel.ts";
import { makeOutage } from "./circuit-breaker.ts";
import { claim, hasten } from "./claim.ts";
import type { Delivery } from "./delivery.ts";
import { makeResults } from "./results.ts";

export interface LaneSettings {
  database: ResilientConnection;
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

/** Makes the lane of a channel. */
export function makeLane(channel: Channel, { database, log, now }: LaneSettings): Lane {
  const outage = makeOutage(() => (now?.() ?? new Date()).getTime());
  const results = makeResults(database, log, now);
  const breaksOff = new AbortController();
  let stopped = false;
  let looking = false;
  let lookAgain = false;
  let underWay = 0;
  const onQuiet: (() => void)[] = [];

  // While the channel is down, one message at a time tries whether it is back.
  const free = () => (outage.isDown() ? 1 : channel.concurrency) - underWay;
  const note = (deliveries: Delivery[], outcome: Outcome) =>
    results.note(deliveries, outcome, breaksOff.signal.aborted);
  const mayClaim = () => !stopped && free() > 0 && !outage.isPause();

  const writeDown = () => void results.writeDown().then(tellWhenQuiet);

  async function look(): Promise<void> {
    do {
      lookAgain = false;
      const most = free() * channel.batch;
      const deliveries = await database.query((sql) =>
        claim(sql, channel.name, { most, lease, rest: channel.rest, at: now?.() }),
      );
      const [sendable, unsendable] = sort(deliveries);
      for (const [delivery, reason] of unsendable) note([delivery], { kind: "never", reason });
      for (const message of portions(sendable, channel.batch)) void send(message);
      if (unsendable.length > 0) writeDown();
      lookAgain ||= deliveries.length === most;
    } while (lookAgain && mayClaim());
  }

  function run(): void {
    writeDown();
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
    note(deliveries, outcome);
    await Promise.all([heed(outcome), results.writeDown()]);
    underWay -= 1;
    // Asking for one at a time would be a question a delivery; the worker's sweep asks when sends are slow.
    if (underWay === 0 || free() >= channel.concurrency / 2) run();
    tellWhenQuiet();
  }

  async function heed(outcome: Outcome): Promise<void> {
    if (outcome.kind === "not now" && breaksOff.signal.aborted) return;
    if (!outage.heed(outcome)) return;
    await database.query((sql) => hasten(sql, channel.name, now?.())).catch(() => {});
  }

  function tellWhenQuiet(): void {
    if (looking || underWay > 0 || results.isWriting()) return;
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
