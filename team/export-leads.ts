// Hands out all leads for another program, some hundred at a time, so that millions take no more memory than a thousand.
import type { Sql } from "../database/connect.ts";
import { copyOut } from "../database/copy-out.ts";
import { oneMoment, transaction } from "../database/transaction.ts";
import { fields } from "../lead/lead.ts";
import { type ExportedColumn, type ExportOptions, prepareExport, rowReader } from "./exported-rows.ts";
import type { LeadRow } from "./lead-row.ts";
import { refreshLists } from "./refresh-lists.ts";

const columns = [
  ["id", "text"],
  ["created_at", "time"],
  ...fields.map(({ name, kind }) => [name, kind] as const),
  ["withdrawn_at", "time"],
  ["reviewed_at", "time"],
  ["outcome", "text"],
  ["marks", "json"],
] as const satisfies ExportedColumn<keyof LeadRow>[];

/** The columns in their order. */
export const leadColumns = columns.map(([name]) => name);

/**
 * Hands the leads to `take`, some hundred at a time, as they were at the moment the export began: those whose permission was withdrawn
 * first, then the newest first. A lead is its cells in the order of the columns.
 */
export async function exportLeads(
  sql: Sql,
  options: ExportOptions,
  take: (leads: unknown[][]) => Promise<void>,
): Promise<void> {
  // This decides the spam flags of the leads of the last second.
  await refreshLists(sql);
  const readLead = rowReader(columns);
  await transaction(
    sql,
    async (tx) => {
      const { fresh, report } = await prepareExport(tx, options);
      await copyOut(tx, allLeads(fresh, options.since), async (rows) => {
        await take(rows.map(readLead));
        report(rows.length);
      });
    },
    oneMoment,
  );
}

/**
 * The query for the leads. `fresh` are the ids of leads without a row in lead_work, whose spam flags are not decided yet. For all others it
 * does not read the permissions, because lead_work repeats the withdrawal.
 */
const allLeads = (fresh: string[], since: Date | undefined): string => `
  select x.id, x.created_at, ${typed("x")}, x.withdrawn_at, x.reviewed_at, x.outcome, to_json(x.flags)
  from (
    select l.id, w.created_at, ${typed("l")}, w.withdrawn_at, r.reviewed_at, r.outcome, w.flags
    from private.lead_work w
    join public.leads l on l.id = w.lead_id
    left join private.reviews r on r.lead_id = w.lead_id
    union all
    select l.id, l.created_at, ${typed("l")}, p.withdrawn_at, r.reviewed_at, r.outcome, '{}'
    from public.leads l
    join private.permissions p on p.lead_id = l.id
    left join private.reviews r on r.lead_id = l.id
    where l.id = any ('{${fresh}}')
  ) x
  ${since ? `where x.created_at >= '${since.toISOString()}'` : ""}
  order by x.withdrawn_at is null, x.created_at desc, x.id desc`;

const typed = (table: string) => fields.map(({ name }) => `${table}.${name}`).join();
