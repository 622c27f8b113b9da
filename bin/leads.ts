// The door to the team's `leads` command: reads what was typed and the settings, finds the database, and leaves with
// an exit status that a script can trust: 0 all is well, 1 something is wrong, 2 the command was not understood.
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { createInterface } from "node:readline/promises";
import { readCommand } from "../cli/command-line.ts";
import { openDatabase, requireSchema } from "../cli/database.ts";
import { help } from "../cli/help.ts";
import { type Act, Misuse, Refusal } from "../cli/subcommand.ts";
import { ConfigError, readConfig } from "../config/config.ts";
import { connect } from "../database/connect.ts";
import { isLoss } from "../database/transaction.ts";
import { codeOf } from "../log/log.ts";
import { EmbeddedDatabaseError } from "../packages/embedded-postgres/embedded.ts";

const { stdin, stdout, stderr } = process;

/** Whoever read the results has had enough (`leads list | head`): an end, not a fault. */
class ReaderLeft extends Error {}

// Every write hears of it by itself; without a listener Node would also throw it at large.
stdout.on("error", () => {});

const out = (text: string) =>
  new Promise<void>((resolve, reject) => {
    stdout.write(text, (cause) => (cause ? reject(new ReaderLeft("", { cause })) : resolve()));
  });
const tell = (sentence: string) => void stderr.write(`${sentence}\n`);

process.exitCode = await main(process.argv.slice(2));

async function main(words: string[]): Promise<number> {
  const stop = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => stop.abort());
  try {
    const act = readCommand(words);
    if (act !== "help") return await atTheDesk(act, stop.signal);
    await out(help);
    return 0;
  } catch (error) {
    // As a shell reports a program that Ctrl-C ended.
    return stop.signal.aborted ? 130 : complain(error);
  }
}

async function atTheDesk(act: Act, stop: AbortSignal): Promise<number> {
  readSettingsFile();
  const database = await openDatabase(readConfig(process.env), tell);
  const sql = connect(database.url, { max: 2, name: "leads command" });
  // A query under way ends with its connection, and the act with it.
  stop.addEventListener("abort", () => void sql.end({ timeout: 0 }));
  try {
    stop.throwIfAborted();
    await requireSchema(sql);
    const columns = stdout.columns ?? 120;
    return await act({ sql, now: new Date(), out, tell, ask, columns, onTerminal: stdout.isTTY, stop });
  } finally {
    await sql.end({ timeout: 1 });
    await database.close();
  }
}

// Node's own --env-file-if-exists would say at each command that there is none.
function readSettingsFile(): void {
  try {
    if (existsSync(".env")) process.loadEnvFile();
  } catch (cause) {
    throw new Refusal(
      `The settings in ${resolve(".env")} cannot be read. Run this as the user who may read them.`,
      {
        cause,
      },
    );
  }
}

async function ask(question: string): Promise<string | undefined> {
  if (!stdin.isTTY || !stderr.isTTY) return undefined;
  const person = createInterface({ input: stdin, output: stderr });
  try {
    return await person.question(`${question} `);
  } catch (error) {
    // Ctrl-C or Ctrl-D instead of an answer.
    if (codeOf(error) === "ABORT_ERR") return "";
    throw error;
  } finally {
    person.close();
  }
}

/** Says what went wrong and returns the exit status. PostgreSQL's messages may quote a lead: only the code is told. */
function complain(error: unknown): number {
  if (error instanceof ReaderLeft) return 0;
  if (error instanceof Misuse) {
    tell(error.message);
    return 2;
  }
  if (isLoss(error)) {
    tell("The connection to the database was lost. See whether it runs, and type it again.");
    return 1;
  }
  const isOurs = [Refusal, ConfigError, EmbeddedDatabaseError].some((kind) => error instanceof kind);
  tell(
    isOurs
      ? (error as Error).message
      : `That did not work: the database or this program failed (${codeOf(error)}).`,
  );
  return 1;
}
