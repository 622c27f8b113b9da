// One life of a PostgreSQL server on a data folder: what it is started with, and what an earlier life left behind.
import { spawn } from "node:child_process";
import { closeSync, openSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { codeOf, type Log } from "../../log/log.ts";
import type { OpenDataFolder } from "./data-folder.ts";
import { endProcess, killSessions, processesOn, titleOf } from "./processes.ts";
import { EmbeddedDatabaseError, environment } from "./unprivileged.ts";

export interface Exit {
  code: number | null;
  signal: NodeJS.Signals | null;
}

export interface Postmaster {
  pid: number;
  exited: Promise<Exit>;
}

/**
 * Starts PostgreSQL and waits until it answers. @throws EmbeddedDatabaseError when it exits instead, or is ended because
 * nobody wants it any more.
 */
export async function launch(folder: OpenDataFolder, unwanted?: AbortSignal): Promise<Postmaster> {
  const { postgres, cluster, account, log, sockets } = folder;
  for (const file of [".s.PGSQL.5432", ".s.PGSQL.5432.lock"]) rmSync(join(sockets, file), { force: true });
  const out = openSync(log, "a", 0o600);
  const options = Object.entries({
    ...settings,
    cluster_name: titleOf(cluster),
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
    if (unwanted?.aborted && child.pid !== undefined)
      await endProcess(child.pid, () => exit !== undefined, 2);
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
  // After a kill every file is flushed before anything else. One call for the whole file system, where there is
  // one, is many times as quick as one for each of a thousand files, and visitors wait for it (measured: 20 ms, not 1.6 s).
  ...(process.platform === "linux" && { recovery_init_sync_method: "syncfs" }),
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
  return written && processesOn(cluster).includes(written.pid) ? written : undefined;
}

/** Stops what an earlier run left behind on this cluster, so that a new server can start. */
export async function stopOrphans(cluster: string, log: Log) {
  const orphan = findPostmaster(cluster);
  if (orphan) {
    await endProcess(orphan.pid, () => !processesOn(cluster).includes(orphan.pid), 20);
    log("database-orphan-stopped", { pid: orphan.pid });
  }
  await killSessions(cluster);
  // What is left is stale, but PostgreSQL would take any living process with that number for its owner.
  rmSync(join(cluster, "postmaster.pid"), { force: true });
}
