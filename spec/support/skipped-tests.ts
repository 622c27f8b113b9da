// At the end of a run, lists the names of the tests that were skipped, because a summary that only counts them hides what was not tested.
import type { Reporter, TestModule, Vitest } from "vitest/node";

export default class SkippedTests implements Reporter {
  #isNarrowed = false;

  onInit({ config }: Vitest): void {
    this.#isNarrowed = config.testNamePattern !== undefined;
  }

  onTestRunEnd(modules: ReadonlyArray<TestModule>): void {
    // Whoever runs tests by name knows that the others do not run.
    if (this.#isNarrowed) return;
    const names = modules.flatMap(({ children }) =>
      [...children.allTests("skipped")].map(
        ({ fullName, module }) => `  ${module.moduleId.split("/").at(-1)}: ${fullName}`,
      ),
    );
    if (names.length === 0) return;
    const why = process.getuid?.() === 0 ? "" : " (those that need root run only as root)";
    process.stderr.write(`\nSkipped${why}:\n${names.join("\n")}\n`);
  }
}
