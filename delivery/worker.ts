// The worker: runs each channel's dispatcher and the scheduled jobs, again and again. It is woken when a lead comes in and looks
// by itself twice a second, so that a lead goes out within a second even when nothing wakes it.
import type { ResilientConnection } from "../database/resilient-connection.ts";
import { isDatabaseTrouble } from "../database/trouble.ts";
import { logBug } from "../log/bug.ts";
import type { Log } from "../log/log.ts";
import type { Channel } from "./channels/channel.ts";
import { makeDispatcher } from "./dispatcher.ts";

export interface WorkerDependencies {
  database: ResilientConnection;
  channels: readonly Channel[];
  log: Log;
  /** Done once before anything is sent, and tried until it succeeds. */
  prepare?: (() => Promise<void>) | undefined;
  /** What is done at intervals, while the worker runs. */
  jobs?: readonly ScheduledJob[];
  /** A test's own time; otherwise the database says what is due. */
  now?: () => Date;
  /** Calls back again and again until the returned function is called; a test calls back when it likes. */
  every?: (milliseconds: number, call: () => void) => () => void;
}

/** `every` is in milliseconds; the first time is at the start. */
export interface ScheduledJob {
  every: number;
  run(): Promise<void>;
}

export interface Worker {
  /** Looks at once whether anything is due. Costs next to nothing, so it may be called for each lead. */
  wake(): void;
  /** Claims nothing more, lets what is under way finish, and aborts it after `grace` milliseconds. */
  stop(grace?: number): Promise<void>;
}

const sweepInterval = 500;

/** Milliseconds after which a job that failed is tried again, and a preparation that failed because of a bug. */
const retryAfter = 60_000;

/** Starts a worker. A database that is unreachable does not end it; it goes on when the database is back. */
export function startWorker(dependencies: WorkerDependencies): Worker {
  const { channels, log, jobs = [], prepare, now = () => new Date(), every = callEvery } = dependencies;
  const dispatchers = channels.map((channel) => makeDispatcher(channel, dependencies));
  const nextTime = new Map<ScheduledJob, number>();
  let isPrepared = prepare === undefined;
  let nextPreparation = 0;
  let isStopped = false;
  let underWay: Promise<void> | undefined;

  async function prepareOnce(): Promise<void> {
    if (isPrepared || now().getTime() < nextPreparation) return;
    try {
      await prepare?.();
    } catch (error) {
      if (!isDatabaseTrouble(error)) nextPreparation = now().getTime() + retryAfter;
      throw error;
    }
    isPrepared = true;
    wake();
  }

  // A job that fails is tried again in a minute, and the other jobs still run.
  async function runJobs(): Promise<void> {
    for (const job of jobs) {
      const time = now().getTime();
      if (isStopped || time < (nextTime.get(job) ?? 0)) continue;
      try {
        await job.run();
        nextTime.set(job, time + job.every);
      } catch (error) {
        nextTime.set(job, time + retryAfter);
        logIfBug(error);
      }
    }
  }

  // An outage of the database is in the log already.
  function logIfBug(error: unknown): void {
    if (!isDatabaseTrouble(error)) logBug(log, error);
  }

  function wake(): void {
    if (isPrepared) for (const dispatcher of dispatchers) dispatcher.run();
  }

  function sweep(): void {
    wake();
    underWay ??= prepareOnce()
      .then(() => (isPrepared ? runJobs() : undefined))
      .catch(logIfBug)
      .finally(() => {
        underWay = undefined;
      });
  }

  const stopSweeping = every(sweepInterval, sweep);
  sweep();
  return {
    wake,
    stop: async (grace = 8_000) => {
      isStopped = true;
      stopSweeping();
      for (const dispatcher of dispatchers) dispatcher.stop();
      const drained = Promise.all([underWay, ...dispatchers.map((dispatcher) => dispatcher.drained())]);
      const isDrained = await settlesWithin(grace, drained);
      for (const dispatcher of dispatchers) dispatcher.abort();
      // Aborted deliveries are still recorded, but an unreachable database is not waited for.
      if (!isDrained)
        await settlesWithin(1_000, Promise.all(dispatchers.map((dispatcher) => dispatcher.drained())));
    },
  };
}

function callEvery(milliseconds: number, call: () => void): () => void {
  const timer = setInterval(call, milliseconds);
  return () => clearInterval(timer);
}

async function settlesWithin(milliseconds: number, promise: Promise<unknown>): Promise<boolean> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(resolve, milliseconds, false);
  });
  const inTime = await Promise.race([promise.then(() => true), late]);
  clearTimeout(timer);
  return inTime;
}
