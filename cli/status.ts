// `leads status`: does every accepted lead reach the team, and is it reviewed in time? Its exit status carries the answer,
// so that cron or a monitor can watch it: 1 when a delivery failed or is stuck.
import type { ChannelCount } from "../delivery/counts.ts";
import { readStatus, type Status } from "../team/status.ts";
import { type AddCommand, counted, typed } from "./command.ts";
import { json } from "./json.ts";
import { duration } from "./times.ts";

export const status: AddCommand = (program, run) => {
  program
    .command("status")
    .summary("accepted, stored, delivered, pending, failed and stuck; exit status 1 when not well")
    .description(
      "Says whether every accepted lead reaches the team and is reviewed in time. Exit status 1 when a delivery failed or is stuck (due for 15 minutes and not sent).",
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

/** The status with the names that JSON has. */
export const inSnakeCase = ({ owedToNoChannel, channels, ...rest }: Status) => ({
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
});

/** The status in words, with what to type next. */
export function describe(state: Status, now: Date): string {
  const { accepted, stored, erased, unreviewed, overdue, owedToNoChannel } = state;
  const lines = [
    `${leads(accepted)} accepted: ${number(stored)} stored, ${number(erased)} erased.`,
    `${number(unreviewed)} not reviewed yet, ${number(overdue)} of them for more than 24 hours.`,
    "",
    row(["CHANNEL", "DELIVERED", "PENDING", "OLDEST", "FAILED", "STUCK"]),
    ...state.channels.map((channel) => row(cells(channel, now))),
    "",
    ...advice(state),
  ];
  if (owedToNoChannel > 0)
    lines.splice(2, 0, `${leads(owedToNoChannel)} owed to no channel: none was set up when they came.`);
  return `${lines.join("\n")}\n`;
}

function advice({ ok, overdue, channels }: Status): string[] {
  const sum = (of: "failed" | "stuck") => channels.reduce((count, channel) => count + channel[of], 0);
  const lines: string[] = [];
  if (sum("failed")) lines.push(`FAILED: mend the channel, then: ${typed("retry --failed")}`);
  if (sum("stuck"))
    lines.push(
      "STUCK: owed for 15 minutes and not delivered. Does the server run, and is the channel set up?",
    );
  if (overdue) lines.push(`Reviews are late. Who waits: ${typed("list --due")}`);
  if (!channels.some(({ enabled }) => enabled))
    lines.push("No channel is set up: nobody is told of new leads.");
  return lines.length || !ok ? lines : ["All is well."];
}

const cells = (
  { channel, enabled, delivered, pending, oldestPending, failed, stuck }: ChannelCount,
  now: Date,
) => [
  enabled ? channel : `${channel} (off)`,
  number(delivered),
  number(pending),
  oldestPending ? duration(now.getTime() - oldestPending.getTime()) : "-",
  number(failed),
  number(stuck),
];

const number = (count: number) => count.toLocaleString("en-US");
const leads = (count: number) => counted(count, "lead");
const row = ([first = "", ...rest]: string[]) =>
  first.padEnd(16) + rest.map((text) => text.padStart(11)).join("");
