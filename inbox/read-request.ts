// How the inbox reads a request: from its own page alone, as JSON, as the schema says, and no larger than it has to be.
import type { MiddlewareHandler } from "hono";
import { bodyLimit } from "hono/body-limit";
import * as v from "valibot";

export const json = (body: unknown, status = 200): Response => Response.json(body, { status });

const limitTo = (maxSize: number) => bodyLimit({ maxSize, onError: () => json({ error: "too large" }, 413) });

/** In bytes. A file of costs has at most 50,000 characters (inbox/api-campaigns.ts), and a letter is up to three bytes in JSON. */
const limitCosts = limitTo(200_000);
/** No other request of ours is larger: a note has at most 2,000 characters, a passkey some thousand. */
const limitOther = limitTo(65_536);

export const limitBody: MiddlewareHandler = (context, next) =>
  (context.req.path === "/api/campaigns/costs" ? limitCosts : limitOther)(context, next);

/** Reads the body by the schema, or returns the refusal. */
export async function readRequest(
  request: Request,
  schema: v.GenericSchema,
  inboxUrl: string,
): Promise<{ output: unknown } | Response> {
  const refusal = refusalOfPage(request, new URL(inboxUrl).origin);
  if (refusal) return refusal;
  const given = v.safeParse(schema, await bodyOf(request));
  return given.success ? { output: given.output } : json({ error: "not a request" }, 400);
}

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
