// The worker's side of the outbox: what is due is claimed under a lease, so a worker that dies loses nothing but time, and
// what became of it is written down.
import type { Sql } from "../database/connect.ts";
import type { StoredLead } from "../lead/lead.ts";
import { askedToWait } from "./channels/channel.ts";
import type { Delivery, Permission } from "./delivery.ts";
import { type At, indexNewLeads, timeIn } from "./outbox.ts";

/** What became of a try. A wait is in seconds. */
export type Result = Pick<Delivery, "leadId" | "channel" | "event" | "attempt"> &
  ({ delivered: true } | { reason: string; wait: number } | { reason: string; failed: true });

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
      select d.lead_id, d.channel, d.event
      from private.deliveries d
      join private.channels c on c.name = d.channel
      where d.channel = ${channel}
        and d.delivered_at is null and d.failed_at is null
        and d.due_at <= ${now}
        and coalesce(d.claimed_until <= ${now}, true)
        and coalesce(c.cooldown_until <= ${now}, true)
      order by d.due_at
      limit ${most}
      for update of d skip locked
    ), resting as (
      update private.channels set cooldown_until = ${now} + make_interval(secs => ${rest})
      where name = ${channel} and ${rest} > 0 and (select count(*) from due) between 1 and ${most} - 1
    ), claimed as (
      update private.deliveries d
      set attempts = d.attempts + 1, claimed_until = ${now} + make_interval(secs => ${lease})
      from due where (d.lead_id, d.channel, d.event) = (due.lead_id, due.channel, due.event)
      returning d.*
    )
    select
      c.id, c.event, c.channel, c.lead_id, c.created_at as owed_at, c.attempts,
      l.created_at, l.name, l.email, l.phone, l.zip_code, l.has_medicare, l.has_diabetes,
      p.given_at, p.withdrawn_at, p.page_origin, p.page_path, p.address, p.browser, p.utm, p.notice_hash, n.text as notice,
      private.wording_of(p.notice_hash) as wording, w.flags as marks
    from claimed c
    left join public.leads l on l.id = c.lead_id
    left join private.permissions p on p.lead_id = l.id
    left join private.lead_work w on w.lead_id = l.id
    left join private.notices n on n.hash = p.notice_hash
    order by c.created_at, c.id`;
  return (await withFlags(sql, rows)).map(toDelivery);
}

// The flags of a lead that came this moment are decided here, because its message tells them.
async function withFlags(sql: Sql, rows: readonly ClaimedRow[]): Promise<ClaimedRow[]> {
  const unflagged = rows.filter(({ marks, created_at }) => !marks && created_at).map((row) => row.lead_id);
  if (unflagged.length === 0) return [...rows];
  await indexNewLeads(sql);
  const found = await sql<{ lead_id: string; flags: string[] }[]>`
    select lead_id, flags from private.lead_work where lead_id = any (${unflagged}::uuid[])`;
  const flags = new Map(found.map((row) => [row.lead_id, row.flags]));
  return rows.map((row) => ({ ...row, marks: row.marks ?? flags.get(row.lead_id) ?? [] }));
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
    from jsonb_to_recordset(${sql.json(results.map(({ leadId: lead_id, ...rest }) => ({ lead_id, ...rest })) as never)})
      as r (lead_id uuid, channel text, event text, attempt integer, delivered boolean, failed boolean, wait double precision, reason text)
    where (d.lead_id, d.channel, d.event) = (r.lead_id, r.channel, r.event)
      and d.delivered_at is null
      and (r.delivered or (d.failed_at is null and d.attempts = r.attempt))`;
}

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

interface ClaimedRow extends StoredLeadRow, PermissionRow {
  id: string;
  event: Delivery["event"];
  channel: Delivery["channel"];
  lead_id: string;
  owed_at: Date;
  attempts: number;
  marks: string[] | null;
}
type StoredLeadRow = Omit<StoredLead, "id" | "created_at"> & { created_at: Date | null };
type PermissionRow = Omit<Permission, "given_at" | "withdrawn_at"> & {
  given_at: Date | null;
  withdrawn_at: Date | null;
};

function toDelivery(row: ClaimedRow): Delivery {
  const { id, event, channel, lead_id: leadId, owed_at: owedAt, attempts: attempt } = row;
  return {
    id,
    event,
    channel,
    leadId,
    owedAt,
    attempt,
    marks: row.marks ?? [],
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
  const { notice, notice_hash, wording, page_origin, page_path, address, browser, utm } = row;
  const given_at = row.given_at.toISOString();
  const withdrawn_at = row.withdrawn_at?.toISOString() ?? null;
  return {
    notice,
    notice_hash,
    wording,
    given_at,
    withdrawn_at,
    page_origin,
    page_path,
    address,
    browser,
    utm,
  };
}
