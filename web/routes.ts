// The routes of the web side that are no pages: health, the insert, the plain form post, counting, submit-lead, and what is refused.
import type { Context, Hono } from "hono";
import { maxBeaconBytes } from "../campaigns/beacon.ts";
import { responseOf } from "../intake/answer.ts";
import { isForm } from "../intake/form-post.ts";
import type { makeInsertLead } from "../intake/insert-lead.ts";
import { refusalOfKey } from "../intake/key.ts";
import { readBody } from "../intake/read-body.ts";
import * as refusals from "../intake/refusals.ts";
import type { Cors } from "./cors.ts";
import { type Counting, notCounting } from "./counting.ts";
import { withHeaders } from "./with-headers.ts";

/** The network address of a request's sender, as far as the proxies in front are trusted. */
type AddressOf = (context: Context) => string;

export function addHealth(app: Hono, isReady: () => Promise<boolean>): void {
  app.get("/healthz", (context) => context.json({ status: "alive" }));
  app.get("/readyz", async (context) => {
    const ready = await isReady();
    return context.json({ status: ready ? "ready" : "waiting for the database" }, ready ? 200 : 503);
  });
}

export interface InsertRoutes {
  insertLead: ReturnType<typeof makeInsertLead>;
  cors: Cors;
  anonKey: string;
  addressOf: AddressOf;
}

/** POST /rest/v1/leads, which inserts a lead, and for other requests below /rest the answers that PostgREST would give. */
export function addInsert(app: Hono, { insertLead, cors, anonKey, addressOf }: InsertRoutes): void {
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
    const refusal = refusalOfKey(headers, new URL(url).searchParams, anonKey);
    return refusal ? refusals.refuse(refusal) : next();
  });
  app.on(["GET", "HEAD", "PUT", "PATCH", "DELETE"], "/rest/v1/leads", () =>
    refusals.refuse(refusals.noRight),
  );
  app.all("/rest/*", ({ req }) => refusals.refuse(refusalOfPath(req.method, req.path)));
}

function refusalOfPath(method: string, path: string) {
  const [, table = "", more] = /^\/rest\/v1\/([^/]*)(\/.*)?$/.exec(path) ?? [];
  if (!table || more !== undefined || table === "rpc") return refusals.noSuchPath;
  if (table !== "leads") return refusals.noSuchTable(table);
  return refusals.noSuchMethod(method);
}

type FormPost = (request: Request, address: string) => Response | Promise<Response>;

export function addFormPost(app: Hono, formPost: FormPost, addressOf: AddressOf): void {
  app.on("POST", ["/", "/functions/v1/submit-lead"], (context, next) =>
    isForm(context.req.raw) ? formPost(context.req.raw, addressOf(context)) : next(),
  );
  app.post("/", ({ req }) =>
    refusals.refuse(
      refusals.wrongType(req.header("content-type") ?? "", "A form is application/x-www-form-urlencoded."),
    ),
  );
}

export function addCounting(app: Hono, counting: Counting | undefined, addressOf: AddressOf): void {
  // The second address serves pages of a static host, which know the backend by the address of submit-lead.
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
}

/** POST /functions/v1/submit-lead, which the page calls after a lead is stored. */
export function addSubmitLead(
  app: Hono,
  submitLead: (request: Request) => Response | Promise<Response>,
): void {
  app.all("/functions/v1/submit-lead", (context) => submitLead(context.req.raw));
  app.all("/functions/*", () => refusals.refuse(refusals.noSuchFunction));
}

/** The answers to every other request. */
export function addNotFound(app: Hono, showNotFound: (request: Request) => Response): void {
  app.get("*", (context) => showNotFound(context.req.raw));
  app.all("*", ({ req }) => {
    const answer = refusals.refuse(refusals.noSuchMethod(req.method));
    answer.headers.set("allow", req.path === "/" ? "GET, HEAD, POST" : "GET, HEAD");
    return answer;
  });
}
