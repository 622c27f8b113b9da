// Runs the command `leads` on a database, in this process or in a process of its own, and returns its output and its exit status.
import { type ChildProcess, spawn } from "node:child_process";
import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";
import { runCommand } from "../../cli/run.ts";
import { readConfig } from "../../config/config.ts";
import { programEnvironment } from "./program-environment.ts";

export interface CommandResult {
  status: number | null;
  stdout: string;
  stderr: string;
}

const program = fileURLToPath(new URL("../../bin/leads.ts", import.meta.url));

/**
 * Starts `leads` with these words. Times are printed in UTC; `settings` are added to the environment. `file` is the program or a copy of it
 * in another folder.
 */
export function startLeads(
  words: readonly string[],
  settings: Record<string, string>,
  file = program,
): ChildProcess {
  return spawn(process.execPath, [file, ...words], {
    env: programEnvironment({ TZ: "UTC", ...settings }),
    // Not the repository's folder, because the command would read a developer's own .env there.
    cwd: tmpdir(),
    stdio: ["pipe", "pipe", "pipe"],
  });
}

/** Runs `leads` to its end on the database at `url`, as `runLeads` does. */
export const leads = (url: string, ...words: string[]): Promise<CommandResult> =>
  runLeads({ DATABASE_URL: url }, ...words);

/**
 * Runs `leads` to its end with these settings, as a script would, in this process: a process of its own takes ten times as long. What only
 * a process has, such as signals and pipes, is tried with `startLeads`.
 */
export async function runLeads(settings: Record<string, string>, ...words: string[]): Promise<CommandResult> {
  const results: Uint8Array[] = [];
  let stderr = "";
  const status = await runCommand(words, {
    terminal: {
      out: async (result) => void results.push(Buffer.from(result)),
      tell: (sentence) => {
        stderr += `${sentence}\n`;
      },
      showStatusLine: () => {},
      clearStatusLine: () => {},
      ask: async () => undefined,
      columns: 120,
      onTerminal: false,
    },
    readSettings: () => readConfig(settings),
    signal: new AbortController().signal,
  });
  return { status, stdout: Buffer.concat(results).toString(), stderr };
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

/** Runs `leads` on a terminal, and types an answer there as soon as it asks for a yes. */
export async function answerOnTerminal(
  url: string,
  words: readonly string[],
  typed: string,
): Promise<CommandResult> {
  const child = startOnTerminal(words, { DATABASE_URL: url });
  let seen = "";
  child.stdout?.on("data", (text) => {
    if (seen.includes("Type yes:")) return;
    seen += text;
    if (seen.includes("Type yes:")) child.stdin?.write(typed);
  });
  return waitForExit(child, { keepOpen: true });
}
