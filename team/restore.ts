// Puts a backup into a database, in one transaction: all of it or nothing. No trigger fires meanwhile, so no lead counts as
// new, and no delivery is sent again.
import { stat } from "node:fs/promises";
import type { TransactionSql } from "postgres";
import { loadInBulk } from "../database/bulk-load.ts";
import type { Sql } from "../database/connect.ts";
import { CopyIn, refusesRows } from "../database/copy-in.ts";
import { newestVersion } from "../database/migrate.ts";
import { transaction } from "../database/transaction.ts";
import type { Progress, RowCounts } from "./backup.ts";
import { changed, damaged, readBackup, type Table, tables } from "./backup-file.ts";
import { type Column, copyLines } from "./backup-row.ts";
import { Refusal } from "./refusal.ts";

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
  return transaction(sql, async (tx) => {
    await refuseUsed(tx, keep);
    const load = async (onLoaded: Progress) => {
      if (!keep) await tx.unsafe(`truncate ${tables.join(", ")}`);
      const onBytes = (count: number) => onLoaded(Math.min(count / size, 1));
      return insertAll(tx, readBackup(path, requireVersion(schema), onBytes), keep);
    };
    const rows = await loadInBulk(tx, tables, load, onProgress).catch(refuseBroken);
    await advanceIdentities(tx);
    // Until a table is analyzed, the planner takes it for empty.
    await tx.unsafe(`analyze ${tables.join(", ")}`);
    await tx`select private.recount()`;
    await tx`delete from private.report_days`;
    return rows;
  });
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

async function refuseUsed(tx: TransactionSql, keep: boolean): Promise<void> {
  await tx`lock table public.leads in access exclusive mode`;
  const { leads, hasTeamWork } = await countHeld(tx);
  if (hasTeamWork || (leads > 0 && !keep)) throw new UsedDatabase(leads, hasTeamWork);
}

function refuseBroken(error: unknown): never {
  if (refusesRows(error)) throw damaged(changed);
  throw error;
}

const requireVersion = (schema: string) => (heading: { schema: string }) => {
  if (heading.schema === schema) return;
  throw new Refusal(
    `This backup has version ${heading.schema} of the tables and this program ${schema}. Restore it with the program's version that made it, then bring that one up to date.`,
  );
};

async function insertAll(
  tx: TransactionSql,
  pages: ReturnType<typeof readBackup>,
  keep: boolean,
): Promise<RowCounts> {
  const counts: Record<string, number> = Object.fromEntries(tables.map((table) => [table, 0]));
  const columns = await columnsOf(tx);
  let filling: Filling | undefined;
  try {
    for await (const { table, rows } of pages) {
      if (filling?.table !== table) {
        await filling?.end();
        filling = await fill(tx, table, columns.get(table) ?? [], keep);
      }
      await filling.add(rows);
      counts[table] = (counts[table] ?? 0) + rows.length;
    }
    await filling?.end();
  } catch (error) {
    filling?.abort();
    throw error;
  }
  return counts;
}

async function columnsOf(tx: TransactionSql): Promise<Map<string, Column[]>> {
  const columns = await tx<(Column & { table: string })[]>`
    select t.name as table, a.attname as name, y.typcategory = 'A' as "isArray"
    from unnest(${[...tables]}::text[]) t (name)
    join pg_attribute a on a.attrelid = t.name::regclass and a.attnum > 0 and not a.attisdropped
    join pg_type y on y.oid = a.atttypid
    order by t.name, a.attnum`;
  return Map.groupBy(columns, ({ table }) => table);
}

/** A table that is being filled. */
interface Filling {
  table: Table;
  add: (rows: readonly string[]) => Promise<void>;
  end: () => Promise<void>;
  abort: () => void;
}

/** With `keep` the rows go through a temporary table, because `copy` cannot leave out those that are there already. */
async function fill(
  tx: TransactionSql,
  table: Table,
  columns: readonly Column[],
  keep: boolean,
): Promise<Filling> {
  const names = columns.map(({ name }) => `"${name}"`).join(", ");
  if (keep) await tx.unsafe(`create temporary table rows_to_keep (like ${table})`);
  const copy = await CopyIn.begin(tx, keep ? "rows_to_keep" : table, names);
  const lineOf = copyLines(columns);
  return {
    table,
    async add(rows) {
      const lines = rows.map(lineOf);
      if (lines.includes(undefined)) throw damaged(changed);
      await copy.write(lines.join(""));
    },
    async end() {
      await copy.end();
      if (!keep) return;
      await tx.unsafe(
        `insert into ${table} (${names}) overriding system value select ${names} from rows_to_keep on conflict do nothing`,
      );
      await tx`drop table rows_to_keep`;
    },
    abort: () => copy.abort(),
  };
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
