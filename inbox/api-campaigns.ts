// The calls of the inbox's API about what the ads bring, which only managers make.
import * as v from "valibot";
import { Day, Zone } from "./api-values.ts";

/** A share or a difference of shares: 0.02 is 2 of 100. */
const Range = v.object({ low: v.number(), high: v.number() });

/** Page loads by how far they came, and the leads with what came of them. Bots, reloads and returns are no views. */
const steps = {
  views: v.number(),
  half_read: v.number(),
  form_seen: v.number(),
  began: v.number(),
  pressed: v.number(),
  stored: v.number(),
  reviewed: v.number(),
  qualified: v.number(),
};

const words = { source: v.string(), medium: v.string(), campaign: v.string() };

export const Campaigns = v.object({
  campaigns: v.array(
    v.object({
      ...words,
      ...steps,
      /** 0: none was recorded, or none of it fell to this line. */
      cost_cents: v.number(),
      /** The 95 % confidence interval of the share of loads that become a lead; null without loads. */
      rate: v.nullable(Range),
    }),
  ),
  /** phone, tablet, computer, no-script, bot, unknown. */
  devices: v.array(
    v.object({
      device: v.string(),
      served: v.number(),
      prefetched: v.number(),
      views: v.number(),
      reloaded: v.number(),
      returned: v.number(),
      stored: v.number(),
    }),
  ),
  /** Costs whose words fit no counted page load and no lead of these days. */
  unmatched: v.array(v.object({ ...words, cost_cents: v.number() })),
  /** The costs as they were recorded, by day. */
  costs: v.array(v.object({ day: Day, ...words, amount_cents: v.number() })),
  /** The upper bound of each bucket but the last, which has none, and the number of page loads in each bucket. */
  vitals: v.array(
    v.object({
      vital: v.picklist(["lcp", "cls", "inp"]),
      bounds: v.array(v.number()),
      counts: v.array(v.number()),
    }),
  ),
  days: v.array(v.object({ day: Day, views: v.number(), pressed: v.number(), stored: v.number() })),
  /** ISO weekday, 1 is Monday; hour 0 to 23 in the zone asked for. Views by hour are those of the last eight days. */
  hours: v.array(v.object({ weekday: v.number(), hour: v.number(), views: v.number(), stored: v.number() })),
  /** Leads that came before this day are erased because of their age. Null where no load and no cost that the answer holds is before it. */
  leads_erased_before: v.nullable(Day),
});
export type Campaigns = v.InferOutput<typeof Campaigns>;

const Side = v.object({ loads: v.number(), stored: v.number(), reviewed: v.number(), qualified: v.number() });

export const Experiment = v.object({
  variant: v.string(),
  language: v.string(),
  started_on: Day,
  /** The day after its last one; null while it runs. */
  ended_on: v.nullable(Day),
  /** The rate that was expected of the original, and the relative lift that was to be found: 0.3 is 30 % more. */
  plan: v.object({ rate: v.number(), lift: v.number() }),
  original: Side,
  changed: Side,
  verdict: v.picklist(["more", "fewer", "not yet", "none found", "split broken", "no loads"]),
  /** The variant's share minus the original's, of stored leads and of those that likely qualify; null without a result. */
  stored: v.nullable(Range),
  qualified: v.nullable(Range),
  /** Loads that each side needs, and days until both have them at the pace so far; null without a pace or while the split is broken. */
  size_needed: v.number(),
  days_left: v.nullable(v.number()),
  /** The chi-square of the loads against an even split: 0 is even, and above 10.83 the split is broken. */
  split_chi_square: v.number(),
});
export type Experiment = v.InferOutput<typeof Experiment>;

export const campaigns = {
  campaigns: {
    manager: true,
    request: v.strictObject({ since: Day, until: Day, zone: Zone }),
    response: Campaigns,
  },
  /**
   * Records what campaigns cost (a CSV file as team/campaign-costs.ts reads it), all of it or nothing. A problem is a sentence that
   * names a line, or the first day that has not begun. After twenty, one says how many more there are.
   */
  "campaigns/costs": {
    manager: true,
    request: v.strictObject({ csv: v.pipe(v.string(), v.minLength(1), v.maxLength(50_000)) }),
    response: v.union([
      v.object({ recorded: v.number(), removed: v.number() }),
      v.object({ problems: v.array(v.string()) }),
    ]),
  },
  /** The newest first. */
  experiments: {
    manager: true,
    request: v.strictObject({}),
    response: v.object({ experiments: v.array(Experiment) }),
  },
} as const;
