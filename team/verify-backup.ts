// Verifies a backup by what it is for: restores it into a scratch database and counts what is there then.
import { randomBytes } from "node:crypto";
import { addressOfDatabase, connect, type Sql } from "../database/connect.ts";
import { migrate } from "../database/migrate.ts";
import { codeOf } from "../log/log.ts";
import type { RowCounts } from "./backup.ts";
import { damagedBackup, otherThanWritten, readBackup } from "./backup-file.ts";
import { Refusal } from "./refusal.ts";
import { restore } from "./restore.ts";

/** SQLSTATE. */
const insufficientPrivilege = "42501";

/** How a backup was verified. */
export type Verification = "restored" | "read";

/**
 * Restores the file into a scratch database on the server at `url`, compares the number of rows of each table with `rows`, and removes
 * that database. Where the owner may not create databases, the file is read from end to end instead. The caller sees to it that one
 * process verifies a backup of this database at a time, and calls `dropScratchDatabases` when `signal` has aborted.
 * @throws Refusal when it is no whole backup or an earlier scratch database belongs to another login, and the reason of `signal`.
 */
export async function verifyBackup(
  { sql, url, signal }: { sql: Sql; url: string; signal: AbortSignal },
  path: string,
  rows: RowCounts,
): Promise<Verification> {
  const prefix = await dropScratchDatabases(sql);
  const name = `${prefix}${randomBytes(6).toString("hex")}`;
  try {
    await sql.unsafe(`create database ${name} encoding 'UTF8' template template0`);
  } catch (error) {
    if (codeOf(error) !== insufficientPrivilege) throw error;
    for await (const _ of readBackup(path, () => {})) signal.throwIfAborted();
    return "read";
  }
  const scratch = connect(addressOfDatabase(url, name), { max: 1, name: "leads backup" });
  try {
    await unlessAborted(signal, restoreAndCompare(scratch, path, rows));
  } finally {
    await scratch.end({ timeout: signal.aborted ? 0 : 1 });
    if (!signal.aborted) await drop(sql, name);
  }
  // Aborted while the connection was ending: the scratch database is there still.
  signal.throwIfAborted();
  return "restored";
}

/** Waits for `work`, but rejects as soon as `signal` aborts: a restoration in progress notices only later that its connection is closed. */
async function unlessAborted<Result>(signal: AbortSignal, work: Promise<Result>): Promise<Result> {
  const abort = Promise.withResolvers<never>();
  const reject = () => abort.reject(signal.reason);
  signal.addEventListener("abort", reject);
  if (signal.aborted) reject();
  try {
    return await Promise.race([work, abort.promise]);
  } finally {
    signal.removeEventListener("abort", reject);
  }
}

async function restoreAndCompare(scratch: Sql, path: string, rows: RowCounts): Promise<void> {
  await migrate(scratch);
  await restore(scratch, path);
  for (const [table, expected] of Object.entries(rows)) {
    const [found] = await scratch<{ rows: number }[]>`select count(*)::int as rows from ${scratch(table)}`;
    if (found?.rows !== expected) throw damagedBackup(otherThanWritten);
  }
}

/**
 * Drops the scratch databases of this database, which hold a copy of all leads: a process that was killed has left them. Returns how their
 * names begin; those of another database on the same server begin otherwise.
 * @throws Refusal when one belongs to another login.
 */
export async function dropScratchDatabases(sql: Sql): Promise<string> {
  const [own] = await sql<{ prefix: string; names: string[] }[]>`
    select o.prefix, array(select d.datname::text from pg_database d where starts_with(d.datname::text, o.prefix)) as names
    from (select 'leads_verify_' || left(md5(current_database()), 12) || '_' as prefix) o`;
  const { prefix, names } = own as { prefix: string; names: string[] };
  for (const name of names) {
    await drop(sql, name).catch((cause) => {
      if (codeOf(cause) !== insufficientPrivilege) throw cause;
      throw new Refusal(
        `The database ${name}, which a verification has left, belongs to another login. Drop it with that one.`,
        { cause },
      );
    });
  }
  return prefix;
}

const drop = (sql: Sql, name: string) => sql.unsafe(`drop database if exists ${name} with (force)`);
