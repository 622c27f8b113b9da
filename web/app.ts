// The web side as one value: every address that the site's port answers, and where an exception becomes an answer;
// hot-routes.ts answers its own exceptions. It owns no port: `bin/serve.ts` gives it one, and a test asks it directly.

import type { IncomingMessage } from "node:http";
import type { HttpBindings } from "@hono/node-server";
import { type Context, Hono } from "hono";
import { countingAnswers } from "../intake/count-answers.ts";
import { type FormPages, makeFormPost } from "../intake/form-post.ts";
import { makeInsertLead } from "../intake/insert-lead.ts";
import type { Limit } from "../intake/limit.ts";
import * as refusals from "../intake/refusals.ts";
import type { Store } from "../intake/store.ts";
import { logBug } from "../log/bug.ts";
import type { Log } from "../log/log.ts";
import { onceAMinute } from "../log/once-a-minute.ts";
import { type AllowedOrigins, insertCors, submitLeadCors, withCors } from "./cors.ts";
import type { Counting } from "./counting.ts";
import { type HotRoutes, makeHotRoutes } from "./hot-routes.ts";
import type { Page } from "./page.ts";
import { addCounting, addFormPost, addHealth, addInsert, addNotFound, addSubmitLead } from "./routes.ts";
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
  /** Whether the database answers, takes writes and has a schema on which this program works, and no full disk refused a lead just now. */
  isReady: () => Promise<boolean>;
  /** Called with the HTTP status of each answer to a lead, in whichever way it was sent. */
  countAnswer?: (status: number) => void;
  /** Headers that every answer carries but a page's, which has its own. */
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
  const { anonKey, log, store, counting, countAnswer = () => {} } = dependencies;
  // The adapter's environment names Node's request; a test that asks the app directly has none.
  const addressOf = ({ env }: Context) =>
    dependencies.addressOf((env as HttpBindings | undefined)?.incoming as IncomingMessage);
  const tooMany = limitOf(dependencies);
  const deviceOf = counting?.deviceOf;
  const insertLead = countingAnswers(makeInsertLead({ anonKey, store, tooMany, log, deviceOf }), countAnswer);
  const countPost = counting?.plainPost;
  const formPost = countingAnswers(
    makeFormPost({ ...dependencies, tooMany, deviceOf, countPost }),
    countAnswer,
    ({ signal }) => signal.aborted,
  );
  const cors = insertCors(dependencies.allowedOrigins);
  const app = new Hono();
  app.use(async (context, next) => {
    await next();
    withHeaders(context.res, dependencies.headers);
  });
  addHealth(app, dependencies.isReady);
  addInsert(app, { insertLead, cors, anonKey, addressOf });
  addFormPost(app, formPost, addressOf);
  addCounting(app, counting, addressOf);
  addSubmitLead(app, withCors(submitLeadCors(dependencies.allowedOrigins), dependencies.submitLead));
  addNotFound(app, dependencies.showNotFound);
  app.onError((error, { req }) => {
    // A client that closes the connection in the middle of its request causes an error here too, which is no bug.
    if (!req.raw.signal.aborted) logBug(log, error);
    return refusals.refuse(refusals.broken);
  });
  return {
    // Pages come before the router, because they are in memory with all their headers. The hot routes answer the usual requests for them.
    fetch: (request, env) => showPage(request, dependencies) ?? app.fetch(request, env),
    hotRoutes: makeHotRoutes({ ...dependencies, insertLead, cors }),
  };
}

/** The limit on leads from one address, with an entry in the log where it is exceeded. */
function limitOf({ limit, log }: Dependencies): Limit {
  const logRateLimited = onceAMinute((count) => log("rate-limited", { count }));
  return (address) => {
    const over = limit?.(address);
    if (over) logRateLimited();
    return over;
  };
}

function showPage(request: Request, { counting, articles, showPage }: Dependencies): Response | undefined {
  if (request.method !== "GET" && request.method !== "HEAD") return undefined;
  // Only unusual requests come here, such as those of HTTP/1.0; which variant they were shown is not known.
  if (counting && request.method === "GET") {
    const { pathname, search } = new URL(request.url);
    if (articles?.has(pathname)) counting.served(request.headers, search.slice(1));
  }
  return showPage(request);
}
