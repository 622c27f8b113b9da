// Random choices, which are the same for the same seed.

export type Random = ReturnType<typeof makeRandom>;

/** The generator is mulberry32, a short algorithm whose state is one 32-bit number. */
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
