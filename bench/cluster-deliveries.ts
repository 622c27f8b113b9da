// Checks the deliveries of a load: the database says whether each one is made, and the receiver's file whether it was received.
import { existsSync, readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import type { Sql } from "../database/connect.ts";

/**
 * Waits three minutes at most until every delivery is made. Returns how many are made and received, how many are missing (not made, or
 * not received), and how many messages were received again. `receivedFile` is a file with the id of a message in each line.
 */
export async function checkDeliveries(owner: Sql, receivedFile: string) {
  for (let second = 0; second < 180; second += 1) {
    const [open] = await owner`select from private.deliveries where delivered_at is null limit 1`;
    if (!open) break;
    await pause(1_000);
  }
  // The receiver makes the file with its first message.
  const received = existsSync(receivedFile) ? readFileSync(receivedFile, "utf8") : "";
  const lines = received.split("\n").filter(Boolean);
  const arrived = new Set(lines);
  const deliveries = await owner<{ id: string; isMade: boolean }[]>`
    select id, delivered_at is not null as "isMade" from private.deliveries`;
  const missing = deliveries.filter(({ id, isMade }) => !isMade || !arrived.has(id)).length;
  return { missing, repeated: lines.length - arrived.size, delivered: deliveries.length - missing };
}
