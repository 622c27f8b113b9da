// The entry point of `npm run deliver`: the delivery alone, for a web process that delivers nothing (DELIVERY=off) and so holds
// no login that reads a lead. It needs DATABASE_URL, DELIVERY_DATABASE_URL, or the embedded database of a server that runs.
import { type Config, ConfigError, readConfig } from "../config/config.ts";
import { ContentError } from "../content/languages.ts";
import { permissionNotices } from "../content/permission.ts";
import { connect, type Sql } from "../database/connect.ts";
import { findRunning } from "../database/embedded.ts";
import { MigrationError } from "../database/migrate.ts";
import { DatabaseRefusal, prepare, requireNewestSchema } from "../database/prepare.ts";
import { openRoleLogins } from "../database/role-logins.ts";
import { composeDelivery, type RunningDelivery } from "../delivery/compose.ts";
import { makeLog } from "../log/log.ts";
import { EmbeddedPostgresError } from "../packages/embedded-postgres/error.ts";

/** A start that cannot go on; the message is for the person who typed `npm run deliver`. */
class StartError extends Error {
  override name = "StartError";
}

const write = (line: string) => process.stdout.write(line);
let log = makeLog(write);
// The reader of the log may leave; the leads do not wait for one.
process.stdout.on("error", () => {});
process.stderr.on("error", () => {});
const stopping = new AbortController();
let running: RunningDelivery | undefined;

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, stop);
try {
  const config = readConfig(process.env);
  log = makeLog(write, { format: config.logFormat });
  await deliver(config);
} catch (error) {
  const forTheOperator = [
    ConfigError,
    ContentError,
    StartError,
    EmbeddedPostgresError,
    MigrationError,
    DatabaseRefusal,
  ];
  const isForTheOperator = forTheOperator.some((kind) => error instanceof kind);
  process.stderr.write(`${isForTheOperator ? (error as Error).message : (error as Error).stack}\n`);
  process.exitCode = 1;
}

async function deliver(given: Config): Promise<void> {
  // DELIVERY=off in a shared .env is for the web process.
  const config = { ...given, delivery: { ...given.delivery, on: true } };
  const delivery = composeDelivery({ config, notices: permissionNotices(config), log });
  const owner = await findOwner(config);
  if (owner) {
    const setUp = async (sql: Sql) => {
      await delivery.sync(sql);
      if (!config.deliveryDatabaseUrl) await openRoleLogins(sql, owner, ["leads_delivery"]);
    };
    await prepare(() => connect(owner, { max: 1, name: "leads set-up" }), setUp, log, stopping.signal);
  } else {
    const address = config.deliveryDatabaseUrl ?? "";
    const open = () => connect(address, { max: 1, name: "leads set-up" });
    await requireNewestSchema(open, "DELIVERY_DATABASE_URL", log, stopping.signal);
  }
  if (!stopping.signal.aborted) running = delivery.start(owner);
}

/** The owner's address, or nothing where DELIVERY_DATABASE_URL alone is given. */
async function findOwner({ databaseUrl, deliveryDatabaseUrl, dataDir }: Config): Promise<string | undefined> {
  if (databaseUrl || deliveryDatabaseUrl) return databaseUrl;
  const embedded = await findRunning({ dataDir });
  if (embedded) return embedded;
  throw new StartError(
    "There is no database to deliver from. Set DATABASE_URL, or start the server first: npm start",
  );
}

async function stop(): Promise<never> {
  if (stopping.signal.aborted) process.exit(130);
  process.once("SIGINT", () => process.exit(130));
  log("stopping");
  stopping.abort();
  await running?.stop();
  log("stopped");
  process.exit(0);
}
