// The entry point of `npm start`: the site, the intake, the delivery and the team's inbox in one process, on one database.
import { type Counters, makeCounters } from "../campaigns/counters.ts";
import { countsPool, startFlushing } from "../campaigns/flush.ts";
import type { Config } from "../config/config.ts";
import { checkExperiments } from "../content/check-experiments.ts";
import { experiments } from "../content/experiments.ts";
import { permissionNotices } from "../content/permission.ts";
import { completeProvider } from "../content/provider.ts";
import { contentWarnings } from "../content/warnings.ts";
import { connect } from "../database/connect.ts";
import { makeResilientConnection } from "../database/resilient-connection.ts";
import { roleAddress } from "../database/role-logins.ts";
import { composeDelivery, type RunningDelivery } from "../delivery/compose.ts";
import { type AnswerCounts, makeAnswerCounts } from "../intake/count-answers.ts";
import { codeOf, type Log } from "../log/log.ts";
import { type BackupPlan, startScheduledBackups } from "../team/scheduled-backups.ts";
import { inheritedSocket } from "../web/inherited-socket.ts";
import { drain, ListenError, listen } from "../web/listen.ts";
import { loadSite } from "../web/pages.ts";
import { type Program, runProgram } from "./program.ts";
import { openServerDatabase } from "./server-database.ts";
import { makeSiteServer } from "./site-server.ts";

await runProgram(serve);

async function serve(program: Program): Promise<void> {
  const { config, log, stopping, onStop } = program;
  const site = await loadSite(config, experiments, log);
  for (const [event, facts] of contentWarnings(config)) log(event, facts);
  const notices = permissionNotices(config);
  const delivery = composeDelivery({ config, notices, experiments: checkExperiments(experiments), log });
  const { intakeAddress, ownerAddress, prepared } = await openServerDatabase(program, delivery);
  // A rejection is handled below, once the server listens.
  prepared.catch(() => {});
  if (stopping.aborted) return;

  const counters = config.site.counting ? countInto(intakeAddress, program) : undefined;
  let running: RunningDelivery | undefined;
  let inbox: { stop(): Promise<void> } | undefined;
  let backups: { stop(): Promise<void> } | undefined;
  const { counts, count: countAnswer } = makeAnswerCounts();
  const server = await makeSiteServer({
    config,
    site,
    intakeAddress,
    wake: () => running?.wake(),
    countAnswer,
    counters,
    log,
  });
  const descriptor = inheritedSocket(process.env, process.pid);
  const address = await listen(server, { ...config.http, descriptor });
  // All four stop at the same time, because one after the other could take longer than a service manager waits.
  onStop(() => Promise.all([drain(server), running?.stop(6_000), inbox?.stop(), backups?.stop()]));
  log("listening", { address });

  const startWhatNeedsTheSchema = async () => {
    if (stopping.aborted) return;
    running = delivery.start(ownerAddress);
    // A web process that is set to deliver nothing, or that holds no login for it.
    if (!running) log("delivery-elsewhere");
    if (config.backups && ownerAddress) backups = backUpDaily(config.backups, ownerAddress, log);
    else if (config.backups) log("backups-elsewhere");
    inbox = await inboxFrom(ownerAddress, config, counts, log);
    if (stopping.aborted) await inbox?.stop();
  };
  prepared.then(startWhatNeedsTheSchema).catch(program.giveUp);
}

/** Counts the steps and web vitals of page loads, and moves the counts to the database until the server has stopped. */
function countInto(intakeAddress: string, { log, onStop }: Program): Counters {
  const counters = makeCounters();
  // A separate connection, so that no lead waits behind a count. It logs no outage, because the leads' connection does.
  const database = makeResilientConnection(
    () => connect(intakeAddress, countsPool),
    () => {},
  );
  onStop(startFlushing(counters, database, log).stop);
  return counters;
}

function backUpDaily(plan: BackupPlan, url: string, log: Log) {
  return startScheduledBackups(plan, {
    open: () => connect(url, { max: 2, name: "leads backup" }),
    url,
    log,
  });
}

/** Serves the inbox, unless it is turned off or this process has no login for it. When the inbox cannot listen, the site goes on alone. */
async function inboxFrom(
  ownerAddress: string | undefined,
  config: Config,
  answerCounts: AnswerCounts,
  log: Log,
) {
  if (!config.inbox.on) return undefined;
  const databaseUrl = config.inboxDatabaseUrl ?? (ownerAddress && roleAddress(ownerAddress, "leads_team"));
  if (!databaseUrl) {
    log("inbox-elsewhere");
    return undefined;
  }
  const { name, phone, callsFrom } = completeProvider(config.provider).provider;
  try {
    const provider = { name, phone, calls_from: callsFrom };
    const { inbox: settings, standbyUrl } = config;
    // Loaded here, after the site listens, because loading the inbox takes a quarter of a start.
    const { startInbox } = await import("../inbox/start.ts");
    return await startInbox({ settings, databaseUrl, standbyUrl, provider, answerCounts, log });
  } catch (error) {
    if (!(error instanceof ListenError)) throw error;
    const { host, port } = config.inbox;
    log("inbox-not-listening", { host, port, code: codeOf(error.cause) });
    return undefined;
  }
}
