// How the specification in spec/ runs: one PostgreSQL for all chapters, each chapter on databases of its own.
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["spec/**/*.spec.ts", "packages/**/*.spec.ts"],
    globalSetup: "spec/support/postgresql.ts",
    // Real servers and browsers on two cores: a slow answer is not a wrong one.
    testTimeout: 30_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 10_000 } },
    maxWorkers: 3,
  },
});
