// submit-lead as hosted Supabase runs it: a process of real Deno, with the environment that Supabase gives to functions.
// It takes the npm packages that it needs from node_modules, so Deno fetches nothing.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import { bringDeno } from "./deno.ts";
import { refuseInQuickTier } from "./quick-tier.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** The anonymous keys of the project: the long JWT (not signed by anybody) and those that replace it. */
export const keys = {
  jwt: "eyJhbGciOiJIUzI1NiJ9.eyJyb2xlIjoiYW5vbiJ9.c2lnbmF0dXJl",
  publishable: "sb_publishable_of_the_spec",
  mobile: "sb_publishable_of_another_client",
};

export interface RunningFunction {
  /** Where it listens. Only /c behind it makes a difference: there page loads are counted. */
  url: string;
  /** Everything it has written so far. */
  output(): string;
}

/**
 * Starts the function on a database and waits until it listens. `when` says when it is ended: `atTheEnd` for one that serves a
 * chapter, Vitest's `onTestFinished` for one of a single test. Two that run on one database with different settings would contradict
 * each other.
 */
export async function startFunction(
  databaseUrl: string,
  settings: Record<string, string> = {},
  when: (end: () => Promise<void>) => void = onTestFinished,
): Promise<RunningFunction> {
  refuseInQuickTier("Deno");
  const child = spawn(bringDeno(), [...flags, "supabase/functions/submit-lead/index.ts"], {
    cwd: root,
    env: {
      DENO_NO_UPDATE_CHECK: "1",
      DENO_DIR: `${root}.cache/deno-modules`,
      DENO_SERVE_ADDRESS: "tcp:127.0.0.1:0",
      NO_COLOR: "1",
      SUPABASE_URL: "https://project.example",
      SUPABASE_DB_URL: databaseUrl,
      SUPABASE_ANON_KEY: keys.jwt,
      SUPABASE_PUBLISHABLE_KEYS: JSON.stringify({ mobile: keys.mobile, default: keys.publishable }),
      ...settings,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const ended = once(child, "exit");
  when(async () => {
    child.kill("SIGKILL");
    await ended;
  });
  let output = "";
  const url = await new Promise<string>((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr]) {
      createInterface(stream).on("line", (line) => {
        output += `${line}\n`;
        const port = /^Listening on http:\/\/127\.0\.0\.1:(\d+)/.exec(line)?.[1];
        if (port) resolve(`http://127.0.0.1:${port}/functions/v1/submit-lead`);
      });
    }
    ended.then(() => reject(new Error(`The function ended before it listened:\n${output}`)));
  });
  return { url, output: () => output };
}

const flags = [
  "run",
  "--no-lock",
  "--cached-only",
  "--node-modules-dir=manual",
  "--config=supabase/functions/submit-lead/deno.json",
  "--preload=spec/support/reroute-mail.ts",
  "--allow-env",
  "--allow-net=127.0.0.1,localhost",
  "--allow-read=.",
  "--allow-sys",
];
