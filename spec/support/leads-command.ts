// Runs the team's command as a person would: a process of its own on a database, with what it printed and its exit status.
import { type ChildProcess, spawn } from "node:child_process";
import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";
import { programEnvironment } from "./program-environment.ts";

export interface CommandResult {
  status: number | null;
  stdout: string;
  stderr: string;
}

const program = fileURLToPath(new URL("../../bin/leads.ts", import.meta.url));

/** Starts `leads` with these words. Times are printed in UTC; `settings` are added to the environment. `file` is that of a copy. */
export function startLeads(
  words: readonly string[],
  settings: Record<string, string>,
  file = program,
): ChildProcess {
  return spawn(process.execPath, [file, ...words], {
    env: programEnvironment({ TZ: "UTC", ...settings }),
    // A developer's own .env is not the specification's.
    cwd: tmpdir(),
    stdio: ["pipe", "pipe", "pipe"],
  });
}

/** Runs `leads` to its end on the database at `url`, without a terminal. */
export async function leads(url: string, ...words: string[]): Promise<CommandResult> {
  return waitForExit(startLeads(words, { DATABASE_URL: url }));
}

/** Waits until a started command has exited. Ends its standard input at once, unless `keepOpen`. */
export function waitForExit(child: ChildProcess, { keepOpen = false } = {}): Promise<CommandResult> {
  const result: CommandResult = { status: null, stdout: "", stderr: "" };
  child.stdout?.setEncoding("utf8").on("data", (text) => (result.stdout += text));
  child.stderr?.setEncoding("utf8").on("data", (text) => (result.stderr += text));
  if (!keepOpen) child.stdin?.end();
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (status) => resolve({ ...result, status }));
  });
}

/**
 * Starts `leads` on a terminal, which `script` makes: standard output and standard error both go there. A terminal without `columns` states
 * no width.
 */
export function startOnTerminal(
  words: readonly string[],
  settings: Record<string, string>,
  { columns = 0 } = {},
): ChildProcess {
  const command = [process.execPath, program, ...words].map((word) => `'${word}'`).join(" ");
  const onTerminal = `stty cols ${columns} && exec ${command}`;
  return spawn("script", ["--quiet", "--return", "--command", onTerminal, "/dev/null"], {
    env: programEnvironment({ TZ: "UTC", ...settings }),
    cwd: tmpdir(),
    stdio: "pipe",
  });
}
