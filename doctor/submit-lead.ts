// submit-lead, as the page calls it, and what stands in front of it.
import { type Answer, ask, type NoAnswer, summaryOf } from "./ask.ts";
import { mayBeRead } from "./cors.ts";
import { type Deployment, type Finding, fail, pass } from "./finding.ts";

// Our own server always has submit-lead, so another answer comes from the proxy before it.
const passItOn = "On our own server, let the proxy pass POST /functions/v1/submit-lead on.";
const keepVerifyJwtOff =
  "Keep `verify_jwt = false` in supabase/config.toml and deploy again: `npx supabase@3 functions deploy submit-lead`. The function checks the key itself.";

/** Calls it with an unknown key, then with the real one. */
export async function examineSubmitLead({ url, key, site }: Deployment): Promise<Finding[]> {
  const origin = site ? new URL(site).origin : undefined;
  const call = (token: string) =>
    ask(`${url}/functions/v1/submit-lead`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${token}`,
        "content-type": "application/json",
        ...(origin && { origin }),
      },
      body: "{}",
    });
  const answerToUnknownKey = await call("not-a-key");
  const fault = faultOf(answerToUnknownKey);
  if (fault) return [fault];
  if (isFromPlatform(answerToUnknownKey as Answer)) {
    return [
      fail(
        "The platform checks the calls of submit-lead itself (verify_jwt is on), and refuses publishable keys and the form without script.",
        keepVerifyJwtOff,
      ),
    ];
  }
  const answerToKey = await call(key);
  return [
    ...examineUnknownKey(answerToUnknownKey as Answer, origin, url),
    faultOf(answerToKey) ?? examineRealKey(answerToKey as Answer),
  ];
}

function faultOf(answer: Answer | NoAnswer): Finding | undefined {
  if ("reason" in answer)
    return fail(
      `submit-lead does not answer (${answer.reason}).`,
      "Check --url, and whether the server runs.",
    );
  const { status, error } = answer;
  if (status === 404)
    return fail(
      "submit-lead is not deployed.",
      `On Supabase, deploy it: \`npx supabase@3 functions deploy submit-lead\`. ${passItOn}`,
    );
  if (error.code === "NOT_SET_UP") {
    return fail(
      "A setting of submit-lead is wrong.",
      "Its log says which one (dashboard: Edge Functions, submit-lead, Logs). Fix it with `npx supabase@3 secrets set`.",
    );
  }
  if (status >= 500) {
    return fail(
      `submit-lead fails (${summaryOf(answer)}).`,
      "On Supabase, see its log (dashboard: Edge Functions, submit-lead, Logs), then deploy it again. On our own server, see the server's log and the proxy's.",
    );
  }
  return undefined;
}

// The codes are the platform's own; our function says UNAUTHORIZED for a key that it does not know.
const isFromPlatform = ({ status, error, headers }: Answer): boolean =>
  status === 401 &&
  (headers.has("sb-error-code") || error.message === "Invalid JWT" || /JWT/.test(error.code ?? ""));

function examineUnknownKey(answer: Answer, origin: string | undefined, url: string): Finding[] {
  if (answer.status >= 300 && answer.status !== 401) return [oddAnswer(answer)];
  if (answer.status !== 401) {
    return [
      fail(
        `submit-lead takes any key (${summaryOf(answer)}). It may be another function of that name.`,
        `On Supabase, deploy ours: \`npx supabase@3 functions deploy submit-lead\`. ${passItOn}`,
      ),
    ];
  }
  const isCrossOrigin = origin !== undefined && origin !== new URL(url).origin;
  if (isCrossOrigin && !mayBeRead(answer, origin)) {
    return [
      fail(
        "A refusal of submit-lead cannot be read by the page (no CORS headers).",
        `Add ${origin} to ALLOWED_ORIGINS or SITE_URL of the backend.`,
      ),
    ];
  }
  return [pass("submit-lead is there and refuses a wrong key itself.")];
}

const oddAnswer = (answer: Answer): Finding =>
  fail(
    `submit-lead never gives this answer (${summaryOf(answer)}).`,
    "See what stands before it: a redirect, a firewall or a limit. Then run this again.",
  );

function examineRealKey(answer: Answer): Finding {
  if (answer.status >= 200 && answer.status < 300) return pass("submit-lead takes the page's call.");
  if (answer.status !== 401) return oddAnswer(answer);
  return fail(
    `submit-lead does not know the page's key (${summaryOf(answer)}).`,
    "On Supabase, build the pages with a key of this project, and deploy the function to the same project. On our own server, compare --key with its ANON_KEY.",
  );
}
