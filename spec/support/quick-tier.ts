// Keeps the quick tier quick: fails a chapter of it that uses what belongs to a slower tier.
import { inject } from "vitest";

declare module "vitest" {
  interface ProvidedContext {
    isQuick: boolean;
  }
}

/** @throws in a chapter of the quick tier; `what` is what the chapter is about to use. */
export function refuseInQuickTier(what: string): void {
  if (!inject("isQuick")) return;
  throw new Error(`A chapter that needs ${what} is not quick: name it in its tier, in spec/tiers.ts.`);
}
