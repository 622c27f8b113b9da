// Hands out all leads for another program, page by page, so that millions take no more memory than a thousand.
import type { TransactionSql } from "postgres";
import type { Sql } from "../database/connect.ts";
import { oneMoment, transaction } from "../database/transaction.ts";
import { fields } from "../lead/lead.ts";
import type { Progress } from "./backup.ts";
import { beyond, isoTime, leadsWithoutWork, pagesOf, utc } from "./lead-pages.ts";
import type { LeadRow } from "./lead-row.ts";
import { refreshLists } from "./refresh-lists.ts";

export interface ExportOptions {
  /** Only leads that came in since then. */
  since?: Date | undefined;
  onProgress?: Progress | undefined;
}

/** The columns in their order. */
export const leadColumns = [
  "id",
  "created_at",
  ...fields.map(({ name }) => name),
  "withdrawn_at",
  "reviewed_at",
  "outcome",
  "marks",
] as const satisfies (keyof LeadRow)[];

/** A lead with the columns in this order, and its times as text in ISO 8601, because a Date for each would take half of the time. */
export type ExportedLead = {
  [Column in (typeof leadColumns)[number]]: Date extends LeadRow[Column]
    ? string | Exclude<LeadRow[Column], Date>
    : LeadRow[Column];
};

/**
 * Hands the leads to `take`, a page at a time, as they were at the moment the export began: those whose permission was
 * withdrawn first, then the newest first. What belongs to a page is looked up from its oldest lead on, because it lies on the disk in that
 * order, and a disk reads ahead only forwards. Of the permission nothing is looked up, because lead_work repeats the withdrawal.
 */
export async function exportLeads(
  sql: Sql,
  { since, onProgress }: ExportOptions,
  take: (page: ExportedLead[]) => Promise<void>,
): Promise<void> {
  // The spam flags of leads of the last second are not decided yet.
  await refreshLists(sql);
  await transaction(
    sql,
    async (tx) => {
      const report = await countRows(tx, since, onProgress);
      const passOn = async (page: ExportedLead[]) => {
        if (page.length > 0) await take(page.map(withIsoTimes));
        report(page.length);
      };
      const fresh = await selectFresh(tx, since);
      for (const withdrawn of [true, false]) {
        await passOn(fresh.filter(({ withdrawn_at }) => withdrawn === (withdrawn_at !== null)));
        const pages = pagesOf(
          (end, size) => tx<ExportedLead[]>`
          select ${selectLead(tx, "w.withdrawn_at")}
          from (
            select * from (
              select w.lead_id, w.created_at, w.withdrawn_at, w.flags
              from private.lead_work w
              where w.withdrawn_at is ${withdrawn ? tx`not null` : tx`null`}
              ${since ? tx`and w.created_at >= ${since}` : tx``} ${beyond(tx, end, "older")}
              order by w.created_at desc, w.lead_id desc limit ${size}
            ) page order by created_at, lead_id
          ) w
          join public.leads l on l.id = w.lead_id
          left join private.reviews r on r.lead_id = w.lead_id
          order by w.created_at desc, w.lead_id desc`,
          ({ created_at, id }) => ({ time: created_at, id }),
        );
        for await (const page of pages) await passOn(page);
      }
    },
    oneMoment,
  );
}

// What a query selects for an ExportedLead, from leads l, reviews r, lead_work w, and the column of a table that has the withdrawal.
const selectLead = (tx: TransactionSql, withdrawal: string) => tx`
  l.id, coalesce(${utc(tx, "w.created_at")}, ${utc(tx, "l.created_at")}) as created_at,
  ${tx(fields.map(({ name }) => `l.${name}`))},
  ${utc(tx, withdrawal)} as withdrawn_at, ${utc(tx, "r.reviewed_at")} as reviewed_at, r.outcome,
  coalesce(w.flags, '{}') as marks`;

function withIsoTimes(lead: ExportedLead): ExportedLead {
  lead.created_at = isoTime(lead.created_at);
  lead.withdrawn_at = lead.withdrawn_at && isoTime(lead.withdrawn_at);
  lead.reviewed_at = lead.reviewed_at && isoTime(lead.reviewed_at);
  return lead;
}

// Leads of this moment, whose spam flags are not decided yet.
const selectFresh = async (tx: TransactionSql, since: Date | undefined) => tx<ExportedLead[]>`
  select ${selectLead(tx, "p.withdrawn_at")}
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
