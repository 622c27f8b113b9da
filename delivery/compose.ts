// Composes the delivery for every program: `npm start`, `npm run deliver` and the hosted submit-lead. From the settings it makes
// what the database must know, a worker that stays, and one run over everything due for places where no process stays.
import type { Config } from "../config/config.ts";
import { connect, type Sql } from "../database/connect.ts";
import { makeResilientConnection, type ResilientConnection } from "../database/resilient-connection.ts";
import { roleAddress } from "../database/role-logins.ts";
import { type SyncedSettings, syncSettings } from "../database/sync-settings.ts";
import { reference } from "../lead/lead.ts";
import type { Log } from "../log/log.ts";
import { makeAlertCheck } from "./alert.ts";
import type { Channel } from "./channels/channel.ts";
import { makeChannels } from "./channels/registry.ts";
import { type Dispatcher, makeDispatcher } from "./dispatcher.ts";
import { syncChannels } from "./outbox.ts";
import { jobConnections, makeScheduledJobs } from "./scheduled-jobs.ts";
import { startWorker } from "./worker.ts";

export interface DeliveryDependencies {
  config: Pick<Config, "deliveryDatabaseUrl"> & {
    /** Without `siteOrigin` it is not known where the pages are. */
    delivery: Omit<Config["delivery"], "siteOrigin"> & { siteOrigin?: string | undefined };
    inbox: Pick<Config["inbox"], "on" | "url">;
  };
  /** The permission notices of all languages that the pages were built with. */
  notices: SyncedSettings["notices"];
  /** The experiments that content/experiments.ts lists. Where this is not given, the database keeps those that it knows. */
  experiments?: SyncedSettings["experiments"];
  log: Log;
}

export interface ComposedDelivery {
  /**
   * Syncs the settings to the database and, where this process delivers, the channels for which each insert of a lead enqueues a
   * delivery. Needs the owner's connection.
   */
  sync(sql: Sql): Promise<void>;
  /**
   * Starts delivering as the role `leads_delivery` on the owner's database, or with the login that DELIVERY_DATABASE_URL names.
   * Nothing when there is neither, or with DELIVERY=off. The database may be unreachable; the worker begins when it is there.
   */
  start(ownerAddress: string | undefined): RunningDelivery | undefined;
  /**
   * Syncs, sends what is due, and returns when nothing is due or the time is over. What a channel did not take waits
   * for the next run. Needs the owner's connection. @throws when the database is unreachable.
   */
  deliverDue(database: ResilientConnection, limits: RunLimits): Promise<void>;
}

export interface RunLimits {
  seconds: number;
  /** Calls back once after so many milliseconds, unless the returned function is called before; a test calls back when it likes. */
  after?: (milliseconds: number, call: () => void) => () => void;
}

export interface RunningDelivery {
  /** Looks at once whether anything is due. */
  wake(): void;
  /** Lets what is under way finish, aborts it after `grace` milliseconds, and closes the connections. */
  stop(grace?: number): Promise<void>;
}

/** Nothing runs and nothing connects before a method is called. */
export function composeDelivery({
  config,
  notices,
  experiments,
  log,
}: DeliveryDependencies): ComposedDelivery {
  const { inbox, delivery } = config;
  const linkTo = (leadId: string) => (inbox.on ? `${inbox.url}/leads/${reference(leadId)}` : undefined);
  const channels = makeChannels(delivery.channels, { log, linkTo });
  const names = channels.map(({ name }) => name);
  const sync = async (sql: Sql) => {
    await syncSettings(sql, { ...delivery, notices, experiments });
    if (delivery.on) await syncChannels(sql, names);
  };
  const checkAlert = makeAlertCheck({ url: delivery.alertUrl }, log);
  // The channels whose waiting deliveries the next run of `deliverDue` tries at once.
  let owing = new Set<string>(names);

  return {
    sync,

    start(ownerAddress) {
      // First, because with DELIVERY=off the owner's address may have no password from which the role's is derived.
      if (!delivery.on) return undefined;
      const address =
        config.deliveryDatabaseUrl ?? (ownerAddress && roleAddress(ownerAddress, "leads_delivery"));
      if (!address) return undefined;
      if (channels.length === 0) log("no-channel");
      else log("delivering", { channels: names.join("+") });
      // Without the owner's connection `sync` does not run, so the worker itself syncs the channels.
      const prepare = ownerAddress ? undefined : (sql: Sql) => syncChannels(sql, names);
      return startOn(address, { channels, checkAlert, prepare, log });
    },

    async deliverDue(database, { seconds, after = callAfter }) {
      await database.query(sync);
      const dispatchers = (delivery.on ? channels : []).map((channel) =>
        makeDispatcher(channel, { database, log, retriesAtStart: owing.has(channel.name) }),
      );
      await runOnce(dispatchers, seconds * 1000, after);
      owing = new Set(names.filter((_, index) => dispatchers[index]?.owesRetry()));
      await database.query(checkAlert);
    },
  };
}

/** Starts a worker on connections of its own, because what is sent must never wait for what comes in, nor the other way round. */
function startOn(address: string, { channels, checkAlert, prepare, log }: WorkerSettings): RunningDelivery {
  const database = makeResilientConnection(() => connect(address, { max: 3, name: "leads delivery" }), log);
  // Separate, because a query that is sent on the connection of a long job waits for the job. It logs an outage only where there is no
  // channel, because otherwise the other connections do. Where the database stops one job alone, job-runner.ts logs it.
  const jobsDatabase = makeResilientConnection(
    () => connect(address, { max: jobConnections, name: "leads delivery jobs" }),
    channels.length === 0 ? log : () => {},
  );
  const worker = startWorker({
    database,
    channels,
    log,
    jobs: makeScheduledJobs(jobsDatabase, checkAlert, log),
    prepare: prepare && (() => database.query(prepare)),
  });
  return {
    wake: worker.wake,
    stop: async (grace) => {
      await worker.stop(grace);
      await Promise.all([database.end(), jobsDatabase.end()]);
    },
  };
}

interface WorkerSettings {
  channels: readonly Channel[];
  checkAlert: ReturnType<typeof makeAlertCheck>;
  /** What is done before the first delivery. */
  prepare: ((sql: Sql) => Promise<void>) | undefined;
  log: Log;
}

/** Runs dispatchers until they are drained. After 4/5 of the time they claim nothing more, and at its end they abort. */
async function runOnce(
  dispatchers: readonly Dispatcher[],
  milliseconds: number,
  after: NonNullable<RunLimits["after"]>,
): Promise<void> {
  const forgetStop = after(0.8 * milliseconds, () => {
    for (const dispatcher of dispatchers) dispatcher.stop();
  });
  const forgetAbort = after(milliseconds, () => {
    for (const dispatcher of dispatchers) dispatcher.abort();
  });
  for (const dispatcher of dispatchers) dispatcher.run();
  await Promise.all(dispatchers.map((dispatcher) => dispatcher.drained()));
  forgetStop();
  forgetAbort();
}

function callAfter(milliseconds: number, call: () => void): () => void {
  const timer = setTimeout(call, milliseconds);
  return () => clearTimeout(timer);
}
