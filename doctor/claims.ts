// The claims of the article: whether somebody has read their sources in the last 90 days.
import { daysBetweenReviews, type sourcesToReview } from "../content/claims.ts";
import { type Finding, fail, pass } from "./finding.ts";

/** Says which sources of this program's own `content/` are due to be read. */
export function examineClaims(due: ReturnType<typeof sourcesToReview>): Finding {
  if (due.length === 0)
    return pass(`The sources of all claims were read in the last ${daysBetweenReviews} days.`);
  const list = due.map(({ url, reviewed }) => `${url} (${reviewed})`).join(", ");
  return fail(
    `Sources of claims that were last read more than ${daysBetweenReviews} days ago: ${list}.`,
    "Open each, compare it with the article, and set its day in content/claims.ts. Then build the pages again.",
  );
}
