// The running product for a measurement of what it costs: `serve.ts` as a process of its own, with the memory settings of `npm start`, and
// without inbox, rate limit, `.env` and kept compiled code unless `env` says otherwise.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";

export const key = "sb_publishable_bench";

export interface Running {
  address: string;
  port: number;
  pid: number;
  /** Milliseconds from the start of the process to the moment it listens. */
  startedIn: number;
  /** Bytes of log that it has written. */
  logged(): number;
  end(signal?: NodeJS.Signals): Promise<unknown>;
}

const running = new Set<ChildProcess>();
process.once("exit", () => {
  for (const child of running) child.kill("SIGKILL");
});

/** Starts the server and waits until it listens. */
export async function start(env: Record<string, string>): Promise<Running> {
  const began = performance.now();
  const { PATH = "", HOME = "" } = process.env;
  const child = spawn(process.execPath, ["--max-semi-space-size=4", "bin/serve.ts"], {
    env: {
      PATH,
      HOME,
      PORT: "0",
      INBOX: "off",
      ANON_KEY: key,
      RATE_LIMIT: "off",
      MALLOC_ARENA_MAX: "2",
      ...env,
    },
    stdio: ["ignore", "pipe", "inherit"],
  });
  running.add(child);
  const gone = once(child, "exit").then(() => running.delete(child));
  let logged = 0;
  child.stdout.on("data", (bytes: Buffer) => (logged += bytes.length));
  const address = await new Promise<string>((resolve, reject) => {
    createInterface(child.stdout).on("line", (line) => {
      const found = / listening: Open this address in a browser\. address=(\S+)/.exec(line)?.[1];
      if (found) resolve(found);
    });
    gone.then(() => reject(new Error("The server ended before it listened.")));
  });
  return {
    address,
    port: Number(new URL(address).port),
    pid: child.pid ?? 0,
    startedIn: performance.now() - began,
    logged: () => logged,
    end: (signal = "SIGTERM") => {
      child.kill(signal);
      return gone;
    },
  };
}

/** The seconds of processor time that a process has used, and the children that it has now and those that have ended. */
export function cpuOf(pid: number): number {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ").filter(Boolean);
  return [pid, ...children.map(Number)].reduce((sum, one) => sum + cpuOfOne(one), 0);
}

/** With its ended children. 0 for a process that has just ended itself. */
function cpuOfOne(pid: number): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
    // utime, stime, cutime and cstime, in ticks.
    return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / 100;
  } catch {
    return 0;
  }
}

/** The processes that a process started, and theirs. */
export function childrenOf(pid: number): number[] {
  try {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8")
      .split(" ")
      .filter(Boolean)
      .map(Number);
    return children.flatMap((one) => [one, ...childrenOf(one)]);
  } catch {
    // The process has just ended.
    return [];
  }
}

/** Files and connections that a process holds open. */
export const descriptorsOf = (pid: number): number => readdirSync(`/proc/${pid}/fd`).length;

/** Bytes in a folder, with all below it. */
export function sizeOf(folder: string): number {
  try {
    return readdirSync(folder, { withFileTypes: true }).reduce((sum, entry) => {
      const path = join(folder, entry.name);
      return (
        sum + (entry.isDirectory() ? sizeOf(path) : (statSync(path, { throwIfNoEntry: false })?.size ?? 0))
      );
    }, 0);
  } catch {
    // The folder does not exist yet, or was just removed.
    return 0;
  }
}

/** The memory of one process in MB: now, at its peak, and now without what it shares with others. */
export function memoryOf(pid: number) {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  const inMegabytes = (name: string) =>
    Number(new RegExp(`${name}:\\s{1,20}(\\d+)`).exec(status)?.[1]) / 1024;
  return { now: inMegabytes("VmRSS"), peak: inMegabytes("VmHWM"), own: inMegabytes("RssAnon") };
}

/** Waits until the inbox is served, which is a moment after the article is. */
export async function untilServed(url: string): Promise<void> {
  for (let tries = 0; tries < 100; tries += 1) {
    const answer = await fetch(`${url}/healthz`).catch(() => undefined);
    if (answer?.ok) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error("The inbox is not served.");
}
