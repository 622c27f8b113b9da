// Controls the hosts of the cluster that deploy/cluster/start made: reads their state, kills programs, cuts the network, and restores
// both. Runs as root, on the host `visitors`.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";

export type DatabaseHost = "db1" | "db2" | "db3";
export type WebHost = "web1" | "web2";
export type Host = DatabaseHost | WebHost | "delivery";
export type Program = "etcd" | "patroni" | "web" | "deliver";

const databaseHosts: DatabaseHost[] = ["db1", "db2", "db3"];
const addresses = { db1: "10.77.0.11", db2: "10.77.0.12", db3: "10.77.0.13" };
export const webAddresses = { web1: "http://10.77.0.21:3000", web2: "http://10.77.0.22:3000" };
/** The address of the site, at the load balancer. */
export const site = "http://10.77.0.41";

/** A database server as Patroni reports it. */
interface Member {
  name: DatabaseHost;
  role: "leader" | "sync_standby" | "replica";
  state: string;
  timeline?: number;
  /** Bytes behind the primary, or "unknown". */
  lag?: number | string;
}

/** The controls of the hosts; `folder` is the cluster's. */
export function hostsIn(folder: string) {
  return {
    /** The database's URL for the role that owns it. */
    databaseUrl: /^DATABASE_URL=(.*)$/m.exec(readFileSync(join(folder, "settings"), "utf8"))?.[1] ?? "",
    receivedFile: join(folder, "delivery/received"),
    ...programsIn(folder),
    ...balancerIn(folder),

    /** Drops everything that is sent to a host and by it. Its connections stay open and carry nothing. */
    cut: (host: Host) => setPort(host, "disabled"),
    rejoin: (host: Host) => setPort(host, "forwarding"),

    hostOf: async (role: Member["role"]) => (await members()).find((member) => member.role === role)?.name,
    etcdLeader,
    isWhole,
  };
}

/** Starts and ends the programs of the hosts. */
function programsIn(folder: string) {
  const cluster = fileURLToPath(new URL("../deploy/cluster/", import.meta.url));
  const pidOf = (host: Host, program: Program) =>
    Number(readFileSync(join(folder, host, `${program}.pid`), "utf8"));
  return {
    pidOf,

    /** Starts a program again, as a service manager does. `from` is another checkout. */
    start: (host: Host, program: Program, from = "") =>
      void execFileSync(join(cluster, "program"), [host, program, ...(from && [from])]),

    /** Asks a program to stop, and waits until it has. @throws when it has not after 20 s. */
    end: async (host: Host, program: Program) => {
      const pid = pidOf(host, program);
      process.kill(pid, "SIGTERM");
      for (let tries = 0; tries < 200; tries += 1) {
        if (!isRunning(pid)) return;
        await pause(100);
      }
      throw new Error(`The program ${program} of ${host} did not stop within 20 s.`);
    },
    kill: (host: Host, program: Program) => process.kill(pidOf(host, program), "SIGKILL"),

    /** Kills PostgreSQL and all its sessions, because a session that outlives the postmaster could still commit. */
    killPostgres: (host: DatabaseHost) => {
      const [line = ""] = readFileSync(join(folder, host, "data/postmaster.pid"), "utf8").split("\n");
      const postmaster = Number(line);
      // A file that is just being written is empty, and a signal to 0 goes to ourselves.
      if (!(postmaster > 1)) throw new Error(`PostgreSQL of ${host} has not written down its pid.`);
      const children = readFileSync(`/proc/${postmaster}/task/${postmaster}/children`, "utf8");
      for (const pid of [postmaster, ...children.split(" ").filter(Boolean).map(Number)]) tryKill(pid);
    },
  };
}

/** Speaks to the load balancer. */
function balancerIn(folder: string) {
  /** Sends a command to HAProxy, and returns what it answers. */
  const balancer = (command: string) =>
    text(connect(join(folder, "balancer/haproxy.sock")).end(`${command}\n`));
  // HAProxy's manual, 9.1: the fifth field is the sessions now, and the eighteenth the state.
  const statisticsOf = async (host: WebHost) => {
    const lines = (await balancer("show stat")).split("\n").map((line) => line.split(","));
    return lines.find(([proxy, server]) => proxy === "web" && server === host) ?? [];
  };
  return {
    balancer,
    /** How many requests the balancer has at a web process now. */
    sessionsOf: async (host: WebHost) => Number((await statisticsOf(host))[4]),
    isUp: async (host: WebHost) => (await statisticsOf(host))[17] === "UP",
  };
}

export type Hosts = ReturnType<typeof hostsIn>;

function isRunning(pid: number): boolean {
  try {
    // A process that has ended, but whose parent has not waited for it yet, has an empty command line.
    return readFileSync(`/proc/${pid}/cmdline`).length > 0;
  } catch {
    return false;
  }
}

function tryKill(pid: number) {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has ended by itself meanwhile.
  }
}

const setPort = (host: Host, state: "disabled" | "forwarding") =>
  void execFileSync("bridge", ["-n", "leads-switch", "link", "set", "dev", host, "state", state]);

/** The servers, as the first Patroni that answers reports them. */
async function members(): Promise<Member[]> {
  for (const host of databaseHosts) {
    const answer = await ask(`http://${addresses[host]}:8008/cluster`);
    if (answer) return (answer as { members: Member[] }).members;
  }
  return [];
}

async function etcdLeader(): Promise<DatabaseHost | undefined> {
  for (const host of databaseHosts) {
    const status = (await ask(`http://${addresses[host]}:2379/v3/maintenance/status`, "{}")) as
      | { leader?: string; header: { member_id: string } }
      | undefined;
    if (status?.leader !== undefined && status.leader === status.header.member_id) return host;
  }
  return undefined;
}

/**
 * Whether the databases, etcd and both web processes are back: one primary, one synchronous standby, one replica that follows, three
 * healthy members of etcd.
 */
async function isWhole(): Promise<boolean> {
  const all = await members();
  const has = (role: Member["role"]) => all.some((member) => member.role === role);
  const follows = ({ role, state, timeline, lag }: Member) =>
    (state === "running" || state === "streaming") &&
    timeline === all[0]?.timeline &&
    (role === "leader" || (typeof lag === "number" && lag < 2 ** 24));
  if (all.length !== 3 || !all.every(follows) || !has("leader") || !has("sync_standby")) return false;
  const etcd = databaseHosts.map((host) => ask(`http://${addresses[host]}:2379/health`));
  const web = Object.values(webAddresses).map((address) => ask(`${address}/readyz`));
  return (await Promise.all([...etcd, ...web])).every((answer) => answer !== undefined);
}

/** The JSON of a 200 answer, or undefined for any other answer or none. */
async function ask(url: string, body?: string): Promise<unknown> {
  const request = { signal: AbortSignal.timeout(2_000), ...(body && { method: "POST", body }) };
  return fetch(url, request)
    .then((answer) => (answer.ok ? answer.json() : undefined))
    .catch(() => undefined);
}
