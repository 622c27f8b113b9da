// `npm run inbox`: the team's inbox alone, beside a database or a server that runs with INBOX=off. It needs DATABASE_URL, or
// INBOX_DATABASE_URL for a process that may hold no other login, or the embedded database of a server that runs.
import type { Config } from "../config/config.ts";
import { completeProvider } from "../content/provider.ts";
import { connect, type Sql } from "../database/connect.ts";
import { findRunning } from "../database/embedded.ts";
import { prepare, requireUsableSchema } from "../database/prepare.ts";
import { openRoleLogins, roleAddress } from "../database/role-logins.ts";
import { startInbox } from "../inbox/start.ts";
import { syncInboxSettings } from "../inbox/sync-settings.ts";
import { startCommand } from "../log/installation.ts";
import type { Log } from "../log/log.ts";
import { type Program, runProgram, StartError } from "./program.ts";

await runProgram(serveInbox);

async function serveInbox({ config, log, stopping, onStop }: Program): Promise<void> {
  const databaseUrl = await openDatabase(config, log, stopping);
  if (stopping.aborted) return;
  const { name, phone, callsFrom } = completeProvider(config.provider).provider;
  const provider = { name, phone, calls_from: callsFrom };
  const { inbox: settings, standbyUrl } = config;
  const inbox = await startInbox({ settings, databaseUrl, standbyUrl, provider, log });
  onStop(inbox.stop);
}

/** Prepares the database when this process holds the owner's address, and returns the inbox's own. */
async function openDatabase(config: Config, log: Log, stopping: AbortSignal): Promise<string> {
  const { databaseUrl, inboxDatabaseUrl, dataDir, inbox } = config;
  if (inboxDatabaseUrl && !databaseUrl) {
    await requireUsableSchema({ role: "leads_team", address: inboxDatabaseUrl }, log, stopping);
    return inboxDatabaseUrl;
  }
  const owner = databaseUrl ?? (await findRunning({ dataDir }));
  if (!owner) {
    throw new StartError(
      `There is no database for the inbox. Set DATABASE_URL, or start the server first: ${startCommand}`,
    );
  }
  const open = () => connect(owner, { max: 1, name: "leads set-up" });
  const setUp = async (sql: Sql) => {
    await syncInboxSettings(sql, inbox);
    // A login that the operator has made keeps the operator's password.
    await openRoleLogins(sql, owner, inboxDatabaseUrl ? [] : ["leads_team"]);
  };
  await prepare(open, setUp, log, stopping);
  return inboxDatabaseUrl ?? roleAddress(owner, "leads_team");
}
