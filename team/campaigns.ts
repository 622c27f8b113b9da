// What the ads brought: counts of page loads, the leads that came of them, and what they cost, by campaign, variant and kind of device.
import type { Sql } from "../database/connect.ts";
import type { Ask } from "./ask.ts";
import type { Period } from "./managing.ts";
import { askToRead } from "./standby.ts";

/** A row for programs; its keys stay the same from release to release. From `served` to `pressed` it counts page loads, not people. */
export interface CampaignRow {
  /** utm_source, utm_medium and utm_campaign as they are counted; "" for none. */
  source: string;
  medium: string;
  campaign: string;
  variant: string;
  /** phone, tablet, computer, no-script, bot or unknown; "" for a cost that matches no campaign. */
  device: string;
  served: number;
  views: number;
  half_read: number;
  form_seen: number;
  began: number;
  pressed: number;
  stored: number;
  reviewed: number;
  /** The number of leads with each outcome. */
  outcomes: Record<string, number>;
  /** This row's share of what the campaign cost, in US dollars. */
  cost: number;
}

/** A row of the report with the page loads that are no views, and whether the cost found its campaign. */
export type ReportedRow = CampaignRow & {
  prefetched: number;
  reloaded: number;
  returned: number;
  is_matched: boolean;
};

/**
 * Where a report since a time begins: at the start of that hour, because page loads are counted by the hour; or at the start of its day, in
 * the time zone of this process (TZ), where the hours are not kept any more or where there are costs, which are of whole days and would
 * not belong to the leads beside them.
 */
export async function beginOfReport(sql: Sql, since: Date, now: Date): Promise<Date> {
  // In a zone half an hour off UTC it may begin on the day before.
  const hour = new Date(Math.floor(since.getTime() / 3_600_000) * 3_600_000);
  const costs = await sql`
    select from private.campaign_costs where day >= ${hour.toLocaleDateString("sv-SE")}::text::date limit 1`;
  // Compares the hour and not `since`, because `campaignRows` gets the hour and compares it too.
  const isByDay = costs.count > 0 || hour.getTime() < hoursKeptSince(now);
  return isByDay ? startOfDay(since) : hour;
}

/** Hours are kept for eight days. */
const hoursKeptSince = (now: Date) => now.getTime() - 8 * 24 * 60 * 60_000;

const startOfDay = (at: Date) => new Date(at.getFullYear(), at.getMonth(), at.getDate());

/**
 * The rows since a time, as `beginOfReport` returned it; undefined is the beginning. A time before the hours that are kept is taken as the
 * start of its day, in the time zone of this process (TZ). Costs are those from that day on.
 */
export async function campaignRows(
  sql: Sql,
  since: Date | undefined,
  now = new Date(),
): Promise<ReportedRow[]> {
  const day = since?.toLocaleDateString("sv-SE") ?? "-infinity";
  const begins = since && (since.getTime() >= hoursKeptSince(now) ? since : startOfDay(since)).toISOString();
  return sql<ReportedRow[]>`
    select source, medium, campaign, variant, device, served::float8, prefetched::float8, views::float8, reloaded::float8,
      returned::float8, half_read::float8, form_seen::float8, began::float8, pressed::float8, stored::float8, reviewed::float8,
      outcomes, cost_cents::float8 / 100 as cost, is_matched
    from private.campaign_rows(
      ${begins ?? "-infinity"}::text::timestamptz, 'infinity', ${day}::text::date, 'infinity'
    )`;
}

/**
 * The day before which leads are erased because of their age (RETENTION_DAYS), as YYYY-MM-DD in the time zone of this process (TZ). Null
 * where the rows since a time, or since the beginning, have no page load and no cost from before that day.
 */
export async function leadsErasedBefore(
  sql: Sql,
  since: Date | undefined,
  now: Date,
): Promise<string | null> {
  const [first, today] = [since?.toLocaleDateString("sv-SE") ?? "-infinity", now.toLocaleDateString("sv-SE")];
  const [row] = await sql<{ day: string | null }[]>`
    select private.leads_erased_before(${first}::text::date, ${today}::text::date)::text as day`;
  return row?.day ?? null;
}

/** What a manager sees of these days; docs/campaigns.md says what the parts are. */
export const readCampaigns = (ask: Ask, { since, until, zone }: Period, standby?: Ask) =>
  askToRead(
    ask,
    standby,
    "read campaigns",
    { since, until },
    (sql, entry) => sql`team.campaigns(${since}, ${until}, ${zone}, ${entry})`,
  );
