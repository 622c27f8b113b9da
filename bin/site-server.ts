// Composes the site's HTTP server: pages, intake, health, and the two calls of the form. The caller makes it listen.
import type { Server } from "node:http";
import type { Counters } from "../campaigns/counters.ts";
import type { Config } from "../config/config.ts";
import { connect } from "../database/connect.ts";
import { makeIsReady } from "../database/prepare.ts";
import { makeResilientConnection } from "../database/resilient-connection.ts";
import { makeSubmitLead } from "../delivery/submit-lead.ts";
import { makeLimit } from "../intake/limit.ts";
import { watchRoom } from "../intake/room.ts";
import { makeStore } from "../intake/store.ts";
import { makeAddressOf } from "../intake/visitor-address.ts";
import type { Log } from "../log/log.ts";
import { onceAMinute } from "../log/once-a-minute.ts";
import { commonHeaders, nothingAllowed } from "../site/security-headers.ts";
import { makeApp } from "../web/app.ts";
import { insertCors } from "../web/cors.ts";
import { makeCounting } from "../web/counting.ts";
import { pageDependencies, type Site } from "../web/pages.ts";
import { makeHttpServer } from "../web/server.ts";

export interface SiteServerSettings {
  config: Config;
  site: Site;
  /** The database's address for the intake's role. */
  intakeAddress: string;
  /** Called after each commit of leads, which may be many, and after each call 2 with the right key. */
  wake: () => void;
  /** Called with the HTTP status of each answer to a lead. */
  countAnswer: (status: number) => void;
  /** Where page loads are counted; unset where they are not counted. */
  counters?: Counters | undefined;
  log: Log;
}

export async function makeSiteServer({
  config,
  site,
  intakeAddress,
  wake,
  countAnswer,
  counters,
  log,
}: SiteServerSettings): Promise<Server> {
  const leads = makeResilientConnection(() => connect(intakeAddress, { max: 1, name: "leads intake" }), log);
  // A separate connection, so that a health check never waits behind leads. It logs nothing, because the answer says it.
  const readiness = makeResilientConnection(
    () => connect(intakeAddress, { max: 1, name: "leads readiness" }),
    () => {},
  );
  const trustedAddressOf = makeAddressOf(
    config.trustProxy,
    onceAMinute(() => log("proxy-not-trusted")),
  );
  // Answers that are not pages may run nothing in a browser, and are not cached.
  const headers = {
    ...commonHeaders(config.site.url),
    "content-security-policy": nothingAllowed,
    "cache-control": "no-store",
  };
  const room = watchRoom(makeStore(leads, wake, config.allowedOrigins));
  const isReady = await makeIsReady(readiness);
  const app = makeApp({
    anonKey: config.anonKey,
    store: room.store,
    allowedOrigins: config.allowedOrigins,
    addressOf: trustedAddressOf,
    limit: config.rateLimit ? makeLimit() : undefined,
    ...pageDependencies(site),
    counting:
      counters &&
      makeCounting({
        counters,
        variants: variantsOf(site),
        origins: originsOf(config),
        limit: countLimit(config),
      }),
    submitLead: makeSubmitLead({ isAnonKey: (key) => key === config.anonKey, wake }),
    isReady: async () => room.hasRoom() && (await isReady()),
    countAnswer,
    headers,
    log,
  });
  // No origin is known for bytes that are no HTTP request.
  return makeHttpServer(app, { ...headers, ...insertCors(config.allowedOrigins).headersFor(undefined) });
}

/** The names of the variants of the running experiment; none while no experiment runs. */
const variantsOf = ({ pages }: Site): string[] =>
  [...pages.values()].flatMap(({ variants = [] }) => variants.flatMap(({ variant }) => variant ?? []));

/** The origins whose pages are counted: the site's own, and those that are named. Where any may send a lead ("*"), only the site's own. */
const originsOf = ({ site, allowedOrigins }: Config): string[] => [
  new URL(site.url).origin,
  ...(allowedOrigins === "*" ? [] : allowedOrigins),
];

// Beacons a minute from one address. A page load sends seven at most, and a senior centre may open some eighty pages a minute.
const countLimit = ({ rateLimit }: Config) => (rateLimit ? makeLimit(undefined, 600) : undefined);
