// `leads status`: does every accepted lead reach the team, and is it reviewed in time? Its exit status is the answer for cron or a
// monitor.
import { howToSetUp } from "../delivery/channels/registry.ts";
import type { ChannelCount } from "../delivery/counts.ts";
import type { Problem } from "../team/problems.ts";
import { readStatus, type Status } from "../team/status.ts";
import { type AddCommand, counted, typed } from "./command.ts";
import { json } from "./json.ts";
import { dayAndTime, duration } from "./times.ts";

export const status: AddCommand = (program, run) => {
  program
    .command("status")
    .summary("accepted, stored, delivered, pending, failed and stuck; exit status 1 when not well")
    .description(
      "Says whether every accepted lead reaches the team and is reviewed in time. Exit status 1 when a delivery failed, one is stuck (owed for 15 minutes and not made), no channel is set up while leads wait, reviews are late, or a scheduled backup failed or is late.",
    )
    .option("--json", "print JSON")
    .action((options: { json?: true }) =>
      run(async ({ sql, now, out }) => {
        const state = await readStatus(sql);
        await out(options.json ? `${json(inSnakeCase(state), 2)}\n` : describe(state, now));
        return state.ok ? 0 : 1;
      }),
    );
};

/** The status with names in snake case, as the JSON output has them. */
export const inSnakeCase = ({ owedToNoChannel, channels, backup, ...rest }: Status) => ({
  ...rest,
  owed_to_no_channel: owedToNoChannel,
  channels: channels.map(
    ({ oldestPending: oldest_pending, lastError: last_error, lastErrorAt: last_error_at, ...channel }) => ({
      ...channel,
      oldest_pending,
      last_error,
      last_error_at,
    }),
  ),
  backup: {
    enabled: backup.enabled,
    taken_at: backup.takenAt,
    verified_by: backup.verifiedBy,
    failure: backup.failure,
  },
});

/** The status in words, with what to type next. */
export function describe(state: Status, now: Date): string {
  const { accepted, stored, erased, unreviewed, overdue, owedToNoChannel, channels } = state;
  const lines = [
    `${leads(accepted)} accepted: ${number(stored)} stored, ${number(erased)} erased.`,
    `${number(unreviewed)} not reviewed yet, ${number(overdue)} of them for more than 24 hours.`,
    ...lineIf(
      owedToNoChannel > 0,
      `${leads(owedToNoChannel)} owed to no channel: none was set up when they came, or theirs is retired.`,
    ),
    "",
    row(["CHANNEL", "DELIVERED", "PENDING", "OLDEST", "FAILED", "STUCK"]),
    ...channels.map((channel) => row(cells(channel, now))),
    ...channels.flatMap(lastFailure),
    "",
    ...backupLine(state, now),
    ...advice(state),
  ];
  return `${lines.join("\n")}\n`;
}

const lastFailure = ({ channel, lastError, lastErrorAt }: ChannelCount) =>
  lineIf(
    lastError !== null,
    `Last failure of ${channel}${lastErrorAt ? `, ${dayAndTime(lastErrorAt)}` : ""}: ${lastError}`,
  );

function backupLine({ backup: { enabled, takenAt, verifiedBy, failure } }: Status, now: Date): string[] {
  if (!enabled) return [];
  const how = verifiedBy === "restored" ? "verified by a restoration" : "read from end to end";
  const newest = takenAt
    ? `The newest backup is ${duration(now.getTime() - takenAt.getTime())} old, ${how}.`
    : "No backup is made yet.";
  return [failure ? `${newest} The last attempt failed: ${failure}` : newest];
}

/** What to do about each problem. */
const advices: Record<Problem, string> = {
  "no channel": `LEADS WAIT and nobody is told. ${howToSetUp()} and start the server again.`,
  failed: `FAILED: fix the channel, then: ${typed("retry --failed")}`,
  stuck: `STUCK: owed for 15 minutes and not delivered. Does the server run, and is the channel set up?
       When it is fixed, send what waits at once: ${typed("retry --pending")}
       A channel that is given up for good: ${typed("channel retire <name>")}`,
  overdue: `Reviews are late. Who waits: ${typed("list --due")}`,
  backup: "BACKUP: see whether BACKUP_DIR can be written and its disk has room, and the server's log.",
};

function advice({ ok, problems, channels }: Status): string[] {
  const lines = problems.map((problem) => advices[problem]);
  const hasNoChannel = !channels.some(({ enabled }) => enabled);
  const isUnsaid = hasNoChannel && !problems.includes("no channel");
  const hints = lineIf(isUnsaid, "No channel is set up: nobody is told of new leads.");
  return ok && !hasNoChannel ? ["All is well."] : [...lines, ...hints];
}

const cells = (
  { channel, enabled, retired, delivered, pending, oldestPending, failed, stuck }: ChannelCount,
  now: Date,
) => [
  enabled ? channel : `${channel} (${retired ? "retired" : "off"})`,
  number(delivered),
  number(pending),
  oldestPending ? duration(now.getTime() - oldestPending.getTime()) : "-",
  number(failed),
  number(stuck),
];

const lineIf = (condition: boolean, line: string): string[] => (condition ? [line] : []);
const number = (count: number) => count.toLocaleString("en-US");
const leads = (count: number) => counted(count, "lead");
const row = ([first = "", ...rest]: string[]) =>
  first.padEnd(18) + rest.map((text) => text.padStart(11)).join("");
