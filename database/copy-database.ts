// Copies everything that one database of ours holds into another, table by table and as a stream, so that memory stays flat.
// It is for an upgrade of PostgreSQL: unlike a backup it also carries sessions, claims and whatever else is temporary.
import { pipeline } from "node:stream/promises";
import type { TransactionSql } from "postgres";
import type { Sql } from "./connect.ts";
import { migrate, schemaVersion } from "./migrate.ts";
import { oneMoment, transaction } from "./transaction.ts";

/** How many rows were copied of each table, such as `public.leads`. */
export type CopiedRows = Record<string, number>;

/** Two databases hold different numbers of rows after a copy. */
export class CopyError extends Error {
  override name = "CopyError";
}

/**
 * Brings the empty database `to` to the schema that `from` has, copies all rows in one transaction, and then applies the newer
 * migrations. Both belong to a superuser. @throws CopyError when a table has other rows afterwards; nothing is copied then.
 */
export async function copyDatabase(from: Sql, to: Sql): Promise<CopiedRows> {
  await migrate(to, { upTo: await schemaVersion(from) });
  const rows = await transaction(
    from,
    (source) => transaction(to, (target) => copyTables(source, target)),
    oneMoment,
  );
  await migrate(to);
  // Until a table is analyzed, the planner takes it for empty.
  await to`analyze`;
  return rows;
}

async function copyTables(source: TransactionSql, target: TransactionSql): Promise<CopiedRows> {
  const tables = await tablesOf(target);
  // No trigger fires: no lead is taken for a new one, and the order of the tables does not matter.
  await target`set local session_replication_role = replica`;
  await target.unsafe(`truncate ${tables.map(({ name }) => name).join(", ")}`);
  const rows: CopiedRows = {};
  for (const table of tables) rows[table.name] = await copyTable(table, source, target);
  await copySequences(source, target);
  return rows;
}

interface Table {
  /** With its schema, as SQL writes it. */
  name: string;
  /** The columns that hold what was stored, as SQL writes them. */
  columns: string;
}

/** What the migrations made, apart from the ledger, which `to` has of its own. */
const tablesOf = (sql: TransactionSql) => sql<Table[]>`
  select
    format('%I.%I', n.nspname, c.relname) as name,
    string_agg(quote_ident(a.attname), ', ' order by a.attname) as columns
  from pg_class c
  join pg_namespace n on n.oid = c.relnamespace
  join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
  where n.nspname !~ '^(pg_|information_schema$|supabase_migrations$)' and c.relkind in ('r', 'p')
    and not c.relispartition
  group by 1 order by 1`;

async function copyTable({ name, columns }: Table, source: TransactionSql, target: TransactionSql) {
  const reading = await source.unsafe(`copy (select ${columns} from ${name}) to stdout`).readable();
  const writing = await target.unsafe(`copy ${name} (${columns}) from stdin`).writable();
  await pipeline(reading, writing);
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

/** What is written from now on comes after what was copied. */
async function copySequences(source: TransactionSql, target: TransactionSql): Promise<void> {
  const sequences = await source<{ name: string; last: string }[]>`
    select format('%I.%I', schemaname, sequencename) as name, last_value::text as last
    from pg_sequences where last_value is not null`;
  for (const { name, last } of sequences) await target`select setval(${name}::regclass, ${last}::bigint)`;
}
