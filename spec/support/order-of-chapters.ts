// The order in which a run starts its chapters: one that drives a browser after one of the system's in turn, because the former keep
// the cores busy and the latter often wait for a deadline, and the quick ones last, because a core that ends early then waits for little.
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { browser } from "../tiers.ts";

export class OrderOfChapters extends BaseSequencer {
  /** Within a tier Vitest's own order is kept: those first that took longest in the last run, or the largest files. */
  override async sort(chapters: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(chapters);
    const [quick, slow] = divide(sorted, ({ project }) => project.name === "quick");
    const [ofBrowser, ofSystem] = divide(slow, ({ moduleId }) =>
      browser.some((path) => moduleId.endsWith(path)),
    );
    return [...alternate(ofBrowser, ofSystem), ...quick];
  }
}

/** Those of which it is true, and the others. */
function divide<Item>(list: Item[], isFirst: (item: Item) => boolean): [Item[], Item[]] {
  return [list.filter(isFirst), list.filter((item) => !isFirst(item))];
}

/** Spreads the shorter list evenly over the longer one. */
function alternate<Item>(one: Item[], other: Item[]): Item[] {
  const placed = [one, other].flatMap((list) =>
    list.map((item, index) => ({ item, place: (index + 1) / list.length })),
  );
  return placed.sort((a, b) => a.place - b.place).map(({ item }) => item);
}
