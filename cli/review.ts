// `leads review <id>`: the team has reviewed a lead's eligibility, which the thank-you page promises within 24 hours.
import { reference } from "../lead/lead.ts";
import { maxOutcomeLength, reviewLead, type WorkBefore } from "../team/review-lead.ts";
import { inWords } from "./calls.ts";
import { type AddCommand, counted, typed, UsageError } from "./command.ts";
import { findOne, idHelp, readId } from "./lead-argument.ts";
import { printable } from "./terminal.ts";
import { dayAndTime } from "./times.ts";

export const review: AddCommand = (program, run) => {
  program
    .command("review")
    .summary("record that the team has reviewed it")
    .description(
      "Records that the team has reviewed a lead. It then leaves the inbox's queue, also where a next attempt to reach the person was due; a callback that was agreed stays due. A second review may correct the outcome; the time stays.",
    )
    .argument("<id>", idHelp, readId)
    .option("--outcome <words>", "with what outcome", readOutcome)
    .addHelpText("after", `\nExample:\n  ${typed('review 3f9c1a2b --outcome "qualifies"')}`)
    .action((part: string, { outcome }: { outcome?: string }) =>
      run(async ({ sql, out, tell }) => {
        const id = await findOne(sql, part);
        const before = await reviewLead(sql, id, outcome);
        await out(`Reviewed ${reference(id)}${outcome ? `: ${printable(outcome)}` : ""}\n`);
        const effect = effectOn(before);
        if (effect) tell(effect);
        return 0;
      }),
    );
};

/** What the review means for what was due about the lead; undefined where nothing was. */
function effectOn(work: WorkBefore): string | undefined {
  if (work.stage === "closed") return undefined;
  if (work.stage === "callback")
    return `The callback that was agreed for ${dayAndTime(work.callback_at)} stays due.`;
  const { tried_at, outcome } = work;
  const tried = tried_at
    ? `The last attempt to reach the person (${dayAndTime(tried_at)}, "${inWords(outcome ?? "")}") was to be followed by another.`
    : "Nobody has tried to reach the person.";
  return `${tried} The lead has left the inbox's queue: no call is due any more. A callback that is recorded in the inbox brings it back.`;
}

function readOutcome(text: string): string {
  const outcome = text.trim();
  if (outcome.length > maxOutcomeLength)
    throw new UsageError(`--outcome takes ${counted(maxOutcomeLength, "character")} at most.`);
  if (outcome !== "") return outcome;
  throw new UsageError('--outcome takes a few words, such as --outcome "qualifies, call on Monday".');
}
