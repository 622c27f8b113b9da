// Fails when two migrations begin with the same version, as after a merge of two changes that were made at the same time: the ledger
// keeps one row for each version, so no database could apply both. `npm run check` runs it.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { root } from "./syntax-tree.ts";

/** The versions with which the file names of more than one migration begin. */
export function sharedVersions(files: readonly string[]): string[] {
  const versions = files.map((file) => /^\d+/.exec(file)?.[0] ?? "");
  return [...new Set(versions.filter((version, nth) => versions.indexOf(version) !== nth))];
}

if (import.meta.main) {
  const shared = sharedVersions(readdirSync(join(root, "supabase/migrations")));
  for (const version of shared)
    console.error(`Several migrations have the version ${version}. Number one of them anew.`);
  if (shared.length > 0) process.exitCode = 1;
}
