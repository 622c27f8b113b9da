// What the campaigns have brought, for people: the counted rows added up by campaign and by device, with the range of each campaign's
// rate, the costs that match no campaign, and the web vitals by their buckets.
import { type Range, rateRange } from "./statistics.ts";
import { type Vital, vitalBuckets } from "./vital-buckets.ts";

/** A row as the database has counted it (private.campaign_rows). */
export interface CountedRow {
  source: string;
  medium: string;
  campaign: string;
  variant: string;
  device: string;
  served: number;
  prefetched: number;
  views: number;
  reloaded: number;
  returned: number;
  half_read: number;
  form_seen: number;
  began: number;
  pressed: number;
  stored: number;
  reviewed: number;
  outcomes: Record<string, number>;
  cost_cents: number;
  is_matched: boolean;
}

/** The steps of a page load from the first look to a lead that likely qualifies. Those of bots are not among them. */
export interface Steps {
  /** Page loads that a reader saw; reloads and returns are not among them. */
  views: number;
  half_read: number;
  form_seen: number;
  began: number;
  pressed: number;
  stored: number;
  reviewed: number;
  qualified: number;
}

export interface CampaignLine extends Steps {
  source: string;
  medium: string;
  campaign: string;
  /** 0: none was recorded, or none of it fell to this line. */
  cost_cents: number;
  /** Where the share of loads that become a lead lies, in 95 of 100 cases; null without loads. */
  rate: Range | null;
}

export interface CampaignReport {
  /** The campaign with the most loads first. */
  campaigns: CampaignLine[];
  devices: {
    device: string;
    served: number;
    prefetched: number;
    views: number;
    reloaded: number;
    returned: number;
    stored: number;
  }[];
  /** Costs that no page load or lead of these days matches: by campaign, and by source and medium where the cost names them. */
  unmatched: { source: string; medium: string; campaign: string; cost_cents: number }[];
  vitals: { vital: Vital; bounds: number[]; counts: number[] }[];
}

export interface VitalCount {
  vital: string;
  device: string;
  bucket: number;
  n: number;
}

export function reportOf(rows: readonly CountedRow[], vitals: readonly VitalCount[]): CampaignReport {
  const matched = rows.filter(({ is_matched }) => is_matched);
  const byCampaign = Map.groupBy(matched, (row) => JSON.stringify([row.source, row.medium, row.campaign]));
  const byDevice = Map.groupBy(matched, ({ device }) => device);
  return {
    campaigns: [...byCampaign.values()]
      .filter((rowsOfCampaign) =>
        rowsOfCampaign.some(({ device, cost_cents }) => device !== "bot" || cost_cents > 0),
      )
      .map(lineOf)
      .sort((one, other) => other.views - one.views || other.stored - one.stored),
    devices: [...byDevice].map(([device, rowsOfDevice]) => ({
      device,
      served: sum(rowsOfDevice, "served"),
      prefetched: sum(rowsOfDevice, "prefetched"),
      views: sum(rowsOfDevice, "views"),
      reloaded: sum(rowsOfDevice, "reloaded"),
      returned: sum(rowsOfDevice, "returned"),
      stored: sum(rowsOfDevice, "stored"),
    })),
    unmatched: rows
      .filter(({ is_matched }) => !is_matched)
      .map(({ source, medium, campaign, cost_cents }) => ({ source, medium, campaign, cost_cents })),
    vitals: (Object.keys(vitalBuckets) as Vital[]).map((vital) => ({
      vital,
      bounds: [...vitalBuckets[vital]],
      counts: countsOf(vital, vitals),
    })),
  };
}

function lineOf(rows: readonly CountedRow[]): CampaignLine {
  const [{ source, medium, campaign }] = rows as [CountedRow];
  const readers = rows.filter(({ device }) => device !== "bot");
  const views = sum(readers, "views");
  const stored = sum(readers, "stored");
  return {
    source,
    medium,
    campaign,
    views,
    half_read: sum(readers, "half_read"),
    form_seen: sum(readers, "form_seen"),
    began: sum(readers, "began"),
    pressed: sum(readers, "pressed"),
    stored,
    reviewed: sum(readers, "reviewed"),
    qualified: readers.reduce((all, { outcomes }) => all + (outcomes.likely_qualifies ?? 0), 0),
    cost_cents: sum(rows, "cost_cents"),
    rate: rateRange({ loads: views, successes: stored }) ?? null,
  };
}

type CountName = {
  [Name in keyof CountedRow]: CountedRow[Name] extends number ? Name : never;
}[keyof CountedRow];

const sum = (rows: readonly CountedRow[], name: CountName): number =>
  rows.reduce((all, row) => all + row[name], 0);

/** How many measurements of page loads, without bots, are in each bucket. */
function countsOf(vital: Vital, counted: readonly VitalCount[]): number[] {
  const counts = Array.from({ length: vitalBuckets[vital].length + 1 }, () => 0);
  for (const { vital: name, device, bucket, n } of counted)
    if (name === vital && device !== "bot") counts[bucket] = (counts[bucket] ?? 0) + n;
  return counts;
}
