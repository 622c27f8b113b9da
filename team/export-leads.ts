// Hands out all leads for another program, page by page, so that millions take no more memory than a thousand.
import type { TransactionSql } from "postgres";
import type { Sql } from "../database/connect.ts";
import { oneMoment, transaction } from "../database/transaction.ts";
import type { Progress } from "./backup.ts";
import { indexNewLeads } from "./index-new-leads.ts";
import { type LeadRow, selectLeadRow } from "./lead-row.ts";

export interface ExportOptions {
  /** Only leads that came in since then. */
  since?: Date | undefined;
  onProgress?: Progress | undefined;
}

/** Rows that are held in memory at once. */
const pageSize = 500;

/**
 * Hands the leads to `take`, a page at a time, as they were at the moment the export began: those whose permission was
 * withdrawn first, then the newest first.
 */
export async function exportLeads(
  sql: Sql,
  { since, onProgress }: ExportOptions,
  take: (page: LeadRow[]) => Promise<void>,
): Promise<void> {
  // The spam flags of leads of the last second are not decided yet.
  await indexNewLeads(sql);
  await transaction(
    sql,
    async (tx) => {
      // All rows are fetched, so the plan that is cheapest as a whole is the one to take.
      await tx`set local cursor_tuple_fraction = 1`;
      const rows = tx<LeadRow[]>`
        select ${selectLeadRow(tx)}
        from public.leads l
        join private.permissions p on p.lead_id = l.id
        left join private.lead_work w on w.lead_id = l.id
        left join private.reviews r on r.lead_id = l.id
        ${since ? tx`where l.created_at >= ${since}` : tx``}
        order by p.withdrawn_at is null, l.created_at desc, l.id desc`;
      const report = await countRows(tx, since, onProgress);
      for await (const page of rows.cursor(pageSize)) {
        await take(page);
        report(page.length);
      }
    },
    oneMoment,
  );
}

/** Makes what is called with the rows of each page, and reports the part of all rows that this is. */
export async function countRows(
  tx: TransactionSql,
  since: Date | undefined,
  onProgress: Progress | undefined,
): Promise<(rows: number) => void> {
  if (!onProgress) return () => {};
  const [all] = await tx<{ rows: number }[]>`
    select count(*)::int as rows from public.leads l ${since ? tx`where l.created_at >= ${since}` : tx``}`;
  const total = Math.max(all?.rows ?? 0, 1);
  let done = 0;
  return (rows) => onProgress((done += rows) / total);
}
