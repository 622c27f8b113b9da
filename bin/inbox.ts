// `npm run inbox`: the team's inbox alone, beside a database or a server that runs with INBOX=off. It needs DATABASE_URL, or
// INBOX_DATABASE_URL for a process that may hold no other login, or the embedded database of a server that runs.
import { type Config, ConfigError, readConfig } from "../config/config.ts";
import { completeProvider } from "../content/provider.ts";
import { connect, type Sql } from "../database/connect.ts";
import { findRunning } from "../database/embedded.ts";
import { MigrationError } from "../database/migrate.ts";
import { DatabaseRefusal, prepare } from "../database/prepare.ts";
import { openRoleLogins, roleAddress } from "../database/role-logins.ts";
import { startInbox, syncInboxSettings } from "../inbox/start.ts";
import { makeLog } from "../log/log.ts";
import { EmbeddedPostgresError } from "../packages/embedded-postgres/error.ts";
import { ListenError } from "../web/listen.ts";

/** A start that cannot go on; the message is for the person who typed `npm run inbox`. */
class StartError extends Error {
  override name = "StartError";
}

const write = (line: string) => process.stdout.write(line);
let log = makeLog(write);
// A closed pipe must not end the inbox.
process.stdout.on("error", () => {});
process.stderr.on("error", () => {});
const stopping = new AbortController();
let inbox: { stop(): Promise<void> } | undefined;

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, stop);
try {
  const config = readConfig(process.env);
  log = makeLog(write, { format: config.logFormat });
  await serveInbox(config);
} catch (error) {
  const spoken = [
    ConfigError,
    StartError,
    EmbeddedPostgresError,
    MigrationError,
    DatabaseRefusal,
    ListenError,
  ];
  const isSpoken = spoken.some((kind) => error instanceof kind);
  process.stderr.write(`${isSpoken ? (error as Error).message : (error as Error).stack}\n`);
  process.exit(1);
}

async function serveInbox(config: Config): Promise<void> {
  const databaseUrl = await openDatabase(config);
  if (stopping.signal.aborted) return;
  const { name, phone, callsFrom } = completeProvider(config.provider).provider;
  const provider = { name, phone, calls_from: callsFrom };
  inbox = await startInbox({ settings: config.inbox, databaseUrl, provider, log });
}

/** Prepares the database when this process holds the owner's address, and returns the inbox's own. */
async function openDatabase({ databaseUrl, inboxDatabaseUrl, dataDir, inbox }: Config): Promise<string> {
  if (inboxDatabaseUrl && !databaseUrl) return inboxDatabaseUrl;
  const owner = databaseUrl ?? (await findRunning({ dataDir }));
  if (!owner) {
    throw new StartError(
      "There is no database for the inbox. Set DATABASE_URL, or start the server first: npm start",
    );
  }
  const open = () => connect(owner, { max: 1, name: "leads set-up" });
  const setUp = async (sql: Sql) => {
    await syncInboxSettings(sql, inbox);
    // A login that the operator has made keeps the operator's password.
    if (!inboxDatabaseUrl) await openRoleLogins(sql, owner, ["leads_team"]);
  };
  await prepare(open, setUp, log, stopping.signal);
  return inboxDatabaseUrl ?? roleAddress(owner, "leads_team");
}

async function stop(): Promise<never> {
  if (stopping.signal.aborted) process.exit(130);
  process.once("SIGINT", () => process.exit(130));
  log("stopping");
  stopping.abort();
  await inbox?.stop();
  log("stopped");
  process.exit(0);
}
