// What the database has summed, and the same by reading everything, for the chapters that compare the two.
import type { Sql } from "../../database/connect.ts";
import { countDeliveries, readLeadCounts } from "../../delivery/counts.ts";

/** The report on the last days. */
export async function report(sql: Sql, days: number): Promise<unknown> {
  const [row] = await sql<{ report: unknown }[]>`
    select private.report(now() - ${days} * interval '1 day', now(), 'America/New_York') as report`;
  return row?.report;
}

/**
 * The report from the sums of the days, and the report from the leads. Both are made in one transaction, because at two moments the last
 * days would not be the same, and the reports could differ by a lead or a call.
 */
export async function reportBothWays(
  owner: Sql,
  days: number,
): Promise<{ fromSums: unknown; fromLeads: unknown }> {
  const undone = new Error("undone");
  const reports: unknown[] = [];
  await owner
    .begin(async (tx) => {
      const sql = tx as unknown as Sql;
      reports.push(await report(sql, days));
      await tx`delete from private.report_days`;
      reports.push(await report(sql, days));
      throw undone;
    })
    .catch((error) => {
      if (error !== undone) throw error;
    });
  return { fromSums: reports[0], fromLeads: reports[1] };
}

/** How leads, deliveries and the queue stand, as the product counts them. */
export async function counted(sql: Sql) {
  const channels = (await countDeliveries(sql)).map(({ channel, delivered, failed, pending, stuck }) => ({
    channel,
    delivered,
    failed,
    pending,
    stuck,
  }));
  return { counts: await readLeadCounts(sql), channels, late: await lateInQueue(sql) };
}

/** The same, by reading everything. */
export async function countedByReading(sql: Sql) {
  const [counts] = await sql`
    select count(*)::int as stored, count(*) filter (where l.created_at > now() - interval '24 hours')::int as "lastDay",
      (select count(*)::int from private.erasures) as erased, count(*) filter (where x.waits)::int as unreviewed,
      count(*) filter (where x.waits and l.created_at < now() - interval '24 hours')::int as overdue,
      count(*) filter (where x.waits and x.unowed)::int as untold, count(*) filter (where x.unowed)::int as "owedToNoChannel"
    from public.leads l cross join lateral (
      select
        not exists (select from private.reviews r where r.lead_id = l.id)
          and not exists (select from private.permissions p where p.lead_id = l.id and p.withdrawn_at is not null) as waits,
        not exists (
          select from private.deliveries d join private.channels c on c.name = d.channel
          where d.lead_id = l.id and (d.delivered_at is not null or c.retired_at is null)
        ) as unowed
    ) x`;
  const channels = await sql`
    select c.name as channel, count(d.delivered_at)::int as delivered, count(d.failed_at) filter (where c.retired_at is null)::int as failed,
      (count(d.id) - count(d.delivered_at) - count(d.failed_at))::int as pending,
      count(*) filter (where d.delivered_at is null and d.failed_at is null and d.created_at < now() - interval '15 minutes')::int as stuck
    from private.channels c left join private.deliveries d on d.channel = c.name group by c.name order by c.name`;
  const [queue] = await sql`
    select count(*)::int as late from private.lead_work w
    where w.stage <> 'closed' and w.tried_at is null and w.created_at < now() - interval '24 hours'`;
  return { counts, channels: [...channels], late: queue?.late };
}

/** How many leads of the queue came more than 24 hours ago and have not been tried, as the product counts them. */
export const lateInQueue = async (sql: Sql) => {
  const [queue] = await sql<{ late: number }[]>`
    select (private.queue_counts(row(null, null, 'operator', 'operator')::private.actor) ->> 'late')::int as late`;
  return queue?.late;
};
