// The order in which a run starts its chapters: one that drives a browser after one of the system's in turn, because the former keep
// the cores busy and the latter often wait for a deadline, and the quick ones last, because a core that ends early then waits for little.
import { BaseSequencer, type TestSpecification } from "vitest/node";
import type { Tier } from "../tiers.ts";

export class OrderOfChapters extends BaseSequencer {
  /** Within a tier Vitest's own order is kept: those first that took longest in the last run, or the largest files. */
  override async sort(chapters: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(chapters);
    const of = (tier: Tier) => sorted.filter(({ project }) => project.name === tier);
    return [...alternate(of("browser"), of("system")), ...of("quick")];
  }
}

/** Spreads the shorter list evenly over the longer one. */
function alternate<Item>(one: Item[], other: Item[]): Item[] {
  const placed = [one, other].flatMap((list) =>
    list.map((item, index) => ({ item, place: (index + 1) / list.length })),
  );
  return placed.sort((a, b) => a.place - b.place).map(({ item }) => item);
}
