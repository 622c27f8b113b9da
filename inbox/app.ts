// The inbox as one value: a request in, its answer out. Below /api/ nothing is answered without a session; beside it are the
// sign-in requests, what monitoring asks, and the page itself.
import type { HttpBindings } from "@hono/node-server";
import { Hono } from "hono";
import * as v from "valibot";
import type { ResilientConnection } from "../database/resilient-connection.ts";
import { isDatabaseTrouble } from "../database/trouble.ts";
import { logBug } from "../log/bug.ts";
import type { Log } from "../log/log.ts";
import { type Ask, askWithSession, Refused } from "../team/ask.ts";
import { me, type Session } from "../team/sessions.ts";
import type { Standby } from "../team/standby.ts";
import type { makeAnswers } from "./answers.ts";
import { type CallName, calls } from "./api.ts";
import { type SignInName, signIn as signInRequests } from "./api-sign-in.ts";
import type { ClientFiles } from "./client-files.ts";
import type { CompanySignIn } from "./company-sign-in.ts";
import { type Cookies, makeCookies } from "./cookies.ts";
import { answerDownload } from "./downloads.ts";
import { answerToFailure, maySessionBeOpen, signInRefusal } from "./failures.ts";
import { eventStream, type LiveEvents } from "./live-events.ts";
import type { Metrics } from "./metrics.ts";
import { type MetricsAccess, refuseMetrics } from "./metrics-guard.ts";
import { json, limitBody, readRequest } from "./read-request.ts";
import { finishCompanySignIn, type makeSignIn, type SignInAnswer } from "./sign-in.ts";

export interface InboxDependencies {
  /** The inbox's public address. */
  inboxUrl: string;
  /** As the role leads_team. */
  database: ResilientConnection;
  /** For reports and downloads, where there is one. */
  standby: Standby | undefined;
  answers: ReturnType<typeof makeAnswers>;
  signIn: ReturnType<typeof makeSignIn>;
  company: CompanySignIn | undefined;
  events: LiveEvents;
  files: ClientFiles;
  /** What /metrics and /alertz answer, and who may read that. */
  metrics: Metrics;
  metricsToken: MetricsAccess["token"];
  /** Headers that every answer carries. */
  headers: Readonly<Record<string, string>>;
  log: Log;
}

/** What the routes share. */
interface Routing extends InboxDependencies {
  cookies: Cookies;
  /** Calls the database's functions with the session of a request. */
  askFor(request: Request): Ask;
  /** The same on the standby, where there is one. */
  askStandbyFor(request: Request): Ask | undefined;
}

export function makeInboxApp(dependencies: InboxDependencies): {
  fetch(request: Request, env?: object): Response | Promise<Response>;
} {
  const { inboxUrl, database, standby, files, headers, log } = dependencies;
  const cookies = makeCookies(inboxUrl);
  const askFor = (request: Request): Ask => askWithSession(database, cookies.sessionOf(request));
  const askStandbyFor = (request: Request): Ask | undefined =>
    standby?.askFor(cookies.sessionOf(request), askFor(request));
  const routing = { ...dependencies, cookies, askFor, askStandbyFor };
  const app = new Hono();
  app.use(async (context, next) => {
    await next();
    for (const [name, value] of Object.entries(headers)) {
      if (!context.res.headers.has(name)) context.res.headers.set(name, value);
    }
  });
  addApi(app, routing);
  addSignIn(app, routing);
  addCompanyCallback(app, routing);
  app.get("/healthz", () => json({ status: "alive" }));
  addMetrics(app, routing);
  app.on(["GET", "HEAD"], "*", ({ req }) => files.answer(req.raw, req.path) ?? notFound());
  app.all("*", noSuchMethod);
  app.onError((error, { req }) => answerToFailure(error, req.path, log));
  return app;
}

function addApi(app: Hono, routing: Routing): void {
  const { answers, events, cookies, askFor, askStandbyFor, inboxUrl, log } = routing;
  app.use("/api/*", async ({ req }, next) => {
    // Checked first, so that a request without a session learns nothing, not even which calls exist.
    await me(askFor(req.raw)).catch((error) => {
      // A member can also sign out of a locked session.
      if (req.path === "/api/sign-out" && error instanceof Refused && error.status === 423) return;
      throw error;
    });
    // Hono answers HEAD by the handler of GET and drops the body unread: an event stream or a download would never end.
    return req.raw.method === "HEAD" ? noSuchMethod() : next();
  });
  app.get("/api/events", async ({ req }) => {
    const ask = askFor(req.raw);
    const { id } = await me(ask);
    return eventStream(events, id, () => me(ask).then(() => true, maySessionBeOpen), req.raw.signal);
  });
  app.get("/api/downloads/:name", async ({ req, env }) => {
    const onBroken = (error: unknown) => {
      (env as Partial<HttpBindings>).outgoing?.destroy();
      // The resilient connection has logged an outage already.
      if (!(error instanceof Refused) && !isDatabaseTrouble(error)) logBug(log, error);
    };
    const ask = askStandbyFor(req.raw) ?? askFor(req.raw);
    return (await answerDownload(req.param("name"), req.raw, ask, onBroken)) ?? notFound();
  });
  app.post("/api/*", limitBody, async ({ req }) => {
    const name = req.path.slice("/api/".length);
    if (!isCall(name)) return notFound();
    const { request, response } = calls[name];
    const given = await readRequest(req.raw, request, inboxUrl);
    if (given instanceof Response) return given;
    const handle = answers[name] as (ask: Ask, request: unknown, standby?: Ask) => Promise<unknown>;
    const answered = await handle(askFor(req.raw), given.output, askStandbyFor(req.raw));
    // The schema keeps anything that it does not name out of the answer.
    const answer = json(v.parse(response as v.GenericSchema, answered));
    if (name === "sign-out") answer.headers.append("set-cookie", cookies.endSession());
    return answer;
  });
  app.all("/api/*", notFound);
}

function addSignIn(app: Hono, { signIn, cookies, askFor, inboxUrl }: Routing): void {
  for (const name of Object.keys(signInRequests) as SignInName[]) {
    const { request, response } = signInRequests[name];
    const handle = signIn[name] as (ask: Ask, request: unknown) => Promise<SignInAnswer>;
    app.post(`/${name}`, limitBody, async ({ req }) => {
      const given = await readRequest(req.raw, request, inboxUrl);
      if (given instanceof Response) return given;
      const { body, session, state } = await handle(askFor(req.raw), given.output);
      const answer = json(v.parse(response as v.GenericSchema, body));
      if (state) answer.headers.append("set-cookie", cookies.setState(state));
      return session ? withSession(answer, session, cookies) : answer;
    });
  }
}

function addCompanyCallback(app: Hono, { company, cookies, askFor, log }: Routing): void {
  app.get("/oidc/callback", async ({ req }) => {
    if (!company) return notFound();
    try {
      const state = cookies.stateOf(req.raw);
      const session = await finishCompanySignIn(askFor(req.raw), company, new URL(req.url), state);
      return withSession(redirect("/"), session, cookies);
    } catch (error) {
      // The browser shows the answer to this request as a page.
      const refusal = signInRefusal(error);
      if (!refusal && !isDatabaseTrouble(error)) logBug(log, error);
      const why = refusal ?? "try again";
      return redirect(`/sign-in#${why.replaceAll(" ", "-")}`);
    }
  });
}

/** For monitoring programs: /metrics gives the figures, and the status of /alertz says whether there are unnotified leads. */
function addMetrics(app: Hono, { metrics, metricsToken, inboxUrl }: Routing): void {
  const addWatched = (path: string, handle: () => Promise<Response>) =>
    app.get(path, async ({ req, env }) => {
      const peer = (env as HttpBindings | undefined)?.incoming?.socket.remoteAddress;
      return refuseMetrics(req.raw, peer, { token: metricsToken, inboxUrl }) ?? (await handle());
    });
  const headers = { "content-type": "text/plain; version=0.0.4; charset=utf-8" };
  addWatched("/metrics", async () => new Response(await metrics.text(), { headers }));
  addWatched("/alertz", async () => {
    const leads = await metrics.unnotified();
    if (leads === undefined) return json({ status: "the leads could not be counted" }, 503);
    return leads > 0
      ? json({ status: "leads wait, and the team has not been notified", leads }, 503)
      : json({ status: "ok" });
  });
}

function withSession(answer: Response, { token, ends_at }: Session, cookies: Cookies): Response {
  if (token) answer.headers.append("set-cookie", cookies.setSession(token, ends_at));
  return answer;
}

const isCall = (name: string): name is CallName => Object.hasOwn(calls, name);
const notFound = () => json({ error: "not found" }, 404);
const noSuchMethod = () => json({ error: "no such method" }, 405);
const redirect = (location: string) => new Response(null, { status: 303, headers: { location } });
