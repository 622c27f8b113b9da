// The words of the inbox for the codes of its API.
import { timeThere } from "../../../calling/lawful-again.ts";
import { stateNames } from "../../../calling/state-names.ts";
import type { NotNow, Outcome, Place } from "../../api-values.ts";

export const outcomeNames: Readonly<Record<Outcome, string>> = {
  likely_qualifies: "Likely qualifies",
  needs_visit: "Needs a doctor's visit first",
  does_not_qualify: "Does not qualify",
  not_interested: "Not interested",
  callback: "Call back",
  no_answer: "No answer",
  left_message: "Left a message",
  wrong_number: "Wrong number",
};

/** Why a person may not be called, as half a sentence for a row. */
export const notNowReasons: Readonly<Record<NotNow, string>> = {
  outside_hours: "Outside calling hours",
  sunday: "No calls on Sunday",
  holiday: "No calls on this holiday",
  paused: "Calls to this state are paused",
  unknown_zip: "ZIP code unknown",
  attempts: "Three attempts made",
  withdrawn: "Asked us to stop",
  stopped: "Asked us to stop",
  claimed: "Somebody has it",
  number_claimed: "Somebody has another lead with this number",
};

/** Why nobody at a place may be called now, as half a sentence. Of several states, the one that is paused is named. */
export const notNowReason = ({ blocking_state, states }: Place, reason: NotNow): string =>
  reason === "paused" && blocking_state && states.length > 1
    ? `Calls to ${stateNames[blocking_state] ?? blocking_state} are paused`
    : notNowReasons[reason];

/** A spam flag, in words for whoever calls. */
export const flagInWords = (flag: string): string => flags[flag] ?? flag;

const flags: Readonly<Record<string, string>> = {
  "honeypot filled": "a field was filled in that no person sees",
  "link in name": "a link in the name",
  "page elsewhere": "sent from another website",
  "burst from one address": "one of many from one address at once",
};

/** "KY 40202", "IN or KY 47150", "KY" without a ZIP code, "ZIP 09001" where no state is known, "ZIP code unknown". */
export function placeName({ states, zip }: Place): string {
  if (states.length === 0) return zip ? `ZIP ${zip}` : "ZIP code unknown";
  return `${states.join(" or ")} ${zip}`.trim();
}

/** "Kentucky", "Indiana or Kentucky", "an unknown state". */
export const stateName = ({ states }: Place): string =>
  states.map((state) => stateNames[state] ?? state).join(" or ") || "an unknown state";

/**
 * Says whose clocks show a time in a zone: "Eastern time" for the first zone of an unknown ZIP code, whose calling hours are in
 * Eastern time; the zone's name, "Central time", if a clock of the place differs from it at `at`; else `theirs`.
 */
export function onClocks(
  { likeliest_state, zones }: Place,
  zone: string | undefined,
  theirs: string,
  at: Date,
): string {
  if (likeliest_state === null && (zone ?? zones[0]) === zones[0]) return "Eastern time";
  const others = zones.filter((one) => one !== zone);
  const differ = zone && others.some((one) => timeThere(at, one) !== timeThere(at, zone));
  return differ ? zoneName(zone, at) : theirs;
}

/** "Central time", with the small letter that our other texts have. */
export const zoneName = (zone: string, at: Date): string =>
  new Intl.DateTimeFormat("en-US", { timeZone: zone, timeZoneName: "longGeneric" })
    .formatToParts(at)
    .find(({ type }) => type === "timeZoneName")
    ?.value.replace(/ Time$/, " time") ?? zone;

/** "(305) 555-0142", or "1 (305) 555-0142", for digits without a gap, because groups are read and dialled more surely; else as typed. */
export const phoneInGroups = (typed: string): string =>
  typed.replace(
    /^(1?)(\d{3})(\d{3})(\d{4})$/,
    (_, country, area, exchange, line) => `${country && "1 "}(${area}) ${exchange}-${line}`,
  );

/** "12,345". */
export const inGroups = (number: number): string => number.toLocaleString("en-US");

/** "1 lead", "2 leads". */
export const count = (number: number, one: string, many = `${one}s`): string =>
  `${inGroups(number)} ${number === 1 ? one : many}`;
