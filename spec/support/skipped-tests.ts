// At the end of a run, lists the names of the tests that were skipped, because a summary that only counts them hides what was not tested.
import type { Reporter, TestModule } from "vitest/node";

export default class SkippedTests implements Reporter {
  onTestRunEnd(modules: ReadonlyArray<TestModule>): void {
    const names = modules.flatMap(({ children }) =>
      [...children.allTests("skipped")].map(
        ({ fullName, module }) => `  ${module.moduleId.split("/").at(-1)}: ${fullName}`,
      ),
    );
    if (names.length === 0) return;
    const why = process.getuid?.() === 0 ? "" : ", some because they need root";
    process.stderr.write(`\nSkipped${why}:\n${names.join("\n")}\n`);
  }
}
