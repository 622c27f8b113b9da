// Stores leads. Leads that arrive while a commit is under way go into the next one together, as one statement, with no
// timer: a lone lead waits for nobody, and many share one flush to disk. Each is acknowledged only after its commit.
import type { Sql } from "../database/connect.ts";
import type { Lead } from "../lead/lead.ts";
import type { Evidence } from "./evidence.ts";

/** Resolves when the lead stands on disk (or already stood). Rejects with the database's error, or StoreBusy. */
export type Store = (lead: Lead, evidence: Evidence) => Promise<void>;

/** The lead could not be stored within a visitor's patience. Whether it was is not known; sending again is safe. */
export class StoreBusy extends Error {
  override name = "StoreBusy";
}

/** How many leads share a statement, how many may wait, and how long a commit may take in milliseconds. */
const limits = { together: 100, waiting: 5_000, patience: 10_000 };

interface Waiting {
  row: Lead & { evidence: Evidence };
  resolve: () => void;
  reject: (error: unknown) => void;
}

/**
 * Makes a store. `open` opens the intake's connections, and opens them anew after a server that fell silent: a dead
 * network says nothing for a quarter of an hour. `stored` is told after each commit.
 */
export function makeStore(open: () => Sql, stored: () => void = () => {}): Store {
  const waiting: Waiting[] = [];
  let sql = open();
  let committing = false;

  const pump = async () => {
    if (committing) return;
    committing = true;
    while (waiting.length > 0) await commit(waiting.splice(0, limits.together));
    committing = false;
  };

  // When a statement is refused because of one row, its rows are tried singly: an honest lead must not fail for its
  // neighbour. Should the first try have stood after all, the table's own rule lets it stand once.
  const commit = async (batch: Waiting[]): Promise<void> => {
    try {
      await patiently(insert(sql, batch));
      for (const { resolve } of batch) resolve();
      stored();
    } catch (error) {
      if (error instanceof StoreBusy) {
        sql.end({ timeout: 0 });
        sql = open();
      }
      if (batch.length > 1 && isAboutARow(error)) {
        for (const one of batch) await commit([one]);
      } else {
        for (const { reject } of batch) reject(error);
      }
    }
  };

  return (lead, evidence) =>
    new Promise<void>((resolve, reject) => {
      if (waiting.length >= limits.waiting) return reject(new StoreBusy());
      waiting.push({ row: { ...lead, evidence }, resolve, reject });
      pump();
    });
}

async function insert(sql: Sql, batch: Waiting[]): Promise<void> {
  const rows = JSON.stringify(batch.map(({ row }) => row));
  await sql`
    insert into public.leads (name, email, phone, zip_code, has_medicare, has_diabetes, evidence)
    select name, email, phone, zip_code, has_medicare, has_diabetes, evidence
    from json_to_recordset(${rows}::text::json) as row (
      name text, email text, phone text, zip_code text, has_medicare boolean, has_diabetes boolean, evidence jsonb
    )`;
}

async function patiently<Result>(work: Promise<Result>): Promise<Result> {
  const { promise: tired, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new StoreBusy()), limits.patience);
  return Promise.race([work, tired]).finally(() => clearTimeout(timer));
}

// SQLSTATE classes: 22 and 23 are bad values, 40 a deadlock between two statements, P0 raised by a trigger.
const isAboutARow = (error: unknown) =>
  error instanceof Error && "code" in error && /^(22|23|40|P0)/.test(String(error.code));
