// The outbox: every delivery we still owe the team, and the only SQL that touches one, beside the migrations' own.
// A delivery is claimed under a lease, so a worker that dies loses nothing but time.
import type { Sql } from "../database/connect.ts";
import type { StoredLead } from "../lead/lead.ts";

/** One thing that happened to one lead, owed to one channel. */
export interface Delivery {
  /** Also the message's id on every try, so that a receiver can tell a repetition. */
  id: string;
  event: "lead.created" | "lead.overdue" | "lead.erased" | "permission.withdrawn";
  channel: "email" | "webhook";
  leadId: string;
  /** When it was owed, which is when it happened. */
  owedAt: Date;
  /** Which try this is, counted from 1. It also says whose claim it is: a later one has another number. */
  attempt: number;
  /** Null when the lead was erased. */
  lead: StoredLead | null;
  permission: Permission | null;
  /** Why the lead looks like spam; most have none. */
  marks: string[];
}

/** What the visitor agreed to and in which circumstances. Times are ISO 8601. */
export interface Permission {
  notice: string | null;
  notice_hash: string | null;
  given_at: string;
  withdrawn_at: string | null;
  page_path: string | null;
  address: string | null;
  browser: string | null;
  utm: Record<string, string> | null;
}

/** What became of a try. A wait is in seconds. */
export type Result = Pick<Delivery, "id" | "attempt"> &
  ({ delivered: true } | { reason: string; wait: number } | { reason: string; failed: true });

/**
 * The time is the database's, so that workers with wrong clocks agree; a test hands in its own.
 * @see claim
 */
type At = Date | undefined;
const timeIn = (sql: Sql, at: At) => (at ? sql`${at}::timestamptz` : sql`now()`);

/**
 * Takes up to `most` deliveries that are due on a channel, the longest due first, and holds them for `lease` seconds.
 * Workers that ask at the same moment get different ones. The try is counted here and not when it ends, so that it
 * counts even when it takes the worker down with it. `rest` is how many seconds the channel then gives nothing out,
 * unless it gave out as many as was asked for: more are waiting then.
 */
export async function claim(
  sql: Sql,
  channel: Delivery["channel"],
  { most, lease, rest = 0, at }: { most: number; lease: number; rest?: number; at?: At },
): Promise<Delivery[]> {
  const now = timeIn(sql, at);
  const rows = await sql<ClaimedRow[]>`
    with due as (
      select d.id
      from private.deliveries d
      join private.channels c on c.name = d.channel
      where d.channel = ${channel}
        and d.delivered_at is null and d.failed_at is null
        and d.due_at <= ${now}
        and coalesce(d.claimed_until <= ${now}, true)
        and coalesce(c.resting_until <= ${now}, true)
      order by d.due_at
      limit ${most}
      for update of d skip locked
    ), resting as (
      update private.channels set resting_until = ${now} + make_interval(secs => ${rest})
      where name = ${channel} and ${rest} > 0 and (select count(*) from due) between 1 and ${most} - 1
    ), claimed as (
      update private.deliveries d
      set attempts = d.attempts + 1, claimed_until = ${now} + make_interval(secs => ${lease})
      from due where d.id = due.id
      returning d.*
    )
    select
      c.id, c.event, c.channel, c.lead_id, c.created_at as owed_at, c.attempts,
      l.created_at, l.name, l.email, l.phone, l.zip_code, l.has_medicare, l.has_diabetes,
      p.given_at, p.withdrawn_at, p.page_path, p.address, p.browser, p.utm, p.notice_hash, n.text as notice,
      array(select m.mark from private.marks m where m.lead_id = l.id) as marks
    from claimed c
    left join public.leads l on l.id = c.lead_id
    left join private.permissions p on p.lead_id = l.id
    left join private.notices n on n.hash = p.notice_hash
    order by c.created_at, c.id`;
  return rows.map(toDelivery);
}

/**
 * Writes down what became of tries. Delivered is delivered, whoever says so. A failure counts only for the claim it
 * belongs to: when the lease ran out and another worker has the delivery now, that one's word holds.
 */
export async function record(sql: Sql, results: readonly Result[], at?: At): Promise<void> {
  const now = timeIn(sql, at);
  await sql`
    update private.deliveries d
    set
      claimed_until = null,
      delivered_at = case when r.delivered then ${now} end,
      failed_at = case when r.failed then ${now} end,
      due_at = case when r.wait is null then d.due_at else ${now} + make_interval(secs => r.wait) end,
      last_error = r.reason
    from jsonb_to_recordset(${sql.json(results as never)})
      as r (id uuid, attempt integer, delivered boolean, failed boolean, wait double precision, reason text)
    where d.id = r.id
      and d.delivered_at is null
      and (r.delivered or (d.failed_at is null and d.attempts = r.attempt))`;
}

/** What a receiver that asked us to wait is remembered by. */
export const askedToWait = "asked to wait";

/** A receiver answers again after an outage: what waits because of the outage is due now, and not hours later. */
export async function hasten(sql: Sql, channel: Delivery["channel"], at?: At): Promise<void> {
  const now = timeIn(sql, at);
  await sql`
    update private.deliveries
    set due_at = ${now}
    where channel = ${channel}
      and delivered_at is null and failed_at is null
      and due_at > ${now} and claimed_until is null
      and last_error not like ${`%${askedToWait}`}`;
}

/**
 * Says which channels are set up. From here on a stored lead is owed to these by the insert itself; what is pending
 * on another one stays, and goes on when it is set up again.
 */
export async function enableChannels(sql: Sql, names: readonly Delivery["channel"][]): Promise<void> {
  await sql`
    update private.channels set enabled = name = any (${names as string[]})
    where enabled <> (name = any (${names as string[]}))`;
}

/**
 * Owes the leads of the last three days that are owed to nobody: they came while no channel was set up. It is as if
 * the channel had been down. Older ones, and those the team has reviewed, are the team's to retry. Returns how many.
 */
export async function oweForgotten(sql: Sql, at?: At): Promise<number> {
  const owed = await sql`
    insert into private.deliveries (lead_id, channel)
    select l.id, c.name
    from public.leads l cross join private.channels c
    where c.enabled
      and l.created_at > ${timeIn(sql, at)} - interval '3 days'
      and not exists (select from private.deliveries d where d.lead_id = l.id)
      and not exists (select from private.reviews r where r.lead_id = l.id)
    on conflict do nothing`;
  return owed.count;
}

/**
 * Owes word of each lead that has waited 20 hours unreviewed, once. Looks back one day more: who starts late hears of
 * what can still be helped, and `leads status` tells of the rest. Returns how many deliveries that makes.
 */
export async function oweOverdue(sql: Sql, at?: At): Promise<number> {
  const now = timeIn(sql, at);
  const owed = await sql`
    insert into private.deliveries (event, lead_id, channel)
    select 'lead.overdue', l.id, c.name
    from public.leads l cross join private.channels c
    where c.enabled
      and l.created_at <= ${now} - interval '20 hours'
      and l.created_at > ${now} - interval '44 hours'
      and not exists (select from private.reviews r where r.lead_id = l.id)
      and not exists (
        select from private.deliveries d
        where d.lead_id = l.id and d.event = 'lead.overdue' and d.channel = c.name
      )
    on conflict do nothing`;
  return owed.count;
}

/**
 * Has a delivery, or all of a lead's, tried again now, by the delivery's or the lead's id. A lead that is owed to no
 * channel is owed to those which are set up. What was delivered stays delivered. Returns how many are due by it.
 */
export async function retry(sql: Sql, id: string, at?: At): Promise<number> {
  const owed = await sql`
    insert into private.deliveries (lead_id, channel)
    select l.id, c.name
    from public.leads l cross join private.channels c
    where c.enabled and l.id = ${id}
      and not exists (select from private.deliveries d where d.lead_id = l.id)
    on conflict do nothing`;
  return owed.count || makeDue(sql, sql`(id = ${id} or lead_id = ${id})`, at);
}

/** Has everything that failed tried again now. Returns how many that is. */
export async function retryFailed(sql: Sql, at?: At): Promise<number> {
  return makeDue(sql, sql`failed_at is not null`, at);
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

/** What became of one lead's deliveries, as the team sees it. */
export interface DeliveryFate extends Pick<Delivery, "id" | "event" | "channel"> {
  created_at: Date;
  due_at: Date;
  attempts: number;
  delivered_at: Date | null;
  failed_at: Date | null;
  last_error: string | null;
}

/** A lead's deliveries, in the order they were owed. */
export async function deliveriesOf(sql: Sql, leadId: string): Promise<DeliveryFate[]> {
  return sql<DeliveryFate[]>`
    select id, event, channel, created_at, due_at, attempts, delivered_at, failed_at, last_error
    from private.deliveries where lead_id = ${leadId} order by created_at, event, channel`;
}

// A failed delivery starts over with all its tries; its last error stays until the next outcome, and also tells
// erase_lead that the channel may have heard of the lead. A pending one keeps its count.
async function makeDue(sql: Sql, which: ReturnType<Sql>, at: At): Promise<number> {
  const due = await sql`
    update private.deliveries
    set
      due_at = least(due_at, ${timeIn(sql, at)}),
      attempts = case when failed_at is null then attempts else 0 end,
      failed_at = null
    where delivered_at is null and ${which}`;
  return due.count;
}

interface ClaimedRow extends StoredLeadRow, PermissionRow {
  id: string;
  event: Delivery["event"];
  channel: Delivery["channel"];
  lead_id: string;
  owed_at: Date;
  attempts: number;
  marks: string[];
}
type StoredLeadRow = Omit<StoredLead, "id" | "created_at"> & { created_at: Date | null };
type PermissionRow = Omit<Permission, "given_at" | "withdrawn_at"> & {
  given_at: Date | null;
  withdrawn_at: Date | null;
};

function toDelivery(row: ClaimedRow): Delivery {
  const { id, event, channel, lead_id: leadId, owed_at: owedAt, attempts: attempt, marks } = row;
  return {
    id,
    event,
    channel,
    leadId,
    owedAt,
    attempt,
    marks,
    lead: leadOf(row),
    permission: permissionOf(row),
  };
}

function leadOf(row: ClaimedRow): StoredLead | null {
  if (!row.created_at) return null;
  const { name, email, phone, zip_code, has_medicare, has_diabetes } = row;
  const created_at = row.created_at.toISOString();
  return { id: row.lead_id, created_at, name, email, phone, zip_code, has_medicare, has_diabetes };
}

function permissionOf(row: ClaimedRow): Permission | null {
  if (!row.given_at) return null;
  const { notice, notice_hash, page_path, address, browser, utm } = row;
  const given_at = row.given_at.toISOString();
  const withdrawn_at = row.withdrawn_at?.toISOString() ?? null;
  return { notice, notice_hash, given_at, withdrawn_at, page_path, address, browser, utm };
}
