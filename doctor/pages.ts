// The pages, as a visitor's browser gets them: they are there, they are safe, and they know their backend.
import { isThisMachine } from "../config/this-machine.ts";
import { languageCodes, textsIn } from "../content/languages.ts";
import { settingsWithPlaceholderIn } from "../content/provider.ts";
import { ofRelease } from "../log/installation.ts";
import { type Answer, ask, summaryOf } from "./ask.ts";
import { type Deployment, type Finding, fail, notExamined, pass } from "./finding.ts";
import { dataIn } from "./html.ts";
import { isServiceKey } from "./key.ts";
import { examineThankYou } from "./thank-you.ts";

const buildAgain = ofRelease
  ? `Set VITE_SUPABASE_URL and VITE_SUPABASE_ANON_KEY of this project ${ofRelease.otherSettings}`
  : "Build the pages again with VITE_SUPABASE_URL and VITE_SUPABASE_ANON_KEY of this project: `npm run build`. Then deploy `dist/`.";

/** Examines the pages of the site, when their address is known. */
export async function examinePages(deployment: Deployment): Promise<Finding[]> {
  const { site } = deployment;
  if (!site) return [notExamined("The pages: give their address with --site https://www.example.com")];
  const [article, missing] = await Promise.all([ask(`${site}/`), ask(`${site}/there-is-no-such-page`)]);
  if ("reason" in article)
    return [
      fail(`The site does not answer (${article.reason}).`, "Check --site, and whether the host serves it."),
    ];
  if (
    article.status !== 200 ||
    !languageCodes.some((code) => article.body.includes(textsIn(code).article.label))
  ) {
    return [
      fail(
        `The article is not at ${site}/ (${article.status}).`,
        "Deploy the folder `dist/` as it is, or check --site.",
      ),
    ];
  }
  return [
    pass("The article is there."),
    ...(await examineThankYou(article.body, site)),
    missing.status === 404
      ? pass("An address that does not exist is answered 404.")
      : fail(
          `An address that does not exist is not answered 404 (${summaryOf(missing)}).`,
          "Have the host answer 404 with 404.html, and no page of its own in place of every address.",
        ),
    ...examineAddress(article.body, deployment),
    ...examineHeaders(article, deployment),
    ...examineForm(article.body, deployment),
    ...(await examineScript(article.body, site)),
  ];
}

function examineAddress(html: string, { url, site = "" }: Deployment): Finding[] {
  const stated = /<link rel="canonical" href="([^"]*?)\/?"/.exec(html)?.[1] ?? "none";
  if (stated === site) return [pass("The article knows its own address.")];
  // From the server's own machine, behind its proxy, the doctor reaches the site at another address than readers do.
  if (isThisMachine(new URL(site).hostname)) {
    const option = isThisMachine(new URL(url).hostname) ? "as --url" : "with --site";
    return [notExamined(`Whether the article knows its public address: give it ${option}.`)];
  }
  return [
    fail(
      `The article tells search engines that its address is ${stated}.`,
      `Set SITE_URL=${site}, then start the server or build the pages again.`,
    ),
  ];
}

function examineHeaders({ headers }: Answer, deployment: Deployment): Finding[] {
  const { site = "", url } = deployment;
  const policy = headers.get("content-security-policy");
  const findings: Finding[] = [];
  const fix =
    "Have the host send the headers that the build wrote into dist/_headers (Netlify, Cloudflare Pages) or dist/vercel.json (Vercel).";
  const absent = ["content-security-policy", "x-content-type-options", "referrer-policy"].filter(
    (name) => !headers.has(name),
  );
  if (site.startsWith("https:") && !headers.has("strict-transport-security"))
    absent.push("strict-transport-security");
  findings.push(
    absent.length === 0
      ? pass("The headers that keep the pages safe are sent.")
      : fail(`The pages come without ${absent.join(", ")}.`, fix),
  );
  const backend = new URL(url).origin;
  if (policy && backend !== new URL(site).origin && !isReachedOtherwise(deployment)) {
    const directive = (name: string) =>
      policy.split(";").find((one) => one.trim().startsWith(`${name} `)) ?? "";
    const closed = ["connect-src", "form-action"].filter(
      (name) => !directive(name).split(/\s+/).includes(backend),
    );
    if (closed.length > 0)
      findings.push(
        fail(`The pages' own policy does not let them reach ${backend} (${closed.join(", ")}).`, buildAgain),
      );
  }
  if (site.startsWith("http:") && !isThisMachine(new URL(site).hostname)) {
    findings.push(
      fail(
        "The pages come without TLS: what visitors type can be read on the way.",
        "Serve the site by https.",
      ),
    );
  }
  return findings;
}

/** Whether the backend was given as an address of this machine, and the site as its readers reach it. No page names the former. */
const isReachedOtherwise = ({ url, site = "" }: Deployment): boolean =>
  isThisMachine(new URL(url).hostname) && !isThisMachine(new URL(site).hostname);

/** The backend's address as the form states it, without the ending slash. A form that states none posts to the site's own server. */
const statedBackend = (stated: string, site: string): string | undefined =>
  stated === "" ? URL.parse(site)?.origin : URL.parse(stated, site)?.href.replace(/\/$/, "");

function examineForm(html: string, deployment: Deployment): Finding[] {
  const { url, key, site = "" } = deployment;
  const findings: Finding[] = [];
  const backend = dataIn(html, "backend-url");
  if (backend === undefined) findings.push(fail("The article has no lead form.", buildAgain));
  else if (backend === "" && isReachedOtherwise(deployment))
    findings.push(
      notExamined("Whether the form sends leads to this server: give its public address as --url."),
    );
  else if (statedBackend(backend, site) !== url)
    findings.push(
      fail(`The form sends leads to ${backend || "the site itself"}, not to ${url}.`, buildAgain),
    );
  else if (dataIn(html, "backend-key") !== key)
    findings.push(
      fail(
        "The form presents another key than the one that was examined (--key, or the settings of this machine).",
        // A server renders its pages with its own key.
        backend === "" ? "Give --key the server's ANON_KEY." : buildAgain,
      ),
    );
  else findings.push(pass("The form knows its backend and the key."));
  if (/sb_secret_/.test(html) || html.split(/[^\w.-]/).some(isServiceKey))
    findings.push(
      fail(
        "A secret key stands in the page.",
        "Replace that key in the dashboard at once, then build with the publishable one.",
      ),
    );
  const settings = settingsWithPlaceholderIn(html);
  if (settings.length > 0) {
    findings.push(
      fail(
        "The pages name a provider that does not exist: placeholders are still in them.",
        `Set ${settings.join(", ")} (see .env.example), then start the server or build the pages again.`,
      ),
    );
  }
  return findings;
}

// The form works without its script, but slower. A host that answers every address with the article breaks the script without an error.
async function examineScript(html: string, site: string): Promise<Finding[]> {
  const path = /\/assets\/form-[\w-]+\.js/.exec(html)?.[0];
  if (!path)
    return [fail("The page names no script of the form.", "Build again, and deploy all of `dist/`.")];
  const answer = await ask(`${site}${path}`);
  const isScript = "headers" in answer && /javascript/.test(answer.headers.get("content-type") ?? "");
  if (answer.status === 200 && isScript) return [pass("The form's script is there.")];
  return [
    fail(
      `The form's script is not served (${summaryOf(answer)}).`,
      "Deploy the whole folder `dist/`, with its assets.",
    ),
  ];
}
