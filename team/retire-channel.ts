// Retires a channel, so that what is pending on it does not stay pending for ever.
import type { Sql } from "../database/connect.ts";
import * as outbox from "../delivery/outbox.ts";

/** How many deliveries were settled, or why none: the channel is set up and would send them, or there is none of that name. */
export type Retired = { settled: number } | { refused: "enabled" | "unknown"; names: string[] };

/** Settles what is pending on a channel that no server has set up any more. A channel that is set up again is no longer retired. */
export async function retireChannel(sql: Sql, name: string): Promise<Retired> {
  const channels = await sql<{ name: string; enabled: boolean }[]>`
    select name, enabled from private.channels order by name`;
  const channel = channels.find((one) => one.name === name);
  const names = channels.filter(({ enabled }) => !enabled).map((one) => one.name);
  if (!channel) return { refused: "unknown", names };
  if (channel.enabled) return { refused: "enabled", names };
  return { settled: await outbox.retireChannel(sql, name) };
}
