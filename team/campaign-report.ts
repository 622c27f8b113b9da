// What the ads have brought in some days, for a manager in the inbox. The answer is that of the inbox's API (inbox/api-campaigns.ts).
import {
  type CampaignReport,
  type CountedRow,
  reportOf,
  type VitalCount,
} from "../campaigns/campaign-report.ts";
import type { Ask } from "./acting.ts";
import type { Period } from "./managing.ts";

/** Counts by day and by weekday and hour, in the zone asked for, as the database adds them up. */
interface CountsInTime {
  days: { day: string; views: number; pressed: number; stored: number }[];
  hours: { weekday: number; hour: number; views: number; stored: number }[];
}

/** The audit log says that somebody read it. */
export async function campaignReport(
  ask: Ask,
  { since, until, zone }: Period,
): Promise<CampaignReport & CountsInTime> {
  const counted = (await ask((sql) => sql`team.campaigns(${since}, ${until}, ${zone})`)) as CountsInTime & {
    rows: CountedRow[];
    vitals: VitalCount[];
  };
  const { days, hours } = counted;
  return { ...reportOf(counted.rows, counted.vitals), days, hours };
}
