// How sure an experiment's result is: the sizes it needs, and thousands of simulated experiments with a look every day, whose numbers
// come from a fixed seed.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  chiSquareOfSplit,
  daysLeft,
  differenceRange,
  type Plan,
  rateRange,
  sizeForOneLook,
  sizeNeeded,
  splitLimit,
} from "../campaigns/statistics.ts";

const lifts = [0.2, 0.3, 0.5];

describe("the size of an experiment", () => {
  it.each([
    [0.2, 21_106],
    [0.3, 9_795],
    [0.5, 3_823],
  ])(
    "with one look at the end, at 2 leads of 100 loads, for a lift of %f, is %i loads a variant",
    (lift, size) => {
      expect(sizeForOneLook({ rate: 0.02, lift })).toBe(size);
    },
  );

  it.each([
    [0.2, 40_408],
    [0.3, 18_753],
    [0.5, 7_319],
  ])(
    "with a look every day, for a lift of %f, is %i loads a variant, because each look may err",
    (lift, size) => {
      expect(sizeNeeded({ rate: 0.02, lift })).toBe(size);
    },
  );

  it("is told as the days left, at the pace so far of the side with fewer loads", () => {
    const plan = { rate: 0.02, lift: 0.5 };
    for (const loads of [
      [3_660, 4_000],
      [4_000, 3_660],
    ])
      expect(daysLeft(plan, loads, 10)).toBe(10);
    expect(daysLeft(plan, [7_319, 7_500], 20)).toBe(0);
  });

  it("is told as no number of days while one side has no loads, or no time has passed", () => {
    expect(daysLeft({ rate: 0.02, lift: 0.5 }, [0, 12], 3)).toBe(undefined);
    expect(daysLeft({ rate: 0.02, lift: 0.5 }, [12, 0], 3)).toBe(undefined);
    expect(daysLeft({ rate: 0.02, lift: 0.5 }, [12, 12], 0)).toBe(undefined);
  });
});

describe("the range of a difference", () => {
  it.each(lifts)(
    "names a winner where there is none in fewer than 2 of 100 experiments planned for a lift of %f",
    (lift) => {
      for (const days of [14, 28]) {
        const plan = { rate: 0.02, lift };
        expect(shareFound(plan, { lift: 0, days, runs: 4_000 })).toBeLessThan(0.02);
      }
    },
  );

  it.each(lifts)(
    "finds a true lift of %f within the planned size in at least 80 of 100 experiments",
    (lift) => {
      const plan = { rate: 0.02, lift };
      expect(shareFound(plan, { lift, days: 28, runs: 2_000 })).toBeGreaterThan(0.8);
    },
  );

  it("finds a true loss as well", () => {
    const plan = { rate: 0.02, lift: -0.3 };
    expect(shareFound(plan, { lift: -0.3, days: 28, runs: 2_000 })).toBeGreaterThan(0.8);
  });

  it.each(lifts)(
    "names a winner where there is none in fewer than 2 of 100 experiments that run to three and to ten times the size for a lift of %f",
    (lift) => {
      const plan = { rate: 0.02, lift };
      expect(shareFound(plan, { lift: 0, days: 28, runs: 4_000, times: 3 })).toBeLessThan(0.02);
      expect(shareFound(plan, { lift: 0, days: 14, runs: 2_000, times: 10 })).toBeLessThan(0.02);
    },
  );

  it.each([0.005, 0.01, 0.05, 0.1])(
    "names a winner where there is none as rarely when the pages bring %f leads a load and the plan said 0.02",
    (rate) => {
      const plan = { rate: 0.02, lift: 0.3 };
      expect(shareFound(plan, { lift: 0, days: 28, runs: 3_000, times: 3, rate })).toBeLessThan(0.02);
    },
  );

  it("is narrowest, measured by the standard error, at the size that the plan needs", () => {
    const plan = { rate: 0.02, lift: 0.3 };
    const size = sizeNeeded(plan);
    const widthInErrors = (loads: number) => {
      const { low, high } = rangeAt(loads);
      return (high - low) * Math.sqrt(loads);
    };
    const rangeAt = (loads: number) => {
      const original = { loads, successes: Math.round(loads * 0.02) };
      const variant = { loads, successes: Math.round(loads * 0.026) };
      return differenceRange(original, variant, plan) as { low: number; high: number };
    };
    expect(widthInErrors(size)).toBeLessThan(widthInErrors(size / 4));
    expect(widthInErrors(size)).toBeLessThan(widthInErrors(size * 4));
  });

  it("is not there before both variants were loaded", () => {
    const none = { loads: 0, successes: 0 };
    const some = { loads: 9, successes: 1 };
    expect(differenceRange(none, some, { rate: 0.02, lift: 0.3 })).toBe(undefined);
    expect(differenceRange(some, none, { rate: 0.02, lift: 0.3 })).toBe(undefined);
  });

  it("is a range for any counts, also for more leads than loads", () => {
    const counted = fc.record({
      loads: fc.integer({ min: 1, max: 1e6 }),
      successes: fc.integer({ min: 0, max: 1e6 }),
    });
    fc.assert(
      fc.property(counted, counted, (original, variant) => {
        const { low, high } = differenceRange(original, variant, { rate: 0.02, lift: 0.3 }) as {
          low: number;
          high: number;
        };
        expect(low).toBeGreaterThanOrEqual(-1);
        expect(high).toBeLessThanOrEqual(1);
        expect(low).toBeLessThanOrEqual(high);
      }),
    );
  });
});

describe("the split of the loads", () => {
  it("is fine when loads are split by chance, and stands out when they are not", () => {
    expect(chiSquareOfSplit(5_050, 4_950)).toBeCloseTo(1);
    expect(chiSquareOfSplit(5_050, 4_950)).toBeLessThan(splitLimit);
    expect(chiSquareOfSplit(5_200, 4_800)).toBeCloseTo(16);
    expect(chiSquareOfSplit(5_200, 4_800)).toBeGreaterThan(splitLimit);
    expect(chiSquareOfSplit(0, 0)).toBe(0);
  });

  it("is called broken in fewer than 2 of 1,000 experiments whose loads are split by chance", () => {
    const chance = seeded(11);
    const runs = 20_000;
    let broken = 0;
    for (let run = 0; run < runs; run++) {
      let original = 0;
      for (let load = 0; load < 400; load++) original += chance() < 0.5 ? 1 : 0;
      if (chiSquareOfSplit(original, 400 - original) > splitLimit) broken += 1;
    }
    expect(broken / runs).toBeLessThan(0.002);
  });
});

describe("the range of one rate", () => {
  it("says how little 3 leads of 100 loads tell", () => {
    const { low, high } = rateRange({ loads: 100, successes: 3 }) as { low: number; high: number };
    expect([low, high].map((rate) => rate.toFixed(3))).toEqual(["0.010", "0.085"]);
  });

  it("stays between none and all, and is not there without loads", () => {
    expect(rateRange({ loads: 0, successes: 0 })).toBe(undefined);
    expect(rateRange({ loads: 5, successes: 0 })?.low).toBe(0);
    expect(rateRange({ loads: 5, successes: 9 })?.high).toBe(1);
  });
});

/** The share of simulated experiments in which the range does not hold zero on some day, within the planned size or `times` that. */
function shareFound(
  plan: Plan,
  {
    lift,
    days,
    runs,
    times = 1,
    rate = plan.rate,
  }: { lift: number; days: number; runs: number; times?: number; rate?: number },
): number {
  const chance = seeded(20_261_121);
  const loadsADay = Math.ceil(sizeNeeded(plan) / days);
  let found = 0;
  for (let run = 0; run < runs; run++) {
    const original = { loads: 0, successes: 0 };
    const variant = { loads: 0, successes: 0 };
    for (let day = 0; day < days * times; day++) {
      original.loads += loadsADay;
      original.successes += leadsOf(loadsADay, rate, chance);
      variant.loads += loadsADay;
      variant.successes += leadsOf(loadsADay, rate * (1 + lift), chance);
      const { low, high } = differenceRange(original, variant, plan) as { low: number; high: number };
      if (low <= 0 && high >= 0) continue;
      // A difference in the wrong direction is not the effect that was there.
      if (lift === 0 || Math.sign(low) === Math.sign(lift)) found += 1;
      break;
    }
  }
  return found / runs;
}

/** How many of the loads become a lead: one draw of the binomial distribution, by adding up its probabilities. */
function leadsOf(loads: number, rate: number, chance: () => number): number {
  const drawn = chance();
  let probability = (1 - rate) ** loads;
  let sum = probability;
  let leads = 0;
  while (drawn > sum && leads < loads) {
    probability *= ((loads - leads) / (leads + 1)) * (rate / (1 - rate));
    sum += probability;
    leads += 1;
  }
  return leads;
}

/** Numbers from 0 to 1 that are the same in every run (a linear congruential generator with 48 bits, as drand48 has it). */
function seeded(seed: number): () => number {
  let state = (BigInt(seed) << 16n) | 0x330en;
  return () => {
    state = (state * 0x5deece66dn + 0xbn) & 0xffffffffffffn;
    return Number(state) / 2 ** 48;
  };
}
