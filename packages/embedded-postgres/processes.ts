// Which processes are a PostgreSQL on a cluster, and how they are made to end. A number in a file proves nothing:
// the process that has it now may be a stranger's.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { codeOf } from "../../log/log.ts";
import { EmbeddedDatabaseError, environment } from "./unprivileged.ts";

/**
 * Every process of a server on this cluster: the postmaster by the command line it was given, its children by the
 * title they took. A process that was given an old number since has neither. (Program and working folder would
 * tell as much, but in most containers root may not see those of another user's process.)
 */
export function processesOn(cluster: string): number[] {
  const postmaster = `/postgres -D ${cluster} -c `;
  const child = `postgres: ${titleOf(cluster)}: `;
  const isOurs = (command: string) => command.includes(postmaster) || command.startsWith(child);
  return processes().flatMap(([pid, command]) => (isOurs(command) ? [pid] : []));
}

/** How the processes of this cluster name it in their titles. */
export const titleOf = (cluster: string) =>
  `embedded-${createHash("sha256").update(cluster).digest("hex").slice(0, 12)}`;

function processes(): [pid: number, command: string][] {
  if (process.platform === "linux") {
    const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
    return pids.map((pid) => [Number(pid), commandOf(pid)]);
  }
  const listed = execFileSync("ps", ["-axwwo", "pid=,command="], { env: environment, encoding: "utf8" });
  return [...listed.matchAll(/^ *(\d+) (.*)$/gm)].map(([, pid, command]) => [Number(pid), command ?? ""]);
}

/** Empty for a process that is gone, or dead and not yet buried. */
function commandOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
  } catch {
    return "";
  }
}

/**
 * Fast shutdown, given so many seconds, then immediate, then the kill. What was committed stands after any of them; the
 * next start takes longer after the last two.
 */
export async function endProcess(pid: number, isGone: () => boolean, patience: number): Promise<void> {
  const ways = [
    { name: "SIGINT", seconds: patience },
    { name: "SIGQUIT", seconds: patience / 4 },
    { name: "SIGKILL", seconds: 5 },
  ] as const;
  for (const { name, seconds } of ways) {
    signal(pid, name);
    if (await comesTrue(isGone, seconds)) return;
  }
  throw new EmbeddedDatabaseError(`PostgreSQL (process ${pid}) does not end, not even when killed.`);
}

/**
 * Kills the sessions of a server that was killed. They go on until they notice, and hold the shared memory that
 * keeps a new server from starting. What they had committed is on disk; the rest nobody was told of.
 */
export async function killSessions(cluster: string): Promise<void> {
  await comesTrue(() => {
    const left = processesOn(cluster);
    for (const pid of left) signal(pid, "SIGKILL");
    return left.length === 0;
  }, 5);
}

/** Looks again and again until it is so, and tells whether it came to be in time. */
export async function comesTrue(isSo: () => boolean, seconds: number): Promise<boolean> {
  for (const end = Date.now() + seconds * 1000; Date.now() < end; await delay(10)) if (isSo()) return true;
  return isSo();
}

/** Sends a signal, unless the process is gone by now. */
export function signal(pid: number, name: NodeJS.Signals) {
  try {
    process.kill(pid, name);
  } catch (error) {
    if (codeOf(error) !== "ESRCH") throw error;
  }
}
