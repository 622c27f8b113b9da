// Stores leads. Leads that arrive while a commit is under way share the next one, as one statement: many leads cost one flush
// to disk, and a single lead waits for no timer. Each is acknowledged only after its commit. While the database is unreachable
// for a moment (a restart, a failover), leads wait for it.
import { setTimeout as wait } from "node:timers/promises";
import type { Sql } from "../database/connect.ts";
import type { ResilientConnection } from "../database/resilient-connection.ts";
import { isDatabaseTrouble } from "../database/trouble.ts";
import type { Lead } from "../lead/lead.ts";
import type { RequestHeaders } from "./request-headers.ts";

/** Resolves when the lead is on disk (or was already). Rejects with the database's error, or StoreBusy. */
export type Store = (lead: Lead, request_headers: RequestHeaders) => Promise<void>;

/** The lead was not stored in time, as far as is known. Sending it again is safe. */
export class StoreBusy extends Error {
  override name = "StoreBusy";
}

/**
 * The most leads in a statement, and the most leads that may wait. The others are milliseconds: `answerTimeout` is how long a lead waits
 * for its answer, and less than a stopping server gives its requests; `queryTimeout` is more than the statement timeout of the intake's
 * role; `pause` comes before a failed statement is tried again.
 */
const limits = { perStatement: 100, waiting: 5_000, answerTimeout: 6_000, queryTimeout: 10_000, pause: 50 };

interface Waiting {
  row: Lead & { request_headers: RequestHeaders };
  /** Settles the promise of the lead's request; only the first call counts. */
  answer: (error?: unknown) => void;
  isAnswered: boolean;
}

/**
 * Makes a store on the intake's database. `onStored` is called after each commit; `allowedOrigins` are those whose leads the
 * database takes.
 */
export function makeStore(
  database: ResilientConnection,
  onStored: () => void = () => {},
  allowedOrigins: "*" | readonly string[] = "*",
): Store {
  const queue = new LeadQueue(database, onStored, allowedOrigins);
  return (lead, request_headers) =>
    new Promise<void>((resolve, reject) => {
      if (queue.isFull) return reject(new StoreBusy());
      const answer = (error?: unknown) => {
        clearTimeout(timeout);
        one.isAnswered = true;
        if (error === undefined) resolve();
        else reject(error);
      };
      const one: Waiting = { row: { ...lead, request_headers }, answer, isAnswered: false };
      const timeout = setTimeout(() => answer(queue.trouble ?? new StoreBusy()), limits.answerTimeout);
      queue.add(one);
    });
}

/** The leads that wait for their commit, and the statements that carry them to the database. */
class LeadQueue {
  /** The last trouble of the database, unless a statement has succeeded since. */
  trouble: unknown;
  readonly #database: ResilientConnection;
  readonly #onStored: () => void;
  readonly #allowedOrigins: "*" | readonly string[];
  readonly #waiting: Waiting[] = [];
  /** Statements sent and not yet answered, and the leads in them. */
  readonly #underWay = { statements: 0, leads: 0 };

  constructor(database: ResilientConnection, onStored: () => void, allowedOrigins: "*" | readonly string[]) {
    this.#database = database;
    this.#onStored = onStored;
    this.#allowedOrigins = allowedOrigins;
  }

  get isFull(): boolean {
    return this.#waiting.length >= limits.waiting;
  }

  add(one: Waiting): void {
    this.#waiting.push(one);
    void this.#send();
  }

  // The next statement is sent while the database carries out the first, so that the database need not wait for this process between
  // them. It is sent only when it has at least as many leads as the first, because two small statements cost more than one.
  async #send(): Promise<void> {
    const waiting = this.#waiting;
    const underWay = this.#underWay;
    while (waiting.length > 0 && underWay.statements < 2 && waiting.length >= underWay.leads) {
      const taken = waiting.splice(0, limits.perStatement).filter(({ isAnswered }) => !isAnswered);
      underWay.statements += 1;
      underWay.leads += taken.length;
      await this.#commit(taken.filter((one) => !this.#looksRefused(one)));
      for (const one of taken) if (this.#looksRefused(one)) await this.#commit([one]);
      underWay.statements -= 1;
      underWay.leads -= taken.length;
    }
  }

  // A lead that the table will probably refuse is sent alone, because after a refusal all leads of its statement are tried one by one:
  // a sender of blank fields would slow down everybody (measured: to a third). The table, not this check, decides what is refused.
  #looksRefused({ row }: Waiting): boolean {
    return (
      [row.name, row.email, row.phone, row.zip_code].some((text) => isBlank(text) || text.length > 500) ||
      isForeign(row.request_headers, this.#allowedOrigins)
    );
  }

  async #commit(batch: Waiting[]): Promise<void> {
    if (batch.length === 0) return;
    try {
      await this.#database.query((sql) => insert(sql, batch), limits.queryTimeout);
      this.trouble = undefined;
      for (const { answer } of batch) answer();
      this.#onStored();
    } catch (error) {
      if (isDatabaseTrouble(error)) await this.#postpone(batch, error);
      else await this.#commitSingly(batch, error);
    }
  }

  // Trouble of the database may pass, so the leads go back to the front of the queue until their timeout. A statement whose answer was
  // lost may have been committed; the table stores such a lead once.
  async #postpone(batch: Waiting[], error: unknown): Promise<void> {
    this.trouble = error;
    await wait(limits.pause);
    this.#waiting.unshift(...batch);
  }

  // When a statement is refused because of one row, its rows are tried one by one, because an honest lead must not fail for its
  // neighbour.
  async #commitSingly(batch: Waiting[], error: unknown): Promise<void> {
    if (batch.length === 1) return batch[0]?.answer(error);
    for (const one of batch) await this.#commit([one]);
  }
}

function isForeign({ origin, host }: RequestHeaders, allowedOrigins: "*" | readonly string[]): boolean {
  if (allowedOrigins === "*" || !origin || allowedOrigins.includes(origin)) return false;
  return origin.split("://")[1] !== host;
}

/** Whether PostgreSQL finds only white space in a text. With the builtin locale its `\s` is Unicode's white space; with another, and in JavaScript, `\s` differs. */
export const isBlank = (text: string): boolean => /^\p{White_Space}*$/u.test(text);

async function insert(sql: Sql, batch: Waiting[]): Promise<void> {
  // Sorted, so that two statements with the same leads take the table's locks in the same order and cannot deadlock. Each text begins with
  // the six values that the lock is computed from.
  const rows = batch.map(({ row }) => JSON.stringify(row)).sort();
  await sql`
    insert into public.leads (name, email, phone, zip_code, has_medicare, has_diabetes, request_headers)
    select name, email, phone, zip_code, has_medicare, has_diabetes, request_headers
    from json_to_recordset(${`[${rows.join()}]`}::text::json) as row (
      name text, email text, phone text, zip_code text, has_medicare boolean, has_diabetes boolean, request_headers jsonb
    )`;
}
