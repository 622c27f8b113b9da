// What every subcommand of `leads` shares: what it is handed, how it reads the words typed after its name, and how it
// says no. A subcommand first reads its words, so that misuse never costs a connection, and only then acts.
import { type ParseArgsOptionsConfig, parseArgs } from "node:util";
import type { Sql } from "../database/connect.ts";

/** Where the team sits: the database, and the person at the terminal. */
export interface Desk {
  /** The database, as its owner. */
  sql: Sql;
  now: Date;
  /** Writes a result; resolves when the reader has taken it. @throws EPIPE when the reader left. */
  out(text: string): Promise<void>;
  /** Tells the person something that is not a result. */
  tell(sentence: string): void;
  /** Puts a question and returns the answer, or undefined where no person is there to answer. */
  ask(question: string): Promise<string | undefined>;
  /** How wide a line may be, in cells. */
  columns: number;
  /** Whether results go to a person's terminal. */
  onTerminal: boolean;
  /** Aborted by Ctrl-C. */
  stop: AbortSignal;
}

/** Does what was asked and returns the exit status: 0 when all is well, 1 when something is wrong. */
export type Act = (desk: Desk) => Promise<number>;

/** What was typed cannot be understood; the message says what to type. Exit status 2. */
export class Misuse extends Error {
  override name = "Misuse";
}

/** What was asked cannot be done as things stand; the message says what to do. Exit status 1. */
export class Refusal extends Error {
  override name = "Refusal";
}

/** A count and what is counted, as a person says it. */
export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${count.toLocaleString("en-US")} ${count === 1 ? one : many}`;

/** A command as a person would type it. */
export const typed = (words: string): string => `npm run leads -- ${words}`;

/**
 * Reads the words after a subcommand's name. `usage` is how it is typed; the words it must have stand in <>.
 * @throws Misuse
 */
export function readWords<const O extends ParseArgsOptionsConfig>(
  usage: string,
  words: readonly string[],
  options: O,
) {
  const { values, positionals } = parse(usage, words.filter(Boolean), options);
  const wanted = usage.split(" [--")[0]?.match(/<\w+>/g) ?? [];
  if (positionals.length < wanted.length) throw misuse(usage, `Which ${wanted[positionals.length]}?`);
  if (positionals.length > wanted.length)
    throw misuse(usage, `One word too many: ${positionals[wanted.length]}.`);
  return { values, positionals };
}

/** Reads a whole number of one or more. @throws Misuse */
export function wholeNumber(option: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new Misuse(`${option} takes a whole number, such as ${option} 20.`);
}

function parse<const O extends ParseArgsOptionsConfig>(usage: string, words: readonly string[], options: O) {
  try {
    return parseArgs({ args: [...words], options, strict: true, allowPositionals: true });
  } catch (error) {
    // Node's own sentence goes on about "--" and quotes; its first one is enough.
    const [sentence = ""] = error instanceof Error ? error.message.split(". ") : [];
    throw misuse(usage, `${sentence.replace(/\.$/, "")}.`);
  }
}

const misuse = (usage: string, sentence: string) => new Misuse(`${sentence}\nType: ${typed(usage)}`);
