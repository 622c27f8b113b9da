// Reads the state of the installation: whether every accepted lead reaches the team, is reviewed in time, and is backed up.
import type { Sql } from "../database/connect.ts";
import { type ChannelCount, countDeliveries, type LeadCounts, readLeadCounts } from "../delivery/counts.ts";
import { type BackupState, readBackupState } from "./backup-state.ts";
import type { Problem } from "./problems.ts";

/** `accepted` is `stored` and `erased` together, because every accepted lead is stored or was erased. */
export interface Status extends Omit<LeadCounts, "lastDay"> {
  /** Whether there is no problem. */
  ok: boolean;
  /** What is not as it should be, the most urgent first. */
  problems: Problem[];
  accepted: number;
  channels: ChannelCount[];
  backup: BackupState;
}

/** Counts leads and deliveries, and looks at the scheduled backups. */
export async function readStatus(sql: Sql): Promise<Status> {
  const { stored, erased, unreviewed, overdue, untold, owedToNoChannel } = await readLeadCounts(sql);
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
  const found = await findProblems(sql, { untold, overdue }, channels);
  return { ok: found.length === 0, problems: found, ...counts, channels, backup };
}

/** The database decides what is a problem, for the inbox and for /metrics as well. */
async function findProblems(
  sql: Sql,
  leads: Pick<Status, "untold" | "overdue">,
  channels: readonly ChannelCount[],
): Promise<Problem[]> {
  const counts = channels.map(({ enabled, failed, stuck }) => ({ enabled, failed, stuck }));
  const [row] = await sql<{ problems: Problem[] }[]>`
    select to_json(private.problems(${sql.json({ ...leads })}, ${sql.json(counts)})) as problems`;
  return row?.problems ?? [];
}
