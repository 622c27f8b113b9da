// The intake for a chapter: the real app on a real database, called without a network port. Its pages are one line each,
// because other chapters check what the pages look like.
import { vi } from "vitest";
import { plainRefusal } from "../../content/languages.ts";
import { connect } from "../../database/connect.ts";
import { makeIsReady } from "../../database/prepare.ts";
import { makeResilientConnection } from "../../database/resilient-connection.ts";
import { makeStore } from "../../intake/store.ts";
import { type Dependencies, makeApp } from "../../web/app.ts";
import { aLead, type TestDatabase } from "./database.ts";

export const anonKey = "sb_publishable_for_the_spec";

/** Makes the app on a database, with `differences` in place of the usual dependencies. */
export async function makeIntake(
  database: Pick<TestDatabase, "intakeUrl">,
  differences: Partial<Dependencies> = {},
) {
  const log = vi.fn();
  const connection = (max: number) =>
    makeResilientConnection(
      () => connect(database.intakeUrl, { max }),
      () => {},
    );
  const app = makeApp({
    anonKey,
    store: makeStore(connection(4)),
    allowedOrigins: "*",
    addressOf: () => "203.0.113.7",
    limit: undefined,
    pages: new Map(),
    showPage: () => undefined,
    showNotFound: () => new Response("no page", { status: 404 }),
    thankYouPath: () => "/thank-you",
    plainRefusal,
    showArticle: ({ lead, message }) => new Response(`${message} ${JSON.stringify(lead)}`),
    submitLead: () => new Response(null, { status: 202 }),
    isReady: await makeIsReady(connection(1)),
    headers: { "x-content-type-options": "nosniff" },
    log,
    ...differences,
  });
  return { app, log };
}

/** An insert as supabase-js sends it, with the headers, query or method that a test gives. A body of text or bytes is sent unchanged. */
export function insertRequest(
  body: unknown = aLead(),
  {
    headers = {},
    query = "",
    method = "POST",
  }: { headers?: Record<string, string>; query?: string; method?: string } = {},
): Request {
  const withBody = method !== "GET" && method !== "HEAD";
  return new Request(`http://localhost/rest/v1/leads${query}`, {
    method,
    headers: {
      apikey: anonKey,
      authorization: `Bearer ${anonKey}`,
      "content-profile": "public",
      "content-type": "application/json",
      ...headers,
    },
    ...(withBody && {
      body:
        typeof body === "string" || body instanceof Uint8Array ? (body as BodyInit) : JSON.stringify(body),
    }),
  });
}

/** A plain form post, as a browser without script sends it. */
export const formRequest = (fields: Record<string, string>): Request =>
  new Request("http://localhost/", { method: "POST", body: new URLSearchParams(fields) });
