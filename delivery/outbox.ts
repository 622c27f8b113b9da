// The outbox: what is owed to the team, and what came of it. A trigger of each insert fills it; this file adds missed deliveries and alerts,
// and requeues deliveries when the team asks. It also tells the database of the channels, and has new leads indexed. `claim.ts` takes what is
// due and records what came of it; `counts.ts` counts.
import type { TransactionSql } from "postgres";
import type { Sql } from "../database/connect.ts";
import { retryDeadlock } from "../database/retry-transaction.ts";
import { channelNames } from "./channels/registry.ts";
import type { Delivery } from "./delivery.ts";

/** The time is the database's, so that processes with wrong clocks agree; a test passes its own. */
export type At = Date | undefined;
export const momentSql = (sql: Sql | TransactionSql, at: At) => (at ? sql`${at}::timestamptz` : sql`now()`);

/**
 * Syncs the registry of channels to the database, and which of them are set up. From then on each insert of a lead enqueues a delivery for
 * each channel that is set up. What is pending on another channel stays, and goes on when that channel is set up again.
 */
export async function syncChannels(sql: Sql, setUp: readonly string[]): Promise<void> {
  await sql`select private.sync_channels(${[...channelNames]}::text[], ${[...setUp]}::text[])`;
}

/** Retires a channel and settles what is pending on it. Returns the number of deliveries; undefined where the channel cannot be retired. */
export async function retireChannel(sql: Sql, name: string): Promise<number | undefined> {
  const [row] = await retryDeadlock(
    async () => sql<{ count: number | null }[]>`select private.retire_channel(${name}) as count`,
  );
  return row?.count ?? undefined;
}

/** Enqueues leads that are owed to no channel, as the SQL function says. Returns how many deliveries that makes. */
export async function enqueueMissedDeliveries(sql: Sql, at?: At): Promise<number> {
  return countOf(
    await sql<Count[]>`select private.enqueue_missed_deliveries(${momentSql(sql, at)}) as count`,
  );
}

/** Enqueues an alert about overdue leads, as the SQL function says. Returns how many deliveries that makes. */
export async function enqueueOverdueAlerts(sql: Sql, at?: At): Promise<number> {
  return countOf(await sql<Count[]>`select private.enqueue_overdue_alerts(${momentSql(sql, at)}) as count`);
}

/** Decides spam flags and writes what lists need, for the leads that came since the last call. */
export async function indexNewLeads(sql: Sql): Promise<void> {
  while ((await indexSomeNewLeads(sql)) > 0);
}

/** Does so for at most a thousand leads. Returns how many this call has indexed: 0 also when another process has indexed all of them. */
export async function indexSomeNewLeads(sql: Sql | TransactionSql): Promise<number> {
  return countOf(await sql<Count[]>`select private.index_new_leads() as count`);
}

/** Does what indexNewLeads does, unless another process is doing it, which is enough for a job that comes again in a second. */
export async function indexNewLeadsUnlessBusy(sql: Sql): Promise<void> {
  for (let indexed = 1; indexed > 0; )
    indexed = countOf(await sql<Count[]>`select private.index_new_leads_unless_busy() as count`);
}

/**
 * Has a lead's deliveries tried again now. A lead whose arrival no channel was told of is owed to all that are set up now. What was
 * delivered stays delivered. Returns how many deliveries are due by it.
 */
export async function requeueLead(sql: Sql | TransactionSql, id: string, at?: At): Promise<number> {
  await sql`
    insert into private.deliveries (lead_id, channel)
    select l.id, c.name
    from public.leads l cross join private.channels c
    where c.enabled and l.id = ${id}
      and not exists (select from private.deliveries d where d.lead_id = l.id and d.event = 'lead.created' and d.delivered_at is not null)
    -- An erasure at this moment waits for this, and takes away what is enqueued here.
    for key share of l
    on conflict do nothing`;
  return makeDue(sql, sql`lead_id = ${id}`, at);
}

/** Has everything that failed tried again now, as the SQL function says. Returns how many deliveries that is. */
export async function requeueFailed(sql: Sql | TransactionSql): Promise<number> {
  return countOf(await sql<Count[]>`select private.requeue_failed() as count`);
}

/** Has everything that waits for a later attempt tried now. Returns how many deliveries that is. */
export async function requeuePending(sql: Sql | TransactionSql, at?: At): Promise<number> {
  return makeDue(
    sql,
    sql`failed_at is null and due_at > ${momentSql(sql, at)} and claimed_until is null`,
    at,
  );
}

/** Counts what is due, and what is under way. */
export async function countDue(sql: Sql | TransactionSql): Promise<number> {
  return countOf(
    await sql<Count[]>`
      select count(*)::integer as count from private.deliveries
      where delivered_at is null and failed_at is null and due_at <= now()
        and channel <> all (select name from private.channels where retired_at is not null)`,
  );
}

/** How far one delivery of a lead is, as the team sees it. */
export interface DeliveryState extends Pick<Delivery, "id" | "event" | "channel"> {
  created_at: Date;
  due_at: Date;
  attempts: number;
  delivered_at: Date | null;
  failed_at: Date | null;
  last_error: string | null;
  /** "off": it is not set up, so nothing is tried until it is. */
  channel_state: "on" | "off" | "retired";
}

/** A lead's deliveries, in the order they were owed. */
export async function deliveriesOf(sql: Sql, leadId: string): Promise<DeliveryState[]> {
  return sql<DeliveryState[]>`
    select d.id, d.event, d.channel, d.created_at, d.due_at, d.attempts, d.delivered_at, d.failed_at, d.last_error,
      case when c.retired_at is not null then 'retired' when c.enabled then 'on' else 'off' end as channel_state
    from private.deliveries d join private.channels c on c.name = d.channel
    where d.lead_id = ${leadId} order by d.created_at, d.event, d.channel`;
}

// A failed delivery starts over with all its attempts; its last error stays until the next outcome, because it also tells
// `settle_erasure` that the channel may have heard of the lead. A pending one keeps its count. What was pending on a retired
// channel stays settled, because no dispatcher would ever send it.
async function makeDue(sql: Sql | TransactionSql, which: ReturnType<Sql>, at: At): Promise<number> {
  const due = await sql`
    update private.deliveries
    set
      due_at = least(due_at, ${momentSql(sql, at)}),
      attempts = case when failed_at is null then attempts else 0 end,
      failed_at = null
    where delivered_at is null and ${which}
      -- An erasure is told later than a message about the lead that is under way (private.settle_erasure).
      and (failed_at is not null or attempts > 0 or event <> 'lead.erased')
      and channel <> all (select name from private.channels where retired_at is not null)`;
  return due.count;
}

type Count = { count: number };
const countOf = ([row]: readonly Count[]): number => row?.count ?? 0;
