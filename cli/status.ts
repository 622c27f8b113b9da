// `leads status`: does every accepted lead reach the team, and is it reviewed in time? Its exit status carries the answer,
// so that cron or a monitor can watch it: 1 when a delivery failed or is stuck.
import type { Sql } from "../database/connect.ts";
import { type ChannelCount, countDeliveries, countLeads, type LeadCount } from "../delivery/counts.ts";
import { json } from "./json.ts";
import { type Act, counted, readWords, typed } from "./subcommand.ts";
import { duration } from "./times.ts";

export function status(words: readonly string[]): Act {
  const { values } = readWords("status [--json]", words, { json: { type: "boolean" } });
  return async ({ sql, now, out }) => {
    const state = await readStatus(sql);
    await out(values.json ? `${json(inSnakeCase(state), 2)}\n` : describe(state, now));
    return state.ok ? 0 : 1;
  };
}

/** How things stand. Every accepted lead is stored or was erased; every stored one is owed to each channel. */
export interface Status extends Omit<LeadCount, "lastDay" | "toldNobody"> {
  /** False when a delivery failed or is stuck. */
  ok: boolean;
  accepted: number;
  /** Leads that came while no channel was set up. */
  owed_to_no_channel: number;
  channels: ChannelCount[];
}

/** As JSON names things everywhere in this command. */
export const inSnakeCase = ({ channels, ...rest }: Status) => ({
  ...rest,
  channels: channels.map(({ oldestPending: oldest_pending, ...channel }) => ({ ...channel, oldest_pending })),
});

export async function readStatus(sql: Sql): Promise<Status> {
  const { stored, erased, unreviewed, overdue, toldNobody } = await countLeads(sql);
  const channels = await countDeliveries(sql);
  const ok = channels.every(({ failed, stuck }) => failed === 0 && stuck === 0);
  const leads = {
    accepted: stored + erased,
    stored,
    erased,
    unreviewed,
    overdue,
    owed_to_no_channel: toldNobody,
  };
  return { ok, ...leads, channels: [...channels] };
}

/** The same in words, with what to type next. */
export function describe(state: Status, now: Date): string {
  const { accepted, stored, erased, unreviewed, overdue, owed_to_no_channel: forgotten } = state;
  const lines = [
    `${leads(accepted)} accepted: ${number(stored)} stored, ${number(erased)} erased.`,
    `${number(unreviewed)} not reviewed yet, ${number(overdue)} of them for more than 24 hours.`,
    "",
    row(["CHANNEL", "DELIVERED", "PENDING", "OLDEST", "FAILED", "STUCK"]),
    ...state.channels.map((channel) => row(cells(channel, now))),
    "",
    ...advice(state),
  ];
  if (forgotten > 0)
    lines.splice(2, 0, `${leads(forgotten)} owed to no channel: none was set up when they came.`);
  return `${lines.join("\n")}\n`;
}

function advice({ ok, overdue, channels }: Status): string[] {
  const sum = (of: "failed" | "stuck") => channels.reduce((count, channel) => count + channel[of], 0);
  const lines: string[] = [];
  if (sum("failed")) lines.push(`FAILED: mend the channel, then: ${typed("retry --failed")}`);
  if (sum("stuck"))
    lines.push("STUCK: due for 15 minutes and not sent. Does the server run, and is the channel set up?");
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
