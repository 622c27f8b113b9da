// Runs scheduled jobs of a worker, each at its own interval.
import { isDatabaseTrouble, isOfTheStatement } from "../database/trouble.ts";
import { logBug } from "../log/bug.ts";
import { codeOf, type Log } from "../log/log.ts";
import { pauseAfterBug } from "./backoff.ts";
import type { Clock } from "./clock.ts";

export interface ScheduledJob {
  /** The interval in milliseconds. The first run is at the start. */
  every: number;
  run(): Promise<void>;
}

/**
 * Milliseconds from a failure by database trouble until the job runs again: its interval, but 5 seconds at least and a minute at most.
 * The job of each second runs again after 5 seconds, because the team's lists get new leads from it. Jobs of hours and days run again
 * after a minute and not sooner, because the database may have stopped them for taking long.
 */
const pauseAfterTrouble = ({ every }: ScheduledJob) => Math.min(Math.max(every, 5_000), pauseAfterBug);

/** Makes what runs these jobs when they are due, one after the other. Jobs that must not wait for each other need a runner each. */
export function makeJobRunner(jobs: readonly ScheduledJob[], clock: Clock, log: Log) {
  const nextRun = new Map<ScheduledJob, number>();
  /** The jobs whose own statement failed and that have not succeeded since. The log names such a failure only the first time. */
  const failing = new Set<ScheduledJob>();
  let running: Promise<void> | undefined;
  const runDueJobs = async (signal: AbortSignal): Promise<void> => {
    for (const job of jobs) {
      const time = clock();
      if (signal.aborted || time < (nextRun.get(job) ?? 0)) continue;
      try {
        await job.run();
        nextRun.set(job, time + job.every);
        failing.delete(job);
      } catch (error) {
        const isTrouble = isDatabaseTrouble(error);
        nextRun.set(job, clock() + (isTrouble ? pauseAfterTrouble(job) : pauseAfterBug));
        if (!isTrouble) logBug(log, error);
        // An outage is in the log already.
        else if (isOfTheStatement(error) && !failing.has(job)) log("job-stopped", { code: codeOf(error) });
        if (isTrouble && isOfTheStatement(error)) failing.add(job);
      }
    }
  };
  return {
    /** Starts the jobs that are due, until the signal aborts, unless the last start's jobs are still under way. */
    run: (signal: AbortSignal): void => {
      running ??= runDueJobs(signal).finally(() => {
        running = undefined;
      });
    },
    /** Resolves when no job is under way. */
    drained: (): Promise<void> => running ?? Promise.resolve(),
  };
}
