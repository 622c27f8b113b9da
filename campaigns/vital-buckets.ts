// The eight buckets of each web vital. The page sends only the bucket of a value; page and reports use the same bounds.

/**
 * The upper bounds of the first seven buckets; the eighth has none. Among them are the bounds of "good" and "poor" that
 * web.dev/articles/vitals gives.
 */
export const vitalBuckets = {
  // Milliseconds until the largest contentful paint: good to 2,500, poor above 4,000.
  lcp: [1000, 1500, 2000, 2500, 3000, 4000, 6000],
  // The sum of all layout shifts: good to 0.1, poor above 0.25.
  cls: [0.01, 0.025, 0.05, 0.1, 0.15, 0.25, 0.5],
  // Milliseconds of the slowest interaction: good to 200, poor above 500.
  inp: [50, 100, 150, 200, 300, 500, 1000],
} as const;

export type Vital = keyof typeof vitalBuckets;

/** The bucket of a value, from 0 to 7. A bound belongs to the bucket below it. */
export const bucketOf = (vital: Vital, value: number): number =>
  vitalBuckets[vital].filter((bound) => value > bound).length;
