// The plain form post, which a browser makes when the script has not arrived: it must reach somebody who knows what to do
// with it. A form with a blank phone is sent, so nothing is stored.
import { ask, shortly } from "./ask.ts";
import { testLead } from "./data-path.ts";
import { type Deployment, type Finding, isHosted, well, wrong } from "./finding.ts";

/** Sends the form as the page would: to submit-lead on a project, to the site itself on our own server. */
export async function examineFormPost({ url, site }: Deployment): Promise<Finding[]> {
  const isOwn = site !== undefined && new URL(site).origin === new URL(url).origin;
  const { name, email, zip_code } = testLead;
  const answer = await ask(isOwn && !isHosted({ url }) ? `${url}/` : `${url}/functions/v1/submit-lead`, {
    method: "POST",
    headers: site ? { origin: new URL(site).origin } : {},
    body: new URLSearchParams({ name, email, zip_code, phone: " " }),
  });
  if ("body" in answer && answer.status === 400 && answer.body.includes("Please enter your phone number.")) {
    return [well("The form also works without script.")];
  }
  return [
    wrong(
      `The form does not work without script (${shortly(answer)}).`,
      "On Supabase, deploy submit-lead with verify_jwt off. On our own server, let the proxy pass POST / on.",
    ),
  ];
}
