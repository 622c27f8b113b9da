// Brings a database up to the schema in supabase/migrations, in one transaction: all of it or none. The ledger is the one
// that the Supabase CLI keeps, so that either may go on where the other stopped.
import { readdir, readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type postgres from "postgres";
import { codeOf } from "../log/log.ts";
import type { Sql } from "./connect.ts";
import { transaction } from "./transaction.ts";

const folder = new URL("../supabase/migrations/", import.meta.url);

/** The key of the advisory lock of a program that sets up the database. The number is arbitrary, but the same for all of them. */
const setUpLock = 2_026_112_100;

/** Makes this transaction wait until no other one sets up the database, because several programs may start at once. */
export async function lockSetUp(tx: postgres.TransactionSql): Promise<void> {
  // Whoever waits longer fails here; a server that starts tries again (prepare.ts).
  await tx`set local lock_timeout = '10s'`;
  await tx`select pg_advisory_xact_lock(${setUpLock})`;
}

/**
 * A migration on disk. `version` is the digits its file name starts with: a day, and a number below 100 where the Supabase CLI puts the
 * time of day. That tells our migrations from those that a project has of its own in the same ledger.
 */
interface Migration {
  version: string;
  name: string;
  text: string;
}

/** Stands in a migration that breaks older programs. A program without that migration refuses the database (private.required_version). */
const breaksOlder = "-- Older programs do not work on these tables.";

/** A database that cannot be migrated; the message says why and what to do. */
export class MigrationError extends Error {
  override name = "MigrationError";
}

/**
 * Applies what is missing, in order, and returns the names of what was applied; with `upTo` nothing newer than that version. (Versions
 * begin with the year, so "9" comes after all of them.)
 * Processes that do it at the same time wait for each other, for ten seconds. @throws MigrationError when the server is too old, an applied
 * migration was edited since, or a newer release has changed the tables so that this one does not work on them.
 */
export async function migrate(sql: Sql, { upTo = "9" }: { upTo?: string } = {}): Promise<string[]> {
  const known = await readMigrations();
  const migrations = known.filter(({ version }) => version <= upTo);
  return transaction(sql, async (tx) => {
    await refuseOldServer(tx);
    await lockSetUp(tx);
    await makeLedger(tx);
    const applied = await tx<Applied[]>`
      select version, coalesce(array_to_json(statements), '[]')::text as statements
      from supabase_migrations.schema_migrations order by version desc`;
    refuseNewer(known, applied);
    refuseEdited(migrations, applied);
    const missing = notYetApplied(migrations, applied);
    for (const { version, name, text } of missing) {
      await tx.unsafe(text);
      await tx`
        insert into supabase_migrations.schema_migrations (version, name, statements)
        values (${version}, ${name}, array[${text}])`;
    }
    return missing.map(({ version, name }) => `${version}_${name}`);
  });
}

/** Why a program does not work on tables that a newer release has changed, and what to do. */
export const newerTablesMessage = (required: string, known: string): string =>
  `A newer release has changed the tables (migration ${required}) so that this release, of version ${known}, does not work on them. Put the newer release in force again, or restore a backup from before it.`;

/** The version of the newest migration on disk; a database is current when it says the same. */
export async function newestVersion(): Promise<string> {
  return (await readMigrations()).at(-1)?.version ?? "";
}

/**
 * The version of our newest migration that was applied to a database. It is read from the ledger, because older tables do not have
 * private.schema_version, which says the same. "" where the ledger has none of ours. @throws the database's error where there is no ledger.
 */
export async function schemaVersion(sql: Sql | postgres.TransactionSql): Promise<string> {
  const [newest] = await sql<{ version: string | null }[]>`
    select max(version) as version from supabase_migrations.schema_migrations where version ~ '^[0-9]{8}0000[0-9]{2}$'`;
  return newest?.version ?? "";
}

/** The schema whose functions say of which version the tables are; each role may use one of these. */
export type VersionSchema = "private" | "team";

/** The oldest version that a program must know to work on a database. @throws the database's error where it has no leads tables. */
export async function requiredVersion(sql: Sql, schema: VersionSchema = "private"): Promise<string> {
  const [row] = await sql<{ version: string }[]>`select ${sql(schema)}.required_version() as version`;
  return row?.version ?? "";
}

/** @throws MigrationError where the files cannot be read, because the system's error would count as trouble of the database. */
async function readMigrations(): Promise<Migration[]> {
  try {
    const files = (await readdir(folder)).filter((file) => file.endsWith(".sql")).sort();
    return await Promise.all(files.map(readMigration));
  } catch (cause) {
    throw new MigrationError(
      `The migrations in ${fileURLToPath(folder)} cannot be read (${codeOf(cause)}). Install this program again.`,
      { cause },
    );
  }
}

async function readMigration(file: string): Promise<Migration> {
  const [, version = "", name = ""] = /^(\d+)_(.+)\.sql$/.exec(file) ?? [];
  return { version, name, text: await readFile(new URL(file, folder), "utf8") };
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

/** Makes the ledger where there is none, and completes one of an older CLI, which kept the versions alone. */
async function makeLedger(tx: postgres.TransactionSql): Promise<void> {
  await tx.unsafe(
    `create schema if not exists supabase_migrations;
     create table if not exists supabase_migrations.schema_migrations (
       version text primary key, statements text[], name text
     )`,
  );
  const columns = await tx`
    select from pg_attribute
    where attrelid = 'supabase_migrations.schema_migrations'::regclass and attname in ('statements', 'name')`;
  // Asked first, because the change locks out readers even where it changes nothing.
  if (columns.length === 2) return;
  await tx`
    alter table supabase_migrations.schema_migrations
      add column if not exists statements text[], add column if not exists name text`;
}

/** A row of the ledger; `statements` is a JSON array, empty where the ledger keeps the version alone. */
interface Applied {
  version: string;
  statements: string;
}

function refuseNewer(known: readonly Migration[], applied: readonly Applied[]): void {
  const newest = known.at(-1)?.version ?? "";
  const breaking = applied.find(
    ({ version, statements }) =>
      version > newest && (JSON.parse(statements) as string[]).some((text) => text.includes(breaksOlder)),
  );
  if (breaking) throw new MigrationError(newerTablesMessage(breaking.version, newest));
}

function notYetApplied(migrations: Migration[], applied: readonly Applied[]): Migration[] {
  const versions = new Set(applied.map(({ version }) => version));
  return migrations.filter(({ version }) => !versions.has(version));
}

function refuseEdited(migrations: Migration[], applied: readonly Applied[]): void {
  const ledger = new Map(applied.map(({ version, statements }) => [version, statements]));
  const edited = migrations.find(({ version, text }) => {
    const statements = JSON.parse(ledger.get(version) ?? "[]") as string[];
    return statements.length > 0 && !consistsOf(text, statements);
  });
  if (edited) {
    throw new MigrationError(
      `The migration ${edited.version}_${edited.name} was edited after it ran here. ` +
        "Put it back as it was, and write what is to change as a new migration.",
    );
  }
}

/**
 * Whether a text is these statements and nothing else. We store a migration as one statement, whole; the CLI stores it
 * statement by statement, without the semicolons and blanks between them.
 */
function consistsOf(text: string, statements: readonly string[]): boolean {
  const whole = unixLines(text);
  let at = 0;
  for (const statement of statements.map(unixLines)) {
    const found = whole.indexOf(statement, at);
    if (found < 0 || !isSeparator(whole.slice(at, found))) return false;
    at = found + statement.length;
  }
  return isSeparator(whole.slice(at));
}

const unixLines = (text: string) => text.replaceAll("\r\n", "\n");

const isSeparator = (text: string) => /^[\s;]*$/.test(text);
