// How many leads and deliveries there are and how they stand, for the team's status, the inbox and the daily line of the log.
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
  /** Those of `unreviewed` that are older than the 24 hours promised. */
  overdue: number;
  /** Those of `unreviewed` that are owed to no channel, so that the team was not told. */
  untold: number;
  /** Those stored, reviewed or not, that came while no channel was set up. */
  owedToNoChannel: number;
}

/** Counts the leads. */
export async function countLeads(sql: Sql): Promise<LeadCount> {
  const [counts] = await sql<LeadCount[]>`
    with standing as (
      select l.created_at, d.lead_id is null as is_untold, r.lead_id is null and p.lead_id is null as is_waiting
      from public.leads l
      left join (select distinct lead_id from private.deliveries) d on d.lead_id = l.id
      left join private.reviews r on r.lead_id = l.id
      left join private.permissions p on p.lead_id = l.id and p.withdrawn_at is not null
    )
    select
      count(*)::int as stored,
      count(*) filter (where created_at > now() - interval '24 hours')::int as "lastDay",
      (select count(*)::int from private.erasures) as erased,
      count(*) filter (where is_waiting)::int as unreviewed,
      count(*) filter (where is_waiting and created_at < now() - interval '24 hours')::int as overdue,
      count(*) filter (where is_waiting and is_untold)::int as untold,
      count(*) filter (where is_untold)::int as "owedToNoChannel"
    from standing`;
  return counts as LeadCount;
}

/** How a channel stands. */
export interface ChannelCount {
  channel: Delivery["channel"];
  enabled: boolean;
  /** Given up by the operator: what was pending on it is settled, and counts neither as failed nor as stuck. */
  retired: boolean;
  delivered: number;
  pending: number;
  /** When the oldest pending delivery was owed. */
  oldestPending: Date | null;
  failed: number;
  /** Owed for 15 minutes and not delivered, whenever the next attempt is due. */
  stuck: number;
  /** Why the last attempt that failed did so, in one sentence of ours, and when; null when nothing waits or failed by it. */
  lastError: string | null;
  lastErrorAt: Date | null;
}

/** Counts the deliveries of each channel. */
export async function countDeliveries(sql: Sql, at?: At): Promise<ChannelCount[]> {
  const now = timeIn(sql, at);
  return sql<ChannelCount[]>`
    with counts as (
      select
        channel,
        count(delivered_at)::int as delivered,
        count(failed_at)::int as failed,
        (count(*) - count(delivered_at) - count(failed_at))::int as pending,
        min(created_at) filter (where delivered_at is null and failed_at is null) as oldest_pending,
        count(*) filter (
          where delivered_at is null and failed_at is null and created_at < ${now} - interval '15 minutes'
        )::int as stuck,
        count(last_error) as with_error
      from private.deliveries
      group by channel
    )
    select
      c.name as channel, c.enabled, c.retired_at is not null as retired,
      coalesce(d.delivered, 0) as delivered,
      coalesce(d.pending, 0) as pending,
      d.oldest_pending as "oldestPending",
      case when c.retired_at is null then coalesce(d.failed, 0) else 0 end as failed,
      case when c.retired_at is null then coalesce(d.stuck, 0) else 0 end as stuck,
      case when c.retired_at is null and d.with_error > 0 then c.last_failure end as "lastError",
      case when c.retired_at is null and d.with_error > 0 then c.last_failure_at end as "lastErrorAt"
    from private.channels c left join counts d on d.channel = c.name
    order by c.name`;
}
