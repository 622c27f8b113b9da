// Brings a database up to the schema in supabase/migrations, in one transaction: all of it or none. The ledger
// is the one the Supabase CLI keeps, so that either may go on where the other stopped.
import { readdir, readFile } from "node:fs/promises";
import type postgres from "postgres";
import type { Sql } from "./connect.ts";
import { transaction } from "./transaction.ts";

const folder = new URL("../supabase/migrations/", import.meta.url);

/** Any number does; all processes that migrate must take the same one. */
const lock = 2_026_112_100;

/** A migration on disk. `version` is the digits its file name starts with. */
interface Migration {
  version: string;
  name: string;
  text: string;
}

/** A database that cannot be migrated; the message says why and what to do. */
export class MigrationError extends Error {
  override name = "MigrationError";
}

/**
 * Applies what is missing, in order, and returns the names of what was applied. Processes that do it at the same time
 * wait for each other. @throws MigrationError when the server is too old or an applied migration was edited since.
 */
export async function migrate(sql: Sql): Promise<string[]> {
  const migrations = await readMigrations();
  return transaction(sql, async (tx) => {
    await refuseOldServer(tx);
    // Who waits longer is told so in the log, and tries again.
    await tx`set local lock_timeout = '10s'`;
    await tx`select pg_advisory_xact_lock(${lock})`;
    await tx.unsafe(
      `create schema if not exists supabase_migrations;
       create table if not exists supabase_migrations.schema_migrations (
         version text primary key, statements text[], name text
       )`,
    );
    const applied = await tx<{ version: string; text: string | null }[]>`
      select version, case when cardinality(statements) = 1 then statements[1] end as text
      from supabase_migrations.schema_migrations`;
    const missing = missingAfter(migrations, applied);
    for (const { version, name, text } of missing) {
      await tx.unsafe(text);
      await tx`
        insert into supabase_migrations.schema_migrations (version, name, statements)
        values (${version}, ${name}, array[${text}])`;
    }
    return missing.map(({ version, name }) => `${version}_${name}`);
  });
}

/** The version of the newest migration on disk; a database is current when it says the same. */
export async function newestVersion(): Promise<string> {
  return (await readMigrations()).at(-1)?.version ?? "";
}

async function readMigrations(): Promise<Migration[]> {
  const files = (await readdir(folder)).filter((file) => file.endsWith(".sql")).sort();
  return Promise.all(
    files.map(async (file) => {
      const [, version = "", name = ""] = /^(\d+)_(.+)\.sql$/.exec(file) ?? [];
      return { version, name, text: await readFile(new URL(file, folder), "utf8") };
    }),
  );
}

async function refuseOldServer(sql: postgres.TransactionSql): Promise<void> {
  const [server] = await sql<{ version: number }[]>`
    select current_setting('server_version_num')::int as version`;
  if (server && server.version < 140_000) {
    throw new MigrationError(
      `This needs PostgreSQL 14 or newer; the server is version ${Math.floor(server.version / 10_000)}.`,
    );
  }
}

// The CLI stores a migration statement by statement, ours is stored whole: only a whole one can be compared.
function missingAfter(
  migrations: Migration[],
  applied: readonly { version: string; text: string | null }[],
): Migration[] {
  const texts = new Map(applied.map(({ version, text }) => [version, text]));
  const edited = migrations.find(({ version, text }) => (texts.get(version) ?? text) !== text);
  if (edited) {
    throw new MigrationError(
      `The migration ${edited.version}_${edited.name} was edited after it ran here. ` +
        "Put it back as it was, and write what is to change as a new migration.",
    );
  }
  return migrations.filter(({ version }) => !texts.has(version));
}
