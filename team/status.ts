// Reads the state of the whole: whether every accepted lead reaches the team, is reviewed in time, and is backed up.
import type { Sql } from "../database/connect.ts";
import { type ChannelCount, countDeliveries, countLeads, type LeadCount } from "../delivery/counts.ts";
import { type BackupState, readBackupState } from "./scheduled-backups.ts";

/** Every accepted lead is stored or was erased; every stored one is owed to each channel. */
export interface Status extends Omit<LeadCount, "lastDay"> {
  /** Whether there is no problem. */
  ok: boolean;
  /** What is not as it should be, the most urgent first. */
  problems: Problem[];
  accepted: number;
  channels: ChannelCount[];
  backup: BackupState;
}

/**
 * - "no channel": leads wait, and no channel is set up to tell the team of them.
 * - "failed": a delivery failed for good.
 * - "stuck": a delivery has been owed for 15 minutes and is not made.
 * - "overdue": a lead has waited 24 hours for its review.
 * - "backup": the newest scheduled backup failed, or is a day and a half old.
 */
export type Problem = "no channel" | "failed" | "stuck" | "overdue" | "backup";

/** In milliseconds. One is made each 24 hours. */
const maxBackupAge = 36 * 60 * 60_000;

/** Counts leads and deliveries, and looks at the scheduled backups. */
export async function readStatus(sql: Sql, now = new Date()): Promise<Status> {
  const { stored, erased, unreviewed, overdue, untold, owedToNoChannel } = await countLeads(sql);
  const channels = [...(await countDeliveries(sql))];
  const backup = await readBackupState(sql);
  const counts = {
    accepted: stored + erased,
    stored,
    erased,
    unreviewed,
    overdue,
    untold,
    owedToNoChannel,
  };
  const problems = problemsOf({ untold, overdue, channels, backup }, now);
  return { ok: problems.length === 0, problems, ...counts, channels, backup };
}

function problemsOf(
  { untold, overdue, channels, backup }: Pick<Status, "untold" | "overdue" | "channels" | "backup">,
  now: Date,
): Problem[] {
  const isOld = backup.takenAt && now.getTime() - backup.takenAt.getTime() > maxBackupAge;
  const found: Record<Problem, boolean> = {
    "no channel": untold > 0 && !channels.some(({ enabled }) => enabled),
    failed: channels.some(({ failed }) => failed > 0),
    stuck: channels.some(({ stuck }) => stuck > 0),
    overdue: overdue > 0,
    backup: backup.enabled && (backup.failure !== null || isOld === true),
  };
  return (Object.keys(found) as Problem[]).filter((problem) => found[problem]);
}
