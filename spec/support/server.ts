// The running product, met from outside: `serve.ts` as a process of its own, on a port the system chose.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { atTheEnd } from "./at-the-end.ts";
import { anonKey } from "./intake.ts";
import { programEnvironment } from "./program-environment.ts";

export interface RunningServer {
  /** Where it listens, such as http://localhost:41234. */
  address: string;
  process: ChildProcess;
  /** Everything it has written so far. */
  output(): string;
  /** Sends a signal and waits for the end; returns the exit code and the signal. */
  end(signal?: NodeJS.Signals): Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
}

/** Every server that has not ended. This process kills them when it exits. */
const running = new Set<ChildProcess>();
process.once("exit", () => {
  for (const child of running) child.kill("SIGKILL");
});

/** Starts the server and waits until it listens. */
export async function startServer(env: Record<string, string>): Promise<RunningServer> {
  const server = spawnServer(env);
  const address = await server.listening;
  return { ...server, address };
}

/** Starts the server without waiting. `listening` rejects when it ends before it listens. */
export function spawnServer(env: Record<string, string>) {
  const child = spawn(process.execPath, ["bin/serve.ts"], {
    env: programEnvironment({ PORT: "0", INBOX: "off", ANON_KEY: anonKey, RATE_LIMIT: "off", ...env }),
    stdio: ["ignore", "pipe", "pipe"],
  });
  running.add(child);
  let output = "";
  // Not "exit", which Node may emit before the last output has been read.
  const ended = once(child, "close").then(([code, signal]) => {
    running.delete(child);
    return { code, signal };
  });
  const listening = new Promise<string>((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr]) {
      createInterface(stream).on("line", (line) => {
        output += `${line}\n`;
        const address = / listening: Open this address in a browser\. address=(\S+)/.exec(line)?.[1];
        if (address) resolve(address);
      });
    }
    ended.then(() => reject(new Error(`The server ended before it listened:\n${output}`)));
  });
  listening.catch(() => {});
  const end = (signal: NodeJS.Signals = "SIGTERM") => {
    if (child.exitCode === null && child.signalCode === null) child.kill(signal);
    return ended;
  };
  atTheEnd(() => end());
  return { process: child, listening, ended, output: () => output, end };
}

/** Sends a lead by call 1, without the notice that the page states. */
export const insertAt = (address: string, lead: unknown): Promise<Response> =>
  fetch(`${address}/rest/v1/leads`, {
    method: "POST",
    headers: { apikey: anonKey, authorization: `Bearer ${anonKey}`, "content-type": "application/json" },
    body: JSON.stringify(lead),
  });
