// What the ads have brought in some days, for a manager in the inbox. The answer is that of the inbox's API (inbox/api-campaigns.ts).
import {
  type CampaignReport,
  type CountedRow,
  reportOf,
  type VitalCount,
} from "../campaigns/campaign-report.ts";
import type { Ask } from "./ask.ts";
import { readCampaigns } from "./campaigns.ts";
import type { Period } from "./managing.ts";

/** What the database has added up itself: counts by day and by weekday and hour, in the zone asked for, and the recorded costs. */
interface AddedUp {
  days: { day: string; views: number; pressed: number; stored: number }[];
  hours: { weekday: number; hour: number; views: number; stored: number }[];
  costs: { day: string; source: string; medium: string; campaign: string; amount_cents: number }[];
}

/** The audit log says that somebody read it. */
export async function campaignReport(
  ask: Ask,
  period: Period,
  standby?: Ask,
): Promise<CampaignReport & AddedUp> {
  const counted = (await readCampaigns(ask, period, standby)) as AddedUp & {
    rows: CountedRow[];
    vitals: VitalCount[];
  };
  const { days, hours, costs } = counted;
  return { ...reportOf(counted.rows, counted.vitals), days, hours, costs };
}
