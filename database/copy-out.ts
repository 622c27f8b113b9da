// Reads rows by `copy ... to stdout`, which costs this program a third of what a select costs it.
import { Readable } from "node:stream";
import type { TransactionSql } from "postgres";

/** The cells of a row, in the text form of PostgreSQL; null for a cell without a value. */
export type CopiedRow = (string | null)[];

/** `take` failed, with the error in `cause`. The connection still sends rows, so it can only be closed. */
export class StoppedCopy extends Error {}

/**
 * Hands the rows of a query, which has no parameters, to `take`, as many at a time as the stream's buffer holds. No other statement may be
 * sent to the connection meanwhile. @throws StoppedCopy, or the database's error.
 */
export async function copyOut(
  tx: TransactionSql,
  query: string,
  take: (rows: CopiedRow[]) => Promise<void>,
): Promise<void> {
  const reading = await beginCopyOut(tx, query);
  for await (const chunk of reading.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    await take(rowsOf(chunk)).catch((cause) => {
      throw new StoppedCopy("", { cause });
    });
  }
  resumeSocket(reading);
}

/** Begins to read the rows of a query, each as `copy` writes it. */
export async function beginCopyOut(tx: TransactionSql, query: string): Promise<Readable> {
  const copying = tx.unsafe(`copy (${query}) to stdout`);
  const { resolve } = copying as unknown as { resolve: (result: unknown) => void };
  // An error that comes together with the first rows meets a stream to which nobody could listen yet, and would end this program.
  const listen = (result: unknown) => {
    if (result instanceof Readable) result.on("error", () => {});
    resolve(result);
  };
  Object.assign(copying, { resolve: listen });
  return await copying.readable();
}

/** postgres.js 3.4.9 leaves its socket paused when the last rows met a full buffer; reading once more lets it go on. */
export const resumeSocket = (reading: Readable): void => reading._read(0);

// postgres.js passes on whole rows, each with its end; a line end within a value is escaped.
const rowsOf = (chunk: Buffer): CopiedRow[] =>
  chunk
    .toString()
    .slice(0, -1)
    .split("\n")
    .map((line) => line.split("\t").map(cellOf));

const cellOf = (text: string): string | null =>
  text.includes("\\") ? (text === "\\N" ? null : text.replaceAll(/\\(.)/g, unescaped)) : text;

const unescaped = (_: string, letter: string): string => controls[letter] ?? letter;
const controls: Record<string, string> = { b: "\b", f: "\f", n: "\n", r: "\r", t: "\t", v: "\v" };
