// Reads leads from end to end a page at a time, in the order of an index: the first row comes at once, nothing is sorted, and the next
// page is on its way while one is worked on.
import type { PendingQuery, Row, TransactionSql } from "postgres";

/** Rows of a page. Two pages are held in memory at once. */
const pageSize = 500;

/** Where a page ends: the time to the microsecond and the id of its last row. */
export interface PageEnd {
  page_time: string;
  page_id: string;
}

/** What a page's query selects beside its columns, from lead_work w. */
export const selectPageEnd = (tx: TransactionSql) =>
  tx`w.created_at::text as page_time, w.lead_id as page_id`;

/** Where the next page begins, in the order of time and id. The time goes as text, because a Date has no microseconds. */
export const beyond = (tx: TransactionSql, end: PageEnd | undefined, direction: "newer" | "older") => {
  if (!end) return tx``;
  const { page_time, page_id } = end;
  return direction === "newer"
    ? tx`and (w.created_at, w.lead_id) > (${page_time}::text::timestamptz, ${page_id}::uuid)`
    : tx`and (w.created_at, w.lead_id) < (${page_time}::text::timestamptz, ${page_id}::uuid)`;
};

/** Yields the pages of a query that takes where the page before ended, and how many rows a page has. */
export async function* pagesOf<R extends PageEnd & Row>(
  select: (end: PageEnd | undefined, size: number) => PendingQuery<R[]>,
): AsyncGenerator<R[]> {
  const fetch = async (end: PageEnd | undefined) => await select(end, pageSize);
  let next = fetch(undefined);
  for (;;) {
    const page = await next;
    const isLast = page.length < pageSize;
    if (!isLast) {
      next = fetch(page.at(-1));
      // A reader that stops early awaits it no more.
      next.catch(() => {});
    }
    if (page.length > 0) yield page;
    if (isLast) return;
  }
}

/** The ids of leads that have no row in lead_work yet. A job looks for older ones each day. */
export async function leadsWithoutWork(tx: TransactionSql): Promise<string[]> {
  const fresh = await tx<{ id: string }[]>`select private.leads_to_index(null, '2 days') as id`;
  return fresh.map(({ id }) => id);
}
