// The database of `npm start`: the embedded one, or the operator's own. It is migrated, synced with the settings, and given a login for
// each part of the program that this process runs.
import { setTimeout as wait } from "node:timers/promises";
import type { Config } from "../config/config.ts";
import { connect, type Sql } from "../database/connect.ts";
import { startEmbedded } from "../database/embedded.ts";
import { prepare, requireUsableSchema } from "../database/prepare.ts";
import { type LoginRole, openRoleLogins, roleAddress } from "../database/role-logins.ts";
import type { ComposedDelivery } from "../delivery/compose.ts";
import { syncInboxSettings } from "../inbox/sync-settings.ts";
import type { RunningPostgres } from "../packages/embedded-postgres/supervise.ts";
import { disableBackups, enableBackups } from "../team/backup-state.ts";
import type { Program } from "./program.ts";

export interface ServerDatabase {
  /** The address for the intake's role. */
  intakeAddress: string;
  /** The owner's address; undefined where this process was given the intake's and not the owner's. */
  ownerAddress: string | undefined;
  /**
   * Resolves when the schema is the newest and the settings are synced. Without an owner's address: when its delivery and its inbox can work
   * on the schema. Also when the program stops. Rejects when the database cannot be used.
   */
  prepared: Promise<void>;
}

/**
 * Opens the database. If it answers and is set up within some seconds, it is ready when this returns. If not, this returns all the same: the
 * article is then served without it, and leads are taken once it answers. An embedded one that recovers from a crash is waited for.
 * Without the owner's address this returns at once.
 */
export async function openServerDatabase(
  program: Program,
  delivery: ComposedDelivery,
): Promise<ServerDatabase> {
  const { config, log, stopping } = program;
  if (config.intakeDatabaseUrl && !config.databaseUrl) {
    return {
      intakeAddress: config.intakeDatabaseUrl,
      ownerAddress: undefined,
      prepared: requireUsableSchemaOfLogins(program),
    };
  }
  const embedded = config.databaseUrl ? undefined : await embed(program);
  const ownerAddress = config.databaseUrl ?? embedded?.url ?? "";
  const intakeAddress = config.intakeDatabaseUrl ?? roleAddress(ownerAddress, "leads_intake");
  const open = () => connect(ownerAddress, { max: 1, name: "leads set-up" });
  const setUp = async (sql: Sql) => {
    await delivery.sync(sql);
    await openRoleLogins(sql, ownerAddress, derivedLogins(config));
    // A server without the inbox has no say in it: another process may serve it by other settings.
    if (config.inbox.on) await syncInboxSettings(sql, config.inbox);
    if (config.backups) await enableBackups(sql);
    // On the operator's own database, a web process that delivers nothing may stand beside the server that makes the backups.
    else if (embedded || config.delivery.on)
      await disableBackups(sql, { isOnlyServer: embedded !== undefined });
  };
  const prepared = prepare(open, setUp, log, stopping);
  await Promise.race([prepared, wait(embedded ? 5_000 : 2_000, undefined, { ref: false })]);
  return { intakeAddress, ownerAddress, prepared };
}

/** Waits for what a process needs that holds no owner's address: tables on which its delivery and its inbox work. */
async function requireUsableSchemaOfLogins({ config, log, stopping }: Program): Promise<void> {
  const { deliveryDatabaseUrl, inboxDatabaseUrl, delivery, inbox } = config;
  if (delivery.on && deliveryDatabaseUrl)
    await requireUsableSchema({ role: "leads_delivery", address: deliveryDatabaseUrl }, log, stopping);
  if (inbox.on && inboxDatabaseUrl)
    await requireUsableSchema({ role: "leads_team", address: inboxDatabaseUrl }, log, stopping);
}

/** The logins that this process uses and that have no address of their own in the settings. One with an address there keeps its password. */
function derivedLogins(config: Config): LoginRole[] {
  const { intakeDatabaseUrl, deliveryDatabaseUrl, inboxDatabaseUrl, delivery, inbox } = config;
  const roles: LoginRole[] = [];
  if (!intakeDatabaseUrl) roles.push("leads_intake");
  if (delivery.on && !deliveryDatabaseUrl) roles.push("leads_delivery");
  if (inbox.on && !inboxDatabaseUrl) roles.push("leads_team");
  return roles;
}

function embed({ config: { dataDir }, log, stopping, onStop }: Program): Promise<RunningPostgres> {
  const starting = startEmbedded({ dataDir, log, retry: true, cancel: stopping });
  onStop(() =>
    starting.then(
      (embedded) => embedded.stop(),
      () => {},
    ),
  );
  return starting;
}
