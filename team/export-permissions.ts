// Exports the record of each permission, one a lead, complete in itself: who, when, from where, and the exact wording with
// its hash. (What each column shows, and how to verify the hash, is in docs/export.md.)
import type { TransactionSql } from "postgres";
import type { Sql } from "../database/connect.ts";
import { oneMoment, transaction } from "../database/transaction.ts";
import { countRows, type ExportOptions } from "./export-leads.ts";
import { beyond, isoTime, leadsWithoutWork, pagesOf, utc } from "./lead-pages.ts";

export const permissionColumns = [
  "lead_id",
  "lead_created_at",
  "name",
  "email",
  "phone",
  "zip_code",
  "has_medicare",
  "has_diabetes",
  "permission_given_at",
  "permission_withdrawn_at",
  "notice_text",
  "notice_sha256",
  "notice_in_force_from",
  "page_path",
  "address",
  "browser",
  "utm",
  "exported_at",
  "wording",
  "notice_language",
  "page_origin",
] as const;

export type PermissionRecord = Record<(typeof permissionColumns)[number], unknown> & {
  lead_id: string;
  lead_created_at: string;
  permission_given_at: string;
  permission_withdrawn_at: string | null;
  notice_sha256: string | null;
};

/** Passes the records to `take`, a page at a time, the oldest lead first, as they were at the moment the export began. */
export async function exportPermissions(
  sql: Sql,
  { since, onProgress }: ExportOptions,
  take: (page: PermissionRecord[]) => Promise<void>,
): Promise<void> {
  await transaction(
    sql,
    async (tx) => {
      const report = await countRows(tx, since, onProgress);
      const complete = await makeComplete(tx);
      const passOn = async (page: PermissionRecord[]) => {
        if (page.length > 0) await take(page.map(complete));
        report(page.length);
      };
      const pages = pagesOf(
        (end, size) => tx<PermissionRecord[]>`
        select ${selectPermission(tx)}
        from private.lead_work w
        join public.leads l on l.id = w.lead_id
        join private.permissions p on p.lead_id = w.lead_id
        where true ${since ? tx`and w.created_at >= ${since}` : tx``} ${beyond(tx, end, "newer")}
        order by w.created_at, w.lead_id limit ${size}`,
        ({ lead_created_at, lead_id }) => ({ time: lead_created_at, id: lead_id }),
      );
      for await (const page of pages) await passOn(page);
      await passOn(
        await tx<PermissionRecord[]>`
        select ${selectPermission(tx)}
        from public.leads l
        join private.permissions p on p.lead_id = l.id
        left join private.lead_work w on w.lead_id = l.id
        where l.id = any (${await leadsWithoutWork(tx)}::uuid[]) ${since ? tx`and l.created_at >= ${since}` : tx``}
        order by l.created_at, l.id`,
      );
    },
    oneMoment,
  );
}

// From leads l, permissions p and lead_work w. What is null here, `makeComplete` fills in.
const selectPermission = (tx: TransactionSql) => tx`
  l.id as lead_id, coalesce(${utc(tx, "w.created_at")}, ${utc(tx, "l.created_at")}) as lead_created_at,
  l.name, l.email, l.phone, l.zip_code, l.has_medicare, l.has_diabetes,
  ${utc(tx, "p.given_at")} as permission_given_at, ${utc(tx, "p.withdrawn_at")} as permission_withdrawn_at,
  null as notice_text, p.notice_hash as notice_sha256, null as notice_in_force_from,
  p.page_path, p.address, p.browser, p.utm, null as exported_at, null as wording, null as notice_language, p.page_origin`;

interface Notice {
  hash: string;
  text: string;
  language: string;
  first_used_at: string;
}

/** Makes the function that completes a record. The few notices are read once: with each row they would be most of what is sent. */
async function makeComplete(tx: TransactionSql): Promise<(record: PermissionRecord) => PermissionRecord> {
  const notices = await tx<Notice[]>`
    select hash, text, language, ${utc(tx, "first_used_at")} as first_used_at from private.notices`;
  const noticeOf = new Map(notices.map((notice) => [notice.hash, notice]));
  const [moment] = await tx<{ now: Date }[]>`select now()`;
  const exportedAt = moment?.now.toISOString();
  return (record) => {
    const { notice_sha256: hash } = record;
    const notice = hash === null ? undefined : noticeOf.get(hash);
    record.lead_created_at = isoTime(record.lead_created_at);
    record.permission_given_at = isoTime(record.permission_given_at);
    record.permission_withdrawn_at =
      record.permission_withdrawn_at && isoTime(record.permission_withdrawn_at);
    record.notice_text = notice?.text ?? null;
    record.notice_in_force_from = notice ? isoTime(notice.first_used_at) : null;
    record.exported_at = exportedAt;
    record.wording = hash === null ? "not stated" : notice ? "shown" : "not known";
    record.notice_language = notice?.language ?? null;
    return record;
  };
}
