// The plain form post, from a page whose script has not arrived, or never will: `POST /`, and call 2's address from a page
// that is served elsewhere. It stores the lead as call 1 does, and goes on to the thank-you page; a refusal returns the
// whole article with everything typed still in it.
import type { Context } from "hono";
import { type Lead, leadFromForm, parseLead } from "../lead/lead.ts";
import type { Log } from "../log/log.ts";
import { readItems } from "./header-values.ts";
import { refusalOfFailure } from "./insert-lead.ts";
import { refusalOf } from "./read-insert.ts";
import type { Refusal } from "./refusals.ts";
import { formStatements, requestHeadersOf } from "./request-headers.ts";
import type { Store } from "./store.ts";

/** What the plain post needs of the pages. `language` is the code that the form or the address of its page names, if one does. */
export interface FormPages {
  /** Shows the article again: what was typed, and the sentence for the banner. */
  showArticle: ShowArticle;
  thankYouPath: (language: string | undefined) => string;
}

export type ShowArticle = (refused: {
  lead: Partial<Lead>;
  message: string;
  language: string | undefined;
}) => Response | Promise<Response>;

/** Whether a request is a form's, by its content type. */
export const isForm = ({ headers }: Request): boolean =>
  readItems(headers.get("content-type") ?? "")[0]?.value.toLowerCase() ===
  "application/x-www-form-urlencoded";

/** Makes the handler. `refusedBefore` tells of a refusal that came earlier, such as too many tries. */
export function formPost(
  store: Store,
  { showArticle, thankYouPath }: FormPages,
  addressOf: (context: Context) => string,
  log: Log,
  refusedBefore: (context: Context) => Refusal | undefined,
) {
  return async (context: Context): Promise<Response> => {
    const { headers } = context.req.raw;
    const form = new URLSearchParams(await context.req.text());
    const lead = leadFromForm(form);
    const language = form.get("language") ?? undefined;
    const requestHeaders = requestHeadersOf(headers, addressOf(context), formStatements(form));
    const refusal =
      refusedBefore(context) ?? (await tryToStore(lead, () => store(lead, requestHeaders), log));
    if (refusal) return refusedArticle(showArticle, lead, refusal, language);
    return new Response(null, {
      status: 303,
      headers: { location: thankYouPath(language), "cache-control": "no-store" },
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
  language: string | undefined,
): Promise<Response> {
  const article = await showArticle({ lead, message: refusal.message, language });
  const headers = new Headers(article.headers);
  headers.set("cache-control", "no-store");
  if (refusal.retryAfter !== undefined) headers.set("retry-after", String(refusal.retryAfter));
  return new Response(article.body, { status: refusal.status, headers });
}

/** Answers a refusal with plain text, such as its sentence and the way back to what was typed. */
export function refusedInWords({ status, retryAfter }: Refusal, text: string): Response {
  const headers = new Headers({ "content-type": "text/plain; charset=utf-8", "cache-control": "no-store" });
  if (retryAfter !== undefined) headers.set("retry-after", String(retryAfter));
  return new Response(text, { status, headers });
}
