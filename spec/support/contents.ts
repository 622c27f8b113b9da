// What a database holds, for the chapters that copy one and compare.
import type { Sql } from "../../database/connect.ts";
import { tables } from "../../team/backup-file.ts";

/** Every row of every table of the product, as text, by the table's name. */
export async function rowsOfEveryTable(sql: Sql): Promise<Record<string, string[]>> {
  const names = await sql<{ name: string }[]>`
    select format('%I.%I', schemaname, tablename) as name from pg_tables
    where schemaname = 'private' or schemaname = 'public' and tablename = 'leads' order by 1`;
  const rows: Record<string, string[]> = {};
  for (const { name } of names) {
    const found = await sql.unsafe<{ row: string }[]>(
      `select row_to_json(t)::text as row from ${name} t order by 1`,
    );
    rows[name] = found.map(({ row }) => row);
  }
  return rows;
}

/** Every index, constraint and trigger of the product's tables, and whether it is in force. */
export const definitionsOf = (sql: Sql) => sql`
  select pg_get_indexdef(indexrelid) || indisvalid::text as definition from pg_index where indrelid >= 16384
  union all
  select conrelid::regclass || ' ' || conname || ' ' || pg_get_constraintdef(oid) || convalidated::text from pg_constraint
  union all
  select tgrelid::regclass || ' ' || tgname || ' ' || tgenabled::text from pg_trigger where not tgisinternal
  order by 1`;

/** Every row of every table that a backup holds, in an order that is always the same. */
export async function rowsOfBackupTables(owner: Sql): Promise<Record<string, unknown>> {
  const found: Record<string, unknown> = {};
  for (const table of tables) {
    found[table] = (await owner`select to_jsonb(t)::text as row from ${owner(table)} t order by 1`).map(
      ({ row }) => row,
    );
  }
  return found;
}
