// The plain form post: `POST /` from a page whose script has not arrived, or never will. It stores the lead as call 1
// does, and goes on to the thank-you page; a refusal returns the whole article with everything typed still in it.
import type { Context } from "hono";
import { type Lead, leadFromForm, parseLead } from "../lead/lead.ts";
import type { Log } from "../log.ts";
import { evidenceOf } from "./evidence.ts";
import { refusalOfFailure } from "./insert-lead.ts";
import { refusalOf } from "./read-insert.ts";
import type { Refusal } from "./refusals.ts";
import * as refusals from "./refusals.ts";
import type { Store } from "./store.ts";

/** Shows the article again: what was typed, and the sentence for the banner. */
export type ShowArticle = (refused: { lead: Partial<Lead>; message: string }) => Response | Promise<Response>;

/** Makes the handler. `refusedBefore` tells of a refusal that came earlier, such as too many tries. */
export function formPost(
  store: Store,
  showArticle: ShowArticle,
  addressOf: (context: Context) => string,
  log: Log,
  refusedBefore: (context: Context) => Promise<Refusal | undefined>,
) {
  return async (context: Context): Promise<Response> => {
    const { headers } = context.req.raw;
    if (!/^application\/x-www-form-urlencoded\b/i.test(headers.get("content-type") ?? "")) {
      return refusals.refuse(refusals.notJsonType("a form is application/x-www-form-urlencoded"));
    }
    const form = new URLSearchParams(await context.req.text());
    const lead = leadFromForm(form);
    const evidence = evidenceOf(headers, addressOf(context), Boolean(form.get("website")));
    const refusal =
      (await refusedBefore(context)) ?? (await tryToStore(lead, () => store(lead, evidence), log));
    if (refusal) return refusedArticle(showArticle, lead, refusal);
    return new Response(null, {
      status: 303,
      headers: { location: "/thank-you", "cache-control": "no-store" },
    });
  };
}

async function tryToStore(lead: Lead, storeIt: () => Promise<void>, log: Log): Promise<Refusal | undefined> {
  const parsed = parseLead(lead);
  if ("problem" in parsed) return refusalOf(parsed.problem);
  return storeIt().then(
    () => undefined,
    (error) => refusalOfFailure(error, log),
  );
}

/** Answers a refusal with the article: the banner says why, and what was typed stands in the form. */
export async function refusedArticle(
  showArticle: ShowArticle,
  lead: Partial<Lead>,
  refusal: Refusal,
): Promise<Response> {
  const article = await showArticle({ lead, message: refusal.message });
  const headers = new Headers(article.headers);
  headers.set("cache-control", "no-store");
  if (refusal.retryAfter !== undefined) headers.set("retry-after", String(refusal.retryAfter));
  return new Response(article.body, { status: refusal.status, headers });
}
