// The team's `leads` command: reads what was typed and the settings, finds the database, and exits with a status that a script
// can trust: 0 all is well, 1 something is wrong, 2 the command was not understood, 130 it was broken off (Ctrl-C or a signal).
import { existsSync, fstatSync, writeSync } from "node:fs";
import { resolve } from "node:path";
import { createInterface } from "node:readline/promises";
import { type Handler, UsageError } from "../cli/command.ts";
import { openDatabase, requireSchema } from "../cli/database.ts";
import { readCommand } from "../cli/program.ts";
import { ConfigError, readConfig } from "../config/config.ts";
import { connect } from "../database/connect.ts";
import { isLoss } from "../database/transaction.ts";
import { isOutOfRoom, isReadOnly } from "../database/trouble.ts";
import { settingsFile } from "../log/installation.ts";
import { codeOf } from "../log/log.ts";
import { EmbeddedPostgresError } from "../packages/embedded-postgres/error.ts";
import { Refused } from "../team/ask.ts";
import { Refusal } from "../team/refusal.ts";

const { stdin, stdout, stderr } = process;

/** The program that reads the results has closed the pipe (`leads list | head`), which ends the command and is no error. */
class OutputClosed extends Error {}

// Each write of a result reports its own error, and a message that nobody can read ends no command. Without a listener Node would also
// throw the error as an uncaught one, which would leave a database running that was started for the command.
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

// A full disk takes a part of the bytes without an error, which Node's own stream does not look at.
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

const interrupted = 130;

process.exitCode = await main(process.argv.slice(2));
// At once, and not when all connections are closed: the server may be in the middle of a long statement, or wait for somebody who takes
// its rows.
process.exit();

async function main(words: string[]): Promise<number> {
  const stop = new AbortController();
  // Also when it is pressed again: a command that cleans up after itself is not cut short.
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => stop.abort());
  // A terminal that is closed may send SIGHUP twice, and a session that ends sends it after SIGTERM. It cuts no stop short.
  process.on("SIGHUP", () => stop.abort());
  try {
    const command = await readCommand(words, columns);
    if ("handler" in command) {
      await command.isPossible?.();
      return await runHandler(command.handler, command.makesDatabase === true, stop);
    }
    if ("folderHandler" in command) {
      return await command.folderHandler(contextOf(stop)).finally(clearStatusLine);
    }
    await out(command.help);
    return 0;
  } catch (error) {
    if (!stop.signal.aborted) return explain(error);
    // As a shell reports a program that Ctrl-C ended.
    return interrupted;
  }
}

/** What a command works with beside a database. */
function contextOf(stop: AbortController) {
  readSettingsFile();
  const config = readConfig(process.env);
  const terminal = { tell, showStatusLine, columns, onTerminal: stdout.isTTY };
  return {
    config,
    now: new Date(),
    out,
    ask: (question: string) => ask(question, stop),
    ...terminal,
    signal: stop.signal,
  };
}

async function runHandler(handler: Handler, makesDatabase: boolean, stop: AbortController): Promise<number> {
  const context = contextOf(stop);
  const { signal } = stop;
  const database = await openDatabase(context.config, context, makesDatabase);
  const { url } = database;
  const sql = connect(url, { max: 2, name: "leads command", timeZone: "UTC" });
  // A query under way ends with its connection, and the handler with it.
  signal.addEventListener("abort", () => void sql.end({ timeout: 0 }));
  try {
    signal.throwIfAborted();
    await requireSchema(sql, makesDatabase);
    return await handler({ ...context, sql, url });
  } finally {
    clearStatusLine();
    await sql.end({ timeout: 1 });
    await database.close();
  }
}

// Node's own --env-file-if-exists would print a line at each command where there is no such file.
function readSettingsFile(): void {
  try {
    if (existsSync(settingsFile)) process.loadEnvFile(settingsFile);
  } catch (cause) {
    throw new Refusal(
      `The settings in ${resolve(settingsFile)} cannot be read. Run this as the user who may read them.`,
      { cause },
    );
  }
}

async function ask(question: string, stop: AbortController): Promise<string | undefined> {
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

/** Prints what went wrong and returns the exit status. Of PostgreSQL's errors only the code is printed: a message may quote a lead. */
function explain(error: unknown): number {
  if (error instanceof OutputClosed) return 0;
  if (error instanceof UsageError) {
    tell(error.message);
    return 2;
  }
  if (isLoss(error)) {
    tell("The connection to the database was lost. See whether it runs, and type it again.");
    return 1;
  }
  if (isReadOnly(error)) {
    tell(
      "This database takes no writes: it is a standby, or set to read only. Nothing was changed. For this, name the primary in DATABASE_URL.",
    );
    return 1;
  }
  if (isOutOfRoom(error)) {
    tell("The disk of the database is full (53100). Nothing was lost. Make room on it, and type it again.");
    return 1;
  }
  const isOurs = [Refusal, Refused, ConfigError, EmbeddedPostgresError].some((kind) => error instanceof kind);
  tell(
    isOurs
      ? (error as Error).message
      : `That did not work: the database or this program failed (${codeOf(error)}).`,
  );
  return 1;
}
