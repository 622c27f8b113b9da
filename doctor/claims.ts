// The claims of the article: whether somebody has read their sources in the last 90 days.
import { claimsToReview, daysBetweenReviews } from "../content/claims.ts";
import { type Finding, fail, pass } from "./finding.ts";

/** Examines the days on which the sources were last read, as this program's own `content/` states them. */
export function examineClaims(now: Date): Finding {
  const due = claimsToReview(now);
  if (due.length === 0)
    return pass(`The sources of all claims were read in the last ${daysBetweenReviews} days.`);
  const list = due.map(({ url, reviewed }) => `${url} (${reviewed})`).join(", ");
  return fail(
    `${due.length} sources of claims were last read more than ${daysBetweenReviews} days ago: ${list}.`,
    "Open each, compare it with the article, and set its day in content/claims.ts. Then build the pages again.",
  );
}
