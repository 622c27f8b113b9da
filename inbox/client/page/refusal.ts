// Says why a call may not be made now, and what to do instead: the next lawful time, and when the 24 hours end.
import { clocksOf, dayThere, lawfulAgain, momentOn } from "../../../calling/lawful-again.ts";
import { stateNames } from "../../../calling/state-names.ts";
import type { ResponseOf } from "../../api.ts";
import type { Place } from "../../api-values.ts";
import { momentThere } from "./times.ts";

type Refusal = Extract<ResponseOf<"call">, { refused: string }>;

/** Such as "Lawful again Monday 8:00 AM in Alabama. The 24 hours end Sunday 9:00 PM: review now, call Monday." */
export function refusalSentence(refusal: Refusal, now: Date): string {
  const { refused, held_by } = refusal;
  if (refused === "withdrawn" || refused === "stopped") return "This person asked us to stop. Do not call.";
  if (refused === "claimed")
    return `${held_by?.name ?? "Another member"} has this lead. Call when it is free again.`;
  if (refused === "number_claimed")
    return `${held_by?.name ?? "Another member"} has another lead with this number. Leave the call to them, or call when that lead is free again.`;
  const again = nextLawfulTime(refusal.next_at, refusal.place, now);
  return [whyNot(refusal), again, deadline(refusal, now)].filter(Boolean).join(" ");
}

function whyNot({ refused, place }: Refusal): string {
  const state = place.blocking_state && (stateNames[place.blocking_state] ?? place.blocking_state);
  const paused = `Calls to ${state ?? "this state"} are paused.`;
  if (refused === "paused") return paused;
  if (refused === "attempts")
    return `Three attempts in 24 hours have been made to this number.${place.reason === "paused" ? ` ${paused}` : ""}`;
  if (refused === "unknown_zip") return "Where this person is cannot be told from the ZIP code.";
  return "";
}

/** When a call is lawful again, in a sentence. Empty for a pause, because only a manager ends it and no time is known. */
export function nextLawfulTime(at: string | null, place: Place, now: Date): string {
  if (at === null && place.reason === "paused") return "";
  return lawfulAgain({ at: at === null ? null : new Date(at), ...clocksOf(place) }, now);
}

/** The promise: a review within 24 hours, which needs no call. Says whose clocks it is on where no next lawful time before it does. */
function deadline({ due_at, next_at, reviewed, place }: Refusal, now: Date): string {
  if (reviewed) return "";
  const clocks = clocksOf(place);
  const isOver = Date.parse(due_at) <= now.getTime();
  const moment = next_at ? momentThere(due_at, clocks.zone, now) : momentOn(clocks, new Date(due_at), now);
  const end = `The 24 hours ${isOver ? "ended" : "end"} ${moment}`;
  if (!next_at) return `${end}: review now.`;
  if (!isOver && Date.parse(next_at) < Date.parse(due_at)) return `${end}.`;
  return `${end}: review now, call ${dayThere(new Date(next_at), clocks.zone, now)}.`;
}
