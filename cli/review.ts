// `leads review <id>`: the team has reviewed a lead's eligibility, which the thank-you page promises within 24 hours.
import { reference } from "../lead/lead.ts";
import { findLead, readReference } from "../team/find-lead.ts";
import { type Act, Misuse, readWords } from "./subcommand.ts";
import { printable } from "./terminal.ts";

export function review(words: readonly string[]): Act {
  const { values, positionals } = readWords('review <id> [--outcome "qualifies"]', words, {
    outcome: { type: "string" },
  });
  const part = readReference(positionals[0] as string);
  const outcome = values.outcome?.trim() ?? null;
  if (outcome === "" || (outcome && outcome.length > 1000)) {
    throw new Misuse('--outcome takes a few words, such as --outcome "qualifies, call on Monday".');
  }
  return async ({ sql, out }) => {
    const id = await findLead(sql, part);
    // A second review may mend the outcome; the time stays, because it shows that the promise was kept.
    await sql`
      insert into private.reviews (lead_id, outcome) values (${id}, ${outcome})
      on conflict (lead_id) do update set outcome = coalesce(excluded.outcome, private.reviews.outcome)`;
    await out(`Reviewed ${reference(id)}${outcome ? `: ${printable(outcome)}` : ""}\n`);
    return 0;
  };
}
