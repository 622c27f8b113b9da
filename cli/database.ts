// Finds the database for the command: the one that DATABASE_URL names, the embedded one that a server is running, or the embedded
// one that is stopped, which is started for this command. Only `restore` creates one, because with any other command an empty
// result would hide a wrong DATA_DIR.
import type { Config } from "../config/config.ts";
import type { Sql } from "../database/connect.ts";
import { findDataFolder, findRunning, hasEmbedded, startEmbedded } from "../database/embedded.ts";
import { migrate, newerTables, newestVersion, requiredVersion, schemaVersion } from "../database/migrate.ts";
import { startCommand } from "../log/installation.ts";
import { codeOf } from "../log/log.ts";
import { Refusal } from "../team/refusal.ts";

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
  tell: (text: string) => void,
  make: boolean,
): Promise<OpenDatabase> {
  const running = databaseUrl ?? (await findRunning({ dataDir }));
  if (running !== undefined) return { url: running, close: async () => {} };
  const { path } = findDataFolder(dataDir);
  if (hasEmbedded(dataDir)) tell("The server is not running; its database is started for this command.");
  else if (make) tell(`There is no database in ${path} yet; it is made for this command.`);
  else {
    throw new Refusal(
      `There is no database in ${path} yet. Start the server once with: ${startCommand}\nIf the leads are elsewhere, set DATA_DIR or DATABASE_URL.`,
    );
  }
  const { url, stop } = await startEmbedded({ dataDir, log: () => {} });
  return { url, close: stop };
}

/**
 * With `make`, a database without tables gets them.
 * @throws Refusal when the database does not answer, or has not the tables that this program knows.
 */
export async function requireSchema(sql: Sql, make: boolean): Promise<void> {
  const wanted = await newestVersion();
  const found = await versionOf(sql);
  if (found !== undefined && found >= wanted) {
    // A newer release adds to the tables, and takes nothing away that this one needs, unless it says so (decision 092).
    const required = await requiredVersion(sql);
    if (required > wanted) throw new Refusal(newerTables(required, wanted));
    return;
  }
  if (found === undefined && make) return void (await migrate(sql));
  throw new Refusal(
    found === undefined
      ? `This database has no leads tables yet. Start the server once on it with: ${startCommand}`
      : `This database has version ${found} of the tables and this program needs ${wanted}. Start the server once with: ${startCommand}`,
  );
}

async function versionOf(sql: Sql): Promise<string | undefined> {
  try {
    return (await schemaVersion(sql)) || undefined;
  } catch (cause) {
    const code = codeOf(cause);
    if (code === "42P01" || code === "3F000") return undefined;
    throw new Refusal(
      code === "3D000"
        ? "The PostgreSQL server has no database of that name. Make one with: create database leads encoding 'UTF8' template template0"
        : `The database does not answer as it should (${code}). Look at DATABASE_URL, and whether it runs.`,
      { cause },
    );
  }
}
