// Stores leads. Leads that arrive while a commit is under way go into the next one together, as one statement, with no
// timer: a lone lead waits for nobody, and many share one flush to disk. Each is acknowledged only after its commit.
// While the database is away for a moment (a restart, a failover) leads wait for it, and no visitor hears of it.
import { setTimeout as wait } from "node:timers/promises";
import type { Sql } from "../database/connect.ts";
import type { ResilientConnection } from "../database/resilient-connection.ts";
import { isDatabaseTrouble } from "../database/trouble.ts";
import type { Lead } from "../lead/lead.ts";
import type { RequestHeaders } from "./request-headers.ts";

/** Resolves when the lead stands on disk (or already stood). Rejects with the database's error, or StoreBusy. */
export type Store = (lead: Lead, request_headers: RequestHeaders) => Promise<void>;

/** The lead could not be stored within a visitor's patience. Whether it was is not known; sending again is safe. */
export class StoreBusy extends Error {
  override name = "StoreBusy";
}

/**
 * How many leads share a statement, and how many may wait. In milliseconds: how long a lead waits for its answer, which
 * must be less than a server that stops gives its requests; how long a server may be silent, which is more than the
 * statement timeout of the intake's role; and the pause before a failed statement is tried again.
 */
const limits = { together: 100, waiting: 5_000, patience: 6_000, silence: 10_000, pause: 50 };

interface Waiting {
  row: Lead & { request_headers: RequestHeaders };
  /** Answers whoever sent the lead; only the first answer counts. */
  answer: (error?: unknown) => void;
  isAnswered: boolean;
}

/** Makes a store on the intake's database. `stored` is told after each commit. */
export function makeStore(database: ResilientConnection, stored: () => void = () => {}): Store {
  const waiting: Waiting[] = [];
  /** Statements sent and not yet answered, and the leads in them. */
  const underWay = { statements: 0, leads: 0 };
  /** Why the last statement failed, unless one succeeded since. */
  let trouble: unknown;

  // While the database carries out one statement the next is already there, and need not wait for this process to hear
  // of the first. It goes when it is no smaller than the first: two small ones would cost more than one.
  const pump = async () => {
    while (waiting.length > 0 && underWay.statements < 2 && waiting.length >= underWay.leads) {
      const taken = waiting.splice(0, limits.together).filter(({ isAnswered }) => !isAnswered);
      underWay.statements += 1;
      underWay.leads += taken.length;
      await commit(taken.filter((one) => !looksRefused(one)));
      for (const one of taken.filter(looksRefused)) await commit([one]);
      underWay.statements -= 1;
      underWay.leads -= taken.length;
    }
  };

  const commit = async (batch: Waiting[]): Promise<void> => {
    if (batch.length === 0) return;
    try {
      await database.query((sql) => insert(sql, batch), limits.silence);
      trouble = undefined;
      for (const { answer } of batch) answer();
      stored();
    } catch (error) {
      if (isDatabaseTrouble(error)) await postpone(batch, error);
      else await single(batch, error);
    }
  };

  // When a statement is refused because of one row, its rows are tried singly: an honest lead must not fail for its
  // neighbour. Should the first try have stood after all, the table's own rule lets it stand once.
  const single = async (batch: Waiting[], error: unknown) => {
    if (batch.length === 1) return batch[0]?.answer(error);
    for (const one of batch) await commit([one]);
  };

  // Any other failure is the database's, and passes or does not: the leads go back to the front until their patience
  // is over.
  const postpone = async (batch: Waiting[], error: unknown) => {
    trouble = error;
    await wait(limits.pause);
    waiting.unshift(...batch);
  };

  return (lead, request_headers) =>
    new Promise<void>((resolve, reject) => {
      if (waiting.length >= limits.waiting) return reject(new StoreBusy());
      const answer = (error?: unknown) => {
        clearTimeout(tired);
        one.isAnswered = true;
        if (error === undefined) resolve();
        else reject(error);
      };
      const one: Waiting = { row: { ...lead, request_headers }, answer, isAnswered: false };
      const tired = setTimeout(() => answer(trouble ?? new StoreBusy()), limits.patience);
      waiting.push(one);
      void pump();
    });
}

// A lead that the table is going to refuse goes alone: within a batch it would send all its neighbours singly, and one
// sender of blank fields would slow everybody (measured: to a third). Whether it is refused is for the table to say.
const looksRefused = ({ row: { name, email, phone, zip_code } }: Waiting): boolean =>
  [name, email, phone, zip_code].some((text) => isBlank(text) || text.length > 500);

/** Whether PostgreSQL finds no character in a text but white space: its `\s` is Unicode's, JavaScript's is not. */
export const isBlank = (text: string): boolean => /^\p{White_Space}*$/u.test(text);

async function insert(sql: Sql, batch: Waiting[]): Promise<void> {
  const rows = JSON.stringify(batch.map(({ row }) => row));
  await sql`
    insert into public.leads (name, email, phone, zip_code, has_medicare, has_diabetes, request_headers)
    select name, email, phone, zip_code, has_medicare, has_diabetes, request_headers
    from json_to_recordset(${rows}::text::json) as row (
      name text, email text, phone text, zip_code text, has_medicare boolean, has_diabetes boolean, request_headers jsonb
    )`;
}
