// The scheduled jobs of a worker: they decide spam flags, alert the team to leads that wait too long or that no channel took, erase
// what has reached its age, add up what counts, reports and campaigns are made of, and log the leads' counts once a day. Several
// processes may run them at once.
import type { Sql } from "../database/connect.ts";
import type { ResilientConnection } from "../database/resilient-connection.ts";
import type { Log } from "../log/log.ts";
import { countDeliveries, readLeadCounts } from "./counts.ts";
import type { ScheduledJob } from "./job-runner.ts";
import { enqueueMissedDeliveries, enqueueOverdueAlerts, indexNewLeadsUnlessBusy } from "./outbox.ts";

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

/** Milliseconds that a job's work may take. The daily look for leads that the lists have missed reads every lead, and a database may have many. */
export const jobTimeout = 10 * minute;

/** Connections that the jobs need so that none waits for the connection of another: one for each list that makeScheduledJobs returns. */
export const jobConnections = 3;

/**
 * The scheduled jobs of a worker, in three lists: the indexing of new leads, the alerts, and upkeep. Jobs of one list run one after the
 * other, and no list waits for another, because upkeep takes minutes where there are many leads.
 */
export function makeScheduledJobs(
  database: ResilientConnection,
  checkAlert: (sql: Sql) => Promise<void>,
  log: Log,
): ScheduledJob[][] {
  const job = (every: number, work: (sql: Sql) => Promise<unknown>): ScheduledJob => ({
    every,
    run: async () => void (await database.query(work, jobTimeout)),
  });
  return [
    [job(second, indexNewLeadsUnlessBusy)],
    [job(minute, checkAlert), job(10 * minute, (sql) => enqueueWaiting(sql, log))],
    [
      job(24 * hour, indexMissedLeads),
      job(minute, addUp),
      job(hour, (sql) => carryOutRetention(sql, log)),
      job(hour, rollUpCounts),
      job(24 * hour, (sql) => reconcile(sql, log)),
    ],
  ];
}

/**
 * Enqueues leads that were owed to no channel, and after them the alerts about leads that have waited 20 hours, because an alert must not
 * come before its lead.
 */
export async function enqueueWaiting(sql: Sql, log: Log, at?: Date): Promise<void> {
  await enqueueMissedDeliveries(sql, at);
  const deliveries = await enqueueOverdueAlerts(sql, at);
  if (deliveries > 0) log("leads-overdue", { deliveries });
}

/** Indexes the leads that the indexing of each second has missed, as the SQL function says. */
export async function indexMissedLeads(sql: Sql): Promise<void> {
  await sql`select private.index_missed_leads()`;
}

/** Adds up the changes that the counts consist of, and the days of the reports. */
export async function addUp(sql: Sql): Promise<void> {
  await sql`select private.add_up_tallies()`;
  for (let days = 1; days > 0; ) {
    const [summed] = await sql<{ days: number }[]>`select private.sum_up_report_days() as days`;
    days = summed?.days ?? 0;
  }
}

/** Milliseconds that one run of the retention takes at most; the next one goes on. */
const maxRetentionRun = 5 * minute;

/** Erased leads and emptied permissions, together, after which a run logs how many there were and goes on. */
const logEvery = 50_000;

/**
 * Carries out a plan that is a day old: erases old leads and empties the circumstances of old permissions. Then makes the plan for tomorrow
 * and logs what it holds. Each portion is a transaction of its own. Returns whether the plan is carried
 * out; false when `maxRun` milliseconds were too short.
 */
export async function carryOutRetention(sql: Sql, log: Log, maxRun = maxRetentionRun): Promise<boolean> {
  const started = performance.now();
  const done = { erased: 0, emptied: 0 };
  let isDone = false;
  const report = () => {
    if (done.erased > 0) log("leads-erased", { count: done.erased });
    if (done.emptied > 0) log("permissions-emptied", { count: done.emptied });
    Object.assign(done, { erased: 0, emptied: 0 });
  };
  try {
    for (;;) {
      const [portion] = await sql<
        { erased: number; emptied: number; refused: boolean; is_done: boolean }[]
      >`select * from private.carry_out_retention()`;
      isDone = portion?.is_done ?? true;
      if (!portion) break;
      done.erased += portion.erased;
      done.emptied += portion.emptied;
      if (portion.is_done && portion.refused) log("retention-refused");
      if (portion.is_done) break;
      if (done.erased + done.emptied >= logEvery) report();
      if (performance.now() - started > maxRun) break;
    }
  } finally {
    // Also where a later portion fails: what is erased by then is erased.
    report();
  }
  const [plan] = await sql<
    { leads: number; circumstances: number }[]
  >`select * from private.plan_retention()`;
  if (plan && plan.leads + plan.circumstances > 0) log("retention-planned", plan);
  return isDone;
}

/** Adds the campaigns' hourly counts that are more than eight days old up to days. */
export async function rollUpCounts(sql: Sql): Promise<void> {
  await sql`select private.roll_up_counts()`;
}

/** Counts anew, and logs how many leads there are and what became of their deliveries, so that the two can be compared. */
export async function reconcile(sql: Sql, log: Log): Promise<void> {
  await sql`select private.recount()`;
  const leads = await readLeadCounts(sql);
  const channels = await countDeliveries(sql);
  const facts = channels.flatMap(({ channel, delivered, pending, failed }) => [
    [`${channel}_delivered`, delivered],
    [`${channel}_pending`, pending],
    [`${channel}_failed`, failed],
  ]);
  log("reconciled", { ...leads, ...Object.fromEntries(facts) });
}
