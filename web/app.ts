// The web side as one value: every address that the site's port answers, and the one place where an exception becomes an answer.
// It owns no port: `bin/serve.ts` gives it one, and a test asks it directly.

import type { IncomingMessage } from "node:http";
import type { HttpBindings } from "@hono/node-server";
import { type Context, Hono } from "hono";
import { maxBeaconBytes } from "../campaigns/beacon.ts";
import { plainRefusal } from "../content/languages.ts";
import { responseOf } from "../intake/answer.ts";
import { countingAnswers } from "../intake/count-answers.ts";
import { type FormPages, isForm, makeFormPost } from "../intake/form-post.ts";
import { makeInsertLead } from "../intake/insert-lead.ts";
import { refuseKey } from "../intake/key.ts";
import type { Limit } from "../intake/limit.ts";
import { readBody } from "../intake/read-body.ts";
import * as refusals from "../intake/refusals.ts";
import type { Store } from "../intake/store.ts";
import { logBug } from "../log/bug.ts";
import type { Log } from "../log/log.ts";
import { onceAMinute } from "../log/once-a-minute.ts";
import { type AllowedOrigins, insertCors, submitLeadCors, withCors } from "./cors.ts";
import { type Counting, notCounting } from "./counting.ts";
import { type HotRoutes, makeHotRoutes } from "./hot-routes.ts";
import type { Page } from "./page.ts";
import { withHeaders } from "./with-headers.ts";

/** What the web side is given. */
export interface Dependencies extends FormPages {
  anonKey: string;
  store: Store;
  /** The sites that may call from a browser; "*" for any, as Supabase has it. */
  allowedOrigins: AllowedOrigins;
  addressOf: (incoming: IncomingMessage) => string;
  limit: Limit | undefined;
  /** The pages and what they need, by path. */
  pages: ReadonlyMap<string, Page>;
  /** The answer to a GET or HEAD for one of them, or undefined for an address that is no page's. */
  showPage: (request: Request) => Response | undefined;
  showNotFound: (request: Request) => Response;
  /** The paths of the pages that are articles, whose loads are counted. */
  articles?: ReadonlySet<string>;
  /** Unset: nothing is counted. */
  counting?: Counting | undefined;
  submitLead: (request: Request) => Response | Promise<Response>;
  /** Whether the database answers and has the newest schema. */
  isReady: () => Promise<boolean>;
  /** Called with the HTTP status of each answer to a lead, in whichever way it was sent. */
  countAnswer?: (status: number) => void;
  /** Headers that every answer carries. */
  headers: Readonly<Record<string, string>>;
  log: Log;
}

/** The app. `fetch` answers any request; `env` is the adapter's. `hotRoutes` answers the most frequent ones at less cost. */
export interface App {
  fetch(request: Request, env?: object): Response | Promise<Response>;
  hotRoutes: HotRoutes;
}

/** Makes the app. */
export function makeApp(dependencies: Dependencies): App {
  const { log, store, counting, articles } = dependencies;
  // The adapter's environment names Node's request; a test that asks the app directly has none.
  const addressOf = ({ env }: Context) =>
    dependencies.addressOf((env as HttpBindings | undefined)?.incoming as IncomingMessage);
  const app = new Hono();
  const logRateLimited = onceAMinute((count) => log("rate-limited", { count }));
  const tooMany: Limit = (address) => {
    const over = dependencies.limit?.(address);
    if (over) logRateLimited();
    return over;
  };
  const cors = insertCors(dependencies.allowedOrigins);
  const { countAnswer = () => {} } = dependencies;
  const deviceOf = counting?.deviceOf;
  const insertLead = countingAnswers(
    makeInsertLead({ anonKey: dependencies.anonKey, store, tooMany, log, deviceOf }),
    countAnswer,
  );
  const countPost = counting?.plainPost;
  const formPost = countingAnswers(
    makeFormPost({ ...dependencies, tooMany, plainRefusal, deviceOf, countPost }),
    countAnswer,
  );
  const submitLead = withCors(submitLeadCors(dependencies.allowedOrigins), dependencies.submitLead);

  app.use(async (context, next) => {
    await next();
    withHeaders(context.res, dependencies.headers);
  });

  app.get("/healthz", (context) => context.json({ status: "alive" }));
  app.get("/readyz", async (context) => {
    const ready = await dependencies.isReady();
    return context.json({ status: ready ? "ready" : "waiting for the database" }, ready ? 200 : 503);
  });

  app.use("/rest/*", async (context, next) => {
    const { headers, method } = context.req.raw;
    if (method === "OPTIONS") return cors.preflight(headers);
    await next();
    withHeaders(context.res, cors.headersFor(headers.get("origin")));
  });
  app.post("/rest/v1/leads", async (context) => {
    const { headers, url } = context.req.raw;
    const query = new URL(url).searchParams;
    const body = await readBody(context.req.raw, refusals.maxBytes);
    return responseOf(await insertLead({ headers, query, address: addressOf(context), body }));
  });
  app.use("/rest/*", async ({ req }, next) => {
    const { headers, url } = req.raw;
    const refusal = refuseKey(headers, new URL(url).searchParams, dependencies.anonKey);
    return refusal ? refusals.refuse(refusal) : next();
  });
  app.on(["GET", "HEAD", "PUT", "PATCH", "DELETE"], "/rest/v1/leads", () =>
    refusals.refuse(refusals.noRight),
  );
  app.all("/rest/*", ({ req }) => refusals.refuse(refusalOfPath(req.method, req.path)));

  app.on("POST", ["/", "/functions/v1/submit-lead"], (context, next) =>
    isForm(context.req.raw) ? formPost(context.req.raw, addressOf(context)) : next(),
  );
  app.post("/", ({ req }) =>
    refusals.refuse(
      refusals.wrongType(req.header("content-type") ?? "", "A form is application/x-www-form-urlencoded."),
    ),
  );

  // The second address serves pages of a static host, which know the backend by this function's address.
  app.on(
    ["GET", "POST", "HEAD", "PUT", "PATCH", "DELETE", "OPTIONS"],
    ["/c", "/functions/v1/submit-lead/c"],
    async (context) => {
      const { headers, method, url } = context.req.raw;
      if (!counting) return responseOf(notCounting);
      const body = await readBody(context.req.raw, maxBeaconBytes);
      const query = url.split("?")[1] ?? "";
      return responseOf(counting.answer({ method, headers, query, address: addressOf(context), body }));
    },
  );

  app.all("/functions/v1/submit-lead", (context) => submitLead(context.req.raw));
  app.all("/functions/*", () => refusals.refuse(refusals.noSuchFunction));

  app.get("*", (context) => dependencies.showNotFound(context.req.raw));
  app.all("*", ({ req }) => {
    const answer = refusals.refuse(refusals.noSuchMethod(req.method));
    answer.headers.set("allow", req.path === "/" ? "GET, HEAD, POST" : "GET, HEAD");
    return answer;
  });

  app.onError((error, { req }) => {
    // A client that closes the connection in the middle of its request causes an error here too, which is no bug.
    if (!req.raw.signal.aborted) logBug(log, error);
    return refusals.refuse(refusals.broken);
  });
  // Pages come before the router, because they are the most frequent requests and lie in memory with all their headers.
  const page = (request: Request) => {
    if (!isRead(request.method)) return undefined;
    // Only unusual requests come here, such as those of HTTP/1.0; which variant they were shown is not known.
    const { pathname, search } = counting ? new URL(request.url) : noUrl;
    if (request.method === "GET" && articles?.has(pathname))
      counting?.served(request.headers, search.slice(1));
    return dependencies.showPage(request);
  };
  return {
    fetch: (request, env) => page(request) ?? app.fetch(request, env),
    hotRoutes: makeHotRoutes({ ...dependencies, insertLead, cors }),
  };
}

const noUrl = { pathname: "", search: "" };

const isRead = (method: string) => method === "GET" || method === "HEAD";

function refusalOfPath(method: string, path: string) {
  const [, table = "", more] = /^\/rest\/v1\/([^/]*)(\/.*)?$/.exec(path) ?? [];
  if (!table || more !== undefined || table === "rpc") return refusals.noSuchPath;
  if (table !== "leads") return refusals.noSuchTable(table);
  return refusals.noSuchMethod(method);
}
