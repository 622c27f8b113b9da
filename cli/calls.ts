// A call and its outcome in one line, as `leads call-log` and `leads show` print it.
import type { LoggedCall } from "../team/managing.ts";
import { printable } from "./terminal.ts";
import { clock } from "./times.ts";

/** A code as words: "no_answer" as "no answer". */
export const inWords = (code: string): string => code.replaceAll("_", " ");

/** When, who, what was done, and what came of it. */
export function wordsOf({ at, member, called, asked_for_this_time, outcome, note, callback_at }: LoggedCall) {
  return [
    clock(new Date(at)),
    printable(member.name),
    called ? "called" : "reviewed",
    asked_for_this_time ? "(the person asked for this time)" : "",
    outcome ? inWords(outcome) : "no outcome yet",
    callback_at ? `at ${clock(new Date(callback_at))}` : "",
    printable(note),
  ].filter(Boolean);
}
