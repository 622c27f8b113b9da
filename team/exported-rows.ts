// What the exports of leads and of permissions have in common: how they read their rows, and how they report their progress.
import type { TransactionSql } from "postgres";
import { prepareLongTransaction } from "../database/bulk-load.ts";
import type { CopiedRow } from "../database/copy-out.ts";
import type { Progress } from "./backup.ts";

export interface ExportOptions {
  /** Only leads that came in since then. */
  since?: Date | undefined;
  onProgress?: Progress | undefined;
}

/** A column and what it holds: a text, a time, a box of the form, or JSON. Each may be null. */
export type ExportedColumn<Name extends string = string> = readonly [name: Name, kind: keyof typeof readers];

const readers = {
  text: (cell: string) => cell,
  time: isoTime,
  box: (cell: string) => cell === "t",
  json: (cell: string): unknown => JSON.parse(cell),
};

/**
 * Makes a function that reads a copied row of these columns, with times in ISO 8601. It returns an array, because to make an object of
 * each row would take half of the time.
 */
export function rowReader(columns: readonly ExportedColumn[]): (row: CopiedRow) => unknown[] {
  const read = columns.map(([, kind]) => readers[kind]);
  return (row) => row.map((cell, at) => (cell === null ? null : read[at]?.(cell)));
}

/** A time as PostgreSQL writes it, such as "2026-11-22 09:30:00.123456+00", in ISO 8601 to the millisecond, as JSON has a Date. */
function isoTime(time: string): string {
  const clock = time.slice(11, -3);
  // PostgreSQL leaves out the zeros at the end of a fraction.
  const exact = clock.length === 8 ? `${clock}.000` : clock.slice(0, 12).padEnd(12, "0");
  return `${time.slice(0, 10)}T${exact}Z`;
}

/**
 * Prepares a transaction for the export of all leads. `fresh` are the ids of the leads that have no row in lead_work yet, as far as they
 * came in the last two days, because a daily job writes the rows of older ones. The caller gives `report` the number of rows that it handed
 * out; `report` tells `onProgress` the part of all rows that is done.
 */
export async function prepareExport(
  tx: TransactionSql,
  { since, onProgress }: ExportOptions,
): Promise<{ fresh: string[]; report: (rows: number) => void }> {
  await prepareLongTransaction(tx);
  // As `isoTime` reads times: a server may have another zone, and write them in another style.
  await tx`select set_config('timezone', 'UTC', true), set_config('datestyle', 'ISO', true)`;
  const found = await tx<{ id: string }[]>`select private.leads_to_index(null, '2 days') as id`;
  const fresh = found.map(({ id }) => id);
  if (!onProgress) return { fresh, report: () => {} };
  onProgress(0);
  const [all] = await tx<{ rows: number }[]>`
    select count(*)::int as rows from private.lead_work w ${since ? tx`where w.created_at >= ${since}` : tx``}`;
  const total = Math.max(all?.rows ?? 0, 1);
  let done = 0;
  return { fresh, report: (rows) => onProgress(Math.min((done += rows) / total, 1)) };
}
