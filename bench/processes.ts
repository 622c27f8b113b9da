// What the benchmarks share: starting a server as a process of its own, and putting a load on it.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { median } from "./median.ts";
import { notice } from "./whole-leads.ts";

export interface Measured {
  /** Refusals among them. */
  answersPerSecond: number;
  /** Milliseconds. */
  p50: number;
  p99: number;
}

/** What is known of one turn of a contender. The average is in milliseconds, too. */
export type Turn = Pick<Measured, "answersPerSecond"> & Partial<Measured> & { average?: number };

/** Starts a Node program, and waits for the line of its output that names the port. @throws when it ends before. */
export async function startProcess(args: string[], portIn: RegExp, env: Record<string, string> = {}) {
  const child = spawn(process.execPath, args, {
    env: { PATH: process.env.PATH, ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  process.once("exit", () => child.kill());
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  child.once("exit", (code) => reject(new Error(`${args[0]} ended with ${code} before it listened`)));
  createInterface({ input: child.stdout }).on("line", (line) => {
    const port = portIn.exec(line)?.[1];
    if (port) resolve(Number(port));
  });
  return { child, port: await promise };
}

/** What a load requests, and the expected status. */
export interface Target {
  path: string;
  status: number;
  /** The headers with which a lead is posted there; without them the path is a page's. */
  leadHeaders?: Record<string, string>;
}

/** The product's own insert, with the headers that the form sends. */
export const inserts = (key: string): Target => ({
  path: "/rest/v1/leads",
  status: 201,
  leadHeaders: { apikey: key, authorization: `Bearer ${key}`, "x-permission-notice": notice },
});

/** Puts a load on a port. @throws when any answer has another status than expected, or a connection was lost. */
export async function load(...given: Parameters<typeof loadAnyhow>): Promise<Measured> {
  const { refused, ...measured } = await loadAnyhow(...given);
  if (refused > 0) throw new Error(`${refused} requests were refused`);
  return measured;
}

/** Puts a load on a port, and counts the answers with another status than expected, and the connections that were lost. */
export async function loadAnyhow(
  port: number,
  connections: number,
  seconds: number,
  target: Target,
): Promise<Measured & { refused: number }> {
  const { output } = await run(process.execPath, [
    "bench/load.ts",
    `${port}`,
    `${connections}`,
    `${seconds}`,
    JSON.stringify(target),
  ]);
  return JSON.parse(output);
}

/** Runs a program to its end and returns what it printed. @throws when it ends with another status than 0. */
export async function run(
  program: string,
  args: string[],
  env: Record<string, string> = {},
): Promise<{ output: string }> {
  const child = spawn(program, args, {
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  let output = "";
  child.stdout.on("data", (data) => {
    output += data;
  });
  const [status] = await once(child, "close");
  if (status !== 0) throw new Error(`${program} ${args[0]} ended with ${status}`);
  return { output };
}

/** Runs each contender in each round, and prints their medians. */
export async function race(
  contenders: Record<string, () => Promise<Turn>>,
  rounds: number,
  title: string,
): Promise<void> {
  const results = new Map<string, Turn[]>();
  for (let round = 0; round < rounds; round += 1) {
    for (const [name, contend] of Object.entries(contenders)) {
      results.set(name, [...(results.get(name) ?? []), await contend()]);
    }
  }
  for (const [name, measured] of results) {
    const answersPerSecond = median(measured.map((one) => one.answersPerSecond)).toFixed(0);
    const latencies = (["p50", "p99", "average"] as const).flatMap((figure) => {
      const all = measured.flatMap((one) => one[figure] ?? []);
      return all.length > 0 ? `${figure} ${median(all).toFixed(2).padStart(6)} ms` : [];
    });
    process.stdout.write(
      `${title}  ${name.padEnd(15)} ${answersPerSecond.padStart(6)}/s  ${latencies.join("  ")}\n`,
    );
  }
}
