// Copies everything that one database of ours holds into another, table by table and as a stream, so that memory stays flat.
// It is for an upgrade of PostgreSQL and for a move to another server: unlike a backup it also carries sessions, claims and whatever
// else is temporary.
import type { Readable } from "node:stream";
import { finished } from "node:stream/promises";
import type { TransactionSql } from "postgres";
import { loadInBulk, prepareLongTransaction } from "./bulk-load.ts";
import type { Sql } from "./connect.ts";
import { CopyIn, refusesRows } from "./copy-in.ts";
import { beginCopyOut, resumeSocket } from "./copy-out.ts";
import { migrate, schemaVersion } from "./migrate.ts";
import { oneMoment, transaction } from "./transaction.ts";

/** How many rows were copied of each table, such as `public.leads`. */
export type CopiedRows = Record<string, number>;

/** Called now and then with the part of the work that is done, from 0 to 1. */
type Progress = (part: number) => void;

/** Says that a table was not copied whole: its rows were refused, or it and its copy differ. */
export class CopyError extends Error {
  override name = "CopyError";
}

/**
 * Brings the empty database `to` to the schema that `from` has, copies all rows in one transaction, and then applies the newer
 * migrations. @throws CopyError when the rows of a table are refused, or it has another number of them afterwards; nothing is copied then.
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
  // Until a table is analyzed, the planner knows nothing of the values in its columns.
  await transaction(to, async (target) => {
    await prepareLongTransaction(target);
    await target`analyze`;
  });
  return rows;
}

/** A table, as SQL writes it. */
export interface Table {
  /** With its schema. */
  name: string;
  /** The columns that hold what was stored. */
  columns: string;
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
  const load = async (onLoaded: Progress) => {
    await target.unsafe(`truncate ${tables.map(({ name }) => name).join(", ")}`);
    const rows: CopiedRows = {};
    let done = 0;
    for (const table of tables) {
      const size = sizes.get(table.name) ?? 0;
      // As text a row takes about as much as on disk.
      const onBytes = (bytes: number) => onLoaded((done + Math.min(bytes, size)) / total);
      rows[table.name] = await copyTable(table, source, target, onBytes);
      done += size;
    }
    return rows;
  };
  await prepareLongTransaction(source);
  await printAlike(source);
  await printAlike(target);
  const names = tables.map(({ name }) => name);
  const rows = await loadInBulk(target, names, load, onProgress);
  await copySequences(source, target);
  return rows;
}

/** Values are copied, and compared, as text, which depends on these settings of a session. */
export const printAlike = (tx: TransactionSql) =>
  tx.unsafe(
    "set local timezone = 'UTC'; set local datestyle = 'ISO'; set local intervalstyle = 'postgres'; " +
      "set local bytea_output = 'hex'; set local extra_float_digits = 1",
  );

/** What the migrations made, apart from the ledger, which each database has of its own. A hosted one holds tables of others, too. */
export const tablesOf = (sql: TransactionSql) => sql<Table[]>`
  select
    format('%I.%I', n.nspname, c.relname) as name,
    (
      select string_agg(quote_ident(a.attname), ', ' order by a.attname) from pg_attribute a
      where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
    ) as columns
  from pg_class c
  join pg_namespace n on n.oid = c.relnamespace
  where (n.nspname in ('private', 'team') or n.nspname = 'public' and c.relname = 'leads')
    and c.relkind in ('r', 'p') and not c.relispartition
  order by 1`;

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
  const reading = await beginCopyOut(source, `select ${columns} from ${name}`);
  try {
    await writeRows(reading, await CopyIn.begin(target, name, columns), onBytes);
  } catch (error) {
    // The source sends its rows to the end, and takes no other statement until then. It may be lost itself.
    await finished(reading.resume())
      .then(() => resumeSocket(reading))
      .catch(() => {});
    if (!refusesRows(error)) throw error;
    throw new CopyError(`The other database refused rows of the table ${name}.`, { cause: error });
  }
  resumeSocket(reading);
  const [read, written] = await Promise.all([countOf(name, source), countOf(name, target)]);
  if (read === written) return written;
  throw new CopyError(`The table ${name} holds ${read} rows, and its copy ${written}.`);
}

async function writeRows(reading: Readable, writing: CopyIn, onBytes: (count: number) => void) {
  try {
    let bytes = 0;
    for await (const chunk of reading.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      await writing.write(chunk);
      onBytes((bytes += chunk.length));
    }
    await writing.end();
  } catch (error) {
    writing.abort();
    throw error;
  }
}

async function countOf(table: string, sql: TransactionSql): Promise<number> {
  const [row] = await sql.unsafe<{ count: number }[]>(`select count(*)::int as count from ${table}`);
  return row?.count ?? 0;
}

/** Sets the sequences, so that new rows get higher numbers than the copied ones. In the schema `public` are only those of others. */
async function copySequences(source: TransactionSql, target: TransactionSql): Promise<void> {
  const sequences = await source<{ name: string; last: string }[]>`
    select format('%I.%I', schemaname, sequencename) as name, last_value::text as last
    from pg_sequences where last_value is not null and schemaname in ('private', 'team')`;
  for (const { name, last } of sequences) await target`select setval(${name}::regclass, ${last}::bigint)`;
}
