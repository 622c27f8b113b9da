// Hands out all leads for another program, page by page, so that millions take no more memory than a thousand.
import type { TransactionSql } from "postgres";
import type { Sql } from "../database/connect.ts";
import { oneMoment, transaction } from "../database/transaction.ts";
import type { Progress } from "./backup.ts";
import { indexNewLeads } from "./index-new-leads.ts";
import { beyond, leadsWithoutWork, type PageEnd, pagesOf, selectPageEnd } from "./lead-pages.ts";
import { type LeadRow, selectLeadRow } from "./lead-row.ts";

export interface ExportOptions {
  /** Only leads that came in since then. */
  since?: Date | undefined;
  onProgress?: Progress | undefined;
}

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
      const report = await countRows(tx, since, onProgress);
      const passOn = async (page: LeadRow[]) => {
        if (page.length > 0) await take(page);
        report(page.length);
      };
      const fresh = await selectFresh(tx, since);
      for (const withdrawn of [true, false]) {
        await passOn(fresh.filter(({ withdrawn_at }) => withdrawn === (withdrawn_at !== null)));
        for await (const page of pagesOf<LeadRow & PageEnd>(
          (end, size) => tx`
          select ${selectLeadRow(tx)}, ${selectPageEnd(tx)}
          from private.lead_work w
          join public.leads l on l.id = w.lead_id
          join private.permissions p on p.lead_id = w.lead_id
          left join private.reviews r on r.lead_id = w.lead_id
          where w.withdrawn_at is ${withdrawn ? tx`not null` : tx`null`}
          ${since ? tx`and w.created_at >= ${since}` : tx``} ${beyond(tx, end, "older")}
          order by w.created_at desc, w.lead_id desc limit ${size}`,
        ))
          await passOn(page);
      }
    },
    oneMoment,
  );
}

// Leads of this moment, whose spam flags are not decided yet.
const selectFresh = async (tx: TransactionSql, since: Date | undefined) => tx<LeadRow[]>`
  select ${selectLeadRow(tx)}
  from public.leads l
  join private.permissions p on p.lead_id = l.id
  left join private.lead_work w on w.lead_id = l.id
  left join private.reviews r on r.lead_id = l.id
  where l.id = any (${await leadsWithoutWork(tx)}::uuid[]) ${since ? tx`and l.created_at >= ${since}` : tx``}
  order by l.created_at desc, l.id desc`;

/** Makes a function that is called with the number of rows of each page, and reports the part of all rows that is done. */
export async function countRows(
  tx: TransactionSql,
  since: Date | undefined,
  onProgress: Progress | undefined,
): Promise<(rows: number) => void> {
  if (!onProgress) return () => {};
  const [all] = await tx<{ rows: number }[]>`
    select count(*)::int as rows from private.lead_work w ${since ? tx`where w.created_at >= ${since}` : tx``}`;
  const total = Math.max(all?.rows ?? 0, 1);
  let done = 0;
  return (rows) => onProgress(Math.min((done += rows) / total, 1));
}
