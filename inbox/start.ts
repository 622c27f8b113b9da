// Puts the inbox together and serves it on its own port.
import type { InboxSettings } from "../config/config.ts";
import { connect, withLoginOf } from "../database/connect.ts";
import { makeResilientConnection } from "../database/resilient-connection.ts";
import type { Log } from "../log/log.ts";
import { openStandby } from "../team/standby.ts";
import { drain, listen } from "../web/listen.ts";
import { makeHttpServer } from "../web/server.ts";
import { makeAnswers } from "./answers.ts";
import { makeInboxApp } from "./app.ts";
import { readClientFiles } from "./client-files.ts";
import { makeCompanySignIn } from "./company-sign-in.ts";
import { inboxHeaders } from "./headers.ts";
import { startLiveEvents } from "./live-events.ts";
import { makeMetrics } from "./metrics.ts";
import { mayHavePasskeys, Passkeys } from "./passkeys.ts";
import { makeSignIn } from "./sign-in.ts";

export interface InboxStart {
  settings: InboxSettings;
  /** The database's address, as the role leads_team. */
  databaseUrl: string;
  /** The address of a standby of that database. It is opened with the login of `databaseUrl`, whatever login it holds itself. */
  standbyUrl?: string | undefined;
  provider: { name: string; phone: string; calls_from: string };
  /** How often the intake of this process has answered with each HTTP status. */
  answerCounts?: ReadonlyMap<number, number> | undefined;
  log: Log;
}

/** Listens, and returns how to stop. @throws ListenError */
export async function startInbox({
  settings,
  databaseUrl,
  standbyUrl,
  provider,
  answerCounts,
  log,
}: InboxStart): Promise<{ stop(): Promise<void> }> {
  const { url: inboxUrl, openIdConnect, metricsToken } = settings;
  const database = makeResilientConnection(() => connect(databaseUrl, { max: 6, name: "leads inbox" }), log);
  const standby = standbyUrl
    ? openStandby(() => connect(withLoginOf(standbyUrl, databaseUrl), { max: 3, name: "leads inbox" }), log)
    : undefined;
  const passkeys = new Passkeys(inboxUrl, provider.name);
  const company = openIdConnect && makeCompanySignIn(openIdConnect, inboxUrl, log);
  const events = startLiveEvents(databaseUrl, log);
  const headers = inboxHeaders(inboxUrl);
  const app = makeInboxApp({
    inboxUrl,
    database,
    standby,
    company,
    events,
    headers,
    metricsToken,
    log,
    metrics: makeMetrics({ database, answerCounts, log }),
    answers: makeAnswers({ inboxUrl, passkeys, companyIssuer: openIdConnect?.issuer, provider }),
    signIn: makeSignIn({ passkeys, company }),
    files: readClientFiles(),
  });
  if (!mayHavePasskeys(new URL(inboxUrl))) log("inbox-without-passkeys");
  const server = makeHttpServer({ fetch: app.fetch }, headers);
  const closeDatabase = () => Promise.all([events.end(), database.end(), standby?.end()]);
  const address = await listen(server, { ...settings, prefix: "INBOX_" }).catch(async (error) => {
    await closeDatabase();
    throw error;
  });
  log("inbox-listening", { address });
  return {
    stop: async () => {
      // Streams of events never end by themselves.
      await Promise.all([events.end(), drain(server)]);
      await closeDatabase();
    },
  };
}
