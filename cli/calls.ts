// The parts of the line that `leads call-log` and `leads show` print of a call and its outcome.
import type { CallLogEntry } from "../team/managing.ts";
import { printable } from "./terminal.ts";
import { dayAndTime } from "./times.ts";

/** A code as words: "no_answer" as "no answer". */
export const inWords = (code: string): string => code.replaceAll("_", " ");

/** When, who, what was done, and what came of it. */
export function partsOf({
  at,
  member,
  called,
  asked_for_this_time,
  outcome,
  note,
  callback_at,
}: CallLogEntry) {
  return [
    dayAndTime(new Date(at)),
    printable(member.name),
    called ? "called" : "reviewed",
    asked_for_this_time ? "(the person asked for this time)" : "",
    outcome ? inWords(outcome) : "no outcome yet",
    callback_at ? `at ${dayAndTime(new Date(callback_at))}` : "",
    printable(note),
  ].filter(Boolean);
}
