// Puts a backup into a database, in one transaction: all of it or nothing. No trigger fires meanwhile, so no lead counts as
// new, and no delivery is enqueued, except with `keep` for a permission that a stop ends.
import { stat } from "node:fs/promises";
import type { TransactionSql } from "postgres";
import { loadInBulk } from "../database/bulk-load.ts";
import type { Sql } from "../database/connect.ts";
import { CopyIn, refusesRows } from "../database/copy-in.ts";
import { newestVersion, schemaVersion } from "../database/migrate.ts";
import { transaction } from "../database/transaction.ts";
import type { Progress, RowCounts } from "./backup.ts";
import { damagedBackup, otherThanWritten, readBackup, type Table, tables } from "./backup-file.ts";
import { type Column, copyLines } from "./backup-row.ts";
import { lockAndCountRows, UsedDatabase } from "./held-rows.ts";
import { Refusal } from "./refusal.ts";

export interface RestoreOptions {
  /** Whether what visitors have left in this database meanwhile stays beside what the backup holds. */
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
    const found = await schemaVersion(tx);
    if (found > schema)
      throw new Refusal(
        `This database has version ${found} of the tables and this program ${schema}. Restore it with the newer release.`,
      );
    await refuseUsed(tx, keep);
    const load = async (onLoaded: Progress) => {
      if (!keep) await tx.unsafe(`truncate ${tables.join(", ")}`);
      const onBytes = (count: number) => onLoaded(Math.min(count / size, 1));
      return insertAll(tx, readBackup(path, requireVersion(schema), onBytes), keep);
    };
    const rows = await loadInBulk(tx, tables, load, onProgress).catch(refuseBroken);
    await advanceIdentities(tx);
    // Until a table is analyzed, the planner knows nothing of the values in its columns.
    await tx.unsafe(`analyze ${tables.join(", ")}`);
    // A lead that came just before the backup may have no row for the inbox yet, and is looked for only among the newest leads otherwise.
    if (keep) await tx`select private.index_new_leads(null, '100 years')`;
    // A person whose lead came here may have asked to stop where the backup was made.
    if (keep)
      await tx`
        select private.withdraw_stopped_leads(array(
          select private.leads_with_numbers(array(select phone_digits from private.stop_list))
        ))`;
    await tx`select private.recount()`;
    // The backup may have paused a state.
    await tx`update private.place_windows set holds_until = default`;
    // The plan did not count the restored leads: they are announced a day before they go.
    await tx`delete from private.retention_plan`;
    // The restored leads may have circumstances that are not emptied yet.
    await tx`update private.emptied_circumstances set up_to = default, up_to_lead = default`;
    // Days are summed anew, because the triggers that mark a changed one have not fired.
    await tx`delete from private.report_days`;
    await tx`delete from private.report_page_days`;
    return rows;
  });
}

async function refuseUsed(tx: TransactionSql, keep: boolean): Promise<void> {
  const held = await lockAndCountRows(tx);
  const isUsed = keep ? held.others.includes("work of the team") : held.leads > 0 || held.others.length > 0;
  if (isUsed) throw new UsedDatabase(held);
}

function refuseBroken(error: unknown): never {
  if (refusesRows(error)) throw damagedBackup(otherThanWritten);
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

/** With `keep` the rows go through a temporary table, because `copy` cannot add them to those that are there already. */
async function fill(
  tx: TransactionSql,
  table: Table,
  columns: readonly Column[],
  keep: boolean,
): Promise<Filling> {
  const names = columns.map(({ name }) => name);
  if (keep) await tx.unsafe(`create temporary table rows_of_backup (like ${table})`);
  const copy = await CopyIn.begin(tx, keep ? "rows_of_backup" : table, listOf(names));
  const lineOf = copyLines(columns);
  return {
    table,
    async add(rows) {
      const lines = rows.map(lineOf);
      if (lines.includes(undefined)) throw damagedBackup(otherThanWritten);
      await copy.write(lines.join(""));
    },
    async end() {
      await copy.end();
      if (keep) await addBeside(tx, table, names);
    },
    abort: () => copy.abort(),
  };
}

const listOf = (names: readonly string[]) => names.map((name) => `"${name}"`).join(", ");

/** Adds the rows of the backup to those that the table holds. */
async function addBeside(tx: TransactionSql, table: Table, names: readonly string[]): Promise<void> {
  if (table === "private.database_ids") await refuseAlreadyHeld(tx);
  // Both databases have numbered their entries from 1, and nothing refers to a number, so those of the backup get new ones.
  const columns = listOf(table === "private.audit_log" ? names.filter((name) => name !== "id") : names);
  const order = table === "private.audit_log" ? "order by id" : "";
  const key = table.replace("private.", "");
  const onConflict = counts.includes(table)
    ? `on conflict on constraint ${key}_pkey do update set n = held.n + excluded.n`
    : `on conflict ${joined[table] ?? "do nothing"}`;
  await tx.unsafe(
    `insert into ${table} as held (${columns}) overriding system value
     select ${columns} from rows_of_backup ${order} ${onConflict}`,
  );
  await tx`drop table rows_of_backup`;
}

/** What becomes of a row that both have, where the one of the backup says more. */
const joined: Partial<Record<Table, string>> = {
  // A permission of before this database was made must not seem older than its wording.
  "private.notices": "(hash) do update set first_used_at = least(held.first_used_at, excluded.first_used_at)",
  // Every start enters all channels. One that was given up stays so, unless this server has set it up.
  "private.channels":
    "(name) do update set retired_at = excluded.retired_at where not held.enabled and held.retired_at is null",
};

/** Tables whose rows are sums, to which those of the backup are added. */
const counts: readonly Table[] = ["private.page_counts", "private.vital_counts"];

/**
 * A second restoration would add the counts twice, and one into the database that was backed up would bring back erased leads. The ids of
 * databases tell both, because a backup may hold counts and no lead.
 */
async function refuseAlreadyHeld(tx: TransactionSql): Promise<void> {
  const { count } = await tx`select from rows_of_backup join private.database_ids using (id) limit 1`;
  if (count > 0)
    throw new Refusal(
      "This database holds what the backup's database held already. Nothing was restored. Restore into another one.",
    );
}

// Without `keep`, restored rows keep their ids, so each identity column has to continue after the greatest one.
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
