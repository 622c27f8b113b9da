// The plain form post, from a page whose script has not loaded: `POST /`, and call 2's address from a page that is served
// elsewhere. It stores the lead as call 1 does and redirects to the thank-you page; a refusal returns the whole article with
// everything typed still in it, unless that is too long to be read, or part of a flood.
import { type Lead, leadFromForm, parseLead } from "../lead/lead.ts";
import type { Log } from "../log/log.ts";
import type { HeaderValues } from "./answer.ts";
import { readItems } from "./header-values.ts";
import { refusalOfFailure } from "./insert-lead.ts";
import type { Limit } from "./limit.ts";
import { readBody } from "./read-body.ts";
import { refusalOf } from "./read-insert.ts";
import { maxBytes, type Refusal, tooLarge, tooManyTries } from "./refusals.ts";
import { campaignIn, type DeviceOf, formStatements, requestHeadersOf } from "./request-headers.ts";
import type { Store } from "./store.ts";

/**
 * What the plain post needs of the pages. `language` is the code that the form names or, where the form is not read, the address of its
 * page; `variant` is the one that the form names. Either may be undefined.
 */
export interface FormPages {
  /** Shows the article again: what was typed, and the sentence for the banner. */
  showArticle: ShowArticle;
  thankYouPath: (language: string | undefined) => string;
  /** The plain text of a refusal in a language. */
  plainRefusal: (language: string | undefined, message: string) => string;
}

export type ShowArticle = (refused: {
  lead: Partial<Lead>;
  message: string;
  language: string | undefined;
  variant: string | undefined;
  /** `campaign` and `isWithoutScript` go into the article's form, so that its next post states them again (FormStatements). */
  campaign?: string;
  isWithoutScript?: boolean;
}) => Response | Promise<Response>;

/** Whether a request is a form's, by its content type. */
export const isForm = ({ headers }: Request): boolean =>
  readItems(headers.get("content-type") ?? "")[0]?.value.toLowerCase() ===
  "application/x-www-form-urlencoded";

export interface FormPostDependencies extends FormPages {
  store: Store;
  /** Counts a try of this address; undefined while it may send. */
  tooMany: Limit;
  /** Given where page loads are counted by device. */
  deviceOf?: DeviceOf | undefined;
  /** Counts a press of the button in a browser without script. */
  countPost?: ((headers: HeaderValues, variant: string | null) => void) | undefined;
  log: Log;
}

/** Makes the handler. `address` is the sender's, as far as the proxies in front are trusted. */
export function makeFormPost(dependencies: FormPostDependencies) {
  const { store, showArticle, thankYouPath, tooMany, plainRefusal, deviceOf, countPost, log } = dependencies;
  return async (request: Request, address: string): Promise<Response> => {
    const over = tooMany(address);
    const refusedBefore = over && tooManyTries(over.seconds);
    // To render the article for each post of a flood would cost more than the flood.
    if (over?.isFlood && refusedBefore)
      return refusedInWords(refusedBefore, plainRefusal(languageOf(request), refusedBefore.message));
    const body = await readBody(request, maxBytes);
    if (body === undefined) {
      const campaign = campaignIn(request.headers.get("referer") ?? "");
      const page = { lead: {}, language: languageOf(request), variant: undefined, campaign };
      return refusedArticle(showArticle, page, tooLarge);
    }
    const form = new URLSearchParams(new TextDecoder().decode(body));
    const lead = leadFromForm(form);
    const language = form.get("language") ?? undefined;
    const statements = formStatements(form);
    const requestHeaders = requestHeadersOf(request.headers, address, { form: statements, deviceOf });
    if (statements.isWithoutScript && !statements.isAfterRefusal)
      countPost?.(request.headers, statements.variant);
    const refusal = refusedBefore ?? (await tryToStore(lead, () => store(lead, requestHeaders), log));
    const variant = statements.variant ?? undefined;
    const { isWithoutScript } = statements;
    const campaign = campaignIn(requestHeaders.referer ?? "");
    const page = { lead, language, variant, campaign, isWithoutScript };
    if (refusal) return refusedArticle(showArticle, page, refusal);
    return new Response(null, {
      status: 303,
      headers: { location: thankYouPath(language), "cache-control": "no-store" },
    });
  };
}

/**
 * The language of the page that a form was posted from, where the body is not read: the first part of the page's path, as in /es. The
 * article that answers a refused post stands at /, and a page of another origin states no path: both get the first language that is shown.
 */
const languageOf = ({ headers }: Request): string | undefined =>
  URL.parse(headers.get("referer") ?? "")?.pathname.split("/")[1];

async function tryToStore(lead: Lead, storeIt: () => Promise<void>, log: Log): Promise<Refusal | undefined> {
  const parsed = parseLead(lead);
  if ("problem" in parsed) return refusalOf(parsed.problem);
  return storeIt().then(
    () => undefined,
    (error) => refusalOfFailure(error, log),
  );
}

/** Answers a refusal with the article: the banner says why, and what was typed stands in the form. */
async function refusedArticle(
  showArticle: ShowArticle,
  page: Omit<Parameters<ShowArticle>[0], "message">,
  refusal: Refusal,
): Promise<Response> {
  const article = await showArticle({ ...page, message: refusal.message });
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
