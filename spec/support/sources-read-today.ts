// Imported by a program under test before its entry point: states today as the day on which each source of a claim was read, so that no
// test depends on the date on which it runs.
import { sources } from "../../content/claims.ts";

for (const source of Object.values<{ reviewed: string }>(sources))
  source.reviewed = new Date().toISOString().slice(0, 10);
