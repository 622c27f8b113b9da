// The door of `npm run deliver`: the delivery alone, for a web process that delivers nothing (DELIVERY=off) and so holds
// no credential that reads a lead. It needs DATABASE_URL, or the embedded database of a server that runs.
import { type Config, ConfigError, readConfig } from "../config/config.ts";
import { ContentError } from "../content/languages.ts";
import { permissionNotices } from "../content/permission.ts";
import { connect } from "../database/connect.ts";
import { findRunning } from "../database/embedded.ts";
import { MigrationError } from "../database/migrate.ts";
import { DatabaseRefusal, prepare } from "../database/prepare.ts";
import { makeResilientConnection, type ResilientConnection } from "../database/resilient-connection.ts";
import { announce, startDelivery } from "../delivery/deliver.ts";
import type { Worker } from "../delivery/worker.ts";
import { makeLog } from "../log/log.ts";
import { EmbeddedPostgresError } from "../packages/embedded-postgres/error.ts";

/** A start that cannot go on; the message is for the person who typed `npm run deliver`. */
class StartError extends Error {
  override name = "StartError";
}

const write = (line: string) => process.stdout.write(line);
let log = makeLog(write);
// Whoever read the log may leave; the leads do not wait for a reader.
process.stdout.on("error", () => {});
process.stderr.on("error", () => {});
const stopping = new AbortController();
let delivery: { worker: Worker; database: ResilientConnection } | undefined;

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, stop);
try {
  const config = readConfig(process.env);
  log = makeLog(write, { format: config.logFormat });
  await deliver(config);
} catch (error) {
  const spoken = [
    ConfigError,
    ContentError,
    StartError,
    EmbeddedPostgresError,
    MigrationError,
    DatabaseRefusal,
  ];
  const isSpoken = spoken.some((kind) => error instanceof kind);
  process.stderr.write(`${isSpoken ? (error as Error).message : (error as Error).stack}\n`);
  process.exitCode = 1;
}

async function deliver(config: Config): Promise<void> {
  const address = config.databaseUrl ?? (await findRunning({ dataDir: config.dataDir }));
  if (!address) {
    throw new StartError(
      "There is no database to deliver from. Set DATABASE_URL, or start the server first: npm start",
    );
  }
  const notices = permissionNotices(config);
  const settings = config.delivery;
  const open = () => connect(address, { max: 1, name: "leads set-up" });
  await prepare(open, (sql) => announce(sql, settings, notices), log, stopping.signal);
  if (stopping.signal.aborted) return;
  const database = makeResilientConnection(() => connect(address, { max: 3, name: "leads delivery" }), log);
  delivery = { worker: startDelivery({ database, settings, notices, log }), database };
}

async function stop(): Promise<never> {
  if (stopping.signal.aborted) process.exit(130);
  process.once("SIGINT", () => process.exit(130));
  log("stopping");
  stopping.abort();
  await delivery?.worker.stop();
  await delivery?.database.end();
  log("stopped");
  process.exit(0);
}
