// What the database knows of the scheduled backups: whether a server makes them, and the newest one.
import { hostname } from "node:os";
import type { Sql } from "../database/connect.ts";
import type { Verification } from "./verify-backup.ts";

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
    select enabled_since is not null as enabled, taken_at as "takenAt", verified_by as "verifiedBy", failure from private.backup_state`;
  return state as BackupState;
};

/** As PostgreSQL reads an interval. */
export const pauseAfterFailure = "1 hour";

/** A backup that failed. */
export interface BackupFailure {
  /** Until when the right to make it was claimed, in PostgreSQL's own text. */
  claim: string;
  reason: string;
}

/** Thrown where the database did not take that a backup failed. */
export class UnrecordedFailure extends Error {
  override name = "UnrecordedFailure";
  readonly failure: BackupFailure;
  constructor(failure: BackupFailure, cause: unknown) {
    super("a backup failed, and so did recording that", { cause });
    this.failure = failure;
  }
}

export async function recordFailure(sql: Sql, { claim, reason }: BackupFailure): Promise<void> {
  await sql`
    update private.backup_state
    set failed_at = now(), failure = ${reason}, claimed_until = now() + ${pauseAfterFailure}::interval
    -- Where another server has claimed since, this failure is not its own.
    where claimed_until = ${claim}::text::timestamptz`;
}

/** Records that this server makes backups, so that a missing one is a problem. Needs the owner's connection, as the next function does. */
export async function enableBackups(sql: Sql): Promise<void> {
  await sql`
    update private.backup_state
    set enabled_since = coalesce(enabled_since, now()), enabled_by = ${hostname()}, enabled_at = now()`;
}

/**
 * Records that this server makes none. Called at each start of a server that embeds the database or delivers leads. Unless this is the
 * only server, a record of another machine that is younger than 36 hours stays, because otherwise a server without BACKUP_DIR would hide that the backups of another one are missing.
 */
export async function disableBackups(sql: Sql, { isOnlyServer }: { isOnlyServer: boolean }): Promise<void> {
  await sql`
    update private.backup_state
    set enabled_since = null, enabled_by = null, enabled_at = null
    where enabled_since is not null
      and (
        ${isOnlyServer} or enabled_by = ${hostname()}
        or enabled_at not between now() - interval '36 hours' and now() + interval '1 hour'
      )`;
}
