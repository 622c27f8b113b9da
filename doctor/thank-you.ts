// The thank-you pages: each language has one, to which its form leads.
import { ask, summaryOf } from "./ask.ts";
import { type Finding, fail, pass } from "./finding.ts";
import { dataIn, otherLanguagesIn } from "./html.ts";

/** Examines whether the thank-you page of each language of the article is there. */
export async function examineThankYou(article: string, site: string): Promise<Finding[]> {
  const others = otherLanguagesIn(article, site).map(async (path) => {
    const answer = await ask(`${site}${path}`);
    return examinePage("body" in answer ? answer.body : "", path, site);
  });
  return Promise.all([examinePage(article, "", site), ...others]);
}

async function examinePage(article: string, path: string, site: string): Promise<Finding> {
  // An article that is missing or has no form names no thank-you page, which other findings tell.
  const address = dataIn(article, "thank-you") || `${path}/thank-you`;
  const answer = await ask(`${site}${address}`);
  const page = address === "/thank-you" ? "The thank-you page" : `The thank-you page ${address}`;
  if (answer.status === 200) return pass(`${page} is there.`);
  return fail(
    `${page} is not there (${summaryOf(answer)}).`,
    `The host must serve ${address.slice(1)}.html at ${address}. Netlify, Vercel and Cloudflare Pages do so by themselves.`,
  );
}
