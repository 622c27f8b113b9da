// The door of `npm run deliver`: the delivery alone, for a web process that delivers nothing (DELIVERY=off) and so holds
// no credential that reads a lead. It needs DATABASE_URL, or the embedded database of a server that runs.
import { type Config, ConfigError, readConfig } from "./config.ts";
import { permissionNotice } from "./content/permission.ts";
import { completeProvider } from "./content/provider.ts";
import { connect } from "./database/connect.ts";
import { EmbeddedDatabaseError, findRunning } from "./database/embedded.ts";
import { migrate } from "./database/migrate.ts";
import { makePatient } from "./database/patience.ts";
import { startDelivery } from "./delivery/deliver.ts";
import { makeLog } from "./log.ts";

/** A start that cannot go on; the message is for the person who typed `npm run deliver`. */
class StartError extends Error {
  override name = "StartError";
}

const log = makeLog((line) => process.stdout.write(line));

try {
  await deliver(readConfig(process.env));
} catch (error) {
  const isSpoken = [ConfigError, StartError, EmbeddedDatabaseError].some((kind) => error instanceof kind);
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
  const database = makePatient(() => connect(address, { max: 3, name: "leads delivery" }), log);
  const notice = permissionNotice(completeProvider(config.provider).provider);
  const worker = startDelivery({ database, settings: config.delivery, notice, log, migrate });

  const stop = async () => {
    process.once("SIGINT", () => process.exit(130));
    log("stopping");
    await worker.stop();
    await database.end();
    log("stopped");
    process.exit(0);
  };
  process.once("SIGINT", stop).once("SIGTERM", stop);
}
