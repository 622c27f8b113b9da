// Runs the team's command as a person would: a process of its own on a database, with what it printed and how it left.
import { type ChildProcess, spawn } from "node:child_process";
import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";

export interface Ran {
  status: number | null;
  stdout: string;
  stderr: string;
}

const program = fileURLToPath(new URL("../../bin/leads.ts", import.meta.url));

/** Most of a short command's time is spent on reading our TypeScript; a hundred of them need not do it anew. */
const NODE_COMPILE_CACHE = fileURLToPath(new URL("../../node_modules/.cache/node", import.meta.url));

/** Starts `leads` with these words. Times are printed in UTC; `settings` are added to the environment. */
export function startLeads(words: readonly string[], settings: Record<string, string>): ChildProcess {
  const { PATH, HOME } = process.env;
  return spawn(process.execPath, [program, ...words], {
    env: { ...(PATH && { PATH }), ...(HOME && { HOME }), TZ: "UTC", NODE_COMPILE_CACHE, ...settings },
    // A developer's own .env is not the specification's.
    cwd: tmpdir(),
    stdio: ["pipe", "pipe", "pipe"],
  });
}

/** Runs `leads` to its end on the database at `url`; nobody is at its terminal. */
export async function leads(url: string, ...words: string[]): Promise<Ran> {
  return ending(startLeads(words, { DATABASE_URL: url }));
}

/** Waits until a started command has left. Its standard input is ended at once, unless somebody still types there. */
export function ending(child: ChildProcess, { keepOpen = false } = {}): Promise<Ran> {
  const ran: Ran = { status: null, stdout: "", stderr: "" };
  child.stdout?.setEncoding("utf8").on("data", (text) => (ran.stdout += text));
  child.stderr?.setEncoding("utf8").on("data", (text) => (ran.stderr += text));
  if (!keepOpen) child.stdin?.end();
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (status) => resolve({ ...ran, status }));
  });
}

/** Starts `leads` on a terminal, which `script` makes: standard output and standard error both go there. */
export function startOnTerminal(words: readonly string[], settings: Record<string, string>): ChildProcess {
  const command = [process.execPath, program, ...words].map((word) => `'${word}'`).join(" ");
  return spawn("script", ["--quiet", "--return", "--command", command, "/dev/null"], {
    env: { ...(process.env.PATH && { PATH: process.env.PATH }), TZ: "UTC", ...settings },
    cwd: tmpdir(),
    stdio: "pipe",
  });
}
