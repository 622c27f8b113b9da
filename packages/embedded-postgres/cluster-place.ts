// The cluster of a data folder: which major version wrote it, and the swap that puts an upgraded one in its place.
import { closeSync, existsSync, fsyncSync, openSync, readFileSync, renameSync } from "node:fs";
import { dirname, join } from "node:path";
import { codeOf } from "./error.ts";

/** The major version that wrote a cluster; undefined where there is no cluster, or no file PG_VERSION in it; NaN where that file is empty. */
export function majorOf(cluster: string): number | undefined {
  const file = join(cluster, "PG_VERSION");
  return existsSync(file) ? Number.parseInt(readFileSync(file, "utf8"), 10) : undefined;
}

/** Where an upgrade makes the new cluster. */
export const upgradePlace = (cluster: string): string => `${cluster}.new-upgrade`;

/** Whether there is a cluster, also where a crash interrupted the swap that puts one in its place. */
export const holdsData = (cluster: string): boolean =>
  existsSync(cluster) || existsSync(`${cluster}.upgraded`);

/** Puts a finished copy in the place of the cluster, and keeps the old one beside it. Returns where the old one is kept. */
export function swapClusters(cluster: string, finished: string): string | undefined {
  renameSync(finished, `${cluster}.upgraded`);
  flush(dirname(cluster));
  return finishUpgrade(cluster);
}

/**
 * Ends a swap that a crash interrupted. The folder `.upgraded` commits the upgrade. Two renames follow it, and the process that locks the
 * data folder next makes those that are still missing.
 */
export function finishUpgrade(cluster: string): string | undefined {
  const upgraded = `${cluster}.upgraded`;
  if (!existsSync(upgraded)) return undefined;
  const major = majorOf(cluster);
  const kept = major === undefined ? undefined : freeName(`${cluster}-${major}`);
  if (kept) renameSync(cluster, kept);
  renameSync(upgraded, cluster);
  flush(dirname(cluster));
  return kept;
}

function freeName(path: string): string {
  let name = path;
  for (let number = 2; existsSync(name); number++) name = `${path}-${number}`;
  return name;
}

/** Flushes the entries of a folder, which are names and not contents, to disk. */
export function flush(folder: string) {
  let handle: number;
  try {
    handle = openSync(folder, "r");
  } catch (error) {
    // A folder above the data that this user may pass through and not list. The system flushes it by itself, some seconds later.
    if (codeOf(error) === "EACCES") return;
    throw error;
  }
  fsyncSync(handle);
  closeSync(handle);
}
