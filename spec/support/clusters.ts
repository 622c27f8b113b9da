// PostgreSQL servers of a test's own, beside the shared one: a test can kill or freeze one, and make a second one the standby
// of the first. They listen on loopback, and end with the chapter.
import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chownSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { addressOfDatabase, connect } from "../../database/connect.ts";
import { atTheEnd } from "./at-the-end.ts";
import { freePort } from "./free-port.ts";
import { findPrograms } from "./postgresql-programs.ts";
import { refuseInQuickTier } from "./quick-tier.ts";

export interface Cluster {
  host: string;
  /** The owner's address. */
  url: string;
  folder: string;
  /** Starts it, and waits until it answers. */
  start(settings?: Record<string, string>): Promise<void>;
  /** Sends every process of the server a signal: SIGKILL, or SIGSTOP and SIGCONT to freeze and resume it. */
  signal(name: NodeJS.Signals): void;
  /** Stops it as an operator would. */
  stop(): Promise<void>;
}

const credentials = "leads_owner:a-password-of-the-specification";

/** Makes an empty server, not started yet. */
export async function makeCluster(): Promise<Cluster> {
  refuseInQuickTier("PostgreSQL servers of its own");
  const folder = newFolder();
  const data = join(folder, "data");
  const password = join(folder, "password");
  writeFileSync(password, credentials.split(":")[1] ?? "");
  giveToPostgres(password);
  const options = [
    "--auth=scram-sha-256",
    "--username=leads_owner",
    `--pwfile=${password}`,
    "--locale=C.UTF-8",
  ];
  runProgram("initdb", ["-D", data, "--no-sync", ...options]);
  return clusterIn(folder, await freePort());
}

/** Copies a server that does not run, because initdb and the migrations take longer. */
export async function copyCluster(template: Cluster): Promise<Cluster> {
  const folder = newFolder();
  execFileSync("cp", ["-a", join(template.folder, "data"), folder]);
  return clusterIn(folder, await freePort());
}

/** Makes a standby that replicates from another server. */
export async function makeStandby(primary: Cluster): Promise<Cluster> {
  const folder = newFolder();
  runProgram("pg_basebackup", [
    "-D",
    join(folder, "data"),
    "-d",
    primary.url,
    "-R",
    "-c",
    "fast",
    "--no-sync",
  ]);
  return clusterIn(folder, await freePort());
}

function clusterIn(folder: string, port: number): Cluster {
  const host = `127.0.0.1:${port}`;
  const url = `postgres://${credentials}@${host}/postgres`;
  let child: ChildProcess | undefined;
  const cluster: Cluster = {
    host,
    url,
    folder,
    start: async (settings = {}) => {
      const all = {
        port,
        listen_addresses: "127.0.0.1",
        unix_socket_directories: "",
        // Shared memory in the data folder is removed with it. In /dev/shm that of a killed server would stay until the machine restarts.
        dynamic_shared_memory_type: "mmap",
        ...settings,
      };
      const options = Object.entries(all).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
      child = spawn(program("postgres"), ["-D", join(folder, "data"), ...options], {
        ...account(),
        cwd: folder,
        stdio: "ignore",
      });
      await waitUntilReady(url, child);
    },
    signal: (name) => {
      if (child?.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
      // The children are listed before any process is signalled, because without their parent they could not be found.
      for (const pid of [...childrenOf(child.pid), child.pid]) trySignal(pid, name);
    },
    stop: async () => {
      if (!child || child.exitCode !== null || child.signalCode !== null) return;
      const exited = once(child, "exit");
      child.kill("SIGINT");
      await exited;
    },
  };
  atTheEnd(() => {
    cluster.signal("SIGKILL");
    return cluster.stop();
  });
  return cluster;
}

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "leads-cluster-"));
  giveToPostgres(folder);
  atTheEnd(() => rmSync(folder, { recursive: true, force: true, maxRetries: 20 }));
  return folder;
}

/** PostgreSQL refuses to run as root. */
function account(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  // Once for all, because a process with a chapter's memory takes some 20 ms to start a program.
  postgres ??= { uid: idOf("-u"), gid: idOf("-g") };
  return postgres;
}

let postgres: { uid: number; gid: number } | undefined;

const idOf = (flag: string) => Number(execFileSync("id", [flag, "postgres"]));

function giveToPostgres(path: string) {
  const to = account();
  if (to) chownSync(path, to.uid, to.gid);
}

function program(name: string): string {
  const folder = findPrograms();
  if (!folder)
    throw new Error("PostgreSQL's programs are missing: run `node spec/support/needed-programs.ts`.");
  return join(folder, name);
}

function runProgram(name: string, args: string[]) {
  const { status, stderr } = spawnSync(program(name), args, { ...account(), cwd: "/", encoding: "utf8" });
  if (status !== 0) throw new Error(`${name} failed: ${stderr}`);
}

async function waitUntilReady(url: string, child: ChildProcess) {
  const sql = connect(addressOfDatabase(url, "postgres"), { max: 1 });
  const answers = () =>
    sql`select`.then(
      () => true,
      () => false,
    );
  try {
    while (!(await answers())) {
      const end = child.exitCode ?? child.signalCode;
      if (end !== null) throw new Error(`PostgreSQL ended with ${end}.`);
    }
  } finally {
    await sql.end();
  }
}

const childrenOf = (pid: number): number[] => {
  const file = `/proc/${pid}/task/${pid}/children`;
  return existsSync(file) ? readFileSync(file, "utf8").split(" ").filter(Boolean).map(Number) : [];
};

function trySignal(pid: number, name: NodeJS.Signals) {
  try {
    process.kill(pid, name);
  } catch {
    // It has ended by itself meanwhile.
  }
}
