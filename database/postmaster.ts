// One life of the PostgreSQL server on a data folder: started, known by what its process really is, stopped.
import { execFileSync, spawn } from "node:child_process";
import { closeSync, openSync, readdirSync, readFileSync, readlinkSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
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
  const options = Object.entries({ ...settings, unix_socket_directories: sockets });
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
  log_min_duration_statement: -1,
  log_parameter_max_length: 0,
  log_parameter_max_length_on_error: 0,
  log_timezone: "UTC",
};

/** What a server says of itself in postmaster.pid: a claim, until `isPostgres` has looked at the process. */
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
  return written && isPostgres(written.pid, cluster) ? written : undefined;
}

/** Whether a process is a PostgreSQL on this cluster, and not a stranger that was given the number since. */
function isPostgres(pid: number, cluster: string): boolean {
  if (!(pid > 1)) return false;
  try {
    if (process.platform !== "linux") {
      const command = execFileSync("ps", ["-o", "command=", "-p", `${pid}`], {
        env: environment,
        encoding: "utf8",
      });
      return command.includes("postgres") && command.includes(cluster);
    }
    // npm ci may have replaced the program under a running server: Linux then adds " (deleted)".
    const program = basename(readlinkSync(`/proc/${pid}/exe`));
    return /^postgres( \(deleted\))?$/.test(program) && readlinkSync(`/proc/${pid}/cwd`) === cluster;
  } catch {
    return false;
  }
}

/** Stops what an earlier run left behind on this cluster, so that a new server can start. */
export async function stopOrphans(cluster: string, log: Log) {
  const orphan = findPostmaster(cluster);
  if (orphan) {
    await stopProcess(orphan.pid, () => !isPostgres(orphan.pid, cluster));
    log("database-orphan-stopped", { pid: orphan.pid });
  }
  await killStragglers(cluster);
  // What is left is stale, but PostgreSQL would take any living process of its own user for its owner.
  rmSync(join(cluster, "postmaster.pid"), { force: true });
}

/**
 * Sessions of a server that was killed go on until they notice, and hold the shared memory that keeps a new
 * one from starting. What they had committed is on disk; the rest nobody was told of.
 */
async function killStragglers(cluster: string) {
  if (process.platform !== "linux") return;
  for (let tries = 0; tries < 500; tries++) {
    const left = readdirSync("/proc").filter(
      (name) => /^\d+$/.test(name) && isPostgres(Number(name), cluster),
    );
    if (left.length === 0) return;
    for (const pid of left) signal(Number(pid), "SIGKILL");
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
