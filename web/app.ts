// The web side as one value: every address this program answers, and the one place where a failure becomes an answer.
// It owns no port; `serve.ts` joins it to one, and a test asks it directly.
import { type Context, Hono, type MiddlewareHandler } from "hono";
import { bodyLimit } from "hono/body-limit";
import { cors } from "hono/cors";
import { formPost, isForm, refusedArticle, refusedInWords, type ShowArticle } from "../intake/form-post.ts";
import { insertLead } from "../intake/insert-lead.ts";
import { refuseKey } from "../intake/key.ts";
import * as refusals from "../intake/refusals.ts";
import type { Store } from "../intake/store.ts";
import type { Limit } from "../intake/visitor-address.ts";
import { logBug } from "../log/bug.ts";
import type { Log } from "../log/log.ts";
import { onceAMinute } from "../log/once-a-minute.ts";
import { withHeaders } from "./with-headers.ts";

/** What the web side is handed. */
export interface Parts {
  anonKey: string;
  store: Store;
  /** The sites that may call from a browser; "*" for any, as Supabase has it. */
  allowedOrigins: "*" | string[];
  addressOf: (context: Context) => string;
  limit: Limit | undefined;
  /** The two pages and what they need, for GET and HEAD: complete answers, or undefined for an address that is no page's. */
  showPage: (request: Request) => Response | undefined;
  showNotFound: (request: Request) => Response;
  showArticle: ShowArticle;
  submitLead: (request: Request) => Response | Promise<Response>;
  /** Whether the database answers and has the newest schema. */
  isReady: () => Promise<boolean>;
  /** Headers that every answer carries. */
  headers: Readonly<Record<string, string>>;
  log: Log;
}

/** The app: a request in, its answer out. `env` is the adapter's, for who asks. */
export interface App {
  fetch(request: Request, env?: object): Response | Promise<Response>;
}

/** Makes the app. */
export function makeApp(parts: Parts): App {
  const { log, store, addressOf } = parts;
  const app = new Hono();
  const limited = onceAMinute((count) => log("rate-limited", { count }));
  const tooMany = async (context: Context) => {
    const over = await parts.limit?.(addressOf(context));
    if (over) limited();
    return over;
  };

  app.use(async (context, next) => {
    await next();
    withHeaders(context.res, parts.headers);
  });

  app.get("/healthz", (context) => context.json({ status: "alive" }));
  app.get("/readyz", async (context) => {
    const ready = await parts.isReady();
    return context.json({ status: ready ? "ready" : "waiting for the database" }, ready ? 200 : 503);
  });

  app.use("/rest/*", allow(parts.allowedOrigins));
  app.use("/rest/*", async (context, next) => {
    const refusal = refuseKey(context.req.raw, parts.anonKey);
    return refusal ? refusals.refuse(refusal) : next();
  });
  app.post(
    "/rest/v1/leads",
    async (context, next) => {
      const over = await tooMany(context);
      return over ? refusals.refuse(refusals.tooManyTries(over.seconds)) : next();
    },
    limitBody(() => refusals.refuse(refusals.tooLarge)),
    insertLead(store, addressOf, log),
  );
  app.on(["GET", "HEAD", "PUT", "PATCH", "DELETE"], "/rest/v1/leads", () =>
    refusals.refuse(refusals.noRight),
  );
  app.all("/rest/*", ({ req }) => refusals.refuse(refusalOfPath(req.method, req.path)));

  const fromForm: MiddlewareHandler[] = [
    async (context, next) => {
      const over = await tooMany(context);
      const refusal = over && refusals.tooManyTries(over.seconds);
      // To render the article for each of a flood would cost more than the flood.
      if (over?.isFlood) return refusedInWords(refusal as refusals.Refusal);
      context.set("refusal", refusal);
      return next();
    },
    limitBody(() => refusedArticle(parts.showArticle, {}, refusals.tooLarge)),
    formPost(store, parts.showArticle, addressOf, log, (context) => context.get("refusal")),
  ];
  app.on("POST", ["/", "/functions/v1/submit-lead"], ...fromForm.map(onlyForms));
  app.post("/", ({ req }) =>
    refusals.refuse(
      refusals.wrongType(req.header("content-type") ?? "", "A form is application/x-www-form-urlencoded."),
    ),
  );

  app.all("/functions/v1/submit-lead", (context) => parts.submitLead(context.req.raw));
  app.all("/functions/*", () => refusals.refuse(refusals.noSuchFunction));

  app.get("*", (context) => parts.showNotFound(context.req.raw));
  app.all("*", ({ req }) => {
    const answer = refusals.refuse(refusals.noSuchMethod(req.method));
    answer.headers.set("allow", req.path === "/" ? "GET, HEAD, POST" : "GET, HEAD");
    return answer;
  });

  app.onError((error, { req }) => {
    // A client that breaks off in the middle of its request causes an error here too, and it is no bug.
    if (!req.raw.signal.aborted) logBug(log, error);
    return refusals.refuse(refusals.broken);
  });
  // Before all else: a page is in memory with all its headers, and readers are many.
  const page = (request: Request) => (isRead(request.method) ? parts.showPage(request) : undefined);
  return { fetch: (request, env) => page(request) ?? app.fetch(request, env) };
}

const onlyForms =
  (handle: MiddlewareHandler): MiddlewareHandler =>
  (context, next) =>
    isForm(context.req.raw) ? handle(context, next) : next();

const isRead = (method: string) => method === "GET" || method === "HEAD";

// Hono's own limit opens the body as a stream, which costs more than the rest of an insert's way through here. A length
// that was declared, which Node holds the sender to, needs no such look.
function limitBody(refuse: () => Response | Promise<Response>): MiddlewareHandler {
  const count = bodyLimit({ maxSize: refusals.mostBytes, onError: refuse });
  return async (context, next) => {
    const declared = context.req.header("content-length");
    const isCounted = declared === undefined || context.req.header("transfer-encoding") !== undefined;
    if (isCounted) return count(context, next);
    return Number(declared) <= refusals.mostBytes ? next() : refuse();
  };
}

// The preflight asks which headers may be sent; like Supabase's gateway, any may. Errors carry the permission as well,
// because a browser hides a refusal without it and the visitor would read "no network".
// Methods without a right are allowed too, or a browser would say "no network" instead of who may not.
function allow(origins: Parts["allowedOrigins"]): MiddlewareHandler {
  const handle = cors({
    origin: origins === "*" ? "*" : (origin) => (origins.includes(origin) ? origin : null),
    allowMethods: ["GET", "POST", "PATCH", "PUT", "DELETE", "OPTIONS", "HEAD"],
    exposeHeaders: ["content-range", "preference-applied", "retry-after"],
    maxAge: 86_400,
  });
  return async (context, next) => {
    const preflight = await handle(context, next);
    // 200, as PostgREST answers (CONTRACT 4).
    return preflight && new Response(null, { status: 200, headers: preflight.headers });
  };
}

function refusalOfPath(method: string, path: string) {
  const [, table = "", more] = /^\/rest\/v1\/([^/]*)(\/.*)?$/.exec(path) ?? [];
  if (!table || more !== undefined || table === "rpc") return refusals.noSuchPath;
  if (table !== "leads") return refusals.noSuchTable(table);
  return refusals.noSuchMethod(method);
}
