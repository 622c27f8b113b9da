// Records that a person withdrew the permission to be phoned. The permission ends for this lead and for every other lead so far with one of
// its phone numbers, and the numbers go on the stop list.
import type { Sql } from "../database/connect.ts";
import { retryDeadlock } from "../database/deadlock.ts";
import { erasedMeanwhile } from "./refusal.ts";

/**
 * Returns the ids of the leads whose permission this ended; not this lead's own when its permission had ended before. The channels are notified.
 * @throws Refusal when the lead was erased meanwhile.
 */
export async function withdrawPermission(sql: Sql, id: string): Promise<string[]> {
  const ended = await retryDeadlock(
    async () => sql<{ id: string }[]>`select private.withdraw_permission(${id}) as id`,
  );
  if (ended.length === 0 && (await sql`select from public.leads where id = ${id}`).count === 0)
    throw erasedMeanwhile(id);
  return ended.map((row) => row.id);
}
