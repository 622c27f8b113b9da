// The entry point of `npm run deliver`: the delivery alone. A web process beside it that has DELIVERY=off, or INTAKE_DATABASE_URL alone,
// delivers nothing. This needs DATABASE_URL, DELIVERY_DATABASE_URL, or the embedded database of a server that runs.
import type { Config } from "../config/config.ts";
import { checkExperiments } from "../content/check-experiments.ts";
import { experiments } from "../content/experiments.ts";
import { permissionNotices } from "../content/permission.ts";
import { connect, type Sql } from "../database/connect.ts";
import { findRunning } from "../database/embedded.ts";
import { prepare, requireUsableSchema } from "../database/prepare.ts";
import { openRoleLogins } from "../database/role-logins.ts";
import { composeDelivery } from "../delivery/compose.ts";
import { startCommand } from "../log/installation.ts";
import { type Program, runProgram, StartError } from "./program.ts";

await runProgram(deliver);

async function deliver({ config: given, log, stopping, onStop }: Program): Promise<void> {
  // DELIVERY=off in a shared .env is for the web process.
  const config = { ...given, delivery: { ...given.delivery, on: true } };
  const delivery = composeDelivery({
    config,
    notices: permissionNotices(config),
    experiments: checkExperiments(experiments),
    log,
  });
  const owner = await findOwner(config);
  if (owner) {
    const setUp = async (sql: Sql) => {
      await delivery.sync(sql);
      await openRoleLogins(sql, owner, config.deliveryDatabaseUrl ? [] : ["leads_delivery"]);
    };
    await prepare(() => connect(owner, { max: 1, name: "leads set-up" }), setUp, log, stopping);
  } else {
    const login = { role: "leads_delivery", address: config.deliveryDatabaseUrl ?? "" } as const;
    await requireUsableSchema(login, log, stopping);
  }
  if (stopping.aborted) return;
  const running = delivery.start(owner);
  onStop(() => running?.stop());
}

/** The owner's address, or nothing where DELIVERY_DATABASE_URL alone is given. */
async function findOwner({ databaseUrl, deliveryDatabaseUrl, dataDir }: Config): Promise<string | undefined> {
  if (databaseUrl || deliveryDatabaseUrl) return databaseUrl;
  const embedded = await findRunning({ dataDir });
  if (embedded) return embedded;
  throw new StartError(
    `There is no database to deliver from. Set DATABASE_URL, or start the server first: ${startCommand}`,
  );
}
