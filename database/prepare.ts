// Makes a database ready for leads: the schema is current and all is set up that a lead needs. A server that is away is waited
// for, because the article can be read meanwhile; one that refuses us for good stops the start.
import { setTimeout as wait } from "node:timers/promises";
import { codeOf, type Log } from "../log/log.ts";
import type { Sql } from "./connect.ts";
import { MigrationError, migrate, newestVersion } from "./migrate.ts";
import { QueryTimeout, type ResilientConnection, withTimeout } from "./resilient-connection.ts";

/** A database that will not let us do our work, however long we wait; the message says what to mend. */
export class DatabaseRefusal extends Error {
  override name = "DatabaseRefusal";
}

/** Milliseconds. */
const firstAnswer = 10_000;

/**
 * Prepares the owner's database, trying again each second while it is away: the schema first, then `setUp`, which does
 * what else the first lead needs.
 * @throws MigrationError, or DatabaseRefusal when the address, the password or the owner's rights are wrong.
 */
export async function prepare(
  sql: Sql,
  setUp: (sql: Sql) => Promise<void>,
  log: Log,
  signal: AbortSignal,
): Promise<void> {
  for (let tries = 0; ; tries += 1) {
    try {
      // Something between us and the server may take connections and drop them: postgres.js tries on and says nothing.
      await withTimeout(firstAnswer, refuseOtherLetters(sql));
      for (const name of await migrate(sql)) log("migrated", { name });
      await setUp(sql);
      if (tries > 0) log("database-ready");
      return;
    } catch (error) {
      if (signal.aborted) return;
      // What has no code is no word of the database's, but a fault of ours or a sentence of the migration's.
      const isWord = error instanceof Error && ("code" in error || error instanceof QueryTimeout);
      if (error instanceof MigrationError || !isWord) throw error;
      refuseWhatStays(error);
      if (tries === 0) log("database-unreachable", { code: codeOf(error) });
    }
    await wait(1_000, undefined, { signal }).catch(() => {});
  }
}

/** Makes the question `/readyz` asks, with the intake's login: does it answer, take writes, and have the newest schema? */
export async function makeIsReady(intake: ResilientConnection): Promise<() => Promise<boolean>> {
  const newest = await newestVersion();
  const ask = async (sql: Sql) => {
    const [row] = await sql<{ version: string; writes: boolean }[]>`
      select private.schema_version() as version, current_setting('transaction_read_only') = 'off' as writes`;
    if (!row?.writes) throw new ReadOnly();
    return row.version >= newest;
  };
  // All who ask while the question is under way have one answer.
  let asked: Promise<boolean> | undefined;
  return () =>
    (asked ??= intake
      .query(ask, 2_000)
      .catch(() => false)
      .finally(() => {
        asked = undefined;
      }));
}

class ReadOnly extends Error {}

// In any other encoding the database refuses names that people have, and counts letters wrongly.
async function refuseOtherLetters(sql: Sql): Promise<void> {
  const [server] = await sql<{ letters: string }[]>`select current_setting('server_encoding') as letters`;
  if (server?.letters === "UTF8") return;
  throw new DatabaseRefusal(
    `The database keeps texts as ${server?.letters}, which has no letters for many names. Make one with: create database leads encoding 'UTF8' template template0`,
  );
}

// SQLSTATE classes that no waiting mends: 28 is the login, 3D the database's name, 42 a missing right, 0A too old.
function refuseWhatStays(error: unknown): void {
  const code = codeOf(error);
  if (/^28/.test(code))
    throw refusal("does not let us in. Check the user and the password in DATABASE_URL.", error);
  if (/^3D/.test(code))
    throw refusal("has no database of that name. Create it, or mend DATABASE_URL.", error);
  if (/^(42|0A)/.test(code)) {
    throw refusal(
      `refuses what the set-up needs (${code}). DATABASE_URL must name the database's owner, with CREATEROLE.`,
      error,
    );
  }
}

const refusal = (why: string, cause: unknown) =>
  new DatabaseRefusal(`The PostgreSQL server ${why}`, { cause });
