// The part of recheck that needs neither Java nor a binary. The package has types for its main entry only.
declare module "recheck/lib/browser.js" {
  import type { checkSync } from "recheck";

  const recheck: { checkSync: typeof checkSync };
  export default recheck;
}
