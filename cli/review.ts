// `leads review <id>`: the team has reviewed a lead's eligibility, which the thank-you page promises within 24 hours.
import { reference } from "../lead/lead.ts";
import { maxOutcomeLength, reviewLead } from "../team/review-lead.ts";
import { type AddCommand, counted, typed, UsageError } from "./command.ts";
import { findOne, idHelp, readId } from "./lead-argument.ts";
import { printable } from "./terminal.ts";

export const review: AddCommand = (program, run) => {
  program
    .command("review")
    .summary("record that the team has reviewed it")
    .description(
      "Records that the team has reviewed a lead. A second review may correct the outcome; the time stays.",
    )
    .argument("<id>", idHelp, readId)
    .option("--outcome <words>", "with what outcome", readOutcome)
    .addHelpText("after", `\nExample:\n  ${typed('review 3f9c1a2b --outcome "qualifies"')}`)
    .action((part: string, { outcome }: { outcome?: string }) =>
      run(async ({ sql, out }) => {
        const id = await findOne(sql, part);
        await reviewLead(sql, id, outcome);
        await out(`Reviewed ${reference(id)}${outcome ? `: ${printable(outcome)}` : ""}\n`);
        return 0;
      }),
    );
};

function readOutcome(text: string): string {
  const outcome = text.trim();
  if (outcome.length > maxOutcomeLength)
    throw new UsageError(`--outcome takes ${counted(maxOutcomeLength, "character")} at most.`);
  if (outcome !== "") return outcome;
  throw new UsageError('--outcome takes a few words, such as --outcome "qualifies, call on Monday".');
}
