// Hands out the record of each permission, one a lead, complete in itself: who, when, from where, and the exact wording with
// its hash. (What each column shows, and how to verify the hash, is in docs/export.md.)
import type { Sql } from "../database/connect.ts";
import { oneMoment, transaction } from "../database/transaction.ts";
import { countRows, type ExportOptions } from "./export-leads.ts";

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

/** Rows that are held in memory at once. */
const pageSize = 500;

/** Hands the records to `take`, a page at a time, the oldest lead first, as they were at the moment the export began. */
export async function exportPermissions(
  sql: Sql,
  { since, onProgress }: ExportOptions,
  take: (page: PermissionRecord[]) => Promise<void>,
): Promise<void> {
  await transaction(
    sql,
    async (tx) => {
      // All rows are fetched, so the plan that is cheapest as a whole is the one to take.
      await tx`set local cursor_tuple_fraction = 1`;
      const rows = tx<PermissionRecord[]>`
        select
          l.id as lead_id, l.created_at as lead_created_at,
          l.name, l.email, l.phone, l.zip_code, l.has_medicare, l.has_diabetes,
          p.given_at as permission_given_at, p.withdrawn_at as permission_withdrawn_at,
          n.text as notice_text, p.notice_hash as notice_sha256, n.first_used_at as notice_in_force_from,
          p.page_path, p.address, p.browser, p.utm, now() as exported_at,
          case when p.notice_hash is null then 'not stated' when n.hash is null then 'not known' else 'shown' end as wording,
          n.language as notice_language, p.page_origin
        from public.leads l
        join private.permissions p on p.lead_id = l.id
        left join private.notices n on n.hash = p.notice_hash
        ${since ? tx`where l.created_at >= ${since}` : tx``}
        order by l.created_at, l.id`;
      const report = await countRows(tx, since, onProgress);
      for await (const page of rows.cursor(pageSize)) {
        await take(page);
        report(page.length);
      }
    },
    oneMoment,
  );
}
