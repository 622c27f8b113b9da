// Has deliveries sent again now, except those that a retired channel did not take. The dispatcher of the server, or of `npm run deliver`,
// sends them.
import type { TransactionSql } from "postgres";
import type { Sql } from "../database/connect.ts";
import { retryDeadlock } from "../database/retry-transaction.ts";
import { transaction } from "../database/transaction.ts";
import * as outbox from "../delivery/outbox.ts";
import { auditOperator } from "./audit-operator.ts";

/**
 * How many deliveries are due now, or why none is sent. "delivered": all were delivered, except what a retired channel did not take. "not
 * owed": none is owed and none was delivered, because the lead was erased before any channel, except a retired one, was told of it. "erasure waits": the message
 * that the lead was erased waits for its first attempt. "no channel": no channel is set up. "channel not set up": deliveries are owed, but
 * only to channels that are not set up.
 */
export type Retried =
  | { due: number }
  | { nothing: "delivered" | "not owed" | "erasure waits" | "no channel" | "channel not set up" };

/** Makes the undelivered deliveries of one lead due now. Where no channel took the message that it came, enqueues one for each that is set up. */
export async function retryLead(sql: Sql, id: string): Promise<Retried> {
  const due = await audited(sql, id, (tx) => outbox.requeueLead(tx, id));
  const [found] = await sql<Record<"has_channel" | "will_be_sent" | "is_owed" | "was_told", boolean>[]>`
    with owed as (
      select d.delivered_at, c.enabled as is_set_up
      from private.deliveries d join private.channels c on c.name = d.channel
      where d.lead_id = ${id} and (d.delivered_at is not null or c.retired_at is null)
    )
    select exists (select from private.channels where enabled) as has_channel,
      exists (select from owed where delivered_at is null and is_set_up) as will_be_sent,
      exists (select from owed where delivered_at is null) as is_owed,
      exists (select from owed where delivered_at is not null) as was_told`;
  if (!found?.has_channel) return { nothing: "no channel" };
  if (found.is_owed && !found.will_be_sent) return { nothing: "channel not set up" };
  if (due > 0) return { due };
  if (found.is_owed) return { nothing: "erasure waits" };
  return { nothing: found.was_told ? "delivered" : "not owed" };
}

/** How many deliveries, of one lead or of all, are due on channels that are not set up: they are sent when their channel is. */
export async function countDueWithoutChannel(sql: Sql, lead: string | null = null): Promise<number> {
  const [row] = await sql<{ due: number }[]>`
    select count(*)::integer as due from private.deliveries
    where delivered_at is null and failed_at is null and due_at <= now() and lead_id = coalesce(${lead}, lead_id)
      and channel not in (select name from private.channels where enabled)`;
  return row?.due ?? 0;
}

export interface AllRetried {
  /** How many deliveries are due by it. */
  due: number;
  /** How many were due before, or under way. */
  wereDue: number;
}

/** Makes everything that failed due now. */
export const retryFailed = (sql: Sql): Promise<AllRetried> => retryAll(sql, outbox.requeueFailed);

/** Makes everything that waits for a later attempt due now. */
export const retryPending = (sql: Sql): Promise<AllRetried> => retryAll(sql, outbox.requeuePending);

async function retryAll(sql: Sql, requeue: (tx: TransactionSql) => Promise<number>): Promise<AllRetried> {
  let wereDue = 0;
  const due = await audited(sql, null, async (tx) => {
    wereDue = await outbox.countDue(tx);
    return requeue(tx);
  });
  return { due, wereDue };
}

/** Requeues deliveries and writes the entry about it, or does neither. Returns how many deliveries are due by it. */
async function audited(
  sql: Sql,
  lead: string | null,
  requeue: (tx: TransactionSql) => Promise<number>,
): Promise<number> {
  return retryDeadlock(() =>
    transaction(sql, async (tx) => {
      const deliveries = await requeue(tx);
      if (deliveries > 0) await auditOperator(tx, "retried deliveries", [lead], { deliveries });
      return deliveries;
    }),
  );
}
