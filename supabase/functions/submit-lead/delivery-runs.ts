// Runs the delivery and its jobs where no process keeps running: each call starts a run over everything due, and calls that arrive
// meanwhile share the next one. A run has its own deadline, well under the platform's limit for a call. The jobs come after a run, also
// while calls keep arriving.
import type { Sql } from "../../../database/connect.ts";
import type { ResilientConnection } from "../../../database/resilient-connection.ts";
import { isDatabaseTrouble, isOfTheStatement } from "../../../database/trouble.ts";
import type { ComposedDelivery } from "../../../delivery/compose.ts";
import { indexNewLeads } from "../../../delivery/outbox.ts";
import {
  addUp,
  carryOutRetention,
  enqueueWaiting,
  jobTimeout,
  rollUpCounts,
} from "../../../delivery/scheduled-jobs.ts";
import { logBug } from "../../../log/bug.ts";
import { codeOf, type Log } from "../../../log/log.ts";

export interface DeliveryRunsDependencies {
  delivery: Pick<ComposedDelivery, "deliverDue">;
  /** The project's own login, which owns the tables. */
  database: ResilientConnection;
  /** The same login on a connection of its own, so that no form post and no delivery waits for a job. */
  jobsDatabase: ResilientConnection;
  log: Log;
  /** Where this function is, and a key that it knows: the database makes its wake-up call there each minute. */
  submitLead: { url: string; key: string };
  /** Seconds that a run over everything due may take, and that the retention may take after it. */
  seconds?: number;
}

/** Makes the runs. `wake` settles when everything that was asked for is done, and never rejects. */
export function makeDeliveryRuns(dependencies: DeliveryRunsDependencies): { wake(): Promise<void> } {
  const { delivery, database, log, seconds = 45 } = dependencies;
  const deliverDue = shared(async () => {
    await step(() => delivery.deliverDue(database, { seconds }), log);
  });
  const runJobs = shared(makeJobs(dependencies, seconds));
  return {
    // The jobs come after a run, because the run notes which channels are set up.
    wake: async () => {
      await deliverDue();
      await runJobs();
    },
  };
}

function makeJobs({ jobsDatabase, log, submitLead }: DeliveryRunsDependencies, seconds: number) {
  // An outage is logged by the other connections.
  const noteStopped = (error: unknown) =>
    isOfTheStatement(error) && log("job-stopped", { code: codeOf(error) });
  const job = (work: (sql: Sql) => Promise<unknown>) =>
    step(() => jobsDatabase.query(work, jobTimeout), log, noteStopped);
  let isScheduled = false;
  // A process lives for some minutes here, so it does once what a worker does each hour.
  let isRetentionDone = false;
  let isRolledUp = false;

  return async () => {
    await job(indexNewLeads);
    await job((sql) => enqueueWaiting(sql, log));
    await job(addUp);
    if (!isScheduled) isScheduled = (await job((sql) => scheduleWakeUpCall(sql, submitLead))) === true;
    if (!isRetentionDone)
      isRetentionDone = (await job((sql) => carryOutRetention(sql, log, seconds * 1000))) === true;
    if (!isRolledUp) isRolledUp = (await job((sql) => rollUpCounts(sql).then(() => true))) === true;
  };
}

// A step that fails is logged when it is a bug, and the next steps are still done.
async function step(
  work: () => Promise<unknown>,
  log: Log,
  onTrouble: (error: unknown) => void = () => {},
): Promise<unknown> {
  try {
    return await work();
  } catch (error) {
    if (!isDatabaseTrouble(error)) logBug(log, error);
    onTrouble(error);
    return undefined;
  }
}

/** Makes a function that does the work once for all who call before it begins, and settles when it is done. No two runs overlap. */
function shared(work: () => Promise<void>): () => Promise<void> {
  let underWay = Promise.resolve();
  let next: Promise<void> | undefined;
  return () => {
    next ??= underWay.then(() => {
      underWay = next as Promise<void>;
      next = undefined;
      return work();
    });
    return next;
  };
}

/** False where the database lacks the extensions for it. */
async function scheduleWakeUpCall(
  sql: Sql,
  { url, key }: DeliveryRunsDependencies["submitLead"],
): Promise<boolean> {
  const [row] = await sql<{ isScheduled: boolean }[]>`
    select private.schedule_wake_up_call(${url}, ${key}) as "isScheduled"`;
  return row?.isScheduled ?? false;
}
