// What is done now and then, beside delivering: leads that wait too long are told of, what is old enough is erased or
// emptied, and once a day the log has a line to reconcile against. All of it may be done by several workers at once.
import type { Sql } from "../database/connect.ts";
import type { ResilientConnection } from "../database/resilient-connection.ts";
import type { Log } from "../log/log.ts";
import { countDeliveries, countLeads } from "./counts.ts";
import { indexNewLeads, oweForgotten, oweOverdue } from "./outbox.ts";
import type { Chore } from "./worker.ts";

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

/** These look at every lead, and a database may have many. */
const patience = 10 * minute;

/** The chores of a worker. */
export function makeChores(database: ResilientConnection, log: Log): Chore[] {
  const chore = (every: number, work: (sql: Sql) => Promise<void>): Chore => ({
    every,
    run: () => database.query(work, patience),
  });
  return [
    chore(second, indexNewLeads),
    chore(24 * hour, indexForgottenLeads),
    chore(10 * minute, (sql) => tellOfWaiting(sql, log)),
    chore(hour, (sql) => carryOutRetention(sql, log)),
    chore(24 * hour, (sql) => reconcile(sql, log)),
  ];
}

/** Owes word of leads that have waited 20 hours, and of leads that nobody was told of. */
export async function tellOfWaiting(sql: Sql, log: Log, at?: Date): Promise<void> {
  const deliveries = await oweOverdue(sql, at);
  if (deliveries > 0) log("leads-overdue", { deliveries });
  await oweForgotten(sql, at);
}

/** Writes the rows of `private.lead_work` for leads that were inserted by hand in a transaction that took long. */
export async function indexForgottenLeads(sql: Sql): Promise<void> {
  await sql`select private.index_new_leads(100000, interval '100 years')`;
}

/**
 * Erases leads by age and empties the circumstances of old permissions, as far as a plan says that is a day old; then makes the
 * plan for tomorrow and says what it holds.
 */
export async function carryOutRetention(sql: Sql, log: Log): Promise<void> {
  const total = { erased: 0, emptied: 0 };
  for (;;) {
    const [portion] = await sql<{ erased: number; emptied: number; refused: boolean }[]>`
      select * from private.carry_out_retention()`;
    if (portion?.refused) log("retention-refused");
    total.erased += portion?.erased ?? 0;
    total.emptied += portion?.emptied ?? 0;
    if (!portion || portion.erased + portion.emptied === 0) break;
  }
  if (total.erased > 0) log("leads-erased", { count: total.erased });
  if (total.emptied > 0) log("permissions-emptied", { count: total.emptied });
  const [plan] = await sql<
    { leads: number; circumstances: number }[]
  >`select * from private.plan_retention()`;
  if (plan && plan.leads + plan.circumstances > 0) log("retention-planned", plan);
}

/** Says how many leads there are and what became of their deliveries, for whoever compares the two. */
export async function reconcile(sql: Sql, log: Log): Promise<void> {
  const leads = await countLeads(sql);
  const channels = await countDeliveries(sql);
  const facts = channels.flatMap(({ channel, delivered, pending, failed }) => [
    [`${channel}_delivered`, delivered],
    [`${channel}_pending`, pending],
    [`${channel}_failed`, failed],
  ]);
  log("reconciled", { ...leads, ...Object.fromEntries(facts) });
}
