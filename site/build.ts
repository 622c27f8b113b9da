// Builds the site: the form's script, the renderer that the server imports, and `dist/`, which any static host
// can serve. With `--if-stale` it does so only when the sources, or the settings in fingerprint(), have changed, and warns of nothing,
// because the server that starts then does.
import { createHash } from "node:crypto";
import { globSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { type Config, ConfigError, readConfig } from "../config/config.ts";
import { checkExperiments } from "../content/check-experiments.ts";
import { ContentError } from "../content/content-error.ts";
import { experiments } from "../content/experiments.ts";
import { contentWarnings } from "../content/warnings.ts";
import { makeLog } from "../log/log.ts";
import { BuildError, currentBuild, makeCurrent, newBuildFolder, projectRoot } from "./build-folder.ts";

async function main(): Promise<void> {
  const config = readConfig(process.env);
  const madeOf = fingerprint(config);
  const ifStale = process.argv.includes("--if-stale");
  if (ifStale && currentBuild()?.madeOf === madeOf) return;
  checkExperiments(experiments);
  const started = performance.now();
  // The server may run as another user than the build.
  process.umask(0o022);
  const { bundle } = await import("./bundle.ts");
  const { writeStaticSite } = await import("./static-site.ts");
  const folder = newBuildFolder(projectRoot);
  try {
    await bundle(folder, config, madeOf.slice(0, 8), experiments);
    await writeStaticSite(folder, config, experiments);
    makeCurrent(projectRoot, folder, madeOf);
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
  process.stderr.write(`Built the site in ${((performance.now() - started) / 1000).toFixed(1)} s.\n`);
  if (!ifStale) warn(config);
}

/** Says what the pages lack, because a static host that is given them starts no server, which would say it. */
function warn(config: Config): void {
  const log = makeLog((line) => process.stderr.write(line), { format: config.logFormat });
  for (const [event, facts] of contentWarnings(config)) log(event, facts);
}

/**
 * A hash of the sources, and of the settings that decide the share cards, which files there are, and the form's backend. Others that the
 * documents show are left out, because the server renders its documents at each start; so `dist/` keeps the old ones until a build without
 * `--if-stale`.
 */
function fingerprint({ site, provider }: Config): string {
  const hash = createHash("sha256");
  const sources = globSync(
    ["site/*", "content/**/*.*", "lead/*", "config/*", "campaigns/vital-buckets.ts", "package-lock.json"],
    { cwd: projectRoot },
  ).filter((source) => statSync(join(projectRoot, source)).isFile());
  for (const source of sources.sort()) hash.update(source).update(readFileSync(join(projectRoot, source)));
  hash.update(
    JSON.stringify([
      site.backendUrl,
      site.backendUrl && site.backendKey,
      site.languages,
      site.counting,
      provider.name,
    ]),
  );
  return hash.digest("hex");
}

try {
  await main();
} catch (error) {
  if (!(error instanceof ConfigError || error instanceof BuildError || error instanceof ContentError))
    throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
