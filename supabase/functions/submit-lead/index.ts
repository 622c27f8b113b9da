// The entry point of submit-lead on hosted Supabase, in Deno: composes the delivery, the plain form post and the project's
// database. It is called after each insert, by the database each minute, by browsers without script, and at /c by the pages,
// whose loads it counts.
import { maxBeaconBytes } from "../../../campaigns/beacon.ts";
import { makeCounters } from "../../../campaigns/counters.ts";
import { countsPool, startFlushing } from "../../../campaigns/flush.ts";
import { ConfigError, readConfig } from "../../../config/config.ts";
import { checkExperiments } from "../../../content/check-experiments.ts";
import { ContentError } from "../../../content/content-error.ts";
import { original } from "../../../content/experiment.ts";
import { experiments } from "../../../content/experiments.ts";
import { plainRefusal } from "../../../content/languages.ts";
import { permissionNotices } from "../../../content/permission.ts";
import { connect } from "../../../database/connect.ts";
import { makeResilientConnection, type ResilientConnection } from "../../../database/resilient-connection.ts";
import { composeDelivery } from "../../../delivery/compose.ts";
import { makeSubmitLead } from "../../../delivery/submit-lead.ts";
import { responseOf } from "../../../intake/answer.ts";
import { isForm, refusedInWords } from "../../../intake/form-post.ts";
import { readBody } from "../../../intake/read-body.ts";
import { broken } from "../../../intake/refusals.ts";
import { type Log, makeLog } from "../../../log/log.ts";
import { submitLeadCors, withCors } from "../../../web/cors.ts";
import { type Counting, makeCounting, notCounting } from "../../../web/counting.ts";
import { makeDeliveryRuns } from "./delivery-runs.ts";
import { formPost } from "./form-post.ts";

const env = Deno.env.toObject();
const log = makeLog((line) => console.log(line.trimEnd()));

Deno.serve(makeHandler());

function makeHandler(): (request: Request) => Promise<Response> {
  try {
    return handlerOf(readConfig({ ...env, DATABASE_URL: env.SUPABASE_DB_URL }));
  } catch (error) {
    if (!(error instanceof ConfigError || error instanceof ContentError)) throw error;
    console.error(error.message);
    return refuseAll;
  }
}

function handlerOf(config: ReturnType<typeof readConfig>): (request: Request) => Promise<Response> {
  const site = env.SITE_URL?.trim() ? new URL(config.site.url).origin : undefined;
  const { allowedOrigins } = config;
  const { database, jobsDatabase, countsDatabase } = openDatabase(config.databaseUrl ?? "");
  const keys = knownKeys();
  const runs = makeDeliveryRuns({
    delivery: deliveryOf(config, site),
    database,
    jobsDatabase,
    log,
    submitLead: { url: `${env.SUPABASE_URL}/functions/v1/submit-lead`, key: keys.at(-1) ?? "" },
  });
  const wake = () => outliveTheAnswer(runs.wake());
  const submitLead = withCors(
    submitLeadCors(allowedOrigins),
    makeSubmitLead({ isAnonKey: (key) => keys.includes(key), wake }),
  );
  const counting = config.site.counting
    ? countPageLoads(allowedOrigins, site, countsDatabase, log)
    : undefined;
  const form = formPost({
    database,
    site,
    languages: config.site.languages,
    allowedOrigins,
    wake,
    log,
    deviceOf: counting?.deviceOf,
    countPost: counting?.plainPost,
  });
  let isFirst = true;
  return (request) => {
    // The first request starts a run whichever key it has, because after a change of the key the database calls with the old one until a run
    // has stored the new one.
    if (isFirst) wake();
    isFirst = false;
    if (new URL(request.url).pathname.endsWith("/submit-lead/c")) return answerCount(counting, request);
    return isPostedForm(request) ? form(request) : submitLead(request);
  };
}

function deliveryOf(config: ReturnType<typeof readConfig>, site: string | undefined) {
  return composeDelivery({
    config: {
      ...config,
      delivery: { ...config.delivery, siteOrigin: site },
      // The inbox is served elsewhere, so only its address says that there is one.
      inbox: { on: Boolean(env.INBOX_URL?.trim()), url: config.inbox.url },
    },
    // A hosted function reads no files. The provider's own wording reaches the database by the build's notices.sql.
    notices: config.provider.noticeFile ? [] : permissionNotices(config),
    experiments: checkExperiments(experiments),
    log,
  });
}

/** The connections for form posts and deliveries, one for jobs, and one for counts. The latter two log no outage, because the others do. */
function openDatabase(databaseUrl: string) {
  const address = addressOf(databaseUrl);
  const open = (max: number, name: string) => () => connect(address, { max, name });
  return {
    database: makeResilientConnection(open(3, "submit-lead"), log),
    jobsDatabase: makeResilientConnection(open(1, "submit-lead jobs"), () => {}),
    countsDatabase: makeResilientConnection(
      () => connect(address, countsPool),
      () => {},
    ),
  };
}

/**
 * Counts page loads of the static host. Without SITE_URL and ALLOWED_ORIGINS it is not known whose pages those are, and all count. No
 * limit by address: the platform has its own, and what is counted is bounded in memory and in the database.
 */
function countPageLoads(
  allowedOrigins: "*" | readonly string[],
  site: string | undefined,
  database: ResilientConnection,
  log: Log,
): Counting {
  const counters = makeCounters();
  const flushing = startFlushing(counters, database, log, 0);
  let isFlushSoon = false;
  const flushSoon = () => {
    if (isFlushSoon) return;
    isFlushSoon = true;
    const flushed = new Promise((resolve) => setTimeout(resolve, 1_000)).then(() => {
      isFlushSoon = false;
      return flushing.flush();
    });
    outliveTheAnswer(flushed);
  };
  const origins = allowedOrigins === "*" && site ? [site] : allowedOrigins;
  const counting = makeCounting({ counters, variants: namesOfVariants(), origins, limit: undefined });
  return {
    ...counting,
    answer(request) {
      const answer = counting.answer(request);
      flushSoon();
      return answer;
    },
    plainPost(...post) {
      counting.plainPost(...post);
      flushSoon();
    },
  };
}

/** The names of the variants of all running experiments, of every language. */
function namesOfVariants(): string[] {
  const running = experiments.filter(({ endedOn }) => endedOn === undefined);
  return running.flatMap(({ variant }) => [original, variant]);
}

async function answerCount(counting: Counting | undefined, request: Request): Promise<Response> {
  const { headers, method, url } = request;
  if (!counting) return responseOf(notCounting);
  const body = await readBody(request, maxBeaconBytes);
  const query = new URL(url).search.slice(1);
  return responseOf(counting.answer({ method, headers, query, address: "", body }));
}

const isPostedForm = (request: Request) => request.method === "POST" && isForm(request);

/**
 * The anonymous keys of the project: the long JWT, and those that replace it, which come as a JSON dictionary by name. The
 * last one is of the newest kind there is.
 */
function knownKeys(): string[] {
  const { SUPABASE_ANON_KEY, SUPABASE_PUBLISHABLE_KEY = "", SUPABASE_PUBLISHABLE_KEYS = "" } = env;
  const named =
    `${SUPABASE_PUBLISHABLE_KEYS} ${SUPABASE_PUBLISHABLE_KEY}`.match(/sb_publishable_[\w-]+/g) ?? [];
  return [...(SUPABASE_ANON_KEY ? [SUPABASE_ANON_KEY] : []), ...named];
}

// Encrypted where the server can, and without prepared statements, which a pooler in between would mix up.
function addressOf(databaseUrl: string): string {
  const url = new URL(databaseUrl);
  if (!url.searchParams.has("sslmode")) url.searchParams.set("sslmode", "prefer");
  url.searchParams.set("prepare", "false");
  return url.href;
}

function outliveTheAnswer(work: Promise<unknown>): void {
  if (typeof EdgeRuntime !== "undefined") EdgeRuntime.waitUntil(work);
}

// A wrong setting must not look like a network that is down, neither to the page nor to a person who looks for the fault.
async function refuseAll(request: Request): Promise<Response> {
  if (isPostedForm(request)) return refusedInWords(broken, plainRefusal(undefined, broken.message));
  const body = { code: "NOT_SET_UP", message: "A setting of submit-lead is wrong; its log says which." };
  return withCors(submitLeadCors("*"), () => Response.json(body, { status: 500 }))(request);
}
