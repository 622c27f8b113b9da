// The Deno that the chapters of the hosted function run it on. npm fetches it once into .cache/, with the hash that
// deno/package-lock.json pins: it weighs 93 MB, and only those chapters need it.
import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, existsSync, globSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { refuse } from "./debian.ts";
import manifest from "./deno/package.json" with { type: "json" };

const cache = fileURLToPath(new URL("../../.cache/", import.meta.url));
const folder = join(cache, `deno-${manifest.optionalDependencies["@deno/linux-x64-glibc"]}`);

/** The path of Deno's program, or `undefined` when it is neither fetched nor on the PATH. */
export function findDeno(): string | undefined {
  const [fetched] = globSync("node_modules/@deno/*/deno", { cwd: folder });
  if (fetched) return join(folder, fetched);
  return spawnSync("deno", ["--version"]).status === 0 ? "deno" : undefined;
}

/** Fetches Deno where there is none; answers its path. Throws a sentence when it cannot be fetched. */
export function bringDeno(): string {
  const found = findDeno();
  if (found) return found;
  mkdirSync(cache, { recursive: true });
  const unfinished = mkdtempSync(join(cache, "new-"));
  try {
    cpSync(new URL("deno/", import.meta.url), unfinished, { recursive: true });
    const words = [
      "ci",
      "--prefix",
      unfinished,
      "--include=optional",
      "--ignore-scripts",
      "--prefer-offline",
    ];
    execFileSync("npm", [...words, "--no-audit", "--no-fund", "--loglevel=error"], { stdio: "pipe" });
    // Of two processes that fetch it at the same time, the second finds it in its place.
    if (!existsSync(folder)) renameSync(unfinished, folder);
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
  const fetched = findDeno();
  if (!fetched)
    throw new Error("npm has no Deno for this kind of machine: install Deno 2 (https://deno.com).");
  return fetched;
}

if (import.meta.main) {
  try {
    bringDeno();
  } catch (error) {
    refuse(`The chapters of the hosted function need Deno: ${(error as Error).message}`);
  }
}
