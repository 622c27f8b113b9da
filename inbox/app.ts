// The inbox as one value: a request in, its answer out. Below /api/ nothing is answered without a session; beside it are the ways to
// get in and the page itself.
import { Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import * as v from "valibot";
import type { ResilientConnection } from "../database/resilient-connection.ts";
import { logBug } from "../log/bug.ts";
import { codeOf, type Log } from "../log/log.ts";
import { type Ask, askWithSession, Refused } from "../team/acting.ts";
import { me, type Session } from "../team/sessions.ts";
import type { makeAnswers } from "./answers.ts";
import { type CallName, calls } from "./api.ts";
import { type SignInName, signIn as signInRequests } from "./api-sign-in.ts";
import type { ClientFiles } from "./client-files.ts";
import type { CompanySignIn } from "./company-sign-in.ts";
import { makeCookies } from "./cookies.ts";
import { eventStream, type LiveEvents } from "./live-events.ts";
import { SignInRefused } from "./passkeys.ts";
import { finishCompanySignIn, type makeSignIn } from "./sign-in.ts";

export interface InboxDependencies {
  /** The inbox's public address. */
  inboxUrl: string;
  /** As the role leads_team. */
  database: ResilientConnection;
  answers: ReturnType<typeof makeAnswers>;
  signIn: ReturnType<typeof makeSignIn>;
  company: CompanySignIn | undefined;
  events: LiveEvents;
  files: ClientFiles;
  /** Headers that every answer carries. */
  headers: Readonly<Record<string, string>>;
  log: Log;
}

/** No request of ours is larger: a note has 2,000 characters, a passkey some thousand. */
const maxBytes = 65_536;

export function makeInboxApp(dependencies: InboxDependencies): {
  fetch(request: Request): Response | Promise<Response>;
} {
  const { inboxUrl, database, company, events, files, headers, log } = dependencies;
  const cookies = makeCookies(inboxUrl);
  const ownOrigin = new URL(inboxUrl).origin;
  const app = new Hono();
  const asker = (request: Request): Ask => askWithSession(database, cookies.sessionOf(request));

  app.use(async (context, next) => {
    await next();
    for (const [name, value] of Object.entries(headers)) {
      if (!context.res.headers.has(name)) context.res.headers.set(name, value);
    }
  });

  app.use("/api/*", async ({ req }, next) => {
    // Before anything else is looked at: whoever is not in learns nothing, not even which calls there are.
    await me(asker(req.raw)).catch((error) => {
      // A locked session can be left, too.
      if (req.path === "/api/sign-out" && error instanceof Refused && error.status === 423) return;
      throw error;
    });
    return next();
  });
  app.get("/api/events", async ({ req }) => {
    const ask = asker(req.raw);
    const { id } = await me(ask);
    const isIn = () => me(ask).then(() => true, isNotIn);
    return eventStream(events, id, isIn, req.raw.signal);
  });
  const post = [bodyLimit({ maxSize: maxBytes, onError: () => json({ error: "too large" }, 413) })] as const;
  app.post("/api/*", ...post, async ({ req }) => {
    const name = req.path.slice("/api/".length);
    if (!isCall(name)) return notFound();
    const refusal = refusalOfPage(req.raw, ownOrigin);
    if (refusal) return refusal;
    const { request, response } = calls[name];
    const given = v.safeParse(request, await bodyOf(req.raw));
    if (!given.success) return json({ error: "not a request" }, 400);
    const handle = dependencies.answers[name] as (ask: Ask, request: unknown) => Promise<unknown>;
    const answer = await handle(asker(req.raw), given.output);
    // What the schema does not name does not leave.
    const sent = json(v.parse(response as v.GenericSchema, answer));
    if (name === "sign-out") sent.headers.append("set-cookie", cookies.endSession());
    return sent;
  });
  app.all("/api/*", notFound);

  const withSession = (answer: Response, { token, ends_at }: Session): Response => {
    if (token) answer.headers.append("set-cookie", cookies.setSession(token, ends_at));
    return answer;
  };
  for (const name of Object.keys(signInRequests) as SignInName[]) {
    app.post(`/${name}`, ...post, async ({ req }) => {
      const refusal = refusalOfPage(req.raw, ownOrigin);
      if (refusal) return refusal;
      const given = v.safeParse(signInRequests[name].request, await bodyOf(req.raw));
      if (!given.success) return json({ error: "not a request" }, 400);
      const handle = dependencies.signIn[name] as (
        ask: Ask,
        request: unknown,
      ) => ReturnType<(typeof dependencies.signIn)[SignInName]>;
      const { body, session, state } = await handle(asker(req.raw), given.output);
      const answer = json(v.parse(signInRequests[name].response as v.GenericSchema, body));
      if (state) answer.headers.append("set-cookie", cookies.setState(state));
      return session ? withSession(answer, session) : answer;
    });
  }
  app.get("/oidc/callback", async ({ req }) => {
    if (!company) return notFound();
    try {
      const state = cookies.stateOf(req.raw);
      const session = await finishCompanySignIn(asker(req.raw), company, new URL(req.url), state);
      return withSession(redirect("/"), session);
    } catch (error) {
      const why = whyNotIn(error);
      if (!why) throw error;
      return redirect(`/sign-in#${why.replaceAll(" ", "-")}`);
    }
  });

  app.get("/healthz", () => json({ status: "alive" }));
  app.on(["GET", "HEAD"], "*", ({ req }) => files.answer(req.raw, req.path) ?? notFound());
  app.all("*", () => json({ error: "no such method" }, 405));

  app.onError((error, { req }) => answerOf(error, req.path, log));
  return app;
}

/** What a failure is answered with. Below /api/ a missing session says nothing at all. */
function answerOf(error: unknown, path: string, log: Log): Response {
  if (path.startsWith("/api/") && error instanceof Refused && [401, 423].includes(error.status)) {
    return new Response(null, { status: error.status });
  }
  const why = whyNotIn(error);
  if (why) return json({ error: why }, 401);
  if (error instanceof Refused) {
    return json({ error: error.status === 404 ? "not found" : error.message }, error.status);
  }
  if (isDatabaseAway(error)) return json({ error: "the database does not answer" }, 503);
  logBug(log, error);
  return json({ error: "a bug" }, 500);
}

/** Why a way in stays shut, in a word of inbox/api-sign-in.ts; undefined for any other failure. */
function whyNotIn(error: unknown): string | undefined {
  if (error instanceof SignInRefused) return error.why;
  return error instanceof Refused && error.status === 401 ? error.message : undefined;
}

// Classes 08, 53, 57 and 40 of SQLSTATE, and a connection that does not come about or ends.
const isDatabaseAway = (error: unknown) =>
  /^(08|53|57|40|25006|QueryTimeout|CONNECT|ECONN|EPIPE|ETIMEDOUT|ENOENT|ENOTFOUND|NoWritableServer|EHOST|ENET)/.test(
    codeOf(error),
  );

// A session that the database cannot be asked about may be open still.
const isNotIn = (error: unknown): boolean => !(error instanceof Refused);

/**
 * Refuses what did not come from the inbox's own page, so that no other site can act with a member's cookie: a form of another site
 * cannot send JSON, and a browser says where a request comes from.
 */
function refusalOfPage(request: Request, ownOrigin: string): Response | undefined {
  const origin = request.headers.get("origin");
  const site = request.headers.get("sec-fetch-site");
  const isOwn = origin !== null ? origin === ownOrigin : site === "same-origin";
  if (!isOwn || (site !== null && site !== "same-origin")) return json({ error: "another page" }, 403);
  const type = request.headers.get("content-type") ?? "";
  return /^application\/json(?:;|$)/i.test(type) ? undefined : json({ error: "send application/json" }, 415);
}

async function bodyOf(request: Request): Promise<unknown> {
  try {
    return JSON.parse(await request.text());
  } catch {
    return undefined;
  }
}

const isCall = (name: string): name is CallName => Object.hasOwn(calls, name);
const json = (body: unknown, status = 200): Response => Response.json(body, { status });
const notFound = () => json({ error: "not found" }, 404);
const redirect = (location: string) => new Response(null, { status: 303, headers: { location } });
