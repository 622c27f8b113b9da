// The worker: asks the outbox for what is due, again and again, and has each channel's lane send it. It is woken when a
// lead comes in and asks by itself twice a second, so a lead goes out within a second even when nobody wakes it.
import type { ResilientConnection } from "../database/resilient-connection.ts";
import type { Log } from "../log/log.ts";
import type { Channel } from "./channels/channel.ts";
import { makeLane } from "./dispatcher.ts";

export interface WorkerSettings {
  database: ResilientConnection;
  channels: readonly Channel[];
  log: Log;
  /** Done once before anything is sent, and tried until it succeeds. */
  prepare?: () => Promise<void>;
  /** What is done now and then, while the worker runs. */
  chores?: readonly Chore[];
  /** A test's own time; otherwise the database says what is due. */
  now?: () => Date;
  /** Calls back again and again until the returned function is called; a test calls back when it likes. */
  every?: (milliseconds: number, call: () => void) => () => void;
}

/** `every` is in milliseconds; the first time is at the start. */
export interface Chore {
  every: number;
  run(): Promise<void>;
}

export interface Worker {
  /** Looks at once whether anything is due. Costs next to nothing, so it may be called for each lead. */
  wake(): void;
  /** Claims nothing more, lets what is under way finish, breaks it off after `grace` milliseconds. */
  stop(grace?: number): Promise<void>;
}

const sweepEvery = 500;

/** A chore that failed is tried again after this long. */
const choreAgain = 60_000;

/** Starts a worker. A database that is away does not end it; it goes on when the database is back. */
export function startWorker(settings: WorkerSettings): Worker {
  const { channels, chores = [], now = () => new Date(), every = onTheClock } = settings;
  const lanes = channels.map((channel) => makeLane(channel, settings));
  const nextTime = new Map<Chore, number>();
  let prepared = false;
  let stopped = false;
  let busy: Promise<void> | undefined;

  async function prepareOnce(): Promise<void> {
    if (prepared) return;
    await settings.prepare?.();
    prepared = true;
    wake();
  }

  async function doChores(): Promise<void> {
    for (const chore of chores) {
      const time = now().getTime();
      if (stopped || time < (nextTime.get(chore) ?? 0)) continue;
      nextTime.set(chore, time + Math.min(choreAgain, chore.every));
      await chore.run();
      nextTime.set(chore, time + chore.every);
    }
  }

  function wake(): void {
    if (prepared) for (const lane of lanes) lane.run();
  }

  function sweep(): void {
    wake();
    busy ??= prepareOnce()
      .then(doChores)
      // The database says in the log that it is away; the next sweep tries again.
      .catch(() => {})
      .finally(() => {
        busy = undefined;
      });
  }

  const stopSweeping = every(sweepEvery, sweep);
  sweep();
  return {
    wake,
    stop: async (grace = 8_000) => {
      stopped = true;
      stopSweeping();
      for (const lane of lanes) lane.stop();
      const quiet = Promise.all([busy, ...lanes.map((lane) => lane.quiet())]);
      const isQuiet = await within(grace, quiet);
      for (const lane of lanes) lane.abandon();
      // Broken off, so there is something to write down; but a database that is away is not waited for.
      if (!isQuiet) await within(1_000, Promise.all(lanes.map((lane) => lane.quiet())));
    },
  };
}

function onTheClock(milliseconds: number, call: () => void): () => void {
  const timer = setInterval(call, milliseconds);
  return () => clearInterval(timer);
}

/** Whether it settles within so many milliseconds. */
async function within(milliseconds: number, promise: Promise<unknown>): Promise<boolean> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(resolve, milliseconds, false);
  });
  const inTime = await Promise.race([promise.then(() => true), late]);
  clearTimeout(timer);
  return inTime;
}
