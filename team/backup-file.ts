// A backup file: what is in it and in which order, and how one is read so that a damaged one never passes for whole. It is
// gzip over lines of JSON: a heading, one line a row, and an end that counts the rows and seals all lines before it.
import { createHash, type Hash } from "node:crypto";
import { closeSync, createReadStream, openSync, readSync } from "node:fs";
import { stat } from "node:fs/promises";
import { pipeline } from "node:stream";
import { createGunzip } from "node:zlib";
import { codeOf } from "../log/log.ts";
import { Refusal } from "./refusal.ts";

/**
 * Every table that is in a backup, in an order in which each row finds the rows it refers to. Not `private.wake_up_call`: it
 * says where the submit-lead of one database is, and would have a restored one call the old place. Nor the calling hours and
 * the tables of places, which the migrations fill; nor what ends by itself, such as sessions, invitations, challenges and claims; nor sums
 * of what is in the other tables, which a restoration counts anew; nor what one installation knows of itself: its backups, its alert, its
 * inbox's settings, and what the retention has planned and done.
 */
export const tables = [
  "private.database_ids",
  "private.notices",
  "private.settings",
  "private.channels",
  "private.experiments",
  "public.leads",
  "private.permissions",
  "private.deliveries",
  "private.lead_work",
  "private.reviews",
  "private.stop_list",
  "private.members",
  "private.passkeys",
  "private.company_accounts",
  "private.calls",
  "private.outcomes",
  "private.eligibility_checks",
  "private.audit_log",
  "private.erasures",
  "private.paused_states",
  "private.page_counts",
  "private.vital_counts",
  "private.campaign_names",
  "private.campaign_costs",
] as const;
export type Table = (typeof tables)[number];

export interface Heading {
  format: "leads backup 1";
  /** The newest migration of the database it was taken from. */
  schema: string;
  taken_at: string;
}

/** Makes the lines of a file, and the last one, which counts the rows and holds the hash of all lines before it. */
export class SealedLines {
  readonly #hash = createHash("sha256");
  readonly rows = noRows();

  heading(heading: Heading): string {
    return this.#add(`${JSON.stringify(heading)}\n`);
  }

  /** Makes the lines of rows of one table. Each row is JSON as PostgreSQL wrote it. */
  page(table: string, rows: readonly string[]): string {
    this.rows[table] = (this.rows[table] ?? 0) + rows.length;
    const begin = beginOf(table);
    return this.#add(rows.map((row) => `${begin}${row}}\n`).join(""));
  }

  /** The last line; nothing comes after it. */
  end(): string {
    return endLine(this.rows, this.#hash);
  }

  #add(lines: string): string {
    this.#hash.update(lines);
    return lines;
  }
}

const noRows = (): Record<string, number> => Object.fromEntries(tables.map((table) => [table, 0]));

const beginOf = (table: string) => `{"table":"${table}","row":`;

const endLine = (rows: Record<string, number>, hash: Hash) =>
  `${JSON.stringify({ rows, sha256: hash.digest("hex") })}\n`;

/** Rows of one table, in their order, as PostgreSQL wrote them. */
export interface Page {
  table: Table;
  rows: string[];
}

/**
 * Reads a file: the heading through `begin`, then the rows, a page at a time. `onBytes` hears how many bytes of the file were read.
 * @throws UnusableBackup when it cannot be read or is not a whole backup.
 */
export async function* readBackup(
  path: string,
  begin: (heading: Heading) => void,
  onBytes: (count: number) => void = () => {},
): AsyncGenerator<Page> {
  const hash = createHash("sha256");
  const counts = noRows();
  let isFirst = true;
  let last: string | undefined;
  for await (const block of blocksOf(path, onBytes)) {
    if (last !== undefined) throw goesOn();
    const lines = block.toString("utf8").split("\n").slice(0, -1);
    if (isFirst) begin(readHeading(lines.shift()));
    isFirst = false;
    if (lines.length > 0 && !isRow(lines.at(-1))) last = lines.pop();
    hash.update(last === undefined ? block : block.subarray(0, block.lastIndexOf(lineEnd, -2) + 1));
    for (const page of pagesOf(lines)) {
      counts[page.table] = (counts[page.table] ?? 0) + page.rows.length;
      yield page;
    }
  }
  if (isFirst) throw notABackup();
  if (last === undefined) throw damagedBackup("it ends too early");
  if (`${last}\n` !== endLine(counts, hash)) throw damagedBackup(otherThanWritten);
}

/** Returns when a backup was made. @throws UnusableBackup when a file cannot be read, or does not begin as a backup. */
export async function requireBackup(path: string): Promise<Date> {
  const isPipe = await stat(path).then(
    (file) => file.isFIFO(),
    () => false,
  );
  if (isPipe) throw new UnusableBackup(`${path} is a pipe, and a backup is read twice: name a file.`);
  let takenAt = "";
  const pages = readBackup(path, (heading) => {
    takenAt = heading.taken_at;
  });
  await pages.next();
  await pages.return(undefined);
  return new Date(takenAt);
}

function readHeading(line = ""): Heading {
  try {
    const { format, schema, taken_at } = JSON.parse(line) as Heading;
    if (format === "leads backup 1" && JSON.stringify({ format, schema, taken_at }) === line) {
      return { format, schema, taken_at };
    }
  } catch {
    // Not even JSON: the same answer.
  }
  throw notABackup();
}

const isRow = (line = "") => line.startsWith('{"table":');

function* pagesOf(lines: readonly string[]): Generator<Page> {
  for (let at = 0; at < lines.length; ) {
    const table = tableOf(lines[at]);
    const beginning = beginOf(table);
    const rows: string[] = [];
    for (; lines[at]?.startsWith(beginning); at += 1) rows.push(lines[at]?.slice(beginning.length, -1) ?? "");
    yield { table, rows };
  }
}

function tableOf(line = ""): Table {
  const [, name] = /^\{"table":"([a-z_.]+)","row":\{/.exec(line) ?? [];
  if (name === undefined) throw goesOn();
  const table = tables.find((one) => one === name);
  if (!table) throw damagedBackup("it has a table that is not known");
  return table;
}

const lineEnd = 10;

/** Whole lines, about a quarter of a megabyte at a time. */
async function* blocksOf(path: string, onBytes: (count: number) => void): AsyncGenerator<Buffer> {
  const file = createReadStream(path);
  const text = createGunzip({ chunkSize: 256 * 1024 });
  // Its errors come out of the loop below.
  pipeline(file, text, () => {});
  let rest: Buffer[] = [];
  try {
    for await (const chunk of text as AsyncIterable<Buffer>) {
      const end = chunk.lastIndexOf(lineEnd) + 1;
      if (end > 0) yield Buffer.concat([...rest, chunk.subarray(0, end)]);
      rest = [...(end > 0 ? [] : rest), ...(end < chunk.length ? [chunk.subarray(end)] : [])];
      onBytes(file.bytesRead);
    }
  } catch (cause) {
    throw unreadable(path, cause);
  }
  if (rest.length > 0) throw damagedBackup("it ends too early");
}

function unreadable(path: string, cause: unknown): UnusableBackup {
  const code = codeOf(cause);
  if (code === "Z_BUF_ERROR") return damagedBackup("it ends too early");
  if (code !== "Z_DATA_ERROR")
    return new UnusableBackup(`The file ${path} cannot be read (${code}).`, { cause });
  // With these words zlib says that a file is not gzip at all, or that something else follows the gzip in it.
  if ((cause as Error).message !== "incorrect header check") return damagedBackup(otherThanWritten);
  return isGzip(path) ? goesOn() : notABackup();
}

/** Whether a file begins as gzip does (RFC 1952, 2.3.1). */
function isGzip(path: string): boolean {
  const file = openSync(path, "r");
  try {
    const begin = Buffer.alloc(2);
    return readSync(file, begin) === 2 && begin.equals(Buffer.from([0x1f, 0x8b]));
  } finally {
    closeSync(file);
  }
}

/** A file is no backup, or no whole one, or cannot be read. */
export class UnusableBackup extends Refusal {}
/** A backup is not what it was when it was made. */
export class DamagedBackup extends UnusableBackup {}

const goesOn = () => damagedBackup("it goes on after its end");
const notABackup = () => new UnusableBackup("This file is not a backup that `leads backup` made.");

/** What is said of a file that holds something else than what was written into it. */
export const otherThanWritten = "what is in it is not what was put in";
export const damagedBackup = (how: string) => new DamagedBackup(`This backup is damaged: ${how}.`);
