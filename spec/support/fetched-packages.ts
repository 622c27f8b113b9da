// Packages that only a few chapters need, and that are too large to be installed for everybody. npm fetches them once into
// .cache/, with the hashes that the lock file in spec/support/<name>/ pins.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const cache = fileURLToPath(new URL("../../.cache/", import.meta.url));

/** Returns the path of the `node_modules` with the packages of spec/support/`name`/package.json, and fetches them if it is missing. */
export function fetchPackages(name: string): string {
  const source = fileURLToPath(new URL(`${name}/`, import.meta.url));
  const lockHash = createHash("sha256")
    .update(readFileSync(join(source, "package-lock.json")))
    .digest("hex");
  const folder = join(cache, `${name}-${lockHash.slice(0, 12)}`);
  if (!existsSync(folder)) fetchInto(source, folder);
  return join(folder, "node_modules");
}

function fetchInto(source: string, folder: string): void {
  mkdirSync(cache, { recursive: true });
  const unfinished = mkdtempSync(join(cache, "new-"));
  try {
    cpSync(source, unfinished, { recursive: true });
    const args = ["ci", "--prefix", unfinished, "--include=optional", "--ignore-scripts", "--prefer-offline"];
    execFileSync("npm", [...args, "--no-audit", "--no-fund", "--loglevel=error"], { stdio: "pipe" });
    renameSync(unfinished, folder);
  } catch (error) {
    // When two processes fetch at the same time, the one that ends later cannot rename onto the folder of the other, and drops its copy.
    if (!existsSync(folder)) throw error;
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
}
