// The statistics of campaigns and experiments, as pure functions of counts: how sure a rate is, how large the difference between two
// variants is, how many page loads an experiment needs, and whether its loads are split as they should be.

/** Page loads, and how many of them had what is counted, such as a stored lead. */
export interface Counted {
  loads: number;
  successes: number;
}

/** A range of rates or of differences between rates; 0.02 is 2 of 100 loads. */
export interface Range {
  low: number;
  high: number;
}

/** What an experiment is planned for: the rate that is expected of the original, and the relative lift that is to be found. */
export interface Plan {
  /** 0.02: 2 of 100 loads become a lead. */
  rate: number;
  /** 0.3: the variant brings 30 % more of them. Negative for fewer. */
  lift: number;
}

/** The share of experiments in which the range of a difference may ever miss the true one, however long they run. */
const alpha = 0.02;
/** The 97.5 % and 80 % quantiles of the standard normal distribution. */
const [quantile975, quantile80] = [1.959964, 0.841621];
/** Half the width of a difference's range at the planned size, in standard errors. At any other size it is more standard errors wide. */
const errorsAtSize = Math.sqrt(2 * Math.log(2 / alpha));

/** Loads for each variant when there is one look, at the end: a true lift as planned is found in 80 of 100 experiments. */
export const sizeForOneLook = (plan: Plan): number => sizeWhere(plan, quantile975);

/** Loads for each variant when there is a look every day, as `differenceRange` allows; found in at least 80 of 100 as well. */
export const sizeNeeded = (plan: Plan): number => sizeWhere(plan, errorsAtSize);

function sizeWhere(plan: Plan, threshold: number): number {
  const { difference, variance } = planned(plan);
  return Math.ceil(((threshold + quantile80) ** 2 * variance) / difference ** 2);
}

/** The difference that is planned for, and the variance of one load's difference. */
function planned({ rate, lift }: Plan): { difference: number; variance: number } {
  const other = rate * (1 + lift);
  return { difference: other - rate, variance: rate * (1 - rate) + other * (1 - other) };
}

/**
 * The range of the variant's rate minus the original's. It is a confidence sequence: however often somebody looks and however long the
 * experiment runs, in 98 of 100 experiments it holds the true difference at every look. Counted in standard errors it is narrowest at
 * the size that the plan needs. Undefined while one of the two has no loads.
 *
 * The difference, times its information, is a Brownian motion in the information, which ever crosses a line a + b * information with the
 * probability exp(-2ab) (Doob 1949). The two lines, one on each side, share alpha, and are nearest, in standard errors, at the planned
 * information.
 */
export function differenceRange(original: Counted, variant: Counted, plan: Plan): Range | undefined {
  if (original.loads === 0 || variant.loads === 0) return undefined;
  const information = 1 / (varianceOf(original) + varianceOf(variant));
  const plannedInformation = sizeNeeded(plan) / planned(plan).variance;
  const half = (errorsAtSize / 2 / Math.sqrt(plannedInformation)) * (1 + plannedInformation / information);
  const difference = rateOf(variant) - rateOf(original);
  return { low: Math.max(-1, difference - half), high: Math.min(1, difference + half) };
}

/** More leads than loads happen where scripts are blocked, so that loads are not counted. */
const rateOf = ({ loads, successes }: Counted): number => Math.min(1, successes / loads);

/** The variance of a rate. One success and one failure are added, so that it is above zero even without one of either. */
function varianceOf({ loads, successes }: Counted): number {
  const rate = (Math.min(successes, loads) + 1) / (loads + 2);
  return (rate * (1 - rate)) / loads;
}

/** An even split brings numbers above this in 1 of 1,000 experiments, at one look (chi-square, one degree of freedom). */
export const splitLimit = 10.83;

/** The chi-square of the loads against an even split. Above `splitLimit` the assignment or the counting is broken. */
export function chiSquareOfSplit(original: number, variant: number): number {
  const expected = (original + variant) / 2;
  return expected === 0 ? 0 : ((original - expected) ** 2 + (variant - expected) ** 2) / expected;
}

/** Days until both variants have the loads they need, at the pace so far. Undefined while there is no pace. */
export function daysLeft(plan: Plan, loads: readonly number[], days: number): number | undefined {
  const fewest = Math.min(...loads);
  const missing = Math.max(0, sizeNeeded(plan) - fewest);
  return missing === 0 ? 0 : fewest > 0 && days > 0 ? Math.ceil((missing * days) / fewest) : undefined;
}

/** Where a single rate lies, in 95 of 100 cases (Wilson's interval). Undefined without loads. */
export function rateRange(counted: Counted): Range | undefined {
  const { loads } = counted;
  if (loads === 0) return undefined;
  const rate = rateOf(counted);
  const square = quantile975 ** 2;
  const middle = rate + square / (2 * loads);
  const half = quantile975 * Math.sqrt((rate * (1 - rate)) / loads + square / (4 * loads ** 2));
  const scale = 1 + square / loads;
  return { low: Math.max(0, (middle - half) / scale), high: Math.min(1, (middle + half) / scale) };
}
