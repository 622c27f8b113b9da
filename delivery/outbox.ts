// The outbox: every delivery that we still owe the team. Here it is filled beside the insert's own trigger, and sent again
// when the team retries; `claim.ts` empties it, `counts.ts` counts it.
import type { Sql } from "../database/connect.ts";
import type { Delivery } from "./delivery.ts";

/** The time is the database's, so that workers with wrong clocks agree; a test hands in its own. */
export type At = Date | undefined;
export const timeIn = (sql: Sql, at: At) => (at ? sql`${at}::timestamptz` : sql`now()`);

/** Every channel that the program knows. */
const knownChannels = ["email", "webhook"];

/**
 * Says which channels are set up. From here on a stored lead is owed to these by the insert itself; what is pending
 * on another one stays, and goes on when it is set up again.
 */
export async function enableChannels(sql: Sql, names: readonly Delivery["channel"][]): Promise<void> {
  await sql`insert into private.channels (name) select unnest(${knownChannels}::text[]) on conflict do nothing`;
  await sql`
    update private.channels set enabled = name = any (${names as string[]}), retired_at = null
    where enabled <> (name = any (${names as string[]}))`;
}

/** Owes missed leads, as the SQL function says. Returns how many deliveries that makes. */
export async function oweForgotten(sql: Sql, at?: At): Promise<number> {
  const [row] = await sql<
    { made: number }[]
  >`select private.enqueue_missed_deliveries(${timeIn(sql, at)}) as made`;
  return row?.made ?? 0;
}

/** Owes an alert about overdue leads, as the SQL function says. Returns how many deliveries that makes. */
export async function oweOverdue(sql: Sql, at?: At): Promise<number> {
  const [row] = await sql<
    { made: number }[]
  >`select private.enqueue_overdue_alerts(${timeIn(sql, at)}) as made`;
  return row?.made ?? 0;
}

/** Decides flags and writes what lists need, for leads that came since. */
export async function indexNewLeads(sql: Sql): Promise<void> {
  for (let indexed = 1; indexed > 0; ) {
    const [row] = await sql<{ indexed: number }[]>`select private.index_new_leads() as indexed`;
    indexed = row?.indexed ?? 0;
  }
}

/**
 * Has a lead's deliveries tried again now. A lead that is owed to no
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
  return owed.count || makeDue(sql, sql`lead_id = ${id}`, at);
}

/** Has everything that failed tried again now. Returns how many that is. */
export async function retryFailed(sql: Sql, at?: At): Promise<number> {
  return makeDue(sql, sql`failed_at is not null`, at);
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
