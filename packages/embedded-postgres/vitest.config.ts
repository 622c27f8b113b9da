// Runs this package's specification without the product: `npx vitest run --root packages/embedded-postgres`.
import { defineConfig } from "vitest/config";

// Real servers on a machine that may be busy: a slow answer is not a wrong one.
export default defineConfig({
  test: { testTimeout: 60_000, hookTimeout: 60_000, expect: { poll: { timeout: 20_000 } } },
});
