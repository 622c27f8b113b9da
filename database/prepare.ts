// Prepares a database for leads: brings the schema up to date and sets up what else a lead needs. A server that is
// unreachable is tried again, because the article can be read meanwhile; an error that does not pass by waiting stops the start.
import { setTimeout as wait } from "node:timers/promises";
import { codeOf, type Log } from "../log/log.ts";
import { closePublic } from "./close-public.ts";
import { connect, type Sql } from "./connect.ts";
import { type LoginRole, loginSettings } from "./login-settings.ts";
import {
  migrate,
  newerTablesMessage,
  newestVersion,
  requiredVersion,
  type VersionSchema,
} from "./migrate.ts";
import type { ResilientConnection } from "./resilient-connection.ts";
import { withTimeout } from "./timeout.ts";
import { isDatabaseTrouble } from "./trouble.ts";

/** The database refuses the set-up, and waiting would not help; the message says what to change. */
export class DatabaseRefusal extends Error {
  override name = "DatabaseRefusal";
}

/** Milliseconds within which a server has to answer for the first time. */
const firstAnswer = 10_000;

/** Milliseconds between two attempts. */
const pause = 1_000;

/**
 * Prepares the owner's database, and tries again each second while it is unreachable: the schema first, then `setUp`,
 * which does what else the first lead needs. `open` opens the owner's pool, anew for each attempt, because postgres.js mixes
 * up the results of a connection that was lost. Returns early when `signal` aborts.
 * @throws MigrationError, DatabaseRefusal when the login, the database's name, the encoding or the owner's rights are wrong, and any
 * error that is no trouble of the database, because that is a bug.
 */
export async function prepare(
  open: () => Sql,
  setUp: (sql: Sql) => Promise<void>,
  log: Log,
  signal: AbortSignal,
): Promise<void> {
  const work = async (sql: Sql) => {
    // A proxy may take connections and drop them; postgres.js then goes on connecting and reports nothing.
    await withTimeout(firstAnswer, requireClosedPublic(sql));
    await requireUtf8(sql);
    for (const name of await migrate(sql)) log("migrated", { name });
    await setUp(sql);
  };
  await untilReachable(open, work, "DATABASE_URL", log, signal);
}

/**
 * Waits until the database can be reached with a role's login, and checks the version of its schema.
 * @throws DatabaseRefusal when the schema is older than this program, because only the owner may migrate it, or when a newer release
 * has changed the schema so that this program does not work on it.
 */
export async function requireUsableSchema(
  login: { role: "leads_delivery" | "leads_team"; address: string },
  log: Log,
  signal: AbortSignal,
): Promise<void> {
  const newest = await newestVersion();
  const schema = login.role === "leads_team" ? "team" : "private";
  const open = () => connect(login.address, { max: 1, name: "leads set-up" });
  const work = async (sql: Sql) => {
    const version = await withTimeout(firstAnswer, schemaVersion(sql, schema));
    if (version === undefined || version < newest) {
      throw new DatabaseRefusal(
        `The tables of the database are of version ${version ?? "none"}, and this program needs ${newest}. Start it once with DATABASE_URL, the owner's address, which brings them up to date.`,
      );
    }
    const required = await requiredVersion(sql, schema);
    if (required > newest) throw new DatabaseRefusal(newerTablesMessage(required, newest));
  };
  await untilReachable(open, work, loginSettings[login.role], log, signal, login.role);
}

async function schemaVersion(sql: Sql, schema: VersionSchema): Promise<string | undefined> {
  const [found] = await sql<{ found: boolean }[]>`
    select to_regprocedure(${`${schema}.schema_version()`}) is not null as found
    where to_regnamespace(${schema}) is not null`;
  if (!found?.found) return undefined;
  const [row] = await sql<{ version: string }[]>`select ${sql(schema)}.schema_version() as version`;
  return row?.version;
}

/** Does the work on a pool that is opened anew for each attempt, each second while the database is unreachable. */
async function untilReachable(
  open: () => Sql,
  work: (sql: Sql) => Promise<void>,
  setting: string,
  log: Log,
  signal: AbortSignal,
  role?: LoginRole,
): Promise<void> {
  for (let attempts = 0; !signal.aborted; attempts += 1) {
    const sql = open();
    try {
      await work(sql);
      if (attempts > 0) log("database-ready");
      return;
    } catch (error) {
      if (signal.aborted) return;
      const refusal = refusalOf(error, setting, role);
      if (refusal) throw refusal;
      if (!isDatabaseTrouble(error)) throw error;
      if (attempts === 0) log("database-unreachable", { code: codeOf(error) });
    } finally {
      await sql.end({ timeout: 1 });
    }
    await wait(pause, undefined, { signal }).catch(() => {});
  }
}

/** @throws DatabaseRefusal */
async function requireClosedPublic(sql: Sql): Promise<void> {
  if (await closePublic(sql)) return;
  throw new DatabaseRefusal(
    "Everybody may make functions in the schema public of this database, and the owner would run them. Type there as a superuser, and start again: revoke create on schema public from public;",
  );
}

/** In another encoding the database refuses names that people have, and counts characters wrongly. @throws DatabaseRefusal */
export async function requireUtf8(sql: Sql): Promise<void> {
  const [server] = await sql<{ encoding: string }[]>`select current_setting('server_encoding') as encoding`;
  if (server?.encoding === "UTF8") return;
  throw new DatabaseRefusal(
    `The database keeps texts as ${server?.encoding}, which has no characters for many names. Make one with: create database leads encoding 'UTF8' locale 'C.UTF-8' template template0`,
  );
}

/**
 * What an operator can change, by SQLSTATE; undefined for any other error. Anything else of class 42 is a mistake in our SQL, and
 * stays visible as a bug. `setting` is what names the address, and `role` whose login it is, unset for the owner's.
 */
export function refusalOf(error: unknown, setting: string, role?: LoginRole): DatabaseRefusal | undefined {
  if (error instanceof DatabaseRefusal) return error;
  const code = codeOf(error);
  if (code === "28P01")
    return refusal(`does not let us in. Check the user and the password in ${setting}.`, error);
  if (code.startsWith("28"))
    return refusal(
      `does not let us in (${code}). Check the user in ${setting}, and whether the server takes connections from here and without TLS (pg_hba.conf).`,
      error,
    );
  if (code.startsWith("0A"))
    return refusal(`lacks a feature that the leads need (${code}). Use PostgreSQL 14 or newer.`, error);
  if (code === "3D000")
    return refusal(`has no database of that name. Create it, or correct ${setting}.`, error);
  if (code === "42501")
    return refusal(
      role
        ? `refuses what this program needs (${code}). ${setting} must name a login that is a member of ${role}.`
        : `refuses what the set-up needs (${code}). ${setting} must name the database's owner, with CREATEROLE.`,
      error,
    );
  // A parameter that stands after the question mark of the address. PostgreSQL's message holds only its name, which is no secret.
  if (code === "42704" && error instanceof Error && error.message.startsWith("unrecognized configuration"))
    return refusal(
      `does not know a parameter in ${setting} (${error.message}). Take it out; a certificate's authority is named in NODE_EXTRA_CA_CERTS.`,
      error,
    );
  if (/^(42P06|42P07|42710|42723)$/.test(code))
    return refusal(
      `has something else under a name that the leads need (${code}). Name an empty database in ${setting}.`,
      error,
    );
  return undefined;
}

const refusal = (reason: string, cause: unknown) =>
  new DatabaseRefusal(`The PostgreSQL server ${reason}`, { cause });

/**
 * Makes the check behind `/readyz`, with the intake's login: whether the database answers within two seconds, takes
 * writes and has a schema that this program works on. The check never rejects.
 */
export async function makeIsReady(intake: ResilientConnection): Promise<() => Promise<boolean>> {
  const newest = await newestVersion();
  const check = async (sql: Sql) => {
    const [row] = await sql<{ version: string; required: string; writes: boolean }[]>`
      select private.schema_version() as version, private.required_version() as required,
        current_setting('transaction_read_only') = 'off' as writes`;
    if (!row?.writes) throw new ReadOnlyDatabase();
    return row.version >= newest && row.required <= newest;
  };
  // Requests that come while a check is under way share its answer.
  let underWay: Promise<boolean> | undefined;
  return () =>
    (underWay ??= intake
      .query(check, 2_000)
      .catch(() => false)
      .finally(() => {
        underWay = undefined;
      }));
}

/** The database takes no writes. It carries PostgreSQL's own code, because the resilient connection then reconnects. */
class ReadOnlyDatabase extends Error {
  code = "25006";
}
