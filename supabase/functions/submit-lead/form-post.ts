// The plain form post on hosted Supabase, from a page whose script has not arrived, or never will. It stores the lead as
// the visitor's own role, as PostgREST would, and sends the browser to the thank-you page of the site (siteOf). A
// refusal is plain text, because hosted functions may not answer with HTML: the browser's Back button brings the form as it was.
import { plainRefusal, textsNamed, thankYouPath } from "../../../content/languages.ts";
import type { Sql } from "../../../database/connect.ts";
import type { ResilientConnection } from "../../../database/resilient-connection.ts";
import { transaction } from "../../../database/transaction.ts";
import {
  type FormPostDependencies as IntakeFormPostDependencies,
  refusedInWords,
} from "../../../intake/form-post.ts";
import { refusalOfFailure } from "../../../intake/insert-lead.ts";
import { readBody } from "../../../intake/read-body.ts";
import { refusalOf } from "../../../intake/read-insert.ts";
import { maxBytes, type Refusal, tooLarge } from "../../../intake/refusals.ts";
import { formStatements, type RequestHeaders, requestHeadersOf } from "../../../intake/request-headers.ts";
import { type Lead, leadFromForm, parseLead } from "../../../lead/lead.ts";
import { codeOf, type Log } from "../../../log/log.ts";

export interface FormPostDependencies {
  database: ResilientConnection;
  /** The site's own origin, when it is known. */
  site: string | undefined;
  /** The codes of the languages that the site is shown in. */
  languages: readonly string[];
  /** All sites that may call, its own among them; "*" for any. */
  allowedOrigins: "*" | readonly string[];
  wake: () => void;
  /** This and `countPost` are given where page loads are counted. */
  deviceOf?: IntakeFormPostDependencies["deviceOf"];
  countPost?: IntakeFormPostDependencies["countPost"];
  log: Log;
}

/** Milliseconds: longer than any honest insert. After it the visitor is asked to try again. */
const queryTimeout = 10_000;

/** Makes the handler. */
export function formPost(dependencies: FormPostDependencies) {
  const { database, wake, deviceOf, countPost, log } = dependencies;
  return async (request: Request): Promise<Response> => {
    const body = await readBody(request, maxBytes);
    if (body === undefined) return refuse(tooLarge, undefined);
    const form = new URLSearchParams(new TextDecoder().decode(body));
    const language = form.get("language");
    const lead = leadFromForm(form);
    const parsed = parseLead(lead);
    if ("problem" in parsed) return refuse(refusalOf(parsed.problem), language);
    const statements = formStatements(form);
    const requestHeaders = requestHeadersOf(request.headers, addressOf(request.headers), {
      form: statements,
      deviceOf,
    });
    if (statements.isWithoutScript) countPost?.(request.headers, statements.variant);
    const failure = await database
      .query((sql) => storeAsVisitor(sql, lead, requestHeaders).catch(returnRefusal), queryTimeout)
      .catch((error: unknown) => ({ error }));
    if (failure) return refuse(refusalOfFailure(failure.error, log), language);
    wake();
    return thank(siteOf(request, dependencies), language, dependencies.languages);
  };
}

const refuse = (refusal: Refusal, language: string | null | undefined): Response =>
  refusedInWords(refusal, plainRefusal(language, refusal.message));

// As PostgREST does when the page's script sends a lead (call 1): sets the role and the headers for this transaction alone, then inserts.
async function storeAsVisitor(sql: Sql, lead: Lead, requestHeaders: RequestHeaders): Promise<void> {
  await transaction(sql, async (tx) => {
    await tx`
      select
        set_config('request.headers', ${JSON.stringify(requestHeaders)}, true),
        set_config('statement_timeout', '8s', true),
        set_config('role', 'anon', true)`;
    await tx`insert into public.leads ${tx(lead)}`;
  });
}

// Returns a refusal of the lead, or of the right to add one, as a result, because a database that refuses is reachable and ends an
// outage. (SQLSTATE classes 23, 42 and PT.) Throws any other error.
function returnRefusal(error: unknown): { error: unknown } {
  if (/^(23|42|PT)/.test(codeOf(error))) return { error };
  throw error;
}

// Cloudflare, in front of hosted Supabase, states the caller's address. Elsewhere this is the first address of the list, which the caller
// can forge.
const addressOf = (headers: Headers): string =>
  headers.get("cf-connecting-ip") ?? headers.get("x-forwarded-for")?.split(",")[0]?.trim() ?? "";

/**
 * Where the browser is sent: to the origin that posted the form where the allowed origins name it, otherwise to `site`.
 * Where any origin is allowed: to `site`, and where that is not known, to the origin that posted the form.
 */
function siteOf({ headers }: Request, { site, allowedOrigins }: FormPostDependencies): string | undefined {
  const origin = headers.get("origin") ?? "";
  if (allowedOrigins !== "*") return allowedOrigins.includes(origin) ? origin : site;
  return site ?? (/^https?:\/\//.test(origin) ? origin : undefined);
}

function thank(site: string | undefined, language: string | null, languages: readonly string[]): Response {
  const headers = { "cache-control": "no-store", "content-type": "text/plain; charset=utf-8" };
  const location = `${site}${thankYouPath(language, languages)}`;
  if (site) return new Response(null, { status: 303, headers: { ...headers, location } });
  return new Response(`${textsNamed(language).plain.thanks}\n`, { headers });
}
