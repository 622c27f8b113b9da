// The backups that the server makes by itself: one each day in BACKUP_DIR, verified, the newest few kept.
import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { connect, type Sql } from "../database/connect.ts";
import { isDatabaseTrouble } from "../database/trouble.ts";
import { logBug } from "../log/bug.ts";
import { codeOf, type Log } from "../log/log.ts";
import { backUp, type RowCounts } from "./backup.ts";
import {
  type BackupFailure,
  type Claim,
  claimBackup,
  enableBackups,
  readerName,
  recordFailure,
  retryFailed,
  UnrecordedFailure,
} from "./backup-state.ts";
import { makeFolder } from "./make-folder.ts";
import { Refusal } from "./refusal.ts";
import { dropScratchDatabases, type Verification, verifyBackup } from "./verify-backup.ts";

export interface BackupPlan {
  /** Where backups are kept. It is made when it is not there. */
  folder: string;
  /** How many are kept. */
  keep: number;
}

/** Milliseconds between two checks whether a backup is due. */
const checkInterval = 5 * 60_000;

/** Milliseconds that a stop may take to remove what a backup under way has made so far. */
const stopGrace = 4_000;

/**
 * Makes a backup each day until it is stopped. `open` opens a pool of the owner at `url` for one check. `stop` aborts a backup that is
 * under way, and removes its unfinished file and its scratch database.
 */
export function startScheduledBackups(
  plan: BackupPlan,
  { open, url, log }: { open: () => Sql; url: string; log: Log },
): { stop(): Promise<void> } {
  let sql: Sql | undefined;
  let underWay = Promise.resolve();
  const stopping = new AbortController();
  // Kept after the first check, so that a backup which failed or was claimed is tried again. A new backup has another name.
  let missing: string | null | undefined;
  // A failure that the database could not take, because it was what failed. It is recorded at the next check.
  let unrecorded: BackupFailure | undefined;
  const check = async () => {
    if (sql) return;
    const pool = (sql = open());
    const database = { sql: pool, url, signal: stopping.signal };
    underWay = enableBackups(pool)
      .then(async () => {
        if (missing === undefined) {
          await retryFailed(pool);
          missing = await missingBackup(pool, plan);
        }
        if (unrecorded) await recordFailure(pool, unrecorded);
        unrecorded = undefined;
        await backUpWhenDue(database, plan, log, missing);
      })
      .catch((error) => {
        if (error instanceof UnrecordedFailure) unrecorded = error.failure;
        const cause = error instanceof UnrecordedFailure ? error.cause : error;
        // The dispatcher and the intake log that the database is unreachable.
        if (!stopping.signal.aborted && !isDatabaseTrouble(cause)) logBug(log, cause);
      })
      .finally(() => pool.end({ timeout: 1 }))
      .finally(() => (sql = undefined));
  };
  const timer = setInterval(check, checkInterval);
  void check();
  return {
    async stop() {
      clearInterval(timer);
      stopping.abort();
      await Promise.race([underWay, wait(stopGrace, undefined, { ref: false })]);
      await sql?.end({ timeout: 0 });
      await underWay;
    },
  };
}

/**
 * The name of the newest backup where it is not in the folder: it was removed, or the folder is another one. Else null. Asked at the start
 * alone, because whoever moves each backup away would otherwise have one made every five minutes.
 */
async function missingBackup(sql: Sql, { folder }: BackupPlan): Promise<string | null> {
  const [state] = await sql<{ name: string | null }[]>`select file_name as name from private.backup_state`;
  if (!state?.name) return null;
  const isThere = await stat(join(folder, state.name)).then(
    () => true,
    () => false,
  );
  return isThere ? null : state.name;
}

/** The database that is backed up, and what aborts it. */
export interface BackedUpDatabase {
  /** The owner's pool for the state of the backups. It stays open when `signal` aborts. */
  sql: Sql;
  /** The owner's address. */
  url: string;
  signal: AbortSignal;
}

interface ReadDatabase extends BackedUpDatabase {
  /** The pool that the backup is read with. An abort closes it. */
  reader: Sql;
}

/**
 * Makes, verifies and records a backup when the newest is a day old or `missing`, or the last attempt failed, and no other server makes
 * one. Returns true when it tried, even if that failed. Aborted, it leaves nothing behind, and the next server may begin at once. Ignores
 * a claim and a backup of a time too far ahead, because a clock that was ahead for a moment wrote them, and they would put all backups
 * off until then.
 * @throws UnrecordedFailure when it failed and the database did not take that.
 */
export async function backUpWhenDue(
  database: BackedUpDatabase,
  plan: BackupPlan,
  log: Log,
  missing: string | null = null,
): Promise<boolean> {
  if (database.signal.aborted) return false;
  const reader = openReader(database);
  try {
    // Logged in first, because a server that starts ends a claim without a reader.
    await reader.sql`select`;
    const claim = await claimBackup(database.sql, missing);
    if (claim) await tryBackup({ ...database, reader: reader.sql }, plan, log, claim);
    return claim !== undefined;
  } finally {
    await reader.end();
  }
}

/** A pool of its own, because an abort closes it. */
function openReader({ url, signal }: BackedUpDatabase) {
  const sql = connect(url, { max: 1, name: readerName, keepsConnections: true });
  const abort = () => void sql.end({ timeout: 0 });
  signal.addEventListener("abort", abort);
  const end = () => {
    signal.removeEventListener("abort", abort);
    return sql.end({ timeout: 1 });
  };
  return { sql, end };
}

async function tryBackup(database: ReadDatabase, plan: BackupPlan, log: Log, claim: Claim): Promise<void> {
  const { sql, signal } = database;
  try {
    const { name, ...made } = await makeBackup(database, plan, claim);
    log("backed-up", made);
    await removeOld(plan, name).catch((error) => log("old-backups-kept", { code: codeOf(error) }));
  } catch (error) {
    if (signal.aborted) await giveBack(sql, claim.until);
    else await noteFailure(sql, claim.until, error, log);
  }
}

/** The claim first, because a drop may take longer than a stop: the next server then drops what is left. */
async function giveBack(sql: Sql, claim: string): Promise<void> {
  await sql`update private.backup_state set claimed_until = null where claimed_until = ${claim}::text::timestamptz`;
  await dropScratchDatabases(sql);
}

async function noteFailure(sql: Sql, claim: string, error: unknown, log: Log): Promise<void> {
  // Logged first, because the database may be what fails.
  log("backup-failed", { code: codeOf(error instanceof Refusal && error.cause ? error.cause : error) });
  if (!(error instanceof Refusal) && !isDatabaseTrouble(error)) logBug(log, error);
  const reason = error instanceof Refusal ? error.message : `failed (${codeOf(error)})`;
  const failure = { claim, reason };
  await recordFailure(sql, failure).catch((cause) => {
    throw new UnrecordedFailure(failure, cause);
  });
}

async function makeBackup(database: ReadDatabase, { folder }: BackupPlan, claim: Claim) {
  const { at: taken } = claim;
  await makeFolder(folder).catch((cause) => {
    throw new Refusal(`BACKUP_DIR cannot be made (${codeOf(cause)}).`, { cause });
  });
  const name = `leads-${taken.toISOString().slice(0, 23).replaceAll(":", "")}Z.backup`;
  const path = join(folder, name);
  const { rows, verified } = await backUpVerified(database, path);
  const { size: bytes } = await stat(path);
  const leads = rows["public.leads"] ?? 0;
  await database.sql`
    update private.backup_state
    set taken_at = ${taken}, file_name = ${name}, bytes = ${bytes}, leads = ${leads}, verified_by = ${verified},
      failed_at = null, failure = null, claimed_until = nullif(claimed_until, ${claim.until}::text::timestamptz)`;
  return { name, leads, bytes, verified };
}

/** The file gets its name when it is verified, so that one which is no backup neither passes for one nor pushes an older one out. */
async function backUpVerified(database: ReadDatabase, path: string) {
  let verified: Verification = "read";
  const verify = async (file: string, rows: RowCounts) => {
    verified = await verifyBackup(database, file, rows);
  };
  const rows = await backUp(database.reader, path, { verify });
  return { rows, verified };
}

/** Files of ours only: whatever else is kept in the folder stays. */
const isOurs = (name: string) => /^leads-\d{4}-\d\d-\d\dT\d{6}\.\d{3}Z\.backup$/.test(name);

/** A name later than the newest one is of a clock that was ahead for a moment, so that file is older than it says. */
async function removeOld({ folder, keep }: BackupPlan, newest: string): Promise<void> {
  const names = (await readdir(folder)).filter(isOurs).sort();
  const later = names.filter((name) => name > newest);
  const inOrder = [...later, ...names.slice(0, names.length - later.length)];
  for (const name of inOrder.slice(0, -keep)) await rm(join(folder, name), { force: true });
}
