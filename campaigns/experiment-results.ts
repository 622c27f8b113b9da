// What an experiment says so far: how many more or fewer leads its variant brings, as a range, whether its loads are split as they should
// be, how many loads it needs, and how many more days that takes.
import {
  chiSquareOfSplit,
  daysLeft,
  differenceRange,
  type Plan,
  type Range,
  sizeNeeded,
  splitLimit,
} from "./statistics.ts";

/** Page loads of one side of an experiment, and its leads: stored, reviewed, and those that likely qualify. */
export interface Side {
  loads: number;
  stored: number;
  reviewed: number;
  qualified: number;
}

/** An experiment as the database has counted it. Days are YYYY-MM-DD; `days` is how long it has run. */
export interface CountedExperiment {
  variant: string;
  language: string;
  started_on: string;
  ended_on: string | null;
  plan: Plan;
  days: number;
  original: Side;
  changed: Side;
}

/**
 * What is known of the variant: it brings more or fewer stored leads; no difference is found so far ("not yet"), or none at the full size
 * ("none found"), where at most 20 of 100 experiments miss a true difference as large as planned; nothing is known, because the split is
 * broken or one side has no loads.
 */
export type Verdict = "more" | "fewer" | "not yet" | "none found" | "split broken" | "no loads";

export interface ExperimentResult extends CountedExperiment {
  verdict: Verdict;
  /** The variant's rate minus the original's, of stored leads and of those that likely qualify. Null without a result. */
  stored: Range | null;
  qualified: Range | null;
  /**
   * Loads that each side needs, and days until both have them at the pace so far. The days are null without a pace, and while the
   * split is broken, because nothing can be decided on such loads, however many there are.
   */
  size_needed: number;
  days_left: number | null;
  /** The chi-square of the loads against an even split: 0 is even, and above 10.83 the split is broken. */
  split_chi_square: number;
}

/** Judges what was counted. The verdict goes by the stored leads alone; those that likely qualify have a range beside it. */
export function resultOf(counted: CountedExperiment): ExperimentResult {
  const { original, changed, plan, days } = counted;
  const split_chi_square = chiSquareOfSplit(original.loads, changed.loads);
  const isSplitEvenly = split_chi_square <= splitLimit;
  const range = (what: "stored" | "qualified") =>
    (isSplitEvenly && differenceRange(countedOf(original, what), countedOf(changed, what), plan)) || null;
  const stored = range("stored");
  return {
    ...counted,
    verdict: isSplitEvenly ? verdictOf(stored, counted) : "split broken",
    stored,
    qualified: range("qualified"),
    size_needed: sizeNeeded(plan),
    days_left: (isSplitEvenly ? daysLeft(plan, [original.loads, changed.loads], days) : undefined) ?? null,
    split_chi_square,
  };
}

const countedOf = (side: Side, what: "stored" | "qualified") => ({
  loads: side.loads,
  successes: side[what],
});

function verdictOf(range: Range | null, { original, changed, plan }: CountedExperiment): Verdict {
  if (!range) return "no loads";
  if (range.low > 0) return "more";
  if (range.high < 0) return "fewer";
  return Math.min(original.loads, changed.loads) >= sizeNeeded(plan) ? "none found" : "not yet";
}
