// The folder that holds the data: where it is, and that one process alone has it open.
import { createHash } from "node:crypto";
import {
  accessSync,
  chmodSync,
  chownSync,
  constants,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  realpathSync,
  statSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type Account, accountFor, canEnter } from "./account.ts";
import { makeCluster } from "./cluster.ts";
import { finishUpgrade, holdsData, upgradePlace } from "./cluster-place.ts";
import { codeOf, EmbeddedPostgresError } from "./error.ts";
import { lockFolder, lockName } from "./folder-lock.ts";
import { makeFolders, mkdirIfNone } from "./make-folders.ts";
import type { Setup } from "./options.ts";
import { ownerAdvice } from "./ownership.ts";
import { stopOrphans, usualPort } from "./postmaster.ts";
import { type Programs, programsFor } from "./programs.ts";

/** What lies in a data folder. Only the cluster and the sockets belong to the account; the rest is our own user's. */
export interface DataFolder {
  path: string;
  cluster: string;
  log: string;
  password: string;
}

/** A folder that this process alone may change. */
export interface LockedDataFolder extends DataFolder {
  setup: Setup;
  account: Account | undefined;
  /** Lets another process open it. */
  close(): void;
}

/** A folder with a cluster in it that is ready to run. */
export interface OpenDataFolder extends LockedDataFolder {
  programs: Programs;
  sockets: string;
}

/**
 * Where the data is: in the folder that was named. When root starts PostgreSQL, and PostgreSQL's user cannot use that folder, it is below
 * `systemDir`. @throws EmbeddedPostgresError when the name is a file's, and when both places hold data.
 */
export function findDataFolder(setup: Setup): DataFolder {
  const path = placeFor(setup);
  const real = existsSync(path) ? realpathSync(path) : path;
  const [cluster, log, password] = ["postgresql", "log/postgresql.log", "owner-password"];
  return { path, cluster: join(real, cluster), log: join(real, log), password: join(real, password) };
}

function placeFor(setup: Setup): string {
  const wanted = setup.dataDir;
  if (existsSync(wanted) && !statSync(wanted).isDirectory())
    throw new EmbeddedPostgresError(`The data folder ${wanted} is a file: ${setup.advice.otherFolder}.`);
  const account = accountFor(join(wanted, "postgresql"), setup);
  if (!account) return wanted;
  const inSystem = join(setup.systemDir, shortHash(wanted), "data");
  // A place that already holds data comes first, because somebody may have changed a parent folder's permissions meanwhile.
  const [held, other] = [wanted, inSystem].filter((path) => holdsData(join(path, "postgresql")));
  if (other)
    throw new EmbeddedPostgresError(
      `There is data in ${held} and in ${other}. Move the one away that is not to be used, and start again.`,
    );
  if (held) return held;
  const isUsable =
    canEnter(wanted, account) || (isOurs(wanted) && canEnter(dirname(realpathSync(wanted)), account));
  return isUsable ? wanted : inSystem;
}

/** Whether a folder is empty or holds our data already, so that its permissions are ours to change. */
function isOurs(path: string): boolean {
  const entries = existsSync(path) ? readdirSync(path) : undefined;
  return entries !== undefined && (entries.length === 0 || entries.includes(lockName));
}

const shortHash = (text: string) => createHash("sha256").update(text).digest("hex").slice(0, 12);

/** Opens the data folder, and makes it where there is none. @throws EmbeddedPostgresError when it cannot be used. */
export async function openDataFolder(setup: Setup): Promise<OpenDataFolder> {
  const folder = lockDataFolder(setup);
  const { path, account } = folder;
  try {
    // An upgrade that was broken off may have left its new server running.
    await stopOrphans(upgradePlace(folder.cluster), setup);
    const programs = programsFor(account, path, setup);
    await makeCluster(folder, programs, account, setup);
    return { ...folder, programs, sockets: makeSocketFolder(folder, account, setup) };
  } catch (cause) {
    folder.close();
    throw inWords(cause, path, setup);
  }
}

/**
 * Locks the data folder, and makes an empty one where there is none. An upgrade that a crash interrupted while it took effect is
 * completed.
 * @throws EmbeddedPostgresError when it cannot be used.
 */
export function lockDataFolder(setup: Setup): LockedDataFolder {
  makePath(findDataFolder(setup).path, setup);
  const folder = findDataFolder(setup);
  const { path } = folder;
  const account = accountFor(folder.cluster, setup);
  if (account) letIn(account, path, setup);
  const close = lockFolder(path, setup);
  try {
    mkdirSync(dirname(folder.log), { recursive: true, mode: 0o700 });
    finishUpgrade(folder.cluster);
  } catch (cause) {
    close();
    throw inWords(cause, path, setup);
  }
  return { ...folder, setup, account, close };
}

/** Puts the system's error about what is in a data folder into a sentence. Other errors stay: they are in words already, or are bugs. */
export function inWords(cause: unknown, path: string, { advice }: Setup): unknown {
  if (cause instanceof EmbeddedPostgresError || !/^E[A-Z]+$/.test(codeOf(cause))) return cause;
  return new EmbeddedPostgresError(
    `The data folder ${path} cannot be used (${codeOf(cause)}). ${ownerAdvice(path, codeOf(cause))}, or ${advice.otherFolder}.`,
    { cause },
  );
}

function makePath(path: string, { advice }: Setup) {
  try {
    makeFolders(path);
  } catch (cause) {
    throw new EmbeddedPostgresError(
      `The data folder ${path} cannot be made (${codeOf(cause)}): ${advice.otherFolder}.`,
      { cause },
    );
  }
}

function letIn(account: Account, path: string, { advice }: Setup) {
  if (canEnter(path, account)) return;
  if (isOurs(path)) {
    chmodSync(path, 0o711);
    if (canEnter(path, account)) return;
  }
  throw new EmbeddedPostgresError(
    `The data folder ${path} cannot be used: PostgreSQL does not run as root, and the user ${account.name} may not enter this folder. Open it to that user, or ${advice.otherFolder}.`,
  );
}

/** The longest path of a socket that every system takes, in bytes. */
const maxSocketPath = 103;

/**
 * Makes the folder of the sockets, which only PostgreSQL's user and root may enter, and returns its path. A client that reaches a socket
 * there still needs the password.
 */
export function makeSocketFolder(
  { cluster }: DataFolder,
  account: Account | undefined,
  setup: Setup,
): string {
  const beside = join(dirname(cluster), "sockets");
  const isShort = isShortEnough(beside);
  const sockets = isShort ? beside : inTemporaryFolder(`${setup.name}-${shortHash(cluster)}`, account);
  const mayChange = mkdirIfNone(sockets) || isShort;
  if (mayChange) chmodSync(sockets, 0o700);
  if (mayChange && account) chownSync(sockets, account.uid, account.gid);
  // In a folder that anyone may write to, the name proves nothing.
  const found = lstatSync(sockets);
  const isPrivate = found.isDirectory() && (found.mode & 0o777) === 0o700;
  if (isPrivate && found.uid === (account?.uid ?? process.getuid?.())) return sockets;
  throw new EmbeddedPostgresError(
    `${sockets} is not a private folder of PostgreSQL's user. Remove it, as root where it is not yours, and start again.`,
  );
}

/** The lock file beside the socket has a longer name, but is an ordinary file, whose path may be longer. An upgrade's ports have as many digits. */
const isShortEnough = (sockets: string) =>
  Buffer.byteLength(join(sockets, `.s.PGSQL.${usualPort}`)) <= maxSocketPath;

/**
 * In the folder that the environment names, where that is there, lets us make something in it and the account pass, and is short enough; else
 * in /tmp.
 */
function inTemporaryFolder(name: string, account: Account | undefined): string {
  const folder = tmpdir();
  const isUsable = canMakeIn(folder) && (!account || canEnter(folder, account));
  return isUsable && isShortEnough(join(folder, name)) ? join(folder, name) : join("/tmp", name);
}

function canMakeIn(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK | constants.X_OK);
    return statSync(folder).isDirectory();
  } catch {
    return false;
  }
}
