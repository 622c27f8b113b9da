// How many leads and deliveries there are and how they stand, for the team's status and the daily line of the log.
import type { Sql } from "../database/connect.ts";
import type { Delivery } from "./delivery.ts";
import { type At, timeIn } from "./outbox.ts";

/** How the leads stand. Every accepted lead is stored or was erased. */
export interface LeadCount {
  stored: number;
  /** Of those stored: how many came in the last 24 hours. */
  lastDay: number;
  erased: number;
  /** Neither reviewed nor withdrawn. */
  unreviewed: number;
  /** Those of them that are older than the 24 hours promised. */
  overdue: number;
  /** They came while no channel was set up. */
  toldNobody: number;
}

/** Counts the leads. */
export async function countLeads(sql: Sql): Promise<LeadCount> {
  const [counts] = await sql<LeadCount[]>`
    with waiting as (
      select count(*)::int as unreviewed,
        count(*) filter (where l.created_at < now() - interval '24 hours')::int as overdue
      from public.leads l
      where not exists (select from private.reviews r where r.lead_id = l.id)
        and not exists (select from private.permissions p where p.lead_id = l.id and p.withdrawn_at is not null)
    )
    select
      count(*)::int as stored,
      count(*) filter (where l.created_at > now() - interval '24 hours')::int as "lastDay",
      (select count(*)::int from private.erasures) as erased,
      (select unreviewed from waiting),
      (select overdue from waiting),
      count(*) filter (
        where not exists (select from private.deliveries d where d.lead_id = l.id)
      )::int as "toldNobody"
    from public.leads l`;
  return counts as LeadCount;
}

/** How a channel stands, for the team's status and the daily line. */
export interface ChannelCount {
  channel: Delivery["channel"];
  enabled: boolean;
  delivered: number;
  pending: number;
  /** When the oldest pending delivery was owed. */
  oldestPending: Date | null;
  failed: number;
  /** Pending ones that have been due for a quarter of an hour while nobody sends them. */
  stuck: number;
}

/** Counts the deliveries of each channel. */
export async function countDeliveries(sql: Sql, at?: At): Promise<ChannelCount[]> {
  const now = timeIn(sql, at);
  return sql<ChannelCount[]>`
    select
      c.name as channel, c.enabled,
      count(d.delivered_at)::int as delivered,
      count(d.failed_at)::int as failed,
      count(d.id) filter (where d.delivered_at is null and d.failed_at is null)::int as pending,
      min(d.created_at) filter (where d.delivered_at is null and d.failed_at is null) as "oldestPending",
      count(d.id) filter (
        where d.delivered_at is null and d.failed_at is null
          and d.due_at < ${now} - interval '15 minutes' and coalesce(d.claimed_until < ${now}, true)
      )::int as stuck
    from private.channels c left join private.deliveries d on d.channel = c.name
    group by c.name
    order by c.name`;
}
