// The plain form post, which a browser makes when the script has not arrived. A form with a blank phone is sent, so that
// nothing is stored.
import { languageCodes, textsNamed } from "../content/languages.ts";
import { ask, summaryOf } from "./ask.ts";
import { type Deployment, type Finding, fail, isHosted, notKnown, pass, tellsNothing } from "./finding.ts";
import { unescaped } from "./html.ts";
import type { TestLead } from "./test-lead.ts";

/** Sends the form as the page would: to the site itself where our own server serves the site, otherwise to submit-lead. */
export async function examineFormPost(
  { url, site }: Deployment,
  { name, email, zip_code }: TestLead,
): Promise<Finding[]> {
  const isOwn = site !== undefined && new URL(site).origin === url;
  const path = isOwn && !isHosted({ url }) ? "/" : "/functions/v1/submit-lead";
  const answer = await ask(`${url}${path}`, {
    method: "POST",
    headers: site ? { origin: new URL(site).origin } : {},
    body: new URLSearchParams({ name, email, zip_code, phone: " " }),
  });
  if ("body" in answer && answer.status === 400 && asksForThePhone(answer.body))
    return [pass("The form also works without script.")];
  if (tellsNothing(answer)) return [notKnown("the form works without script", answer)];
  return [
    fail(
      `The form does not work without script (${summaryOf(answer)}).`,
      `On Supabase, deploy submit-lead with verify_jwt off. On our own server, let the proxy pass POST ${path} on.`,
    ),
  ];
}

/**
 * Whether a refusal shows the sentence for a missing phone, in any language: our own server answers with the article, whose banner has it,
 * and submit-lead with plain text. Elsewhere in the article stand sentences for its script.
 */
function asksForThePhone(body: string): boolean {
  const start = body.indexOf('role="alert"');
  const banner = start < 0 ? "" : body.slice(start, body.indexOf("</div>", start));
  const shown = unescaped(body.includes("<main") ? banner : body);
  return languageCodes.some((code) => shown.includes(textsNamed(code).refusals.phoneMissing));
}
