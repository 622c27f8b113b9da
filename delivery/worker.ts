// The worker: runs each channel's dispatcher and the scheduled jobs, again and again. It is woken when a lead comes in, and sweeps by
// itself twice a second, so that a lead goes out within a second even when nothing wakes it.
import type { ResilientConnection } from "../database/resilient-connection.ts";
import { isDatabaseTrouble } from "../database/trouble.ts";
import { logBug } from "../log/bug.ts";
import type { Log } from "../log/log.ts";
import { pauseAfterBug } from "./backoff.ts";
import type { Channel } from "./channels/channel.ts";
import { type Clock, makeClock } from "./clock.ts";
import { type Dispatcher, makeDispatcher } from "./dispatcher.ts";
import { makeJobRunner, type ScheduledJob } from "./job-runner.ts";

export interface WorkerDependencies {
  database: ResilientConnection;
  channels: readonly Channel[];
  log: Log;
  /** Done once before anything is sent, and tried until it succeeds. */
  prepare?: (() => Promise<void>) | undefined;
  /** What is done at intervals, while the worker runs: jobs of one list one after the other, and no list waits for another. */
  jobs?: readonly (readonly ScheduledJob[])[];
  /** A test's own time; otherwise the database says which deliveries are due, and this process's clock which jobs. */
  now?: () => Date;
  /** Calls back again and again until the returned function is called; a test calls back when it likes. */
  every?: (milliseconds: number, call: () => void) => () => void;
}

export interface Worker {
  /** Looks at once whether anything is due. Costs next to nothing, so it may be called for each lead. */
  wake(): void;
  /** Claims nothing more, lets what is under way finish, and aborts messages after `grace` milliseconds; a longer job is not waited for. */
  stop(grace?: number): Promise<void>;
}

const sweepInterval = 500;

/** Starts a worker. A database that is unreachable does not end it; it goes on when the database is back. */
export function startWorker(dependencies: WorkerDependencies): Worker {
  const { channels, log, jobs = [], now, every = callEvery } = dependencies;
  const dispatchers = channels.map((channel) => makeDispatcher(channel, dependencies));
  const clock = makeClock(now);
  const preparation = makePreparation(dependencies.prepare, clock);
  const jobRunners = jobs.map((list) => makeJobRunner(list, clock, log));
  const stopping = new AbortController();
  let preparing: Promise<void> | undefined;

  const wake = () => {
    if (preparation.isDone()) for (const dispatcher of dispatchers) dispatcher.run();
  };
  const sendAndRunJobs = () => {
    wake();
    if (preparation.isDone()) for (const runner of jobRunners) runner.run(stopping.signal);
  };
  const prepare = () =>
    preparation
      .attempt()
      .then(sendAndRunJobs)
      .catch((error) => {
        // An outage of the database is in the log already.
        if (!isDatabaseTrouble(error)) logBug(log, error);
      })
      .finally(() => {
        preparing = undefined;
      });
  const sweep = () => {
    if (preparation.isDone()) sendAndRunJobs();
    else preparing ??= prepare();
  };

  const stopSweeping = every(sweepInterval, sweep);
  sweep();
  return {
    wake,
    stop: async (grace = 8_000) => {
      stopping.abort();
      stopSweeping();
      await drain(dispatchers, [preparing, ...jobRunners.map((runner) => runner.drained())], grace);
    },
  };
}

/** Makes a preparation that is attempted until it has succeeded once. Without `prepare` it is done at once. */
function makePreparation(prepare: WorkerDependencies["prepare"], clock: Clock) {
  let isDone = prepare === undefined;
  let nextAttempt = 0;
  return {
    isDone: () => isDone,
    /** @throws what `prepare` throws; after a bug, further attempts do nothing for a minute. */
    attempt: async () => {
      if (clock() < nextAttempt) return;
      try {
        await prepare?.();
        isDone = true;
      } catch (error) {
        if (!isDatabaseTrouble(error)) nextAttempt = clock() + pauseAfterBug;
        throw error;
      }
    },
  };
}

/** Waits up to `grace` milliseconds for what is under way, and aborts the messages then. `others` are not aborted. */
async function drain(
  dispatchers: readonly Dispatcher[],
  others: (Promise<void> | undefined)[],
  grace: number,
) {
  for (const dispatcher of dispatchers) dispatcher.stop();
  const allDrained = () => Promise.all(dispatchers.map((dispatcher) => dispatcher.drained()));
  const isDrained = await settlesWithin(grace, Promise.all([...others, allDrained()]));
  for (const dispatcher of dispatchers) dispatcher.abort();
  // Aborted deliveries are still recorded, but an unreachable database is not waited for.
  if (!isDrained) await settlesWithin(1_000, allDrained());
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
