// Exports the record of each permission, one a lead, complete in itself: who, when, from where, and the exact wording with
// its hash. (What each column shows, and how to verify the hash, is in docs/export.md.)
import type { TransactionSql } from "postgres";
import type { Sql } from "../database/connect.ts";
import { type CopiedRow, copyOut } from "../database/copy-out.ts";
import { oneMoment, transaction } from "../database/transaction.ts";
import { type ExportedColumn, type ExportOptions, prepareExport, rowReader } from "./exported-rows.ts";

const columns = [
  ["lead_id", "text"],
  ["lead_created_at", "time"],
  ["name", "text"],
  ["email", "text"],
  ["phone", "text"],
  ["zip_code", "text"],
  ["has_medicare", "box"],
  ["has_diabetes", "box"],
  ["permission_given_at", "time"],
  ["permission_withdrawn_at", "time"],
  ["notice_text", "text"],
  ["notice_sha256", "text"],
  ["notice_in_force_from", "time"],
  ["page_path", "text"],
  ["address", "text"],
  ["browser", "text"],
  ["utm", "json"],
  ["exported_at", "time"],
  ["wording", "text"],
  ["notice_language", "text"],
  ["page_origin", "text"],
] as const satisfies ExportedColumn[];

/** The columns in their order. */
export const permissionColumns = columns.map(([name]) => name);

/** The place of each column. */
const at = Object.fromEntries(permissionColumns.map((name, place) => [name, place])) as Record<
  (typeof permissionColumns)[number],
  number
>;

/**
 * Hands the records to `take`, some hundred at a time, the oldest lead first, as they were at the moment the export began. A record is its
 * cells in the order of the columns.
 */
export async function exportPermissions(
  sql: Sql,
  options: ExportOptions,
  take: (records: unknown[][]) => Promise<void>,
): Promise<void> {
  await transaction(
    sql,
    async (tx) => {
      const { fresh, report } = await prepareExport(tx, options);
      const readRecord = await makeRecordReader(tx);
      await copyOut(tx, recordsQuery(fresh, options.since), async (rows) => {
        await take(rows.map(readRecord));
        report(rows.length);
      });
    },
    oneMoment,
  );
}

/** `fresh` are leads of this moment, which have no row in lead_work yet. The reader of the records fills in what is null here. */
const recordsQuery = (fresh: string[], since: Date | undefined): string => `
  select l.id, came.at, l.name, l.email, l.phone, l.zip_code, l.has_medicare, l.has_diabetes, p.given_at, p.withdrawn_at,
    null, p.notice_hash, null, p.page_path, p.address, p.browser, p.utm, null, null, null, p.page_origin
  from (
    select w.lead_id, w.created_at as at from private.lead_work w
    union all
    select l.id, l.created_at from public.leads l where l.id = any ('{${fresh}}')
  ) came
  join public.leads l on l.id = came.lead_id
  join private.permissions p on p.lead_id = came.lead_id
  ${since ? `where came.at >= '${since.toISOString()}'` : ""}
  order by came.at, came.lead_id`;

interface Notice {
  hash: string;
  text: string;
  language: string;
  first_used_at: Date;
}

/** Makes the function that reads a record. The few notices are read once: with each row they would be most of what is sent. */
async function makeRecordReader(tx: TransactionSql): Promise<(row: CopiedRow) => unknown[]> {
  const notices = await tx<Notice[]>`select hash, text, language, first_used_at from private.notices`;
  const noticeOf = new Map(
    notices.map(({ hash, text, language, first_used_at }) => [
      hash,
      { text, language, inForceFrom: first_used_at.toISOString() },
    ]),
  );
  const [moment] = await tx<{ now: Date }[]>`select now()`;
  const exportedAt = moment?.now.toISOString();
  const read = rowReader(columns);
  return (row) => {
    const record = read(row);
    const hash = record[at.notice_sha256];
    const notice = noticeOf.get(hash as string);
    record[at.notice_text] = notice?.text ?? null;
    record[at.notice_in_force_from] = notice?.inForceFrom ?? null;
    record[at.exported_at] = exportedAt;
    record[at.wording] = hash === null ? "not stated" : notice ? "shown" : "not known";
    record[at.notice_language] = notice?.language ?? null;
    return record;
  };
}
