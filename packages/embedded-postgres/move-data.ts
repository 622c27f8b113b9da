// Moves the data to another folder, also onto another disk. At every moment one of the two folders is whole.

import { spawnSync } from "node:child_process";
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
} from "node:fs";
import { rm } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { flush, holdsData, upgradePlace } from "./cluster-place.ts";
import { findDataFolder, lockDataFolder } from "./data-folder.ts";
import { codeOf, EmbeddedPostgresError } from "./error.ts";
import { makeFolders } from "./make-folders.ts";
import { type Options, type Setup, setUp } from "./options.ts";
import { stopOrphans } from "./postmaster.ts";

/**
 * Moves the data of `options.dataDir` to the folder `to`, which must be absent or empty, and stops a server that an earlier
 * run left on it. @throws EmbeddedPostgresError when another program has the data open, it cannot be moved, or the old folder cannot be removed
 * after the move.
 */
export async function moveData(options: Options, to: string): Promise<void> {
  const setup = setUp(options);
  const target = existsSync(to) ? realpathSync(to) : resolve(to);
  const { path: named, cluster } = findDataFolder(setup);
  if (!holdsData(cluster)) throw new EmbeddedPostgresError(`There is no data in ${named}.`);
  // The real folder, because a rename of a link would move the link and not the data.
  const path = realpathSync(named);
  try {
    requireFreePlace(target, path);
    await moveLocked(setup, path, target);
  } catch (cause) {
    if (cause instanceof EmbeddedPostgresError) throw cause;
    throw new EmbeddedPostgresError(`The data in ${path} cannot be moved to ${target} (${codeOf(cause)}).`, {
      cause,
    });
  }
}

function requireFreePlace(target: string, path: string): void {
  if (existsSync(target) && !statSync(target).isDirectory())
    throw new EmbeddedPostgresError(`${target} is a file: name a folder.`);
  if (target.startsWith(`${path}/`))
    throw new EmbeddedPostgresError(`${target} is in the folder of the data: name one elsewhere.`);
  if (existsSync(target) && readdirSync(target).length > 0)
    throw new EmbeddedPostgresError(`The folder ${target} is not empty: name another one.`);
  if (existsSync(target) && isMounted(target))
    throw new EmbeddedPostgresError(`A disk is mounted at ${target}: name a folder on it.`);
}

async function moveLocked(setup: Setup, path: string, target: string): Promise<void> {
  const folder = lockDataFolder(setup);
  try {
    // An upgrade that was broken off may have left its new server.
    for (const one of [upgradePlace(folder.cluster), folder.cluster]) await stopOrphans(one, setup);
    makeFolders(dirname(target));
    if (!renamed(path, target)) await copyAndRemove(path, target);
  } finally {
    folder.close();
  }
}

/** Whether the folder is the top of a disk. The data gets its place by a rename, which cannot replace such a folder. */
const isMounted = (folder: string): boolean => statSync(folder).dev !== statSync(dirname(folder)).dev;

/**
 * Moves the folder by a rename, which also replaces an empty one. Returns false where a rename cannot do it: the target is on another disk,
 * or a disk is mounted at the folder.
 */
function renamed(from: string, to: string): boolean {
  try {
    renameSync(from, to);
  } catch (error) {
    if (["EXDEV", "EBUSY"].includes(codeOf(error))) return false;
    throw error;
  }
  flush(dirname(from));
  flush(dirname(to));
  return true;
}

/** The copy gets its name when it is whole and on disk; only then does the old folder go. */
async function copyAndRemove(from: string, to: string) {
  const unfinished = mkdtempSync(join(dirname(to), `${basename(to)}.new-`));
  try {
    // Not Node's own copy, which gives every file to us: PostgreSQL's user owns some.
    const isCopied = succeeds("cp", ["-a", `${from}/.`, unfinished]);
    // On macOS `sync` has no option for one disk, and flushes all disks.
    const isOnDisk = isCopied && succeeds("sync", process.platform === "linux" ? ["-f", unfinished] : []);
    if (!isOnDisk)
      throw new EmbeddedPostgresError(
        `The data cannot be copied to ${dirname(to)}: is there room, and may this user read all of ${from}?`,
      );
    renameSync(unfinished, to);
    flush(dirname(to));
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
  await removeOld(from, to);
}

async function removeOld(from: string, to: string) {
  const options = { recursive: true, force: true, maxRetries: 5, retryDelay: 50 };
  try {
    // Not rmSync, whose error has no code.
    for (const name of readdirSync(from)) await rm(join(from, name), options);
  } catch (cause) {
    throw new EmbeddedPostgresError(
      `The data is in ${to} now, but what is left of it in ${from} cannot be removed (${codeOf(cause)}). Remove it yourself.`,
      { cause },
    );
  }
  try {
    rmdirSync(from);
  } catch {
    // A place where a disk is mounted stays, and is empty.
  }
}

const succeeds = (program: string, args: string[]): boolean =>
  spawnSync(program, args, { stdio: "ignore" }).status === 0;
