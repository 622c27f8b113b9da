// The eight buckets of each web vital. The page sends only the bucket of a value; page and reports use the same bounds.

/**
 * The upper bounds of the first seven buckets; the eighth has none. Milliseconds until the largest contentful paint and of the slowest
 * interaction, and the sum of all layout shifts. Among them are the bounds of "good" and "poor" that web.dev/articles/vitals
 * gives: 2,500 and 4,000, 200 and 500, 0.1 and 0.25.
 */
export const vitalBuckets = {
  lcp: [1000, 1500, 2000, 2500, 3000, 4000, 6000],
  cls: [0.01, 0.025, 0.05, 0.1, 0.15, 0.25, 0.5],
  inp: [50, 100, 150, 200, 300, 500, 1000],
} as const;

export type Vital = keyof typeof vitalBuckets;

/** The bucket of a value, from 0 to 7. A bound belongs to the bucket below it. */
export const bucketOf = (vital: Vital, value: number): number =>
  vitalBuckets[vital].filter((bound) => value > bound).length;
