// Whether the team hears of leads, and in time: the channels, what waits in the outbox and why, and the weekends.
import type { Sql } from "../database/connect.ts";
import { howToSetUp } from "../delivery/channels/registry.ts";
import { type ChannelCount, countDeliveries } from "../delivery/counts.ts";
import { typed } from "../log/installation.ts";
import { type Finding, fail, notExamined, pass } from "./finding.ts";
import { email as testEmail } from "./test-lead.ts";

/** Examines the channels, the outbox, and whether the promise of 24 hours holds on weekends. */
export async function examineDeliveries(sql: Sql): Promise<Finding[]> {
  const channels = await countDeliveries(sql);
  // The database's clock, because the doctor may run on another machine, whose clock may differ.
  const [{ now } = { now: new Date() }] = await sql<{ now: Date }[]>`select now() as now`;
  return [
    examineChannels(channels),
    ...channels.flatMap((channel) => examineOutbox(channel, now)),
    await examineWeekends(sql),
  ];
}

function examineChannels(channels: ChannelCount[]): Finding {
  const enabled = channels.filter((channel) => channel.enabled).map(({ channel }) => channel);
  if (enabled.length > 0) return pass(`The team hears of leads by ${enabled.join(" and ")}.`);
  return fail(
    "The team hears of no lead: no channel is set up.",
    `${howToSetUp()}, for our own server or with \`npx supabase@3 secrets set\`.`,
  );
}

function examineOutbox(count: ChannelCount, now: Date): Finding[] {
  const { channel, enabled, oldestPending, stuck, failed, lastError } = count;
  const why = lastError ? ` The channel's last failure: ${lastError.replace(/\.$/, "")}.` : "";
  const findings: Finding[] = [];
  if (stuck > 0 && oldestPending) {
    const minutes = Math.floor((now.getTime() - oldestPending.getTime()) / 60_000);
    const waited = `The oldest ${channel} delivery has waited ${minutes} minutes`;
    findings.push(
      enabled
        ? fail(
            `${waited}.${why}`,
            `See \`${typed("status")}\`. On Supabase, see that submit-lead is called each minute.`,
          )
        : fail(
            `${waited}: the channel is not set up any more.`,
            `Set it up again, or give it up: \`${typed(`channel retire ${channel}`)}\`.`,
          ),
    );
  }
  if (failed > 0)
    findings.push(
      fail(
        `Deliveries by ${channel} that have failed: ${failed}.${why}`,
        `See \`${typed("status")}\`. When the cause is gone: \`${typed("retry --failed")}\`.`,
      ),
    );
  return findings;
}

// The thank-you page promises a review within 24 hours, also on weekends. The days are those of the East, where most readers live; an hour more or less
// changes little here.
async function examineWeekends(sql: Sql): Promise<Finding> {
  const [weekends] = await sql<{ came: number; late: number }[]>`
    select count(*)::int as came,
      count(*) filter (where not exists (
        select from private.reviews r where r.lead_id = l.id and r.reviewed_at < l.created_at + interval '24 hours'
      ))::int as late
    from public.leads l
    where l.created_at between now() - interval '35 days' and now() - interval '24 hours'
      -- From Friday on, because the 24 hours of a lead of Friday end on Saturday.
      and extract(isodow from l.created_at at time zone 'America/New_York') in (5, 6, 7)
      -- A doctor that could not erase its test lead has left it there.
      and l.email <> ${testEmail}
      -- Whoever withdrew within the 24 hours is owed no review.
      and not exists (
        select from private.permissions p where p.lead_id = l.id and p.withdrawn_at <= l.created_at + interval '24 hours'
      )`;
  const { came, late } = weekends ?? { came: 0, late: 0 };
  if (came === 0)
    return notExamined(
      "Does somebody review leads on Saturdays and Sundays? The thank-you page promises it within 24 hours, on every day.",
    );
  if (late === 0)
    return pass("The leads of the last 35 days whose 24 hours fell on a weekend were reviewed in time.");
  return fail(
    `Leads of the last 35 days whose 24 hours fell on a weekend, and that nobody reviewed in time: ${late} of ${came}.`,
    "Have somebody review leads on Saturdays and Sundays: the thank-you page promises it within 24 hours.",
  );
}
