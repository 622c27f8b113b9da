// What is done now and then, beside delivering: leads that wait too long are told of, what is old enough is erased or
// emptied, and once a day the log has a line to reconcile against. All of it may be done by several workers at once.
import type { Sql } from "../database/connect.ts";
import type { ResilientConnection } from "../database/resilient-connection.ts";
import type { Log } from "../log/log.ts";
import { countDeliveries, countLeads } from "./counts.ts";
import { oweForgotten, oweOverdue } from "./outbox.ts";
import type { Chore } from "./worker.ts";

export interface Retention {
  permissionDays: number;
  /** Undefined: leads are kept. */
  retentionDays: number | undefined;
}

const minute = 60_000;
const hour = 60 * minute;

/** These look at every lead, and a database may have many. */
const patience = 10 * minute;

/** The chores of a worker. */
export function makeChores(database: ResilientConnection, log: Log, keep: Retention): Chore[] {
  const chore = (every: number, work: (sql: Sql) => Promise<void>): Chore => ({
    every,
    run: () => database.query(work, patience),
  });
  return [
    chore(10 * minute, (sql) => tellOfWaiting(sql, log)),
    chore(24 * hour, (sql) => forgetWhatIsOld(sql, log, keep)),
    chore(24 * hour, (sql) => reconcile(sql, log)),
  ];
}

/** Owes word of leads that have waited 20 hours, and of leads that nobody was told of. */
export async function tellOfWaiting(sql: Sql, log: Log, at?: Date): Promise<void> {
  const deliveries = await oweOverdue(sql, at);
  if (deliveries > 0) log("leads-overdue", { deliveries });
  await oweForgotten(sql, at);
}

/** Erases leads by age, and empties the circumstances of old permissions. */
export async function forgetWhatIsOld(sql: Sql, log: Log, keep: Retention, at = new Date()): Promise<void> {
  const before = (days: number) => new Date(at.getTime() - days * 24 * hour);
  const erased = keep.retentionDays ? await eraseOlder(sql, before(keep.retentionDays)) : 0;
  if (erased > 0) log("leads-erased", { count: erased });
  // All in one statement: nobody waits for a row that old.
  const emptied = await sql`
    update private.permissions
    set address = null, browser = null, page_path = null, utm = null
    where given_at < ${before(keep.permissionDays)}
      and (address is not null or browser is not null or page_path is not null or utm is not null)`;
  if (emptied.count > 0) log("permissions-emptied", { count: emptied.count });
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

// Little by little, so that no lock is held for long while visitors add leads. Two workers may find the same leads; the
// second to come to one finds it gone and does not count it.
async function eraseOlder(sql: Sql, before: Date): Promise<number> {
  for (let total = 0; ; ) {
    const [portion] = await sql<{ found: number; erased: number }[]>`
      select count(*)::int as found, count(*) filter (where private.erase_lead(old.id, 'age'))::int as erased
      from (
        select id from public.leads where created_at < ${before} order by created_at limit 500
      ) as old`;
    total += portion?.erased ?? 0;
    if (!portion?.found) return total;
  }
}
