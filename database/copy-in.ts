// Writes rows into a table by `copy ... from stdin`, which costs PostgreSQL a third of what inserting the same rows does, and reports every
// failure.
import type { Writable } from "node:stream";
import type { TransactionSql } from "postgres";
import { codeOf } from "../log/log.ts";

/** A `copy` under way. No other statement may be sent to its connection until it is ended or aborted. */
export class CopyIn {
  readonly #tx: TransactionSql;
  readonly #stream: Writable;
  #failure: unknown;

  private constructor(tx: TransactionSql, query: object, stream: Writable) {
    this.#tx = tx;
    this.#stream = stream;
    const reject = (error: unknown) => {
      this.#failure ??= error;
    };
    stream.on("error", reject);
    // postgres.js 3.4.9 passes an error that comes after the end of the copy to `reject` of the query, whose promise has resolved by then.
    Object.assign(query, { reject });
  }

  /** Begins to write into these columns of a table; both as SQL writes them. */
  static async begin(tx: TransactionSql, table: string, columns: string): Promise<CopyIn> {
    const query = tx.unsafe(`copy ${table} (${columns}) from stdin`);
    return new CopyIn(tx, query, await query.writable());
  }

  /** Sends text in the format of `copy`, and returns when there is room for more. @throws the database's error about earlier text. */
  async write(text: string | Buffer): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#stream.write(text, (error) => (error ? reject(this.#failure ?? error) : resolve()));
    });
  }

  /** Ends it, and returns when the rows are in the table. @throws the database's error. */
  async end(): Promise<void> {
    if (this.#failure) throw this.#failure;
    const done = new Promise<void>((resolve) => this.#stream.end(resolve));
    // Another statement waits until the database has answered the end of the copy, and fails when the end was refused.
    await this.#tx`select`.catch((error) => {
      throw this.#failure ?? error;
    });
    await done;
  }

  /** Breaks it off. The transaction can only be rolled back then. */
  abort(): void {
    this.#stream.destroy(new Error("aborted"));
  }
}

/** Whether the database refused the rows themselves: an invalid value (SQLSTATE class 22), or a broken constraint or reference (23). */
export const refusesRows = (error: unknown): boolean => /^2[23]/.test(codeOf(error));
