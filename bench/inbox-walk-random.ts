// Random choices that a seed repeats.

export type Random = ReturnType<typeof makeRandom>;

/** mulberry32. */
export function makeRandom(seed: number) {
  let state = seed;
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (bound: number) => Math.floor(next() * bound);
  return {
    below,
    chance: (share: number) => next() < share,
    of: <Value>(values: readonly Value[]): Value => values[below(values.length)] as Value,
    /** One of the names, each as often as its weight says. */
    weighed: <Name extends string>(weights: Record<Name, number>): Name => {
      const entries = Object.entries(weights) as [Name, number][];
      let left = next() * entries.reduce((sum, [, weight]) => sum + weight, 0);
      for (const [name, weight] of entries) if ((left -= weight) < 0) return name;
      return entries[0]?.[0] as Name;
    },
  };
}
