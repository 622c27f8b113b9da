// What every answer of the product must be, whatever was asked: the chapters about bad input hold each one to this.
import { expect } from "vitest";
import type { WireAnswer } from "./wire.ts";

/** What only our own files, PostgreSQL's statements and stack traces say. */
const internals =
  /\n\s{1,20}at \S|node_modules|file:\/\/|\w\.(tsx?|mjs|sql):\d|insert into|relation "|syntax error at/i;

/**
 * Whether the data path or the functions answer at this address, once it is parsed as browsers parse it. The address of the beacons is left
 * out, because its refusals are plain sentences, which no page shows.
 */
export const isApi = (target: string) =>
  URL.canParse(target, "http://x") &&
  /^\/(rest|functions)(\/(?!v1\/submit-lead\/c$)|$)/.test(new URL(target, "http://x").pathname);

/**
 * Expects an answer that our server made, and that says nothing of our internals. A refusal by the API must also have a message that the page
 * can show; only the answer to HEAD, which has no body, has none.
 */
export function expectAPlainAnswer(answer: WireAnswer | undefined, ofApi: boolean, method = "GET"): void {
  expect(answer?.status).toBeGreaterThanOrEqual(200);
  expect(answer?.status).toBeLessThan(500);
  const { status = 0, headers = {}, body = "" } = answer ?? {};
  expect(body).not.toMatch(internals);
  expect(headers).toMatchObject({ "x-content-type-options": "nosniff", "x-frame-options": "DENY" });
  expect(headers).not.toHaveProperty("server");
  expect(headers).not.toHaveProperty("x-powered-by");
  if (ofApi && status >= 400 && method !== "HEAD") {
    const { code, message, details, hint, ...others } = JSON.parse(body);
    expect([typeof code, typeof message, message.trim() !== "", others]).toEqual([
      "string",
      "string",
      true,
      {},
    ]);
    // A refusal in PostgREST's form has this header and always gives both fields; submit-lead leaves the fields out, as Supabase's
    // functions do.
    const isInPostgrestsForm = headers["proxy-status"] !== undefined;
    const forEngineers = isInPostgrestsForm ? [details, hint] : [details ?? null, hint ?? null];
    expect(forEngineers.every((one) => one === null || typeof one === "string")).toBe(true);
  }
}

/** Methods that a client may come with. */
export const methods = [
  "GET",
  "HEAD",
  "POST",
  "PUT",
  "PATCH",
  "DELETE",
  "OPTIONS",
  "TRACE",
  "PROPFIND",
  "QUERY",
];
/** Addresses of pages, of the data path, of the functions, and of nothing. */
export const paths = [
  "/",
  "/thank-you",
  "/nothing",
  "/robots.txt",
  "/healthz",
  "/readyz",
  "/rest/v1/leads",
  "/rest/v1/other",
  "/rest/",
  "/functions/v1/submit-lead",
  "/functions/v1/submit-lead/c",
  "/functions/v1/other",
  "/c",
];
