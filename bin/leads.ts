// The team's `leads` command: hands cli/run.ts the words, the settings, the streams and the signals of this process, and exits with a status
// that a script can trust: 0 all is well, 1 something is wrong, 2 the command was not understood, or needs somebody to say yes, 130 it was
// broken off (Ctrl-C or a signal).
import { fstatSync, writeSync } from "node:fs";
import { createInterface } from "node:readline/promises";
import { OutputClosed } from "../cli/command.ts";
import { runCommand } from "../cli/run.ts";
import { codeOf } from "../log/log.ts";
import { Refusal } from "../team/refusal.ts";
import { readSettings } from "./read-settings.ts";

const { stdin, stdout, stderr } = process;

// Each write of a result reports its own error, and the command goes on when a message cannot be written. Without a listener Node would
// also throw the error as an uncaught one, which would leave a database running that was started for the command.
for (const stream of [stdout, stderr]) stream.on("error", () => {});

const out = (result: string | Uint8Array) => {
  if (stdout.isTTY) clearStatusLine();
  if (isFile) return writeWhole(typeof result === "string" ? Buffer.from(result) : result);
  return new Promise<void>((resolve, reject) => {
    stdout.write(result, (cause) => (cause ? reject(outputError(cause)) : resolve()));
  });
};

const output = fstatSync(stdout.fd);
/** Standard output is a file or a device, and neither a terminal nor a pipe. */
const isFile = !stdout.isTTY && !output.isFIFO() && !output.isSocket();

// A full disk may take only a part of the bytes and report no error, and Node's own stream does not look at how many were written.
async function writeWhole(bytes: Uint8Array): Promise<void> {
  try {
    for (let written = 0; written < bytes.length; ) written += writeSync(stdout.fd, bytes, written);
  } catch (error) {
    throw outputError(error);
  }
}

const outputError = (cause: unknown): Error =>
  codeOf(cause) === "EPIPE"
    ? new OutputClosed("", { cause })
    : new Refusal(`What this prints could not be written (${codeOf(cause)}). The file is incomplete.`, {
        cause,
      });

/** How many characters a line has: the terminal's width, or 120 in a file and where the terminal states none (0). */
const columns = stdout.columns || 120;
const tell = (sentence: string) => {
  clearStatusLine();
  stderr.write(`${sentence}\n`);
};

let hasStatusLine = false;
const showStatusLine = (text: string) => {
  if (!stderr.isTTY) return;
  // A text that is wider than the terminal would go on in the next line, and each update begin one line lower.
  stderr.write(`\r${text.slice(0, (stderr.columns || 120) - 1)}\x1b[K`);
  hasStatusLine = true;
};
function clearStatusLine(): void {
  if (hasStatusLine) stderr.write("\r\x1b[K");
  hasStatusLine = false;
}

const stop = new AbortController();
// A second Ctrl-C or SIGTERM does nothing more, so that a command which cleans up after itself is not cut short.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => stop.abort());
// A terminal that is closed may send SIGHUP twice, and a session that ends sends it after SIGTERM. The second
// signal does nothing more here, either.
process.on("SIGHUP", () => stop.abort());

process.exitCode = await runCommand(process.argv.slice(2), {
  terminal: { out, tell, showStatusLine, clearStatusLine, ask, columns, onTerminal: stdout.isTTY },
  readSettings,
  signal: stop.signal,
});
// Exits at once and does not wait until all connections are closed, because PostgreSQL may be in the middle of a long statement, or wait
// for this process to take its rows.
process.exit();

async function ask(question: string): Promise<string | undefined> {
  if (!stdin.isTTY || !stderr.isTTY) return undefined;
  const terminal = createInterface({ input: stdin, output: stderr });
  // While it asks, the terminal hands on Ctrl-C as a key and sends no signal.
  terminal.once("SIGINT", () => stop.abort());
  try {
    return await terminal.question(`${question} `, { signal: stop.signal });
  } catch (error) {
    // Ctrl-D instead of an answer, or the command is broken off.
    if (codeOf(error) === "ABORT_ERR") return "";
    throw error;
  } finally {
    terminal.close();
  }
}
