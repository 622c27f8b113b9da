// Copies everything that one database of ours holds into another, table by table and as a stream, so that memory stays flat.
// It is for an upgrade of PostgreSQL and for a move to another server: unlike a backup it also carries sessions, claims and whatever
// else is temporary.
import { pipeline } from "node:stream/promises";
import type { TransactionSql } from "postgres";
import type { Sql } from "./connect.ts";
import { migrate, schemaVersion } from "./migrate.ts";
import { oneMoment, transaction } from "./transaction.ts";

/** How many rows were copied of each table, such as `public.leads`. */
export type CopiedRows = Record<string, number>;

/** Called now and then with the part of the work that is done, from 0 to 1. */
type Progress = (part: number) => void;

/** Says that a table and its copy differ. */
export class CopyError extends Error {
  override name = "CopyError";
}

/**
 * Brings the empty database `to` to the schema that `from` has, copies all rows in one transaction, and then applies the newer
 * migrations. @throws CopyError when a table has another number of rows afterwards; nothing is copied then.
 */
export async function copyDatabase(from: Sql, to: Sql, onProgress: Progress = () => {}): Promise<CopiedRows> {
  await migrate(to, { upTo: await schemaVersion(from) });
  const rows = await transaction(
    from,
    (source) =>
      transaction(to, async (target) => copyTables(source, target, await tablesOf(target), onProgress)),
    oneMoment,
  );
  await migrate(to);
  // Until a table is analyzed, the planner takes it for empty.
  await to`analyze`;
  return rows;
}

/** A table, as SQL writes it. */
export interface Table {
  /** With its schema. */
  name: string;
  /** The columns that hold what was stored. */
  columns: string;
  /** The tables that its rows refer to. */
  references: string[];
}

/** Replaces what the tables of `target` hold by what those of `source` do, and counts both. @throws CopyError */
export async function copyTables(
  source: TransactionSql,
  target: TransactionSql,
  tables: readonly Table[],
  onProgress: Progress,
): Promise<CopiedRows> {
  const sizes = await sizesOf(source);
  const total = tables.reduce((sum, { name }) => sum + (sizes.get(name) ?? 0), 0) || 1;
  const enableTriggers = await disableTriggers(target, tables);
  await target.unsafe(`truncate ${tables.map(({ name }) => name).join(", ")}`);
  const rows: CopiedRows = {};
  let done = 0;
  for (const table of inOrder(tables)) {
    const size = sizes.get(table.name) ?? 0;
    // As text a row takes about as much as on disk.
    const onBytes = (bytes: number) => onProgress((done + Math.min(bytes, size)) / total);
    rows[table.name] = await copyTable(table, source, target, onBytes);
    done += size;
  }
  await enableTriggers();
  await copySequences(source, target);
  return rows;
}

/** What the migrations made, apart from the ledger, which each database has of its own. A hosted one holds tables of others, too. */
export const tablesOf = (sql: TransactionSql) => sql<Table[]>`
  select
    format('%I.%I', n.nspname, c.relname) as name,
    (
      select string_agg(quote_ident(a.attname), ', ' order by a.attname) from pg_attribute a
      where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
    ) as columns,
    array(
      select distinct format('%I.%I', rn.nspname, r.relname)
      from pg_constraint f join pg_class r on r.oid = f.confrelid join pg_namespace rn on rn.oid = r.relnamespace
      where f.conrelid = c.oid and f.contype = 'f' and r.oid <> c.oid
    ) as references
  from pg_class c
  join pg_namespace n on n.oid = c.relnamespace
  where (n.nspname in ('private', 'team') or n.nspname = 'public' and c.relname = 'leads')
    and c.relkind in ('r', 'p') and not c.relispartition
  order by 1`;

/** Each table after those that its rows refer to. */
function inOrder(tables: readonly Table[]): Table[] {
  const ordered = new Set<Table>();
  const add = (table: Table) => {
    for (const name of table.references) {
      const other = tables.find((one) => one.name === name);
      if (other && !ordered.has(other)) add(other);
    }
    ordered.add(table);
  };
  for (const table of tables) add(table);
  return [...ordered];
}

/** Disables every trigger, so that no copied lead counts as a new one. Returns a function that enables them again. */
async function disableTriggers(
  target: TransactionSql,
  tables: readonly Table[],
): Promise<() => Promise<void>> {
  const [role] = await target<{ isSuperuser: boolean }[]>`
    select rolsuper as "isSuperuser" from pg_roles where rolname = current_user`;
  if (role?.isSuperuser) {
    // It also skips the check of foreign keys, which is faster.
    await target`set local session_replication_role = replica`;
    return async () => {};
  }
  const alterAll = async (what: string) => {
    for (const { name } of tables) await target.unsafe(`alter table ${name} ${what} trigger user`);
  };
  await alterAll("disable");
  return () => alterAll("enable");
}

async function sizesOf(source: TransactionSql): Promise<Map<string, number>> {
  const rows = await source<{ name: string; size: number }[]>`
    select format('%I.%I', n.nspname, c.relname) as name, pg_table_size(c.oid)::float as size
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname in ('public', 'private', 'team') and c.relkind in ('r', 'p')`;
  return new Map(rows.map(({ name, size }) => [name, size]));
}

async function copyTable(
  { name, columns }: Table,
  source: TransactionSql,
  target: TransactionSql,
  onBytes: (count: number) => void,
) {
  const reading = await source.unsafe(`copy (select ${columns} from ${name}) to stdout`).readable();
  const writing = await target.unsafe(`copy ${name} (${columns}) from stdin`).writable();
  let bytes = 0;
  const counted = async function* (chunks: AsyncIterable<Buffer>) {
    for await (const chunk of chunks) {
      bytes += chunk.length;
      onBytes(bytes);
      yield chunk;
    }
  };
  await pipeline(reading, counted, writing);
  // postgres.js 3.4.9 leaves its socket paused when the last rows met a full buffer; reading once more lets it go on.
  reading._read(0);
  const [read, written] = await Promise.all([countOf(name, source), countOf(name, target)]);
  if (read === written) return written;
  throw new CopyError(`The table ${name} holds ${read} rows, and its copy ${written}.`);
}

async function countOf(table: string, sql: TransactionSql): Promise<number> {
  const [row] = await sql.unsafe<{ count: number }[]>(`select count(*)::int as count from ${table}`);
  return row?.count ?? 0;
}

/** Sets the sequences, so that new rows get higher numbers than the copied ones. */
async function copySequences(source: TransactionSql, target: TransactionSql): Promise<void> {
  const sequences = await source<{ name: string; last: string }[]>`
    select format('%I.%I', schemaname, sequencename) as name, last_value::text as last
    from pg_sequences where last_value is not null and schemaname in ('public', 'private', 'team')`;
  for (const { name, last } of sequences) await target`select setval(${name}::regclass, ${last}::bigint)`;
}
