// Fails when two migrations begin with the same version, as after a merge of two changes that were made at the same time: the ledger
// keeps one row for each version, so no database could apply both. `npm run check` runs it.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { root } from "./syntax-tree.ts";

/** The versions with which the names of more than one file of migrations begin. */
export function sharedVersions(files: readonly string[]): string[] {
  const versions = files.flatMap((file) => /^(\d+)_.+\.sql$/.exec(file)?.[1] ?? []);
  return [...new Set(versions.filter((version, nth) => versions.indexOf(version) !== nth))];
}

if (import.meta.main) {
  const shared = sharedVersions(readdirSync(join(root, "supabase/migrations")));
  for (const version of shared)
    console.error(`Several migrations have the version ${version}. Give all but one of them a new one.`);
  if (shared.length > 0) process.exitCode = 1;
}
