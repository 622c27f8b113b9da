// Reads leads from end to end a page at a time, in the order of an index: the first row comes at once, nothing is sorted, and the next
// page is on its way while one is worked on.
import { setImmediate } from "node:timers/promises";
import type { PendingQuery, Row, TransactionSql } from "postgres";

/** Rows of a page. Two pages are held in memory at once. */
const pageSize = 1_000;

/** Where a page ends: the time (as `utc` selects it) and the id of its last row. */
export interface PageEnd {
  time: string;
  id: string;
}

/** Where the next page begins, in the order of lead_work's time and id. */
export const beyond = (tx: TransactionSql, end: PageEnd | undefined, direction: "newer" | "older") => {
  if (!end) return tx``;
  const compared = direction === "newer" ? tx`>` : tx`<`;
  return tx`and (w.created_at, w.lead_id) ${compared} (${end.time}::text::timestamp at time zone 'UTC', ${end.id}::uuid)`;
};

/** Selects a time as text in UTC to the microsecond, such as "2026-11-22 09:30:00.123456", because a Date has no microseconds. */
export const utc = (tx: TransactionSql, column: string) => tx`(${tx(column)} at time zone 'UTC')::text`;

/** What `utc` selected, in ISO 8601 to the millisecond, as JSON has a Date. */
export function isoTime(time: string): string {
  const clock = time.slice(11, 23);
  // PostgreSQL leaves out the zeros at the end of a fraction.
  const exact = clock.length === 12 ? clock : (clock.length === 8 ? `${clock}.` : clock).padEnd(12, "0");
  return `${time.slice(0, 10)}T${exact}Z`;
}

/** Yields the pages of a query that takes where the page before ended, as `endOf` reads it from the last row, and how many rows a page has. */
export async function* pagesOf<R extends Row>(
  select: (end: PageEnd | undefined, size: number) => PendingQuery<R[]>,
  endOf: (row: R) => PageEnd,
): AsyncGenerator<R[]> {
  const fetch = async (end: PageEnd | undefined) => await select(end, pageSize);
  let next = fetch(undefined);
  for (;;) {
    const page = await next;
    const last = page.length < pageSize ? undefined : page.at(-1);
    if (last) {
      next = fetch(endOf(last));
      // A reader that stops early awaits it no more.
      next.catch(() => {});
      await isSent();
    }
    if (page.length > 0) yield page;
    if (!last) return;
  }
}

/**
 * Waits until a query that was just begun has gone to the server. postgres.js prepares it in one turn of the event loop and writes it in the
 * next; without the wait it would go only after the work on the page before, and each side would stand still while the other one works.
 */
async function isSent(): Promise<void> {
  await setImmediate();
  await setImmediate();
}

/** The ids of leads that have no row in lead_work yet. A job looks for older ones each day. */
export async function leadsWithoutWork(tx: TransactionSql): Promise<string[]> {
  const fresh = await tx<{ id: string }[]>`select private.leads_to_index(null, '2 days') as id`;
  return fresh.map(({ id }) => id);
}
