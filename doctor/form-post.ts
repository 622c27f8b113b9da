// The plain form post, which a browser makes when the script has not arrived. A form with a blank phone is sent, so that
// nothing is stored.
import { ask, summaryOf } from "./ask.ts";
import { type Deployment, type Finding, fail, isHosted, pass } from "./finding.ts";
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
  if ("body" in answer && answer.status === 400 && answer.body.includes("Please enter your phone number.")) {
    return [pass("The form also works without script.")];
  }
  return [
    fail(
      `The form does not work without script (${summaryOf(answer)}).`,
      `On Supabase, deploy submit-lead with verify_jwt off. On our own server, let the proxy pass POST ${path} on.`,
    ),
  ];
}
