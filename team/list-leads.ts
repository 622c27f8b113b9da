// Lists leads for a person or a program. Those whose permission was withdrawn come first, so that nobody phones them unawares.
import type { TransactionSql } from "postgres";
import type { Sql } from "../database/connect.ts";
import { oneMoment, transaction } from "../database/transaction.ts";
import { type LeadRow, selectLeadRow } from "./lead-row.ts";
import { refreshLists } from "./refresh-lists.ts";

export interface LeadFilter {
  since?: Date | undefined;
  /** Only those whose permission stands and that have no review, the oldest first. */
  due?: boolean | undefined;
  /** Only those with a spam flag. */
  suspect?: boolean | undefined;
  /** The newest so many; with `due`, the oldest. */
  limit?: number | undefined;
}

/** Where a lead stands in the order of the list. The time is text, because a Date has no microseconds. */
interface Place {
  created_at: string;
  lead_id: string;
}

/** Rows that are held in memory at once. */
const pageSize = 500;

/**
 * Hands the leads that the filter names to `take`, a page at a time, as they are at one moment: those whose permission was withdrawn from
 * the newest on, then all others from the newest on; with `due`, from the oldest on. Returns whether there are more than the limit. A list
 * follows the rows of `private.lead_work`, whose index has them in this order, so its cost depends on what is shown and not on how many
 * leads there are.
 */
export async function listLeads(
  sql: Sql,
  filter: LeadFilter,
  take: (page: LeadRow[]) => Promise<void>,
): Promise<boolean> {
  // Leads of the last second have no row yet.
  await refreshLists(sql);
  return transaction(
    sql,
    async (tx) => {
      const { last, hasMore } = await lastShown(tx, filter);
      // A lead whose permission was withdrawn is never due, because nobody may call that person.
      for (const withdrawn of filter.due ? [false] : [true, false])
        for await (const page of select(tx, filter, withdrawn, last).cursor(pageSize)) await take(page);
      return hasMore;
    },
    oneMoment,
  );
}

/** The last lead that is shown. Without it, after some years those who withdrew would fill every list. */
async function lastShown(
  tx: TransactionSql,
  filter: LeadFilter,
): Promise<{ last?: Place | undefined; hasMore: boolean }> {
  if (filter.limit === undefined) return { hasMore: false };
  const [last, next] = await tx<Place[]>`
    select w.created_at::text, w.lead_id from private.lead_work w
    where true ${conditions(tx, filter)} ${filter.due ? tx`and w.withdrawn_at is null` : tx``}
    order by ${inOrder(tx, filter)} offset ${filter.limit - 1} limit 2`;
  return { last, hasMore: next !== undefined };
}

const inOrder = (tx: TransactionSql, { due }: LeadFilter) =>
  due ? tx`w.created_at, w.lead_id` : tx`w.created_at desc, w.lead_id desc`;

// Each filter is a condition of an index of private.lead_work, which has its rows in the order of the list.
const conditions = (tx: TransactionSql, filter: LeadFilter) => tx`
  ${filter.since ? tx`and w.created_at >= ${filter.since}` : tx``}
  ${filter.due ? tx`and w.reviewed_at is null` : tx``}
  ${filter.suspect ? tx`and w.flags <> '{}'` : tx``}`;

function select(tx: TransactionSql, filter: LeadFilter, withdrawn: boolean, last: Place | undefined) {
  const sign = filter.due ? tx`<=` : tx`>=`;
  return tx<LeadRow[]>`
    select ${selectLeadRow(tx)}
    from private.lead_work w
    join public.leads l on l.id = w.lead_id
    join private.permissions p on p.lead_id = w.lead_id
    -- Lateral, because the planner may expect so many leads that it would read all reviews.
    left join lateral (select * from private.reviews x where x.lead_id = w.lead_id limit 1) r on true
    where w.withdrawn_at is ${withdrawn ? tx`not null` : tx`null`}
    ${conditions(tx, filter)}
    ${last ? tx`and (w.created_at, w.lead_id) ${sign} (${last.created_at}::text::timestamptz, ${last.lead_id}::uuid)` : tx``}
    order by ${inOrder(tx, filter)}
    -- The last lead says the same, but the planner cannot tell from it how few leads there are.
    limit ${filter.limit ?? null}`;
}
