// Retires a channel, so that what is pending on it does not stay pending for ever.
import type { Sql } from "../database/connect.ts";
import * as outbox from "../delivery/outbox.ts";

/** How many deliveries were settled, or why none: a server has the channel set up and would send them, or there is none of that name. */
export type Retired = { settled: number } | { refused: "enabled" | "unknown"; retirable: string[] };

/** Retires a channel that no server has set up any more, and settles what is pending on it. A server that sets it up again ends its retirement. */
export async function retireChannel(sql: Sql, name: string): Promise<Retired> {
  const settled = await outbox.retireChannel(sql, name);
  if (settled !== undefined) return { settled };
  const channels = await sql<{ name: string; enabled: boolean; is_retired: boolean }[]>`
    select name, enabled, retired_at is not null as is_retired from private.channels order by name`;
  return {
    refused: channels.some((channel) => channel.name === name) ? "enabled" : "unknown",
    retirable: channels
      .filter(({ enabled, is_retired }) => !enabled && !is_retired)
      .map((channel) => channel.name),
  };
}
