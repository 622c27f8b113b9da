// Builds the site: the form's script, the renderer that the server imports, and `dist/`, which any static host
// can serve. With `--if-stale` it does so only when what the site is made of has changed since the last build.
import { createHash } from "node:crypto";
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Config, ConfigError, readConfig } from "../config/config.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const stamp = join(root, ".render/made-of");

async function main(): Promise<void> {
  const config = readConfig(process.env);
  const madeOf = fingerprint(config);
  const made = existsSync(stamp) ? readFileSync(stamp, "utf8") : "";
  if (process.argv.includes("--if-stale") && made === madeOf) return;
  const started = performance.now();
  rmSync(stamp, { force: true });
  const { bundle } = await import("./bundle.ts");
  const { writeStaticSite } = await import("./static-site.ts");
  await bundle(root, config, madeOf.slice(0, 8));
  await writeStaticSite(root, config);
  mkdirSync(join(root, ".render"), { recursive: true });
  writeFileSync(stamp, madeOf);
  process.stderr.write(`Built the site in ${((performance.now() - started) / 1000).toFixed(1)} s.\n`);
}

/** Of everything that ends up in the files; the server renders its documents at start, with its own settings. */
function fingerprint({ site, provider }: Config): string {
  const hash = createHash("sha256");
  const sources = globSync(["site/*", "content/*", "lead/*", "config/*", "package-lock.json"], {
    cwd: root,
  });
  for (const source of sources.sort()) hash.update(source).update(readFileSync(join(root, source)));
  hash.update(JSON.stringify([site.backendUrl, site.backendUrl && site.backendKey, provider.name]));
  return hash.digest("hex");
}

try {
  await main();
} catch (error) {
  if (!(error instanceof ConfigError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
