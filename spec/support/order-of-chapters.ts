// The order in which a run starts its chapters. Those that drive a browser and those of the system take turns, because the former keep the
// cores busy and the latter often wait for a deadline. The quick ones come last, so that at the end of the run no core is idle for long.
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { browser as browserChapters } from "../tiers.ts";

export class OrderOfChapters extends BaseSequencer {
  /** Within a tier Vitest's own order is kept: first what failed in the last run, then what took longest; of chapters without a last run the largest files. */
  override async sort(chapters: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(chapters);
    const [quick, slow] = divide(sorted, ({ project }) => project.name === "quick");
    const [ofBrowser, ofSystem] = divide(slow, ({ moduleId }) =>
      browserChapters.some((path) => moduleId.endsWith(path)),
    );
    return [...alternate(ofBrowser, ofSystem), ...quick];
  }
}

/** The items that meet a condition, and the others. */
function divide<Item>(list: Item[], condition: (item: Item) => boolean): [Item[], Item[]] {
  return [list.filter(condition), list.filter((item) => !condition(item))];
}

/** Spreads the shorter list evenly over the longer one. */
function alternate<Item>(one: Item[], other: Item[]): Item[] {
  const placed = [one, other].flatMap((list) =>
    list.map((item, index) => ({ item, place: (index + 1) / list.length })),
  );
  return placed.sort((a, b) => a.place - b.place).map(({ item }) => item);
}
