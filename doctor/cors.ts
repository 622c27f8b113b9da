// Whether a browser on the site's page may make the two calls: the preflight allows them, and refusals can be read.
import { type Answer, ask } from "./ask.ts";
import { type Deployment, type Finding, fail, pass } from "./finding.ts";

const calls = [
  {
    name: "call 1",
    path: "/rest/v1/leads",
    headers: ["apikey", "authorization", "content-type", "x-permission-notice"],
  },
  { name: "call 2", path: "/functions/v1/submit-lead", headers: ["authorization", "content-type"] },
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
      const problem = "headers" in answer ? problemWith(answer, origin, headers) : "there is no answer";
      if (!problem) return pass(`A page of ${origin} may make ${name}.`);
      return fail(
        `A browser on ${origin} cannot make ${name}: ${problem}.`,
        `Add ${origin} to ALLOWED_ORIGINS (or SITE_URL) of the backend, as a setting of our own server or with \`npx supabase@3 secrets set\`.`,
      );
    }),
  );
}

/** Whether an answer can be read by a page of this origin. */
export const mayBeRead = ({ headers }: Answer, origin: string): boolean =>
  ["*", origin].includes(headers.get("access-control-allow-origin") ?? "");

function problemWith(answer: Answer, origin: string, wanted: string[]): string | undefined {
  if (answer.status >= 300) return `the preflight is answered ${answer.status}`;
  if (!mayBeRead(answer, origin)) return "the preflight does not allow this origin";
  const allowed = (answer.headers.get("access-control-allow-headers") ?? "").toLowerCase().split(/[\s,]+/);
  const missing = allowed.includes("*")
    ? wanted.filter((name) => name === "authorization" && !allowed.includes(name))
    : wanted.filter((name) => !allowed.includes(name));
  return missing.length > 0 ? `the preflight does not allow the header ${missing.join(" and ")}` : undefined;
}
