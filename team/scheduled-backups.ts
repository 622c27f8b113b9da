// The backups that the server makes by itself: one each day in BACKUP_DIR, verified, the newest few kept.
import { mkdir, readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Sql } from "../database/connect.ts";
import { isDatabaseTrouble } from "../database/trouble.ts";
import { logBug } from "../log/bug.ts";
import { codeOf, type Log } from "../log/log.ts";
import { backUp } from "./backup.ts";
import { Refusal } from "./refusal.ts";
import { type Verification, verifyBackup } from "./verify-backup.ts";

export interface BackupPlan {
  /** Where backups are kept. It is made when it is not there. */
  folder: string;
  /** How many are kept. */
  keep: number;
}

/** How backups stand. */
export interface BackupState {
  /** Whether a server makes one each day. */
  enabled: boolean;
  /** The newest whole one; null before the first. */
  takenAt: Date | null;
  verifiedBy: Verification | null;
  /** Why no newer one was made. */
  failure: string | null;
}

export const readBackupState = async (sql: Sql): Promise<BackupState> => {
  const [state] = await sql<BackupState[]>`
    select enabled, taken_at as "takenAt", verified_by as "verifiedBy", failure from private.backup_state`;
  return state as BackupState;
};

/** Says whether this server makes backups. Needs the owner's connection. */
export async function enableBackups(sql: Sql, enabled: boolean): Promise<void> {
  await sql`update private.backup_state set enabled = ${enabled} where enabled <> ${enabled}`;
}

/** Milliseconds between two checks whether a backup is due. */
const checkInterval = 5 * 60_000;

/**
 * Makes a backup each day until it is stopped. `open` opens a pool of the owner at `url` for one check. `stop` aborts a backup that is
 * under way and removes its unfinished file.
 */
export function startScheduledBackups(
  plan: BackupPlan,
  { open, url, log }: { open: () => Sql; url: string; log: Log },
): { stop(): Promise<void> } {
  let sql: Sql | undefined;
  let underWay = Promise.resolve();
  let isStopped = false;
  const check = async () => {
    if (sql) return;
    const pool = (sql = open());
    underWay = backUpWhenDue(pool, url, plan, log)
      .then(() => {})
      .catch((error) => {
        // The dispatcher and the intake log that the database is unreachable.
        if (!isStopped && !isDatabaseTrouble(error)) logBug(log, error);
      })
      .finally(() => pool.end({ timeout: 1 }))
      .finally(() => (sql = undefined));
  };
  const timer = setInterval(check, checkInterval);
  void check();
  return {
    async stop() {
      isStopped = true;
      clearInterval(timer);
      await sql?.end({ timeout: 0 });
      await underWay;
    },
  };
}

/** Makes, verifies and records a backup when the newest is a day old and no other server makes one. Returns whether it was due. */
export async function backUpWhenDue(sql: Sql, url: string, plan: BackupPlan, log: Log): Promise<boolean> {
  const claimed = await sql`
    update private.backup_state set claimed_until = now() + interval '3 hours'
    where enabled
      and coalesce(claimed_until <= now(), true) and coalesce(taken_at <= now() - interval '24 hours', true)`;
  if (claimed.count === 0) return false;
  try {
    const made = await makeBackup(sql, url, plan);
    log("backed-up", made);
    await removeOld(plan).catch((error) => log("old-backups-kept", { code: codeOf(error) }));
  } catch (error) {
    const reason = error instanceof Refusal ? error.message : `failed (${codeOf(error)})`;
    await sql`
      update private.backup_state
      set failed_at = now(), failure = ${reason}, claimed_until = now() + interval '1 hour'`;
    log("backup-failed", { code: codeOf(error instanceof Refusal && error.cause ? error.cause : error) });
    if (!(error instanceof Refusal) && !isDatabaseTrouble(error)) logBug(log, error);
  }
  return true;
}

async function makeBackup(sql: Sql, url: string, { folder }: BackupPlan) {
  await mkdir(folder, { recursive: true, mode: 0o700 }).catch((cause) => {
    throw new Refusal(`BACKUP_DIR cannot be made (${codeOf(cause)}).`, { cause });
  });
  const taken = new Date();
  const name = `leads-${taken.toISOString().slice(0, 23).replaceAll(":", "")}Z.backup`;
  const path = join(folder, name);
  const rows = await backUp(sql, path);
  const verified = await verifyBackup(sql, url, path, rows).catch(async (error) => {
    // A file that is no backup must not pass for one, nor push an older one out.
    if (error instanceof Refusal) await rm(path);
    throw error;
  });
  const { size: bytes } = await stat(path);
  const leads = rows["public.leads"] ?? 0;
  await sql`
    update private.backup_state
    set taken_at = ${taken}, file_name = ${name}, bytes = ${bytes}, leads = ${leads}, verified_by = ${verified},
      failed_at = null, failure = null, claimed_until = null`;
  return { leads, bytes, verified };
}

/** Files of ours only: whatever else is kept in the folder stays. */
const isOurs = (name: string) => /^leads-\d{4}-\d\d-\d\dT\d{6}\.\d{3}Z\.backup$/.test(name);

async function removeOld({ folder, keep }: BackupPlan): Promise<void> {
  const names = (await readdir(folder)).filter(isOurs).sort();
  for (const name of names.slice(0, -keep)) await rm(join(folder, name), { force: true });
}
