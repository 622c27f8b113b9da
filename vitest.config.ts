// How the specification runs: the quick tier and the slower ones (spec/tiers.ts), on one PostgreSQL for all chapters, each chapter on
// databases of its own.
import { availableParallelism } from "node:os";
import { defineConfig, type TestProjectInlineConfiguration } from "vitest/config";
import { writeToMemory } from "./spec/support/memory-folder.ts";
import { OrderOfChapters } from "./spec/support/order-of-chapters.ts";
import { keepCompiledCode, useUtc } from "./spec/support/program-environment.ts";
import { browser, system } from "./spec/tiers.ts";

// Here, because the workers and all that they start take their environment from this process.
writeToMemory();
keepCompiledCode();
useUtc();

const chapters = ["spec/**/*.spec.ts", "packages/**/*.spec.ts"];

const project = (
  name: string,
  include: string[],
  exclude: string[] = [],
): TestProjectInlineConfiguration => ({
  test: {
    name,
    include,
    exclude: ["**/node_modules/**", ...exclude],
    provide: { isQuick: name === "quick" },
    // Real servers and browsers on two cores: a slow answer is not a wrong one.
    testTimeout: 30_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 20_000 } },
  },
});

export default defineConfig({
  test: {
    // Chapters that share a process load the product's modules once. The functions that a chapter handed to atTheEnd run after it.
    isolate: false,
    // Node reads the chapters itself, which takes half of the time that Vite takes to rewrite and load them.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    setupFiles: ["spec/support/end-of-chapter.ts"],
    globalSetup: ["spec/support/built-pages.ts", "spec/support/postgresql.ts"],
    // One more than there are cores, because a chapter often waits for a frame, an answer or a deadline. With more than that, chapters that
    // wait for a core miss their time limits. At most four, because all share one PostgreSQL.
    maxWorkers: Math.min(4, availableParallelism() + 1),
    sequence: { sequencer: OrderOfChapters },
    reporters: ["default", "./spec/support/skipped-tests.ts"],
    projects: [
      project("quick", chapters, [...browser, ...system]),
      // One project, because chapters share a process only within one.
      project("slow", [...browser, ...system]),
    ],
  },
});
