// The door: joins the pages, the intake and the database in one process, and stops with grace. Everything else is handed
// what it needs from here.
import { setTimeout as wait } from "node:timers/promises";
import { type Config, ConfigError, readConfig } from "../config/config.ts";
import { claimsToReview } from "../content/claims.ts";
import { ContentError, shownLanguages } from "../content/languages.ts";
import { permissionNotices } from "../content/permission.ts";
import { completeProvider } from "../content/provider.ts";
import { connect, type Sql } from "../database/connect.ts";
import { startEmbedded } from "../database/embedded.ts";
import { MigrationError } from "../database/migrate.ts";
import { DatabaseRefusal, makeIsReady, prepare } from "../database/prepare.ts";
import { makeResilientConnection } from "../database/resilient-connection.ts";
import { type LoginRole, openRoleLogins, roleAddress } from "../database/role-logins.ts";
import { type ComposedDelivery, composeDelivery, type RunningDelivery } from "../delivery/compose.ts";
import { makeSubmitLead } from "../delivery/submit-lead.ts";
import { startInbox, syncInboxSettings } from "../inbox/start.ts";
import { makeStore } from "../intake/store.ts";
import { makeAddressOf, makeLimit } from "../intake/visitor-address.ts";
import { logBug } from "../log/bug.ts";
import { makeLog } from "../log/log.ts";
import { onceAMinute } from "../log/once-a-minute.ts";
import { EmbeddedPostgresError } from "../packages/embedded-postgres/error.ts";
import type { RunningPostgres } from "../packages/embedded-postgres/supervise.ts";
import { BuildError } from "../site/build-folder.ts";
import { commonHeaders, nothingAllowed } from "../site/security-headers.ts";
import { type BackupPlan, enableBackups, startScheduledBackups } from "../team/scheduled-backups.ts";
import { makeApp } from "../web/app.ts";
import { drain, ListenError, listen } from "../web/listen.ts";
import { loadSite, show } from "../web/pages.ts";
import { makeHttpServer } from "../web/server.ts";

const write = (line: string) => process.stdout.write(line);
let log = makeLog(write);
// Whoever read the log may leave; the leads do not wait for a reader.
process.stdout.on("error", () => {});
process.stderr.on("error", () => {});
const stopping = new AbortController();

/** What to close, in the order it was opened; closed in the opposite order, whatever made us stop. */
const open: (() => Promise<unknown>)[] = [];

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => stop(0));
try {
  const config = readConfig(process.env);
  log = makeLog(write, { format: config.logFormat });
  await serve(config);
} catch (error) {
  // What ends because we stop is no failure, and whoever stops goes on doing so.
  if (!stopping.signal.aborted) await giveUp(error);
}

async function serve(config: Config): Promise<void> {
  const site = await loadSite(config);
  warnOfContent(config);
  if (/^http:\/\/localhost\b/.test(config.site.url)) log("address-missing");

  const delivery = composeDelivery({ config, notices: permissionNotices(config), log });
  const { intake, owner, prepared } = await openDatabase(config, delivery);
  // A refusal is told when the server listens, and is not nobody's until then.
  prepared.catch(() => {});
  if (stopping.signal.aborted) return;
  let running: RunningDelivery | undefined;
  const wake = () => running?.wake();
  const database = makeResilientConnection(() => connect(intake, { max: 1, name: "leads intake" }), log);
  // Asked apart from the leads, with less patience; what it finds is for whoever asks, and not for the log.
  const readiness = makeResilientConnection(
    () => connect(intake, { max: 1, name: "leads readiness" }),
    () => {},
  );
  // What is no page says nothing that a browser should run or keep.
  const headers = {
    ...commonHeaders(config.site.url),
    "content-security-policy": nothingAllowed,
    "cache-control": "no-store",
  };
  const app = makeApp({
    anonKey: config.anonKey,
    store: makeStore(database, wake),
    allowedOrigins: config.allowedOrigins,
    addressOf: makeAddressOf(
      config.trustProxy,
      onceAMinute(() => log("proxy-not-trusted")),
    ),
    limit: config.rateLimit ? makeLimit() : undefined,
    ...show(site),
    submitLead: makeSubmitLead({ knows: (key) => key === config.anonKey, wake }),
    isReady: await makeIsReady(readiness),
    headers,
    log,
  });
  const server = makeHttpServer(app, headers);
  const address = await listen(server, config.http);
  // At the same time, or both together could take longer than a service manager waits.
  let inbox: { stop(): Promise<void> } | undefined;
  open.push(() => Promise.all([drain(server), running?.stop(6_000), inbox?.stop()]));
  log("listening", { address });
  const startWhatNeedsTheSchema = async () => {
    if (stopping.signal.aborted) return;
    running = delivery.start(owner);
    // A web process that is told to deliver nothing, or holds no login to do it with.
    if (!running) log("delivery-elsewhere");
    if (config.backups && owner) backUpDaily(config.backups, owner);
    inbox = await inboxFrom(owner, config);
    if (stopping.signal.aborted) await inbox?.stop();
  };
  prepared.then(startWhatNeedsTheSchema).catch(giveUp);
}

/** Makes backups until the server stops. */
function backUpDaily(plan: BackupPlan, url: string): void {
  const backups = startScheduledBackups(plan, {
    open: () => connect(url, { max: 2, name: "leads backup" }),
    url,
    log,
  });
  open.push(backups.stop);
}

/** Serves the inbox, unless it is turned off or this process has no login for it. The site goes on when its port is taken. */
async function inboxFrom(owner: string | undefined, config: Config) {
  if (!config.inbox.on) return undefined;
  const databaseUrl = config.inboxDatabaseUrl ?? (owner && roleAddress(owner, "leads_team"));
  if (!databaseUrl) {
    log("inbox-elsewhere");
    return undefined;
  }
  const { name, phone, callsFrom } = completeProvider(config.provider).provider;
  try {
    const provider = { name, phone, calls_from: callsFrom };
    return await startInbox({ settings: config.inbox, databaseUrl, provider, log });
  } catch (error) {
    if (!(error instanceof ListenError)) throw error;
    log("inbox-not-listening", { port: config.inbox.port });
    return undefined;
  }
}

/** Says what a person still has to do to what the pages say. */
function warnOfContent({ provider, site }: Config): void {
  for (const setting of completeProvider(provider).missing) log("setting-missing", { setting });
  for (const { source, reviewed } of claimsToReview(new Date()))
    log("source-review-due", { source, reviewed });
  if (shownLanguages(site.languages).includes("es") && !site.spanishReviewedBy) log("spanish-not-reviewed");
}

// A database that answers is made ready before the first visitor comes. One elsewhere may be away, and our own may find no
// room on its disk: after a moment the article is served all the same, and leads flow when it is back.
async function openDatabase(
  config: Config,
  delivery: ComposedDelivery,
): Promise<{ intake: string; owner: string | undefined; prepared: Promise<void> }> {
  if (config.intakeDatabaseUrl && !config.databaseUrl) {
    return { intake: config.intakeDatabaseUrl, owner: undefined, prepared: Promise.resolve() };
  }
  const embedded = config.databaseUrl ? undefined : await embed(config);
  const owner = config.databaseUrl ?? embedded?.url ?? "";
  const intake = config.intakeDatabaseUrl ?? roleAddress(owner, "leads_intake");
  const open = () => connect(owner, { max: 1, name: "leads set-up" });
  const setUp = async (sql: Sql) => {
    await delivery.sync(sql);
    await openRoleLogins(sql, owner, derivedLogins(config));
    await syncInboxSettings(sql, config.inbox);
    // Of several servers, the one that delivers says whether backups are made.
    if (config.backups || config.delivery.on) await enableBackups(sql, config.backups !== undefined);
  };
  const prepared = prepare(open, setUp, log, stopping.signal);
  await Promise.race([prepared, wait(embedded ? 5_000 : 2_000, undefined, { ref: false })]);
  return { intake, owner, prepared };
}

/** The logins that this process uses. One that the operator has made keeps the operator's password. */
function derivedLogins(config: Config): LoginRole[] {
  const { intakeDatabaseUrl, deliveryDatabaseUrl, inboxDatabaseUrl, delivery, inbox } = config;
  const roles: LoginRole[] = [];
  if (!intakeDatabaseUrl) roles.push("leads_intake");
  if (delivery.on && !deliveryDatabaseUrl) roles.push("leads_delivery");
  if (inbox.on && !inboxDatabaseUrl) roles.push("leads_team");
  return roles;
}

function embed({ dataDir }: Config): Promise<RunningPostgres> {
  const starting = startEmbedded({ dataDir, log, retry: true, cancel: stopping.signal });
  open.push(() =>
    starting.then(
      (embedded) => embedded.stop(),
      () => {},
    ),
  );
  return starting;
}

async function stop(exitCode: number): Promise<never> {
  if (stopping.signal.aborted) process.exit(exitCode || 130);
  process.once("SIGINT", () => process.exit(130));
  log("stopping");
  stopping.abort();
  while (open.length > 0)
    await open
      .pop()?.()
      .catch((error) => logBug(log, error));
  log("stopped");
  process.exit(exitCode);
}

// Those that a person can act on are told in their own words; the rest is a fault of this program.
async function giveUp(error: unknown): Promise<void> {
  const spoken = [
    ConfigError,
    BuildError,
    ContentError,
    ListenError,
    EmbeddedPostgresError,
    MigrationError,
    DatabaseRefusal,
  ];
  const words = spoken.some((kind) => error instanceof kind)
    ? (error as Error).message
    : (error as Error).stack;
  process.stderr.write(`${words}\n`);
  if (open.length === 0) process.exit(1);
  await stop(1);
}
