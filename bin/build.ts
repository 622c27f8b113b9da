// `npm run build`, and what `npm start` does first: builds the pages. With `--if-stale`, only those whose sources or settings
// have changed. Where the packages that only a build needs are not installed (`npm ci --omit=dev`), they are fetched for the
// build and removed again.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const builds = ["site/build.ts", "inbox/build.ts"].filter((build) => existsSync(root + build));

process.exitCode = await main();

async function main(): Promise<number> {
  for (const [index, build] of builds.entries()) {
    try {
      await import(new URL(`../${build}`, import.meta.url).href);
    } catch (error) {
      if ((error as { code?: string }).code !== "ERR_MODULE_NOT_FOUND" || hasBuildPackages()) throw error;
      return buildWithFetchedPackages(builds.slice(index));
    }
    if (process.exitCode) return Number(process.exitCode);
  }
  return 0;
}

/** Whether the packages that only a build needs are installed. It looks for Vite, which is installed together with the others. */
function hasBuildPackages(): boolean {
  return existsSync(`${root}node_modules/vite`);
}

/** The remaining builds, each in a process of its own, because an import that failed once fails again in this one. */
function buildWithFetchedPackages(remaining: string[]): number {
  process.stderr.write("Fetching what the build needs (about 300 MB); it is removed afterwards.\n");
  const npm = (...words: string[]) =>
    spawnSync("npm", [...words, "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"], {
      cwd: root,
      stdio: ["ignore", "ignore", "inherit"],
    }).status === 0;
  // `npm install` adds and `npm prune` removes, so a server that runs from this folder keeps what it uses.
  if (!npm("install", "--include=dev", "--no-save", "--prefer-offline")) {
    process.stderr.write(
      "The pages cannot be built without these packages. Build where npm can fetch them.\n",
    );
    return 1;
  }
  const failed = remaining.find(
    (build) =>
      spawnSync(process.execPath, [build, ...process.argv.slice(2)], { cwd: root, stdio: "inherit" })
        .status !== 0,
  );
  if (!npm("prune", "--omit=dev", "--no-save"))
    process.stderr.write("What the build needed could not be removed again: npm prune --omit=dev\n");
  return failed ? 1 : 0;
}
