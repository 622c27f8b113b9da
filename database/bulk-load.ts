// Fills tables with millions of rows in one transaction: without triggers, and with indexes and references made at the end, because
// one look at all rows together costs a fraction of one look at each. The owner may do all of it and need not be a superuser.
import type { TransactionSql } from "postgres";

/** Called now and then with the part of the work that is done, from 0 to 1. */
type Progress = (part: number) => void;

/** The part of the time that the rows take, as measured at 500,000 leads; the rest goes into indexes and references. */
const partOfRows = 0.6;

/** An index or a reference, which is dropped before the rows come and made again after them. */
interface Definition {
  drop: string;
  make: string;
}

/**
 * Calls `load` while these tables, such as `public.leads`, fire no trigger and have no reference from or to them, and no index but those
 * that keep rows unique. Afterwards triggers, references and indexes are as before, and every reference was checked. Other sessions wait
 * until the end of the transaction. @throws the database's error 23503 when a row refers to one that is not there.
 */
export async function loadInBulk<Result>(
  tx: TransactionSql,
  tables: readonly string[],
  load: (onProgress: Progress) => Promise<Result>,
  onProgress: Progress = () => {},
): Promise<Result> {
  await prepareLongTransaction(tx);
  const references = await referencesOf(tx, tables);
  const indexes = await indexesOf(tx, tables);
  for (const table of tables) await tx.unsafe(`alter table ${table} disable trigger user`);
  for (const { drop } of [...references, ...indexes]) await tx.unsafe(drop);
  const result = await load((part) => onProgress(part * partOfRows));
  const definitions = [...indexes, ...references];
  for (const [nth, { make }] of definitions.entries()) {
    onProgress(partOfRows + (1 - partOfRows) * (nth / definitions.length));
    await tx.unsafe(make);
  }
  for (const table of tables) await tx.unsafe(`alter table ${table} enable trigger user`);
  return result;
}

/**
 * Lifts the time limits that a host may set, and gives the making of indexes more memory. A host may end the owner's statements after
 * minutes (Supabase: two), and an index of millions of rows takes longer. Meanwhile the transaction on the
 * database that is copied from is idle. PostgreSQL 17 added a limit for whole transactions.
 */
export async function prepareLongTransaction(tx: TransactionSql): Promise<void> {
  await tx`
    select set_config(name, '0', true) from pg_settings
    where name in ('statement_timeout', 'idle_in_transaction_session_timeout', 'transaction_timeout')`;
  await tx`
    select set_config('maintenance_work_mem', '128MB', true)
    where pg_size_bytes(current_setting('maintenance_work_mem')) < pg_size_bytes('128MB')`;
}

const indexesOf = (tx: TransactionSql, tables: readonly string[]) => tx<Definition[]>`
  select format('drop index %I.%I', n.nspname, c.relname) as drop, pg_get_indexdef(c.oid) as make
  from pg_index i join pg_class c on c.oid = i.indexrelid join pg_namespace n on n.oid = c.relnamespace
  where i.indrelid = any (${[...tables]}::text[]::regclass[]) and not i.indisunique and not i.indisexclusion
  order by c.oid`;

/** In the order in which they were made, because PostgreSQL follows them in that order when a lead is erased. */
const referencesOf = (tx: TransactionSql, tables: readonly string[]) => tx<Definition[]>`
  select format('alter table %s drop constraint %I', f.conrelid::regclass, f.conname) as drop,
    format('alter table %s add constraint %I %s', f.conrelid::regclass, f.conname, pg_get_constraintdef(f.oid)) as make
  from pg_constraint f
  where f.contype = 'f' and f.conparentid = 0
    and (f.conrelid = any (${[...tables]}::text[]::regclass[]) or f.confrelid = any (${[...tables]}::text[]::regclass[]))
  order by f.oid`;
