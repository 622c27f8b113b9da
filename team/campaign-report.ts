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

/**
 * What the database says itself: counts by day and by weekday and hour, in the zone asked for; the recorded costs; and the day before which
 * leads are erased because of their age, where page loads or costs of the days asked for are before it.
 */
interface Further {
  days: { day: string; views: number; pressed: number; stored: number }[];
  hours: { weekday: number; hour: number; views: number; stored: number }[];
  costs: { day: string; source: string; medium: string; campaign: string; amount_cents: number }[];
  leads_erased_before: string | null;
}

/** The audit log says that somebody read it. */
export async function campaignReport(
  ask: Ask,
  period: Period,
  standby?: Ask,
): Promise<CampaignReport & Further> {
  const counted = (await readCampaigns(ask, period, standby)) as Further & {
    rows: CountedRow[];
    vitals: VitalCount[];
  };
  const { days, hours, costs, leads_erased_before } = counted;
  return { ...reportOf(counted.rows, counted.vitals), days, hours, costs, leads_erased_before };
}
