// Erases leads that are older than so many days, a portion at a time, as the scheduled retention does; each portion is a transaction of
// its own, with its entry in the audit log.
import type { Sql } from "../database/connect.ts";
import { retryDeadlock } from "../database/retry-transaction.ts";
import type { Progress } from "./backup.ts";

/** Leads of one portion: a second's work, after which Ctrl-C is heard. */
const portionSize = 2_000;

/** What an operator is shown before leads are erased by age. */
export interface LeadsByAge {
  /** The database's clock, less the days. */
  before: Date;
  older: number;
  newer: number;
}

export async function countByAge(sql: Sql, days: number): Promise<LeadsByAge> {
  // The portions are taken from lead_work, where a lead may be missing that was stored in a transaction that took long.
  await sql`select private.index_new_leads(null, '100 years')`;
  const [counted] = await sql<LeadsByAge[]>`
    select b.before, count(*) filter (where w.created_at < b.before)::int as older,
      count(*) filter (where w.created_at >= b.before)::int as newer
    from (select date_trunc('milliseconds', now() - make_interval(days => ${days})) as before) b
    left join private.lead_work w on true group by b.before`;
  return counted as LeadsByAge;
}

/**
 * Erases what `countByAge` counted, the oldest first, until it is done or `signal` aborts. Returns how many leads that was, and whether some
 * are left.
 */
export async function eraseByAge(
  sql: Sql,
  days: number,
  { before, older }: LeadsByAge,
  { signal, onProgress = () => {} }: { signal?: AbortSignal; onProgress?: Progress } = {},
): Promise<{ erased: number; isBrokenOff: boolean }> {
  let erased = 0;
  while (await isAnyOlder(sql, before)) {
    if (signal?.aborted) return { erased, isBrokenOff: true };
    const [portion] = await retryDeadlock(
      async () => sql<{ erased: number }[]>`
        select private.erase_leads_by_age(${days}, ${before}, ${portionSize}) as erased`,
    );
    erased += portion?.erased ?? 0;
    onProgress(Math.min(erased / Math.max(older, 1), 1));
  }
  return { erased, isBrokenOff: false };
}

/** A portion may be empty and not the last, because another process has just erased the same leads. */
const isAnyOlder = async (sql: Sql, before: Date): Promise<boolean> =>
  (await sql`select from private.lead_work where created_at < ${before} limit 1`).count > 0;
