// The dispatcher's side of the outbox: what is due is claimed under a lease, so that a process that dies loses nothing but
// time, and what became of it is recorded.
import { setTimeout as wait } from "node:timers/promises";
import type { Sql } from "../database/connect.ts";
import { transaction } from "../database/transaction.ts";
import type { StoredLead } from "../lead/lead.ts";
import type { Delivery, Permission } from "./delivery.ts";
import { type At, indexSomeNewLeads, momentSql } from "./outbox.ts";

/**
 * What became of an attempt. `wait` is in seconds; 0 means that the channel did not fail, because this process was stopped or the message
 * is to be split.
 */
export type Result = Pick<Delivery, "leadId" | "channel" | "event" | "claimedUntil"> &
  ({ delivered: true } | { reason: string; wait: number } | { reason: string; failed: true });

/**
 * Takes up to `max` deliveries that are due on a channel, the longest due first, and holds them for `lease` seconds.
 * Processes that claim at the same moment get different ones. The attempt is counted here and not when it ends, so that an
 * attempt that ends the process counts too. After a claim of some, but fewer than `max`, nothing can be claimed on the channel for
 * `cooldown` seconds. After a claim of `max` there is no cooldown, because more are waiting then.
 *
 * A message about a lead, except `lead.created`, does not overtake an earlier one that is due or held; one that waits for its retry may be
 * overtaken. `permission.withdrawn` counts as the latest, whenever it was enqueued, because a message that was claimed before it may not say it.
 */
export async function claim(
  sql: Sql,
  channel: Delivery["channel"],
  { max, lease, cooldown = 0, at }: { max: number; lease: number; cooldown?: number; at?: At },
): Promise<Delivery[]> {
  const now = momentSql(sql, at);
  const rows = await sql<ClaimedRow[]>`
    with due as (
      select d.lead_id, d.channel, d.event, d.claimed_until as earlier_lease_end
      from private.deliveries d
      join private.channels c on c.name = d.channel
      where d.channel = ${channel}
        and d.delivered_at is null and d.failed_at is null
        and d.due_at <= ${now}
        and coalesce(d.claimed_until <= ${now}, true)
        and coalesce(c.cooldown_until <= ${now}, true)
        and (d.event = 'lead.created' or not exists (
          select from private.deliveries other
          where other.lead_id = d.lead_id and other.channel = d.channel and other.event not in (d.event, 'permission.withdrawn')
            and (other.created_at < d.created_at or d.event = 'permission.withdrawn')
            -- Worded unlike the index of due deliveries: PostgreSQL would otherwise use it, and read the whole backlog.
            and coalesce(other.delivered_at, other.failed_at) is null
            and (other.due_at <= ${now} or other.claimed_until > ${now})
        ))
      order by d.due_at
      limit ${max}
      for update of d skip locked
    ), cooling as (
      update private.channels set cooldown_until = ${now} + make_interval(secs => ${cooldown})
      where name = ${channel} and ${cooldown} > 0 and (select count(*) from due) between 1 and ${max} - 1
    ), claimed as (
      update private.deliveries d
      set attempts = d.attempts + 1, claimed_until = ${now} + make_interval(secs => ${lease})
      from due where (d.lead_id, d.channel, d.event) = (due.lead_id, due.channel, due.event)
      returning d.*, due.earlier_lease_end
    )
    select
      c.id, c.event, c.channel, c.lead_id, c.created_at as owed_at, c.attempts, c.claimed_until::text as claimed_until,
      extract(epoch from ${now} - c.created_at)::float8 as owed_for,
      extract(epoch from c.earlier_lease_end - c.created_at)::float8 - ${lease} as abandoned_after,
      l.created_at, l.name, l.email, l.phone, l.zip_code, l.has_medicare, l.has_diabetes,
      p.given_at, p.withdrawn_at, p.page_origin, p.page_path, p.address, p.browser, p.utm, p.notice_hash, n.text as notice, n.language,
      case when p.notice_hash is null then 'not stated' when n.hash is null then 'not known' else 'shown' end as wording,
      w.flags
    from claimed c
    left join public.leads l on l.id = c.lead_id
    left join private.permissions p on p.lead_id = l.id
    left join private.lead_work w on w.lead_id = l.id
    left join private.notices n on n.hash = p.notice_hash
    order by c.created_at, c.id`;
  return (await withFlags(sql, rows)).map(toDelivery);
}

// Decides the flags of leads that are not indexed yet, because the message about a lead has its flags.
async function withFlags(sql: Sql, rows: readonly ClaimedRow[]): Promise<ClaimedRow[]> {
  const unflagged = rows.filter(({ flags, created_at }) => !flags && created_at).map((row) => row.lead_id);
  if (unflagged.length === 0) return [...rows];
  await indexInTime(sql);
  const found = await sql<{ lead_id: string; flags: string[] }[]>`
    select lead_id, flags from private.lead_work where lead_id = any (${unflagged}::uuid[])`;
  const flagsByLead = new Map(found.map((row) => [row.lead_id, row.flags]));
  return rows.map((row) => ({ ...row, flags: row.flags ?? flagsByLead.get(row.lead_id) ?? [] }));
}

/** Milliseconds that a message waits for the flags of its lead. */
const flagsWait = 3_000;

interface Indexings {
  underWay: Promise<void>;
  /** Has not begun, so it finds every lead that is there now. */
  next?: Promise<void> | undefined;
}

/** The indexings of each pool: one after the other, so that slow ones take one connection and leave the others to the messages. */
const indexings = new WeakMap<Sql, Indexings>();

/**
 * Indexes new leads, and waits 3 seconds for that at most, because the team must be told of a lead also where the indexing is slow or
 * fails. The job that indexes logs why it fails.
 */
async function indexInTime(sql: Sql): Promise<void> {
  const ofPool = indexings.get(sql) ?? { underWay: Promise.resolve() };
  indexings.set(sql, ofPool);
  ofPool.next ??= ofPool.underWay.then(() => {
    ofPool.underWay = indexAlone(sql).catch(() => {});
    ofPool.next = undefined;
    return ofPool.underWay;
  });
  await Promise.race([ofPool.next, wait(flagsWait, undefined, { ref: false })]);
}

// Each step is a transaction, because a transaction has its connection to itself. On the connection of a plain query, postgres.js sends
// other queries behind it, and messages would wait for a slow indexing.
async function indexAlone(sql: Sql): Promise<void> {
  while ((await transaction(sql, indexSomeNewLeads)) > 0);
}

/**
 * Records what became of attempts. A delivery that any process reports as delivered is delivered. A failure counts only for
 * the claim it belongs to: when the lease ran out and another process has claimed the delivery since, the result of that process holds, also
 * when a retry has begun to count the attempts anew.
 */
export async function record(sql: Sql, results: readonly Result[], at?: At): Promise<void> {
  const now = momentSql(sql, at);
  const rows = results.map(({ leadId: lead_id, claimedUntil: claimed_until, ...rest }) => ({
    lead_id,
    claimed_until,
    ...rest,
  }));
  await sql`
    with results as (
      -- Of two results of one delivery, which a lease that ran out may bring, the one that delivered it.
      select distinct on (r.lead_id, r.channel, r.event) r.* from jsonb_to_recordset(${sql.json(rows as never)}) as r (
        lead_id uuid, channel text, event text, claimed_until timestamptz,
        delivered boolean, failed boolean, wait double precision, reason text
      )
      order by r.lead_id, r.channel, r.event, r.delivered, r.claimed_until desc
    ), failing as (
      update private.channels c set last_failure = r.reason, last_failure_at = ${now}
      from (select distinct on (channel) channel, reason from results where failed or wait > 0) r
      where c.name = r.channel
    )
    update private.deliveries d
    set
      claimed_until = null,
      delivered_at = case when r.delivered then ${now} end,
      failed_at = case when r.failed then ${now} end,
      due_at = case when r.wait is null then d.due_at else ${now} + make_interval(secs => r.wait) end,
      -- The channel has not failed where the wait is 0.
      last_error = case when r.wait = 0 then d.last_error else r.reason end
    from results r
    where (d.lead_id, d.channel, d.event) = (r.lead_id, r.channel, r.event)
      and d.delivered_at is null
      and (r.delivered or (d.failed_at is null and d.claimed_until = r.claimed_until))`;
}

/** How a reason ends when a delivery waits because the receiver asked for the wait. `retryNow` leaves such a delivery waiting. */
export const askedToWaitSuffix = ", asked to wait";
/** How a reason ends when the receiver refuses what the message says. */
export const refusedSuffix = ", refused this message";

/**
 * Makes what waits for a later attempt on a channel due now, because the receiver answers again or its settings were
 * corrected; but not where the receiver asked to wait. What it refused for its content becomes due with `refusedToo` only.
 */
export async function retryNow(
  sql: Sql,
  channel: Delivery["channel"],
  { at, refusedToo = false }: { at?: At; refusedToo?: boolean } = {},
): Promise<void> {
  const now = momentSql(sql, at);
  const left = (refusedToo ? [askedToWaitSuffix] : [askedToWaitSuffix, refusedSuffix]).map(
    (end) => `%${end}`,
  );
  await sql`
    update private.deliveries set due_at = ${now}
    where channel = ${channel} and delivered_at is null and failed_at is null
      and due_at > ${now} and claimed_until is null and last_error not like all (${left})`;
}

interface ClaimedRow extends StoredLeadRow, PermissionRow {
  id: string;
  event: Delivery["event"];
  channel: Delivery["channel"];
  lead_id: string;
  owed_at: Date;
  owed_for: number;
  abandoned_after: number | null;
  attempts: number;
  claimed_until: string;
  language: string | null;
  flags: string[] | null;
}
type StoredLeadRow = Omit<StoredLead, "id" | "created_at"> & { created_at: Date | null };
type PermissionRow = Omit<Permission, "given_at" | "withdrawn_at"> & {
  given_at: Date | null;
  withdrawn_at: Date | null;
};

function toDelivery(row: ClaimedRow): Delivery {
  const { id, event, channel, lead_id: leadId, owed_at: owedAt, owed_for: owedFor, attempts: attempt } = row;
  const claimedUntil = row.claimed_until;
  const abandonedAfter = row.abandoned_after ?? undefined;
  return {
    id,
    event,
    channel,
    leadId,
    owedAt,
    owedFor,
    abandonedAfter,
    attempt,
    claimedUntil,
    language: row.language,
    flags: row.flags ?? [],
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
