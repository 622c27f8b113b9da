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
const pauseAfterFailure = "1 hour";

/** The name of the session that reads the database for a backup. It is there from before the claim and until the backup is recorded. */
export const readerName = "leads backup reader";

/** A claim of the right to make the next backup. Both times are by the database's clock, with which they are compared. */
export interface Claim {
  at: Date;
  /** As text, because a Date has no microseconds. */
  until: string;
}

/** Claims the right to make the next backup, when one is due and no other server makes it. */
export async function claimBackup(sql: Sql, missing: string | null): Promise<Claim | undefined> {
  const [claim] = await sql<Claim[]>`
    update private.backup_state set claimed_until = now() + interval '3 hours'
    where enabled_since is not null
      and coalesce(claimed_until not between now() and now() + interval '4 hours', true)
      and (
        coalesce(taken_at not between now() - interval '24 hours' and now() + interval '1 hour', true)
        or file_name = ${missing}
        or failure is not null
      )
    returning claimed_until::text as until, now() as at`;
  return claim;
}

/**
 * A server that starts tries at once what failed, because whoever starts it may have mended that. It also ends the claim of a killed server:
 * no session reads the database for a backup then.
 */
export async function retryFailed(sql: Sql): Promise<void> {
  await sql`
    update private.backup_state set claimed_until = null
    where failure is not null and claimed_until = failed_at + ${pauseAfterFailure}::interval
      or claimed_until > now() and not exists (
        select from pg_stat_activity where datname = current_database() and application_name = ${readerName}
      )`;
}

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
