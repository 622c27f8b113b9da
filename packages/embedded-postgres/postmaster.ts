// One life of a PostgreSQL server on a data folder: how it is started, and what is done with one that an earlier run left.
import { spawn } from "node:child_process";
import { closeSync, mkdirSync, openSync, readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { asAccount } from "./account.ts";
import type { OpenDataFolder } from "./data-folder.ts";
import { codeOf, EmbeddedPostgresError } from "./error.ts";
import type { Setup } from "./options.ts";
import { commandOf, endProcess, killProcessesOn, processesOn, sendSignal, titleOf } from "./processes.ts";

export interface Exit {
  code: number | null;
  signal: NodeJS.Signals | null;
}

export interface Postmaster {
  pid: number;
  /** Where its socket is. */
  sockets: string;
  exited: Promise<Exit>;
}

/** The port in the name of a server's socket, by which clients find it. */
export const usualPort = 5432;

/** What a server needs to run. The port tells sockets in one folder apart. */
export type LaunchSetup = Pick<
  OpenDataFolder,
  "cluster" | "sockets" | "log" | "account" | "programs" | "setup"
> & {
  port?: number;
};

/**
 * Starts PostgreSQL and waits until it answers. @throws EmbeddedPostgresError when it exits instead, or is ended because
 * `cancel` aborts.
 */
export async function launch(launchSetup: LaunchSetup, cancel?: AbortSignal): Promise<Postmaster> {
  const { programs, cluster, account, log, sockets, port = usualPort } = launchSetup;
  const socket = join(sockets, `.s.PGSQL.${port}`);
  for (const file of [socket, `${socket}.lock`]) rmSync(file, { force: true });
  // Somebody may have tidied it away.
  mkdirSync(dirname(log), { recursive: true, mode: 0o700 });
  const out = openSync(log, "a", 0o600);
  const child = spawn(programs.postgres, argumentsFor(launchSetup), {
    ...asAccount(account),
    cwd: cluster,
    // A session of its own: Ctrl-C at the terminal is for our process, which answers the requests under way first.
    detached: true,
    stdio: ["ignore", out, out],
  });
  closeSync(out);
  // Stops it also when this process ends while it starts, as by an uncaught error.
  const stopOnExit = () => child.pid !== undefined && sendSignal(child.pid, "SIGINT");
  process.once("exit", stopOnExit);
  let exit: Exit | undefined;
  let cause: Error | undefined;
  const exited = new Promise<Exit>((resolve) => {
    child.once("exit", (code, signal) => resolve({ code, signal }));
    child.once("error", (error) => {
      cause = error;
      resolve({ code: null, signal: null });
    });
  }).then((how) => {
    process.removeListener("exit", stopOnExit);
    return (exit = how);
  });

  while (!exit) {
    // Looked at first, so that a server that is ready by now is ended all the same.
    if (cancel?.aborted && child.pid !== undefined) await endProcess(child.pid, () => exit !== undefined, 2);
    else if (child.pid !== undefined && isReadyAs(child.pid, cluster))
      return { pid: child.pid, sockets, exited };
    else await delay(10);
  }
  const why = cause
    ? `${programs.postgres} cannot be run (${codeOf(cause)})`
    : `It says why at the end of ${log}`;
  throw new EmbeddedPostgresError(`PostgreSQL did not start. ${why}.`, { cause });
}

function argumentsFor({ cluster, sockets, setup, port = usualPort }: LaunchSetup): string[] {
  const settings = Object.entries({
    ...setup.settings,
    ...durable,
    port,
    listen_addresses: "",
    unix_socket_permissions: "0700",
    cluster_name: titleOf(cluster),
    // A list, whose entries may hold commas when they are quoted.
    unix_socket_directories: `"${sockets.replaceAll('"', '""')}"`,
  });
  return ["-D", cluster, ...settings.flatMap(([name, value]) => ["-c", `${name}=${value}`])];
}

/** A commit that was answered is on disk. The first three are PostgreSQL's defaults, held against an edited postgresql.conf. */
const durable = {
  fsync: "on",
  synchronous_commit: "on",
  full_page_writes: "on",
  // After a kill every file is flushed before anything else. One call for the whole file system, where there is one, is
  // many times as quick as one for each of a thousand files (measured: 20 ms, not 1.6 s).
  ...(process.platform === "linux" && { recovery_init_sync_method: "syncfs" }),
};

const isReadyAs = (pid: number, cluster: string) => {
  const written = readPidFile(cluster);
  return written?.pid === pid && written.isReady;
};

/** What a server says of itself in postmaster.pid: a claim, until the process has been looked at. */
function readPidFile(cluster: string) {
  try {
    const lines = readFileSync(join(cluster, "postmaster.pid"), "utf8").split("\n");
    const [pid, port] = [Number(lines[0]), Number(lines[3])];
    return { pid, port, sockets: lines[4] ?? "", isReady: lines[7]?.trim() === "ready" };
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
}

/** The server that runs on a cluster, whichever process started it. */
export function findPostmaster(cluster: string) {
  const written = readPidFile(cluster);
  return written && processesOn(cluster).includes(written.pid) ? written : undefined;
}

/**
 * Takes over a server that an earlier run left, when its postmaster.pid says "ready" and it runs the same program with the same
 * settings;
 * undefined when there is none of that kind.
 */
export function adoptOrphan(launchSetup: LaunchSetup): Postmaster | undefined {
  const orphan = findPostmaster(launchSetup.cluster);
  if (!orphan?.isReady) return undefined;
  const { pid, sockets } = orphan;
  const wanted = [launchSetup.programs.postgres, ...argumentsFor(launchSetup)].join(" ");
  if (sockets !== launchSetup.sockets || commandOf(pid) !== wanted) return undefined;
  launchSetup.setup.onEvent({ name: "orphan-adopted", pid });
  return { pid, sockets, exited: endOf(pid, wanted) };
}

/** Resolves when the process is gone. It is no child of ours, so the system does not tell how it ended. */
async function endOf(pid: number, command: string): Promise<Exit> {
  while (commandOf(pid) === command) await delay(200, undefined, { ref: false });
  return { code: null, signal: null };
}

/** Stops what an earlier run left behind on this cluster, so that a new server can start. Returns whether one ran. */
export async function stopOrphans(cluster: string, { onEvent }: Setup): Promise<boolean> {
  const orphan = findPostmaster(cluster);
  if (orphan) {
    await endProcess(orphan.pid, () => !processesOn(cluster).includes(orphan.pid), 20);
    onEvent({ name: "orphan-stopped", pid: orphan.pid });
  }
  await killProcessesOn(cluster);
  // What is left is stale, but PostgreSQL would take any living process with that id for its owner.
  rmSync(join(cluster, "postmaster.pid"), { force: true });
  return orphan !== undefined;
}
