// Puts a backup into an empty database, in one transaction: all of it or nothing. No trigger fires meanwhile, so no lead is
// taken for a new one, and no channel is told again of what was delivered.
import type { TransactionSql } from "postgres";
import type { Sql } from "../database/connect.ts";
import { newestVersion } from "../database/migrate.ts";
import { transaction } from "../database/transaction.ts";
import { codeOf } from "../log/log.ts";
import type { RowCounts } from "./backup.ts";
import { damaged, readBackup, type Table, tables } from "./backup-file.ts";
import { Refusal } from "./refusal.ts";

/** Characters of JSON that go to the database in one statement. */
const batchSize = 500_000;

/** A database that holds leads or receipts of erased ones, so that nothing can be restored into it. */
export class UsedDatabase extends Error {
  override name = "UsedDatabase";
  readonly leads: number;
  readonly receipts: number;
  constructor(leads: number, receipts: number) {
    super("The database is not empty.");
    this.leads = leads;
    this.receipts = receipts;
  }
}

/**
 * Restores the file and returns how many rows of each table it held.
 * @throws UsedDatabase, and Refusal when the file is no whole backup of this version of the tables.
 */
export async function restore(sql: Sql, path: string): Promise<RowCounts> {
  const schema = await newestVersion();
  const rows = await transaction(sql, (tx) => restoreAll(tx, path, schema));
  // Until a table is analyzed, the planner takes it for empty.
  await sql`analyze`;
  return rows;
}

async function restoreAll(tx: TransactionSql, path: string, schema: string): Promise<RowCounts> {
  const counts: Record<string, number> = Object.fromEntries(tables.map((table) => [table, 0]));
  await emptyTables(tx);
  // `session_replication_role` would need a superuser; the owner may do this. References are still checked.
  await tx`alter table public.leads disable trigger user`;
  let batch: { table: Table; rows: string[]; size: number } = { table: tables[0], rows: [], size: 0 };
  const send = async (next: Table) => {
    if (batch.rows.length > 0) await insert(tx, batch.table, batch.rows);
    batch = { table: next, rows: [], size: 0 };
  };
  const lines = readBackup(path, (heading) => {
    if (heading.schema === schema) return;
    throw new Refusal(
      `This backup has version ${heading.schema} of the tables and this program ${schema}. Restore it with the program's version that made it, then bring that one up to date.`,
    );
  });
  for await (const { table, row } of lines) {
    if (table !== batch.table || batch.size > batchSize) await send(table);
    batch.rows.push(row);
    batch.size += row.length;
    counts[table] = (counts[table] ?? 0) + 1;
  }
  await send(batch.table);
  await tx`alter table public.leads enable trigger user`;
  // What is written from now on comes after what was restored.
  await tx`
    select setval(pg_get_serial_sequence('private.audit_log', 'id'), (select coalesce(max(id), 0) + 1 from private.audit_log), false)`;
  return counts;
}

/** Refuses a database that holds anything of its own, and clears what each start of the server writes anew. */
async function emptyTables(tx: TransactionSql): Promise<void> {
  await tx`lock table public.leads in access exclusive mode`;
  const [held] = await tx<{ leads: number; receipts: number }[]>`
    select (select count(*)::int from public.leads) as leads, (select count(*)::int from private.erasures) as receipts`;
  if (held && held.leads + held.receipts > 0) throw new UsedDatabase(held.leads, held.receipts);
  for (const table of [...tables].reverse()) await tx`delete from ${tx(table)}`;
}

async function insert(tx: TransactionSql, table: Table, rows: string[]): Promise<void> {
  try {
    await tx`insert into ${tx(table)} select * from json_populate_recordset(null::${tx(table)}, ${`[${rows.join(",")}]`}::text::json)`;
  } catch (error) {
    // A row that refers to one which is missing (SQLSTATE class 23): the file is not what was written.
    if (/^23/.test(codeOf(error))) throw damaged("what is in it is not what was put in");
    throw error;
  }
}
