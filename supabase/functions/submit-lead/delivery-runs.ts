// Runs the delivery where no process keeps running: each call starts a run over everything due, and calls that arrive meanwhile
// share the next one. A run has its own deadline, well under the platform's limit for a call.
import type { Sql } from "../../../database/connect.ts";
import type { ResilientConnection } from "../../../database/resilient-connection.ts";
import { isDatabaseTrouble } from "../../../database/trouble.ts";
import type { ComposedDelivery } from "../../../delivery/compose.ts";
import { indexNewLeads } from "../../../delivery/outbox.ts";
import { addUp, carryOutRetention, enqueueWaiting, rollUpCounts } from "../../../delivery/scheduled-jobs.ts";
import { logBug } from "../../../log/bug.ts";
import type { Log } from "../../../log/log.ts";

export interface DeliveryRunsDependencies {
  delivery: ComposedDelivery;
  /** The project's own login, which owns the tables. */
  database: ResilientConnection;
  log: Log;
  /** Where this function is, and a key that it knows: the database makes its wake-up call there each minute. */
  submitLead: { url: string; key: string };
  /** Seconds that a run may take. */
  seconds?: number;
}

/** Makes the runs. `wake` settles when everything that was asked for is done, and never rejects. */
export function makeDeliveryRuns(dependencies: DeliveryRunsDependencies): { wake(): Promise<void> } {
  const { delivery, database, log, submitLead, seconds = 45 } = dependencies;
  let underWay: Promise<void> | undefined;
  let runsAgain = false;
  let isScheduled = false;
  // A process lives for some minutes here, and the jobs of every hour run once in each.
  let areJobsDone = false;

  // A step that fails is logged when it is a bug, and the next steps are still done.
  async function step(work: () => Promise<unknown>): Promise<boolean> {
    try {
      await work();
      return true;
    } catch (error) {
      if (!isDatabaseTrouble(error)) logBug(log, error);
      return false;
    }
  }

  async function run(): Promise<void> {
    await step(() => delivery.deliverDue(database, { seconds }));
    await step(() => database.query(indexNewLeads));
    await step(() => database.query((sql) => enqueueWaiting(sql, log)));
    await step(() => database.query(addUp));
    if (!isScheduled) await step(schedule);
    if (areJobsDone) return;
    areJobsDone = true;
    await step(() => database.query((sql) => carryOutRetention(sql, log)));
    await step(() => database.query(rollUpCounts));
  }

  const schedule = async () => {
    isScheduled = await database.query((sql) => scheduleWakeUpCall(sql, submitLead));
  };

  async function runAll(): Promise<void> {
    do {
      runsAgain = false;
      await run();
    } while (runsAgain);
  }

  return {
    wake: () => {
      runsAgain = true;
      underWay ??= runAll().finally(() => {
        underWay = undefined;
      });
      return underWay;
    },
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
