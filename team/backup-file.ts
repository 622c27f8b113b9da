// A backup file: what is in it and in which order, and how one is read so that a damaged one never passes for whole. It is
// gzip over lines of JSON: a heading, one line a row, and an end that counts the rows and seals all lines before it.
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { pipeline } from "node:stream";
import { createGunzip } from "node:zlib";
import { codeOf } from "../log/log.ts";
import { Refusal } from "./refusal.ts";

/**
 * Every table that holds something, in an order in which each row finds the rows it refers to. Not `private.wake_up_call`: it
 * says where the submit-lead of one database is, and would have a restored one call the old place. Nor the calling hours and
 * the tables of places, which the migrations fill; nor what ends by itself: sessions, invitations, challenges, claims; nor sums of
 * what is in the other tables, which a restoration counts anew.
 */
export const tables = [
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
  readonly rows: Record<string, number> = Object.fromEntries(tables.map((table) => [table, 0]));

  heading(heading: Heading): string {
    return this.#add(`${JSON.stringify(heading)}\n`);
  }

  /** `json` is the row as PostgreSQL wrote it. */
  row(table: string, json: string): string {
    this.rows[table] = (this.rows[table] ?? 0) + 1;
    return this.#add(`{"table":"${table}","row":${json}}\n`);
  }

  /** The last line; nothing comes after it. */
  end(): string {
    return `${JSON.stringify({ rows: this.rows, sha256: this.#hash.digest("hex") })}\n`;
  }

  #add(line: string): string {
    this.#hash.update(line);
    return line;
  }
}

/**
 * Reads a file: the heading through `begin`, then the rows one by one. `onBytes` hears how many bytes of the file were read.
 * @throws Refusal when it is not a whole backup.
 */
export async function* readBackup(
  path: string,
  begin: (heading: Heading) => void,
  onBytes: (count: number) => void = () => {},
): AsyncGenerator<{ table: Table; row: string }> {
  const lines = new SealedLines();
  let last: string | undefined;
  let count = 0;
  for await (const line of linesOf(path, onBytes)) {
    if (last !== undefined) throw damaged("it goes on after its end");
    count += 1;
    const [, table, row] = /^\{"table":"([a-z_.]+)","row":(\{.*\})\}$/s.exec(line) ?? [];
    if (count === 1) begin(readHeading(line, lines));
    else if (!table || !row) last = line;
    else if (!tables.includes(table as Table)) throw damaged("it has a table that is not known");
    else {
      lines.row(table, row);
      yield { table: table as Table, row };
    }
  }
  if (count === 0) throw notABackup();
  if (last === undefined) throw damaged("it ends too early");
  if (`${last}\n` !== lines.end()) throw damaged("what is in it is not what was put in");
}

function readHeading(line: string, lines: SealedLines): Heading {
  try {
    const { format, schema, taken_at } = JSON.parse(line) as Heading;
    if (format === "leads backup 1" && lines.heading({ format, schema, taken_at }) === `${line}\n`) {
      return { format, schema, taken_at };
    }
  } catch {
    // Not even JSON: the same answer.
  }
  throw notABackup();
}

// Not Node's readline: it also ends lines at U+2028 and U+2029, which a name may hold.
async function* linesOf(path: string, onBytes: (count: number) => void): AsyncGenerator<string> {
  const file = createReadStream(path);
  const text = createGunzip().setEncoding("utf8");
  // Its errors come out of the loop below.
  pipeline(file, text, () => {});
  let rest = "";
  try {
    for await (const chunk of text) {
      const lines = (rest + chunk).split("\n");
      rest = lines.pop() ?? "";
      yield* lines;
      onBytes(file.bytesRead);
    }
  } catch (cause) {
    throw unreadable(path, codeOf(cause), cause);
  }
  if (rest !== "") throw damaged("it ends too early");
}

function unreadable(path: string, code: string, cause: unknown): Refusal {
  if (code === "Z_BUF_ERROR") return damaged("it ends too early");
  if (code === "Z_DATA_ERROR") return notABackup();
  return new Refusal(`The file ${path} cannot be read (${code}). Nothing was restored.`, { cause });
}

const notABackup = () =>
  new Refusal("This file is not a backup that `leads backup` made. Nothing was restored.");
/** The refusal of a file that is no whole backup. */
export const damaged = (how: string) =>
  new Refusal(`This backup is damaged: ${how}. Nothing was restored. Take another one.`);
