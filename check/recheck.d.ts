// recheck finds regular expressions that may take too long (check/regular-expressions.ts). This part of it needs neither Java nor a binary, and the
// package has types for its main entry only.
declare module "recheck/lib/browser.js" {
  import type { checkSync } from "recheck";

  const recheck: { checkSync: typeof checkSync };
  export default recheck;
}
