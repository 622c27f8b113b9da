// Finds the database for the command: the one that DATABASE_URL names, the embedded one that a server is running, or the embedded
// one that is stopped, which is started for this command. Only `restore` creates one, because with any other command an empty
// result would hide a wrong DATA_DIR.
import { setTimeout as wait } from "node:timers/promises";
import type { Config } from "../config/config.ts";
import { connect, type Sql } from "../database/connect.ts";
import {
  FolderInUse,
  findDataFolder,
  findRunning,
  hasEmbedded,
  startEmbedded,
} from "../database/embedded.ts";
import {
  migrate,
  newerTablesMessage,
  newestVersion,
  requiredVersion,
  schemaVersion,
} from "../database/migrate.ts";
import { refusalOf, requireUtf8 } from "../database/prepare.ts";
import { isDatabaseTrouble } from "../database/trouble.ts";
import { startCommand } from "../log/installation.ts";
import { codeOf } from "../log/log.ts";
import { Refusal } from "../team/refusal.ts";
import type { CommandContext } from "./command.ts";

/** The person who typed the command: they are told what is done, and may break it off. */
type Person = Pick<CommandContext, "tell" | "signal">;

export interface OpenDatabase {
  url: string;
  close(): Promise<void>;
}

/**
 * With `make`, an embedded database that is not there yet is made.
 * @throws Refusal when there is no database yet, and the embedded one's own error when it cannot be started.
 */
export async function openDatabase(
  { databaseUrl, dataDir }: Pick<Config, "databaseUrl" | "dataDir">,
  person: Person,
  make: boolean,
  timeout = startTimeout,
): Promise<OpenDatabase> {
  if (databaseUrl !== undefined) return { url: databaseUrl, close: async () => {} };
  const running = await joinRunning(dataDir);
  if (running) return running;
  const { path } = findDataFolder(dataDir);
  const isThere = hasEmbedded(dataDir);
  if (!isThere && !make) {
    throw new Refusal(
      `There is no database in ${path} yet. Start the server once with: ${startCommand}\nIf the leads are elsewhere, set DATA_DIR or DATABASE_URL.`,
    );
  }
  const startedMessage = isThere
    ? "The server is not running; its database was started for this command, and the server cannot start until it has ended."
    : `There was no database in ${path} yet; it was made for this command.`;
  return startOrJoin(dataDir, person, { startedMessage, timeout });
}

/** How long another process may take to start or to stop the database; recovering from a crash takes a while. In milliseconds. */
const startTimeout = 60_000;

/**
 * Starts the database and tells `startedMessage`, or joins the process that has just started it.
 * @throws Refusal when another process has the data folder for `timeout` milliseconds, and its database does not answer; and another error
 * when the person breaks it off.
 */
async function startOrJoin(
  dataDir: string | undefined,
  { tell, signal }: Person,
  { startedMessage, timeout }: { startedMessage: string; timeout: number },
): Promise<OpenDatabase> {
  for (const deadline = performance.now() + timeout; ; await wait(250, undefined, { signal })) {
    try {
      const { url, stop } = await startEmbedded({ dataDir, log: () => {}, cancel: signal });
      tell(startedMessage);
      return { url, close: () => stopUnused(url, stop, tell) };
    } catch (error) {
      if (!(error instanceof FolderInUse)) throw error;
    }
    const running = await joinRunning(dataDir);
    if (running) return running;
    if (performance.now() > deadline) throw new Refusal(silentDatabase(findDataFolder(dataDir).path));
  }
}

const silentDatabase = (path: string) =>
  `A server, or another command, has the data folder ${path} open, and its database does not answer. Unless an upgrade of PostgreSQL is at work there, see what the server logs, and whether the disk is full.`;

/** The advisory lock of the commands on an embedded database: shared while one works, exclusive while PostgreSQL is being stopped. */
const commandLock = 1_279_607_108;

/** Joins the server that runs, and keeps a command that started it from stopping it meanwhile. Undefined where none runs or it stops. */
async function joinRunning(dataDir: string | undefined): Promise<OpenDatabase | undefined> {
  const url = await findRunning({ dataDir });
  if (url === undefined) return undefined;
  const hold = connect(url, { max: 1, name: "leads command", keepsConnections: true });
  try {
    await hold`select pg_advisory_lock_shared(${commandLock}::bigint)`;
    await requireNotStopping(url);
    return { url, close: () => hold.end({ timeout: 1 }) };
  } catch (error) {
    await hold.end({ timeout: 0 });
    if (!isDatabaseTrouble(error)) throw error;
    return undefined;
  }
}

/**
 * A PostgreSQL that shuts down ends its sessions one by one. If it ends that of the stopping command first, our lock is granted although
 * PostgreSQL is going down. It takes no new session then, so one that opens shows that it stays. @throws the error of the connection otherwise.
 */
async function requireNotStopping(url: string): Promise<void> {
  const sql = connect(url, { max: 1, name: "leads command that joins" });
  try {
    await sql`select`;
  } finally {
    await sql.end({ timeout: 0 });
  }
}

/** Stops a database that was started for one command, once no other command works on it. */
export async function stopUnused(
  url: string,
  stop: () => Promise<void>,
  tell: (text: string) => void,
): Promise<void> {
  const sql = connect(url, { max: 1, name: "leads command that stops" });
  try {
    for (let isTold = false; !(await tryToLockOut(sql)); isTold = true) {
      if (!isTold)
        tell("Another command uses the database. This one waits for it, and then stops the database.");
      await wait(250);
    }
  } catch (error) {
    // A database that does not answer any more has nobody who works on it.
    if (!isDatabaseTrouble(error)) throw error;
  } finally {
    // The lock is held until the server is gone.
    await stop();
    await sql.end({ timeout: 0 });
  }
}

/** If no command is at work, locks out those that come from now on: they wait until the server is stopped, and start it again. */
async function tryToLockOut(sql: Sql): Promise<boolean> {
  const [lock] = await sql<
    { is_free: boolean }[]
  >`select pg_try_advisory_lock(${commandLock}::bigint) as is_free`;
  return lock?.is_free ?? false;
}

/**
 * With `make`, a database without tables gets them.
 * @throws Refusal when the database does not answer, or lacks the tables that this program needs.
 */
export async function requireSchema(sql: Sql, make: boolean): Promise<void> {
  const wanted = await newestVersion();
  const found = await versionOf(sql);
  if (found !== undefined && found >= wanted) {
    // A newer release adds to the tables, and takes nothing away that this one needs, unless it says so (decision 092).
    const required = await requiredVersion(sql);
    if (required > wanted) throw new Refusal(newerTablesMessage(required, wanted));
    return;
  }
  if (found === undefined && make) return makeTables(sql);
  throw new Refusal(
    found === undefined
      ? `This database has no leads tables yet. Start the server once on it with: ${startCommand}`
      : `This database has version ${found} of the tables and this program needs ${wanted}. Start the server once with: ${startCommand}`,
  );
}

/** Makes the tables. @throws DatabaseRefusal where a start of the server would refuse the database as well. */
async function makeTables(sql: Sql): Promise<void> {
  try {
    await requireUtf8(sql);
    await migrate(sql);
  } catch (error) {
    throw refusalOf(error, "DATABASE_URL") ?? error;
  }
}

async function versionOf(sql: Sql): Promise<string | undefined> {
  try {
    return (await schemaVersion(sql)) || undefined;
  } catch (cause) {
    const code = codeOf(cause);
    // There is no such table, or no such schema.
    if (code === "42P01" || code === "3F000") return undefined;
    throw (
      refusalOf(cause, "DATABASE_URL") ??
      new Refusal(
        `The database does not answer as it should (${code}). Look at DATABASE_URL, and whether it runs.`,
        {
          cause,
        },
      )
    );
  }
}
