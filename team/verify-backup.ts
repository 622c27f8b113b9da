// Verifies a backup by what it is for: restores it into a scratch database and compares what is there then.
import { randomBytes } from "node:crypto";
import { addressOfDatabase, connect, type Sql } from "../database/connect.ts";
import { migrate } from "../database/migrate.ts";
import { codeOf } from "../log/log.ts";
import type { RowCounts } from "./backup.ts";
import { changed, damaged, readBackup } from "./backup-file.ts";
import { restore } from "./restore.ts";

/** How a backup was verified. */
export type Verification = "restored" | "read";

const prefix = "leads_verify_";

/**
 * Restores the file into a scratch database on the server at `url`, compares the rows of each table with `rows`, and removes that
 * database. Where the owner may not create databases, the file is read from end to end instead.
 * @throws Refusal when it is no whole backup.
 */
export async function verifyBackup(
  sql: Sql,
  url: string,
  path: string,
  rows: RowCounts,
): Promise<Verification> {
  await dropLeftOver(sql);
  const name = `${prefix}${randomBytes(6).toString("hex")}`;
  try {
    await sql.unsafe(`create database ${name} encoding 'UTF8' template template0`);
  } catch (error) {
    if (codeOf(error) !== "42501") throw error;
    for await (const _ of readBackup(path, () => {}));
    return "read";
  }
  try {
    await restoreAndCompare(addressOfDatabase(url, name), path, rows);
  } finally {
    await sql.unsafe(`drop database ${name} with (force)`);
  }
  return "restored";
}

async function restoreAndCompare(url: string, path: string, rows: RowCounts): Promise<void> {
  const scratch = connect(url, { max: 1, name: "leads backup" });
  try {
    await migrate(scratch);
    await restore(scratch, path);
    for (const [table, expected] of Object.entries(rows)) {
      const [found] = await scratch<{ rows: number }[]>`select count(*)::int as rows from ${scratch(table)}`;
      if (found?.rows !== expected) throw damaged(changed);
    }
  } finally {
    await scratch.end({ timeout: 1 });
  }
}

// A process that was killed leaves its scratch database behind, with a copy of all leads. One in use is being verified now.
async function dropLeftOver(sql: Sql): Promise<void> {
  const left = await sql<{ name: string }[]>`
    select d.datname as name from pg_database d
    where d.datname like ${`${prefix.replaceAll("_", "\\_")}%`}
      and pg_get_userbyid(d.datdba) = current_user
      and not exists (select from pg_stat_activity a where a.datid = d.oid)`;
  for (const { name } of left) {
    await sql.unsafe(`drop database if exists ${name}`).catch((error) => {
      // Another process began to use it at this moment.
      if (codeOf(error) !== "55006") throw error;
    });
  }
}
