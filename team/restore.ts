// Puts a backup into a database, in one transaction: all of it or nothing. No trigger fires meanwhile, so no lead counts as
// new, and no delivery is sent again.
import { stat } from "node:fs/promises";
import type { TransactionSql } from "postgres";
import type { Sql } from "../database/connect.ts";
import { newestVersion } from "../database/migrate.ts";
import { transaction } from "../database/transaction.ts";
import { codeOf } from "../log/log.ts";
import type { Progress, RowCounts } from "./backup.ts";
import { damaged, readBackup, type Table, tables } from "./backup-file.ts";
import { Refusal } from "./refusal.ts";

/** Characters of JSON that go to the database in one statement. */
const batchSize = 500_000;

/** What each start of the server writes anew. */
const rewritten: readonly Table[] = [
  "private.notices",
  "private.settings",
  "private.channels",
  "private.experiments",
];

/** What visitors' leads fill before anybody works on them. */
const visitors: readonly Table[] = [
  "public.leads",
  "private.permissions",
  "private.deliveries",
  "private.lead_work",
];

/** A database that is in use, so that a backup cannot simply take its place. */
export class UsedDatabase extends Error {
  override name = "UsedDatabase";
  readonly leads: number;
  /** Whether it holds more than visitors' leads: reviews, receipts of erased leads, and the like. */
  readonly hasTeamWork: boolean;
  constructor(leads: number, hasTeamWork: boolean) {
    super("The database is not empty.");
    this.leads = leads;
    this.hasTeamWork = hasTeamWork;
  }
}

export interface RestoreOptions {
  /** Whether leads that visitors have sent to this database meanwhile stay beside those of the backup. */
  keep?: boolean | undefined;
  onProgress?: Progress | undefined;
}

/**
 * Restores the file and returns how many rows of each table it held.
 * @throws UsedDatabase, and Refusal when the file is no whole backup of this version of the tables.
 */
export async function restore(
  sql: Sql,
  path: string,
  { keep = false, onProgress = () => {} }: RestoreOptions = {},
): Promise<RowCounts> {
  const schema = await newestVersion();
  // A file that is missing is reported when it is read.
  const { size } = await stat(path).catch(() => ({ size: 1 }));
  const onBytes = (count: number) => onProgress(Math.min(count / size, 1));
  const rows = await transaction(sql, async (tx) => {
    await makeRoom(tx, keep);
    // `session_replication_role` would need a superuser; the owner may do this. References are still checked.
    for (const table of tables) await tx`alter table ${tx(table)} disable trigger user`;
    const counts = await insertAll(tx, readBackup(path, requireVersion(schema), onBytes), keep);
    for (const table of tables) await tx`alter table ${tx(table)} enable trigger user`;
    await advanceIdentities(tx);
    await tx`select private.recount()`;
    await tx`delete from private.report_days`;
    return counts;
  });
  // Until a table is analyzed, the planner takes it for empty.
  await sql`analyze`;
  return rows;
}

/** Counts what would be lost if a database were filled anew: leads, and whether anybody has worked with it. */
export async function countHeld(tx: TransactionSql): Promise<{ leads: number; hasTeamWork: boolean }> {
  const [held] = await tx<{ leads: number }[]>`select count(*)::int as leads from public.leads`;
  let hasTeamWork = false;
  for (const table of tables.filter((name) => ![...rewritten, ...visitors].includes(name))) {
    hasTeamWork ||= (await tx`select from ${tx(table)} limit 1`).count > 0;
  }
  return { leads: held?.leads ?? 0, hasTeamWork };
}

/** Refuses a database that is in use, and clears what each start of the server writes anew. */
async function makeRoom(tx: TransactionSql, keep: boolean): Promise<void> {
  await tx`lock table public.leads in access exclusive mode`;
  const { leads, hasTeamWork } = await countHeld(tx);
  if (hasTeamWork || (leads > 0 && !keep)) throw new UsedDatabase(leads, hasTeamWork);
  if (!keep) for (const table of [...tables].reverse()) await tx`delete from ${tx(table)}`;
}

const requireVersion = (schema: string) => (heading: { schema: string }) => {
  if (heading.schema === schema) return;
  throw new Refusal(
    `This backup has version ${heading.schema} of the tables and this program ${schema}. Restore it with the program's version that made it, then bring that one up to date.`,
  );
};

async function insertAll(
  tx: TransactionSql,
  lines: ReturnType<typeof readBackup>,
  keep: boolean,
): Promise<RowCounts> {
  const counts: Record<string, number> = Object.fromEntries(tables.map((table) => [table, 0]));
  let batch: { table: Table; rows: string[]; size: number } = { table: tables[0], rows: [], size: 0 };
  const send = async (next: Table) => {
    if (batch.rows.length > 0) await insert(tx, batch.table, batch.rows, keep);
    batch = { table: next, rows: [], size: 0 };
  };
  for await (const { table, row } of lines) {
    if (table !== batch.table || batch.size > batchSize) await send(table);
    batch.rows.push(row);
    batch.size += row.length;
    counts[table] = (counts[table] ?? 0) + 1;
  }
  await send(batch.table);
  return counts;
}

async function insert(tx: TransactionSql, table: Table, rows: string[], keep: boolean): Promise<void> {
  try {
    await tx`
      insert into ${tx(table)} overriding system value
      select * from json_populate_recordset(null::${tx(table)}, ${`[${rows.join(",")}]`}::text::json)
      ${keep ? tx`on conflict do nothing` : tx``}`;
  } catch (error) {
    // A row that refers to one which is missing (SQLSTATE class 23): the file is not what was written.
    if (/^23/.test(codeOf(error))) throw damaged("what is in it is not what was put in");
    throw error;
  }
}

// Restored rows keep their ids, so each identity column has to continue after the greatest one.
async function advanceIdentities(tx: TransactionSql): Promise<void> {
  const columns = await tx<{ table: string; column: string }[]>`
    select c.oid::regclass::text as table, a.attname as column
    from pg_class c join pg_attribute a on a.attrelid = c.oid
    where c.oid = any (${[...tables]}::text[]::regclass[]) and a.attidentity <> ''`;
  for (const { table, column } of columns) {
    await tx`
      select setval(pg_get_serial_sequence(${table}, ${column}), max(${tx(column)})) from ${tx(table)} having max(${tx(column)}) > 0`;
  }
}
