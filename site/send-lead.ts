// Sends a lead with two calls: an insert, which must succeed, and submit-lead, which only wakes the
// delivery, so its failure is logged and the visitor goes on. (Specification 7 and 8.)
import type { Lead } from "../lead/lead.ts";

/** Where the backend is (empty: the page's own origin), and the public anonymous key it knows. */
export interface Backend {
  url: string;
  key: string;
}

/** How long an insert may take before the page says that the server does not answer. Sending again later stores nothing twice. */
const insertTimeout = 30_000;
/** How long the visitor waits for submit-lead before going on. */
const submitLeadTimeout = 2_000;

/** What goes with a lead, and what to say when it cannot be sent. */
export interface Circumstances {
  /** Which permission notice the page shows, by the hash of its text. */
  noticeHash: string;
  /** Which variant of the article the page shows, while an experiment runs. */
  variant?: string | undefined;
  /** The campaign's words, where the address of the page has lost them. */
  campaign?: string | undefined;
  /** The sentence for the banner when the server does not answer. */
  unreachable: string;
}

/** The insert was answered with 401, mostly because the backend does not know the page's key. A plain post needs none. */
export class KeyRefused extends Error {}

/**
 * Stores the lead, then wakes the delivery. Resolves when the visitor may go on to the thank-you page.
 * @throws an Error with the message for the banner; KeyRefused, whose message may be empty; or the answer itself, which has no message.
 */
export async function sendLead(backend: Backend, lead: Lead, circumstances: Circumstances): Promise<void> {
  await insert(backend, lead, circumstances);
  await submitLead(backend, lead);
}

async function insert({ url, key }: Backend, lead: Lead, circumstances: Circumstances): Promise<void> {
  // Not AbortSignal.timeout: phones of 2021 have none.
  const controller = new AbortController();
  const tooLong = setTimeout(() => controller.abort(), insertTimeout);
  const answer = await fetch(`${url}/rest/v1/leads`, {
    method: "POST",
    headers: {
      apikey: key,
      authorization: `Bearer ${key}`,
      "content-type": "application/json",
      "x-permission-notice": circumstances.noticeHash,
      ...(circumstances.variant && { "x-variant": circumstances.variant }),
    },
    body: JSON.stringify(lead),
    // Our own backend may know the whole address, utm_* included: it is part of the permission's evidence.
    referrerPolicy: "no-referrer-when-downgrade",
    ...(circumstances.campaign && { referrer: `?${circumstances.campaign}` }),
    signal: controller.signal,
  }).catch((cause: unknown) => {
    throw new Error(circumstances.unreachable, { cause });
  });
  const isStored = answer.ok && isOurs(answer);
  const message = isStored ? "" : messageIn(await answer.text().catch(() => ""));
  clearTimeout(tooLong);
  if (isStored) return;
  if (answer.status === 401) throw new KeyRefused(message);
  throw message ? new Error(message) : answer;
}

/** False for a captive portal, which answers with an HTML page of its own or redirects to one. */
const isOurs = ({ headers, redirected }: Response) =>
  !redirected && !headers.get("content-type")?.startsWith("text/html");

/** The refusal's `message`. A proxy's HTML page, a bare string or an empty body has none. */
function messageIn(body: string): string | undefined {
  try {
    const { message } = JSON.parse(body);
    return typeof message === "string" && message.trim() ? message : undefined;
  } catch {
    return undefined;
  }
}

async function submitLead({ url, key }: Backend, lead: Lead): Promise<void> {
  // No header of our own here: a hosted function's preflight allows only those that Supabase's client sends. `keepalive` lets the call
  // outlive the page when it takes longer than the visitor should wait.
  const answered = fetch(`${url}/functions/v1/submit-lead`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${key}` },
    body: JSON.stringify(lead),
    keepalive: true,
  })
    .then(async (answer) => console.info("submit-lead", answer.status, await answer.json()))
    .catch((error: unknown) => console.warn("submit-lead failed; the lead is stored all the same.", error));
  await Promise.race([answered, new Promise((resolve) => setTimeout(resolve, submitLeadTimeout))]);
}
