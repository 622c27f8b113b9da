// Which processes are a PostgreSQL on a cluster, and how they are ended. A process id in a file proves nothing: the
// process that has it now may be another program's.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { environment } from "./account.ts";
import { codeOf, EmbeddedPostgresError } from "./error.ts";

/**
 * Every process of a server on this cluster: the postmaster by its command line, its children by their titles. Another program's
 * process that now has the id of an ended one has neither. (The program and the working folder are no test, because in most
 * containers root may not see those of another user's process.)
 */
export function processesOn(cluster: string): number[] {
  const child = `postgres: ${titleOf(cluster)}: `;
  const isOurs = (command: string) => isPostmaster(command, cluster) || command.startsWith(child);
  return processes().flatMap(([pid, command]) => (isOurs(command) ? [pid] : []));
}

/** Whether the program `postgres` itself has this command line, and not a shell or debugger that has the line among its arguments. */
function isPostmaster(command: string, cluster: string): boolean {
  const [program = "", settings] = command.split(` -D ${cluster} -c `, 2);
  // The path of the program may hold blanks. A second path or an option in it shows that another program was started.
  return (
    settings !== undefined &&
    program.endsWith("/postgres") &&
    !program.includes(" /") &&
    !/ --?[a-z]/.test(program)
  );
}

/** Whether a program in this folder, or below it, runs. */
export const isRunFrom = (folder: string): boolean =>
  processes().some(([, command]) => command.startsWith(`${folder}/`));

/** How the processes of this cluster name it in their titles. */
export const titleOf = (cluster: string) =>
  `embedded-${createHash("sha256").update(cluster).digest("hex").slice(0, 12)}`;

/** The command line of a process, its arguments separated by blanks; empty when the process is gone or a zombie. */
export function commandOf(pid: number): string {
  if (process.platform !== "linux") return processes().find(([id]) => id === pid)?.[1] ?? "";
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ").trimEnd();
  } catch {
    return "";
  }
}

function processes(): [pid: number, command: string][] {
  if (process.platform === "linux") {
    const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
    return pids.map((pid) => [Number(pid), commandOf(Number(pid))]);
  }
  const listed = execFileSync("ps", ["-axwwo", "pid=,command="], {
    env: environment,
    encoding: "utf8",
    // Node would end it after a megabyte, which the command lines of many browser windows exceed.
    maxBuffer: Number.POSITIVE_INFINITY,
  });
  return [...listed.matchAll(/^ *(\d+) (.*)$/gm)].map(([, pid, command]) => [Number(pid), command ?? ""]);
}

/**
 * Ends a postmaster: a fast shutdown that may take `seconds`, then an immediate one, then SIGKILL. What was committed stands after
 * any of them; the next start takes longer after the last two. @throws EmbeddedPostgresError when it outlives them.
 */
export async function endProcess(pid: number, isGone: () => boolean, seconds: number): Promise<void> {
  const ways = [
    { name: "SIGINT", grace: seconds },
    { name: "SIGQUIT", grace: seconds / 4 },
    { name: "SIGKILL", grace: 5 },
  ] as const;
  for (const { name, grace } of ways) {
    sendSignal(pid, name);
    if (await waitUntil(isGone, grace)) return;
  }
  throw new EmbeddedPostgresError(`PostgreSQL (process ${pid}) does not end, not even when killed.`, {
    cause: new OutlivedKill(),
  });
}

/** The cause of that error. Its name becomes the `code` of the event "not-starting", which has none for an error without a cause. */
class OutlivedKill extends Error {
  override name = "OutlivedKill";
}

/**
 * Kills the sessions of a server that was killed. They go on until they notice, and hold the shared memory that keeps a new
 * server from starting. What they had committed is on disk; the rest was not acknowledged.
 */
export async function killProcessesOn(cluster: string): Promise<void> {
  await waitUntil(() => {
    const left = processesOn(cluster);
    for (const pid of left) sendSignal(pid, "SIGKILL");
    return left.length === 0;
  }, 5);
}

/** Checks the condition every 10 ms until it holds; false when it does not hold within `seconds`. */
export async function waitUntil(condition: () => boolean, seconds: number): Promise<boolean> {
  // Not by the time of day, because a clock that is set back meanwhile would lengthen the wait.
  for (const end = performance.now() + seconds * 1000; performance.now() < end; await delay(10))
    if (condition()) return true;
  return condition();
}

/** Sends a signal, unless the process is gone by now. */
export function sendSignal(pid: number, name: NodeJS.Signals) {
  try {
    process.kill(pid, name);
  } catch (error) {
    if (codeOf(error) !== "ESRCH") throw error;
  }
}
