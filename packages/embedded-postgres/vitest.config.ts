// Runs this package's specification without the product: `npx vitest run --root packages/embedded-postgres`.
import { defineConfig } from "vitest/config";

export default defineConfig({ test: { testTimeout: 60_000, hookTimeout: 60_000 } });
