// Why the server did not record an outcome, in a sentence.
import type { ResponseOf } from "../../api.ts";
import { serverNow } from "../page/clock.ts";
import { Notice } from "../page/notice.tsx";
import { nextLawfulTime } from "../page/refusal.ts";
import { notNowReason, notNowReasons } from "../page/words.ts";

/** The answer to an outcome that was not recorded. */
export type RefusedOutcome = Extract<ResponseOf<"outcome">, { refused: string }>;

export function OutcomeRefused({ refused }: { refused: RefusedOutcome }) {
  // A pause comes first: nobody knows when it ends.
  const isPaused = refused.reason === "paused" || refused.place?.reason === "paused";
  const paused = `${refused.place ? notNowReason(refused.place, "paused") : notNowReasons.paused}, so no callback can be set. Record another outcome, and write into the note when they asked to be called.`;
  const sentences: Record<RefusedOutcome["refused"], string> = {
    callback_past: "This time is over already.",
    callback_too_far: "This is more than 90 days ahead.",
    withdrawn: "This person asked us to stop. No callback can be set.",
    under_call: "Another member is on the phone with this person, and records what came of it.",
    call_has_outcome: "This call has an outcome already. Look at the calls below.",
    needs_call: "Only a call can have this outcome.",
    not_your_call: "This call is another member’s, or was made to another person.",
    callback_not_callable: isPaused
      ? paused
      : `No call is lawful then${refused.reason ? `: ${midSentence(notNowReasons[refused.reason])}` : ""}. ${whenAgain(refused)}`,
  };
  return <Notice kind="trouble">{sentences[refused.refused]}</Notice>;
}

/** A sentence's words without its capital, except that of "ZIP code". */
const midSentence = (words: string) => words.replace(/^[A-Z](?=[a-z])/, (first) => first.toLowerCase());

const whenAgain = ({ next_at, place }: RefusedOutcome): string =>
  place ? nextLawfulTime(next_at ?? null, place, serverNow()) : "";
