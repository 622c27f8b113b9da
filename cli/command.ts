// What every command of `leads` shares: the context it runs in, how it is added to the program, and the words of its messages.
import type { Command } from "commander";
import type { Config } from "../config/config.ts";
import type { Sql } from "../database/connect.ts";

export { typed, typedForPlainOutput } from "../log/installation.ts";

/** What a command writes to and asks: a person's terminal, or the streams that a script gave it. */
export interface Terminal {
  /** Writes a result; resolves when the reader has taken it. @throws OutputClosed when the reader is gone. */
  out(result: string | Uint8Array): Promise<void>;
  /** Writes a sentence that is not a result to standard error. */
  tell(sentence: string): void;
  /** Shows a line that stays in place where standard error is a terminal, until the next line is written; else nothing. */
  showStatusLine(text: string): void;
  /** Removes that line. */
  clearStatusLine(): void;
  /** Asks a question and returns the answer: "" after Ctrl-C or Ctrl-D, undefined where no person is at a terminal. */
  ask(question: string): Promise<string | undefined>;
  /** How many characters a line has: the terminal's width, or 120 where there is none. */
  columns: number;
  /** Whether results go to a terminal. */
  onTerminal: boolean;
}

/** What a handler works with. */
export interface CommandContext extends Terminal {
  /** The database, as its owner. */
  sql: Sql;
  /** Its address. */
  url: string;
  config: Config;
  now: Date;
  /** Aborted by Ctrl-C, SIGTERM or SIGHUP. */
  signal: AbortSignal;
}

/** Does what was asked and returns the exit status: 0 when all is well, 1 when something is wrong, 130 when it was broken off. */
export type Handler = (context: CommandContext) => Promise<number>;

/** A handler that opens no database, because it works on the data folder itself. */
export type FolderHandler = (context: FolderContext) => Promise<number>;

/** What such a handler works with. */
export type FolderContext = Omit<CommandContext, "sql" | "url">;

/**
 * Adds one command to the program: its arguments, options and help. Its action reads what was typed before a database is opened, and
 * hands the rest to `run`, or to `runOnFolder` where it needs no database. A few handlers find a usage error only later (stop, erase).
 */
export type AddCommand = (program: Command, run: Run, runOnFolder: RunOnFolder) => void;

/** Registers what a command does. */
export type Run = (handler: Handler, needs?: Needs) => void;

export interface Needs {
  /** A database that does not exist yet is created for it. */
  makesDatabase?: boolean;
  /** Is awaited before a database is opened, or made. It throws what keeps the command from being carried out. */
  requirePossible?(): Promise<void>;
}
export type RunOnFolder = (handler: FolderHandler) => void;

/** The program that reads the results has closed the pipe (`leads list | head`), which ends the command and is no error. */
export class OutputClosed extends Error {
  override name = "OutputClosed";
}

/** What was typed cannot be understood; the message says what to type. Exit status 2. */
export class UsageError extends Error {
  override name = "UsageError";
}

/** A count and what is counted, as a person says it. */
export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${count.toLocaleString("en-US")} ${count === 1 ? one : many}`;

/** The message when a database that takes no writes was read without an entry in the audit log. */
export const noAuditEntryMessage =
  "This database takes no writes (a standby), so the audit log has no entry of this. Write down who did it, and why.";

/** Reads a whole number from 1 to `most`. @throws UsageError */
export function readCount(option: string, text: string, most = 999_999_999): number {
  if (/^[1-9]\d{0,8}$/.test(text) && Number(text) <= most) return Number(text);
  throw new UsageError(`${option} takes a whole number from 1 to ${most}, such as ${option} 20.`);
}

/** Reads the name of a file. An empty name mostly comes from a shell variable that is not set. @throws UsageError */
export function readFileName(text: string): string {
  if (text !== "") return text;
  throw new UsageError("The name of the file is empty.");
}
