// Builds the pages of the inbox into a folder of `.inbox/`, which the server reads at start. With `--if-stale` it does so only when
// their sources have changed. `.inbox/current.json` names the folder of the current build and is replaced by one rename, so a build
// that fails midway leaves the last one as it was.
import { createHash } from "node:crypto";
import {
  chmodSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync } from "node:zlib";
import { type CurrentBuild, compressedEnding, readCurrent } from "./client-files.ts";

const projectRoot = fileURLToPath(new URL("..", import.meta.url));
const builds = join(projectRoot, ".inbox");
const current = join(builds, "current.json");

async function main(): Promise<void> {
  const sources = globSync(patterns, { cwd: projectRoot }).sort();
  const madeOf = fingerprint(sources);
  if (process.argv.includes("--if-stale") && currentBuild()?.madeOf === madeOf) return;
  const started = performance.now();
  // The server may run as another user than the build.
  process.umask(0o022);
  mkdirSync(builds, { recursive: true });
  removeOld();
  const folder = mkdtempSync(join(builds, "build-"));
  try {
    chmodSync(folder, 0o755);
    const { bundleClient } = await import("./bundle-client.ts");
    const modules = await bundleClient(projectRoot, folder);
    const unlisted = modules.filter((module) => !sources.includes(module));
    if (unlisted.length > 0)
      throw new Error(`Name these among the sources in inbox/build.ts: ${unlisted.join(", ")}`);
    writeCompressed(folder);
    const named = join(folder, "current.json");
    writeFileSync(named, JSON.stringify({ name: basename(folder), madeOf }));
    renameSync(named, current);
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
  process.stderr.write(`Built the inbox in ${((performance.now() - started) / 1000).toFixed(1)} s.\n`);
}

/** Writes each file of a build compressed beside it, which would otherwise be done at each start of a server. */
function writeCompressed(folder: string): void {
  for (const name of globSync(["index.html", "assets/*"], { cwd: folder })) {
    const file = join(folder, name);
    writeFileSync(file + compressedEnding, brotliCompressSync(readFileSync(file)));
  }
}

/** Every source of the files: a build that uses another one fails. */
const patterns = [
  "inbox/client/**/*.*",
  "inbox/*.ts",
  "calling/*",
  "campaigns/notes-in-words.ts",
  "content/fill-in.ts",
  "team/csv.ts",
  "lead/language-name.ts",
  "lead/no-name.ts",
  "package-lock.json",
];

function fingerprint(sources: string[]): string {
  const hash = createHash("sha256");
  for (const source of sources) {
    hash.update(source).update(readFileSync(join(projectRoot, source)));
  }
  return hash.digest("hex");
}

function currentBuild(): CurrentBuild | undefined {
  const build = readCurrent(projectRoot);
  return build && existsSync(join(builds, build.name, "index.html")) ? build : undefined;
}

/** Removes the folders of old and of killed builds. One less than an hour old may belong to a build or a start under way. */
function removeOld(): void {
  const anHourAgo = Date.now() - 3_600_000;
  const currentName = currentBuild()?.name;
  for (const name of readdirSync(builds)) {
    const path = join(builds, name);
    if (name === currentName || name === "current.json") continue;
    // Another build may have removed it meanwhile.
    const found = statSync(path, { throwIfNoEntry: false });
    if (found && found.mtimeMs < anHourAgo) rmSync(path, { recursive: true, force: true });
  }
}

try {
  await main();
} catch (error) {
  if (!["EACCES", "EPERM"].includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
  const [folder, advice] = existsSync(builds)
    ? [
        builds,
        `An earlier build probably ran as another user, such as root. Remove what it left: sudo rm -rf "${builds}"`,
      ]
    : [projectRoot, "Let this user own that folder, then start again."];
  process.stderr.write(`The build may not write into ${folder}: ${(error as Error).message}\n${advice}\n`);
  process.exitCode = 1;
}
