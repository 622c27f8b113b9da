// Runs one `leads` command from the typed words to the exit status: reads them and the settings, finds the database, calls the handler, and
// says what went wrong. It touches neither the process nor its streams; bin/leads.ts gives it functions for them.
import { type Config, ConfigError } from "../config/config.ts";
import { connect } from "../database/connect.ts";
import { EmbeddedPostgresError } from "../database/embedded.ts";
import { MigrationError } from "../database/migrate.ts";
import { DatabaseRefusal } from "../database/prepare.ts";
import { isLoss } from "../database/transaction.ts";
import { isOutOfRoom, isReadOnly } from "../database/trouble.ts";
import { codeOf } from "../log/log.ts";
import { Refused } from "../team/ask.ts";
import { Refusal } from "../team/refusal.ts";
import { type FolderContext, type Handler, OutputClosed, type Terminal, UsageError } from "./command.ts";
import { openDatabase, requireSchema } from "./database.ts";
import { readCommand } from "./program.ts";

/** What a command needs beside its words. */
export interface Surroundings {
  terminal: Terminal;
  /** It is called only for a command that was understood. @throws ConfigError, Refusal */
  readSettings(): Config;
  /** Aborted when the command shall end: its queries are broken off. */
  signal: AbortSignal;
}

/** As a shell reports a program that Ctrl-C ended. */
const interrupted = 130;

/** Runs the command and returns its exit status. It never rejects. */
export async function runCommand(words: readonly string[], surroundings: Surroundings): Promise<number> {
  const { terminal, signal } = surroundings;
  try {
    const command = await readCommand(words, terminal.columns);
    if ("handler" in command) {
      await command.requirePossible?.();
      return await runHandler(command.handler, command.makesDatabase === true, contextOf(surroundings));
    }
    if ("folderHandler" in command)
      return await command.folderHandler(contextOf(surroundings)).finally(terminal.clearStatusLine);
    await terminal.out(command.help);
    return 0;
  } catch (error) {
    return signal.aborted ? interrupted : explain(error, terminal.tell);
  }
}

function contextOf({ terminal, readSettings, signal }: Surroundings): FolderContext {
  return { ...terminal, config: readSettings(), now: new Date(), signal };
}

async function runHandler(handler: Handler, makesDatabase: boolean, context: FolderContext): Promise<number> {
  const { config, signal } = context;
  const database = await openDatabase(config, context, makesDatabase);
  const { url } = database;
  const sql = connect(url, { max: 2, name: "leads command", timeZone: "UTC" });
  // A query under way ends with its connection, and the handler with it.
  signal.addEventListener("abort", () => void sql.end({ timeout: 0 }));
  try {
    signal.throwIfAborted();
    await requireSchema(sql, makesDatabase);
    return await handler({ ...context, sql, url });
  } finally {
    context.clearStatusLine();
    await sql.end({ timeout: 1 });
    await database.close();
  }
}

/** Says what went wrong and returns the exit status. Of PostgreSQL's errors only the code is said: a message may quote a lead. */
function explain(error: unknown, tell: Terminal["tell"]): number {
  if (error instanceof OutputClosed) return 0;
  tell(sentenceOf(error));
  return error instanceof UsageError ? 2 : 1;
}

function sentenceOf(error: unknown): string {
  const isOurs = [
    UsageError,
    Refusal,
    Refused,
    ConfigError,
    DatabaseRefusal,
    MigrationError,
    EmbeddedPostgresError,
  ].some((kind) => error instanceof kind);
  if (isOurs) return (error as Error).message;
  if (isLoss(error))
    return "The connection to the database was lost. See whether it runs, and type it again.";
  if (isReadOnly(error))
    return "This database takes no writes: it is a standby, or set to read only. Nothing more was done. Name the primary in DATABASE_URL.";
  if (isOutOfRoom(error))
    return "The disk of the database is full (53100). Nothing was lost. Make room on it, and type it again.";
  return `That did not work: the database or this program failed (${codeOf(error)}).`;
}
