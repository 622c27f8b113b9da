// Copies everything into one file, as it is at one moment, while the server runs. The file appears under its name only when it
// is whole and on disk, and only its owner may read it: it holds every lead.
import { randomInt } from "node:crypto";
import { existsSync } from "node:fs";
import { type FileHandle, link, open, readdir, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import type { TransactionSql } from "postgres";
import { prepareLongTransaction } from "../database/bulk-load.ts";
import type { Sql } from "../database/connect.ts";
import { newestVersion, schemaVersion } from "../database/migrate.ts";
import { oneMoment, transaction } from "../database/transaction.ts";
import { codeOf } from "../log/log.ts";
import { SealedLines, tables } from "./backup-file.ts";
import { Refusal } from "./refusal.ts";

/** How many rows of each table a file holds. */
export type RowCounts = Readonly<Record<string, number>>;

/** Rows that are held in memory at once. */
const pageSize = 500;

/** Called now and then with the part of the work that is done, from 0 to 1, as far as it can be estimated. */
export type Progress = (part: number) => void;

export interface BackupOptions {
  onProgress?: Progress;
  /** Looks at the whole file before it gets its name. When this throws, nothing is left of the file. */
  verify?: (file: string, rows: RowCounts) => Promise<void>;
}

/**
 * Writes a backup to a new file, and removes what processes that were killed an hour ago or earlier have left in its folder.
 * @throws Refusal when the file is there already or cannot be written, and when the tables have another version than this program's; and
 * what `verify` throws.
 */
export async function backUp(
  sql: Sql,
  path: string,
  { onProgress = () => {}, verify = async () => {} }: BackupOptions = {},
): Promise<RowCounts> {
  if (existsSync(path)) throw thereAlready(path);
  await removeLeftOver(dirname(path));
  const lines = new SealedLines();
  const write = (file: FileHandle) =>
    transaction(
      sql,
      (tx) =>
        pipeline(
          Readable.from(linesOf(tx, lines, onProgress)),
          createGzip({ level: 3 }),
          file.createWriteStream({ flush: true }),
        ),
      oneMoment,
    );
  await writeWhole(path, write, (unfinished) => verify(unfinished, lines.rows));
  return lines.rows;
}

async function* linesOf(
  tx: TransactionSql,
  lines: SealedLines,
  onProgress: Progress,
): AsyncGenerator<string> {
  // One table may take longer than a host lets a statement run.
  await prepareLongTransaction(tx);
  const schema = await requireKnownTables(tx);
  const estimate = await estimateRows(tx);
  let count = 0;
  const taken_at = new Date().toISOString();
  yield lines.heading({ format: "leads backup 1", schema, taken_at });
  for (const table of tables) {
    // PostgreSQL writes the rows itself, so that every value is exact, to the microsecond of a time.
    const rows = tx<{ row: string }[]>`select row_to_json(t)::text as row from ${tx(table)} t`;
    for await (const page of rows.cursor(pageSize)) {
      yield lines.page(
        table,
        page.map(({ row }) => row),
      );
      count += page.length;
      onProgress(Math.min(count / estimate, 1));
    }
  }
  yield lines.end();
}

/** Returns the version of the tables. @throws Refusal for another version, because a newer one may have tables unknown to this program. */
async function requireKnownTables(tx: TransactionSql): Promise<string> {
  const [found, known] = [await schemaVersion(tx), await newestVersion()];
  if (found === known) return found;
  const advice =
    found < known
      ? "Start the server once, which brings them up to date."
      : "Back it up with the newer release.";
  throw new Refusal(`This database has version ${found} of the tables and this program ${known}. ${advice}`);
}

// As of the last analyze, because counting millions of rows would take as long as reading them.
async function estimateRows(tx: TransactionSql): Promise<number> {
  const [all] = await tx<{ rows: number }[]>`
    select sum(greatest(reltuples, 0))::float as rows from pg_class where oid = any (${[...tables]}::text[]::regclass[])`;
  return Math.max(all?.rows ?? 0, 1);
}

const unfinishedName = /\.unfinished-leads-backup-\d+$/;

/** Milliseconds. An unfinished file not written for longer is of a killed process: a live one pauses only to verify, for minutes. */
const leftOverAfter = 60 * 60_000;

/** A process that was killed leaves its unfinished file, which holds as much as a backup. */
async function removeLeftOver(folder: string): Promise<void> {
  const names = await readdir(folder).catch(() => []);
  for (const name of names.filter((one) => unfinishedName.test(one))) {
    const file = join(folder, name);
    // Another process may have removed it at this moment, and one of another user stays.
    const written = await stat(file).catch(() => undefined);
    if (written && Date.now() - written.mtimeMs > leftOverAfter) await rm(file).catch(() => {});
  }
}

/** The codes of a full or failing disk under the file. PostgreSQL reports its own disk with other codes. */
const diskErrors = /^(ENOSPC|EDQUOT|EFBIG|EROFS|EIO)$/;

/**
 * Writes a file, and returns when it and its name are on disk. Opens its folder before: the folder has to be synced at the end, and one that
 * cannot be read is refused before a file is in it.
 */
async function writeWhole(
  path: string,
  write: (file: FileHandle) => Promise<unknown>,
  verify: (file: string) => Promise<void>,
): Promise<void> {
  const folder = await open(dirname(path), "r").catch((cause) => {
    throw cannotBeWritten(path, cause);
  });
  try {
    await writeAndRename(path, write, verify);
    await folder.sync().catch((cause) => {
      // Some file systems do not sync folders.
      if (!/^(EINVAL|EBADF)$/.test(codeOf(cause)))
        throw diskErrors.test(codeOf(cause)) ? cannotBeWritten(path, cause) : cause;
    });
  } finally {
    await folder.close();
  }
}

/** Writes a file under another name beside it, and renames it when all of it is on disk and verified. */
async function writeAndRename(
  path: string,
  write: (file: FileHandle) => Promise<unknown>,
  verify: (file: string) => Promise<void>,
): Promise<void> {
  // Not the process id: in a container that is the same each time, and what a killed process has left would be in the way.
  const unfinished = `${path}.unfinished-leads-backup-${randomInt(2 ** 47)}`;
  const file = await open(unfinished, "wx", 0o600).catch((cause) => {
    throw cannotBeWritten(path, cause);
  });
  try {
    await write(file);
    await verify(unfinished);
    await giveName(unfinished, path);
  } catch (error) {
    await rm(unfinished, { force: true });
    throw diskErrors.test(codeOf(error)) ? cannotBeWritten(path, error) : error;
  } finally {
    await file.close();
  }
}

/** Gives the file its name. Where the disk has hard links, a backup that has got that name meanwhile stays. */
async function giveName(unfinished: string, path: string): Promise<void> {
  try {
    await link(unfinished, path);
  } catch (error) {
    if (codeOf(error) === "EEXIST") throw thereAlready(path);
    // A disk without hard links, such as a USB stick's.
    return rename(unfinished, path);
  }
  await rm(unfinished);
}

const thereAlready = (path: string) => new Refusal(`The file ${path} is there already. Name another one.`);

const cannotBeWritten = (path: string, cause: unknown) =>
  new Refusal(`The file ${path} cannot be written (${codeOf(cause)}).`, { cause });
