// Whether a browser on the site's page may send a lead and call submit-lead: whether the preflight allows it.
import { type Answer, ask, summaryOf } from "./ask.ts";
import { type Deployment, type Finding, fail, pass } from "./finding.ts";

const calls = [
  {
    name: "send a lead to /rest/v1/leads",
    path: "/rest/v1/leads",
    // What site/send-lead.ts sends; the variant only while an experiment runs.
    headers: ["apikey", "authorization", "content-type", "x-permission-notice", "x-variant"],
  },
  {
    name: "call submit-lead",
    path: "/functions/v1/submit-lead",
    headers: ["authorization", "content-type"],
  },
];

/** Examines the preflights from the site's origin. Pages on the backend's own origin need none. */
export async function examineCors({ url, site }: Deployment): Promise<Finding[]> {
  if (!site || new URL(site).origin === new URL(url).origin) return [];
  const { origin } = new URL(site);
  return Promise.all(
    calls.map(async ({ name, path, headers }) => {
      const answer = await ask(`${url}${path}`, {
        method: "OPTIONS",
        headers: {
          origin,
          "access-control-request-method": "POST",
          "access-control-request-headers": headers.join(","),
        },
      });
      if (!("headers" in answer) || answer.status >= 300)
        return fail(
          `A browser on ${origin} cannot ${name}: its preflight fails (${summaryOf(answer)}).`,
          "See what stands before the backend (a proxy, a firewall), and the backend's own log.",
        );
      const problem = problemWith(answer, origin, headers);
      if (!problem) return pass(`A page of ${origin} may ${name}.`);
      if (mayBeRead(answer, origin))
        return fail(
          `A browser on ${origin} cannot ${name}: ${problem}.`,
          "Something before the backend answers preflights itself, such as a proxy: let it pass OPTIONS on.",
        );
      return fail(
        `A browser on ${origin} cannot ${name}: ${problem}.`,
        `Add ${origin} to ALLOWED_ORIGINS (or SITE_URL) of the backend, as a setting of our own server or with \`npx supabase@3 secrets set\`.`,
      );
    }),
  );
}

/** Whether an answer can be read by a page of this origin. */
export const mayBeRead = ({ headers }: Answer, origin: string): boolean =>
  ["*", origin].includes(headers.get("access-control-allow-origin") ?? "");

function problemWith(answer: Answer, origin: string, wanted: string[]): string | undefined {
  if (!mayBeRead(answer, origin)) return "the preflight does not allow this origin";
  const allowed = (answer.headers.get("access-control-allow-headers") ?? "").toLowerCase().split(/[\s,]+/);
  const missing = allowed.includes("*")
    ? wanted.filter((name) => name === "authorization" && !allowed.includes(name))
    : wanted.filter((name) => !allowed.includes(name));
  return missing.length > 0 ? `the preflight does not allow the header ${missing.join(" and ")}` : undefined;
}
