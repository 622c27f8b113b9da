// Exports the record of each permission, one a lead, complete in itself: who, when, from where, and the exact wording with
// its hash. (What each column shows, and how to verify the hash, is in docs/export.md.)
import type { TransactionSql } from "postgres";
import type { Sql } from "../database/connect.ts";
import { oneMoment, transaction } from "../database/transaction.ts";
import { countRows, type ExportOptions } from "./export-leads.ts";
import { beyond, leadsWithoutWork, type PageEnd, pagesOf, selectPageEnd } from "./lead-pages.ts";

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

export type PermissionRecord = Record<(typeof permissionColumns)[number], unknown>;

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
      const passOn = async (page: PermissionRecord[]) => {
        if (page.length > 0) await take(page);
        report(page.length);
      };
      for await (const page of pagesOf<PermissionRecord & PageEnd>(
        (end, size) => tx`
        select ${selectRecord(tx)}, ${selectPageEnd(tx)}
        from private.lead_work w
        join public.leads l on l.id = w.lead_id
        join private.permissions p on p.lead_id = w.lead_id
        left join private.notices n on n.hash = p.notice_hash
        where true ${since ? tx`and w.created_at >= ${since}` : tx``} ${beyond(tx, end, "newer")}
        order by w.created_at, w.lead_id limit ${size}`,
      ))
        await passOn(page);
      await passOn(
        await tx<PermissionRecord[]>`
        select ${selectRecord(tx)}
        from public.leads l
        join private.permissions p on p.lead_id = l.id
        left join private.notices n on n.hash = p.notice_hash
        where l.id = any (${await leadsWithoutWork(tx)}::uuid[]) ${since ? tx`and l.created_at >= ${since}` : tx``}
        order by l.created_at, l.id`,
      );
    },
    oneMoment,
  );
}

const selectRecord = (tx: TransactionSql) => tx`
  l.id as lead_id, l.created_at as lead_created_at,
  l.name, l.email, l.phone, l.zip_code, l.has_medicare, l.has_diabetes,
  p.given_at as permission_given_at, p.withdrawn_at as permission_withdrawn_at,
  n.text as notice_text, p.notice_hash as notice_sha256, n.first_used_at as notice_in_force_from,
  p.page_path, p.address, p.browser, p.utm, now() as exported_at,
  case when p.notice_hash is null then 'not stated' when n.hash is null then 'not known' else 'shown' end as wording,
  n.language as notice_language, p.page_origin`;
