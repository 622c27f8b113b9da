// Has deliveries sent again now. The dispatcher of the server, or of `npm run deliver`, sends them.
import type { Sql } from "../database/connect.ts";
import * as outbox from "../delivery/outbox.ts";

/**
 * How many deliveries are due now, or why none is: all were delivered, none is owed and none was delivered (of a lead that was erased before
 * any channel was told of it), or no channel is set up.
 */
export type Retried = { due: number } | { nothing: "delivered" | "not owed" | "no channel" };

/** Makes the deliveries of one lead due now, and enqueues a lead of which no channel took a message. */
export async function retryLead(sql: Sql, id: string): Promise<Retried> {
  const due = await outbox.requeueLead(sql, id);
  if (due > 0) return { due };
  const [found] = await sql<{ has_channel: boolean; was_told: boolean }[]>`
    select exists (select from private.channels where enabled) as has_channel,
      exists (select from private.deliveries where lead_id = ${id} and delivered_at is not null) as was_told`;
  if (!found?.has_channel) return { nothing: "no channel" };
  return { nothing: found.was_told ? "delivered" : "not owed" };
}

/** Makes everything that failed due now. Returns how many deliveries that is. */
export const retryFailed = (sql: Sql): Promise<number> => outbox.requeueFailed(sql);

/** Makes everything that waits for a later attempt due now. Returns how many deliveries that is. */
export const retryPending = (sql: Sql): Promise<number> => outbox.requeuePending(sql);
