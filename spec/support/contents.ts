// What a database holds, for the chapters that copy one and compare.
import type { Sql } from "../../database/connect.ts";

/** Every row of every table of the product, as text, by the table's name. */
export async function contentsOf(sql: Sql): Promise<Record<string, string[]>> {
  const tables = await sql<{ name: string }[]>`
    select format('%I.%I', schemaname, tablename) as name from pg_tables
    where schemaname = 'private' or schemaname = 'public' and tablename = 'leads' order by 1`;
  const rows: Record<string, string[]> = {};
  for (const { name } of tables) {
    const found = await sql.unsafe<{ row: string }[]>(
      `select row_to_json(t)::text as row from ${name} t order by 1`,
    );
    rows[name] = found.map(({ row }) => row);
  }
  return rows;
}
