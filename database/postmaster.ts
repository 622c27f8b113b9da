// One life of the PostgreSQL server on a data folder: started, known by what its process really is, stopped.
import { execFileSync, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { closeSync, openSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { codeOf, type Log } from "../log.ts";
import type { OpenDataFolder } from "./data-folder.ts";
import { EmbeddedDatabaseError, environment } from "./unprivileged.ts";

export interface Exit {
  code: number | null;
  signal: NodeJS.Signals | null;
}

export interface Postmaster {
  pid: number;
  exited: Promise<Exit>;
}

/** Starts PostgreSQL and waits until it answers. @throws EmbeddedDatabaseError when it exits instead. */
export async function launch(folder: OpenDataFolder): Promise<Postmaster> {
  const { postgres, cluster, account, log, sockets } = folder;
  for (const file of [".s.PGSQL.5432", ".s.PGSQL.5432.lock"]) rmSync(join(sockets, file), { force: true });
  const out = openSync(log, "a", 0o600);
  const options = Object.entries({
    ...settings,
    cluster_name: nameOf(cluster),
    // A list, whose entries may hold commas when they are quoted.
    unix_socket_directories: `"${sockets.replaceAll('"', '""')}"`,
  });
  const child = spawn(
    postgres,
    ["-D", cluster, ...options.flatMap(([name, value]) => ["-c", `${name}=${value}`])],
    {
      ...(account && { uid: account.uid, gid: account.gid }),
      env: environment,
      cwd: cluster,
      // A session of its own: Ctrl-C at the terminal is for us, who answer the requests under way first.
      detached: true,
      stdio: ["ignore", out, out],
    },
  );
  closeSync(out);
  let exit: Exit | undefined;
  const exited = new Promise<Exit>((resolve) => {
    child.once("exit", (code, signal) => resolve({ code, signal }));
    child.once("error", () => resolve({ code: null, signal: null }));
  }).then((how) => (exit = how));

  while (!exit) {
    const written = readPidFile(cluster);
    if (child.pid !== undefined && written?.pid === child.pid && written.isReady)
      return { pid: child.pid, exited };
    await delay(10);
  }
  throw new EmbeddedDatabaseError(`PostgreSQL did not start. It says why at the end of ${log}.`);
}

const settings = {
  listen_addresses: "",
  unix_socket_permissions: "0700",
  max_connections: 50,
  shared_buffers: "128MB",
  // A 201 means on disk. These are PostgreSQL's defaults, held here against a hand in postgresql.conf.
  fsync: "on",
  synchronous_commit: "on",
  full_page_writes: "on",
  // What a visitor typed must not reach the log. Statements come with parameters, DETAIL and CONTEXT quote rows,
  // and an ERROR quotes the value it refuses ("invalid input syntax for type uuid: ..."). So errors of statements
  // are for whoever sent them, and the log keeps only what happens to the server: LOG, FATAL and PANIC.
  log_min_messages: "log",
  log_min_error_statement: "panic",
  log_error_verbosity: "terse",
  log_statement: "none",
  log_checkpoints: "off",
  log_min_duration_statement: -1,
  log_parameter_max_length: 0,
  log_parameter_max_length_on_error: 0,
  log_timezone: "UTC",
};

/** What a server says of itself in postmaster.pid: a claim, until the process has been looked at. */
function readPidFile(cluster: string) {
  try {
    const lines = readFileSync(join(cluster, "postmaster.pid"), "utf8").split("\n");
    return { pid: Number(lines[0]), sockets: lines[4] ?? "", isReady: lines[7]?.trim() === "ready" };
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
}

/** The server that runs on a cluster, whoever started it. */
export function findPostmaster(cluster: string) {
  const written = readPidFile(cluster);
  return written && serversOf(cluster).includes(written.pid) ? written : undefined;
}

/**
 * Every process of a server on this cluster: the postmaster by the command line it was given, its children by the
 * title they took. A process that was given an old number since has neither. (Program and working folder would
 * tell as much, but in most containers root may not see those of another user's process.)
 */
function serversOf(cluster: string): number[] {
  const postmaster = `/postgres -D ${cluster} -c `;
  const child = `postgres: ${nameOf(cluster)}: `;
  const isOurs = (command: string) => command.includes(postmaster) || command.startsWith(child);
  return processes().flatMap(([pid, command]) => (isOurs(command) ? [pid] : []));
}

/** The cluster's name in the titles of its processes. */
const nameOf = (cluster: string) =>
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

/** Stops what an earlier run left behind on this cluster, so that a new server can start. */
export async function stopOrphans(cluster: string, log: Log) {
  const orphan = findPostmaster(cluster);
  if (orphan) {
    await stopProcess(orphan.pid, () => !serversOf(cluster).includes(orphan.pid));
    log("database-orphan-stopped", { pid: orphan.pid });
  }
  await killStragglers(cluster);
  // What is left is stale, but PostgreSQL would take any living process with that number for its owner.
  rmSync(join(cluster, "postmaster.pid"), { force: true });
}

/**
 * Sessions of a server that was killed go on until they notice, and hold the shared memory that keeps a new
 * one from starting. What they had committed is on disk; the rest nobody was told of.
 */
async function killStragglers(cluster: string) {
  for (
    let left = serversOf(cluster), tries = 0;
    left.length > 0 && tries < 500;
    left = serversOf(cluster), tries++
  ) {
    for (const pid of left) signal(pid, "SIGKILL");
    await delay(10);
  }
}

/** Fast shutdown, then immediate, then the kill; each is given its time. After each of them, what was committed stands. */
export async function stopProcess(pid: number, isGone: () => boolean) {
  for (const [name, seconds] of [
    ["SIGINT", 20],
    ["SIGQUIT", 5],
    ["SIGKILL", 5],
  ] as const) {
    signal(pid, name);
    for (let waited = 0; waited < seconds * 100; waited++) {
      if (isGone()) return;
      await delay(10);
    }
  }
  throw new EmbeddedDatabaseError(`PostgreSQL (process ${pid}) does not stop, not even when killed.`);
}

/** Sends a signal, unless the process is gone by now. */
export function signal(pid: number, name: NodeJS.Signals) {
  try {
    process.kill(pid, name);
  } catch (error) {
    if (codeOf(error) !== "ESRCH") throw error;
  }
}
