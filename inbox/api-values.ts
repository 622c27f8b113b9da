// The values that several calls of the inbox's API share.
import * as v from "valibot";

export const Id = v.pipe(v.string(), v.uuid());
/** A moment as ISO 8601 with its offset. */
export const Moment = v.string();
/** A day as YYYY-MM-DD. */
export const Day = v.pipe(v.string(), v.isoDate());
/** A day and a time of day, without a zone, as `2026-11-23T09:30`. */
export const LocalTime = v.pipe(v.string(), v.isoDateTime());
export const Text = (maxLength: number) => v.pipe(v.string(), v.trim(), v.maxLength(maxLength));
export const NonEmptyText = (maxLength: number) =>
  v.pipe(v.string(), v.trim(), v.minLength(1), v.maxLength(maxLength));

/** An IANA name. PostgreSQL also takes abbreviations and made-up ones such as FOO5, which no browser can show a time in. */
export const Zone = v.pipe(NonEmptyText(64), v.regex(/^[A-Za-z]/), v.check(isKnownZone));

function isKnownZone(name: string): boolean {
  try {
    return Boolean(new Intl.DateTimeFormat("en-US", { timeZone: name }));
  } catch {
    return false;
  }
}

export const Role = v.picklist(["member", "manager"]);
export type Role = v.InferOutput<typeof Role>;
/** A member, or the operator at a terminal, whose id is null. */
export const Person = v.object({ id: v.nullable(Id), name: v.string() });
export type Person = v.InferOutput<typeof Person>;

/** The outcomes in the order of their keys, 1 to 8. */
export const outcomes = [
  "likely_qualifies",
  "needs_visit",
  "does_not_qualify",
  "not_interested",
  "callback",
  "no_answer",
  "left_message",
  "wrong_number",
] as const;
/** The most characters of an outcome's note, as private.outcomes has them. */
export const noteLength = 2_000;
export const Outcome = v.picklist(outcomes);
export type Outcome = v.InferOutput<typeof Outcome>;

/** Why a person may not be called at a moment. The first five come from the place; see docs/calling-hours.md. */
export const NotNow = v.picklist([
  "outside_hours",
  "sunday",
  "holiday",
  "paused",
  "unknown_zip",
  "attempts",
  "withdrawn",
  "stopped",
  "claimed",
  "number_claimed",
]);
export type NotNow = v.InferOutput<typeof NotNow>;

/** Where a person is and whether they may be called there at this moment. */
export const Place = v.object({
  /** The five digits, when what was typed has one ZIP code and no other number; else empty. */
  zip: v.string(),
  /** Two-letter codes of every plausible state, the likeliest first; empty when unknown. */
  states: v.array(v.string()),
  /** IANA names of every plausible zone, the likeliest first. */
  zones: v.array(v.string()),
  /** The state that the first zone belongs to; null when the ZIP code is unknown, even where the phone number tells of a state. */
  likeliest_state: v.nullable(v.string()),
  /** Whether the hours there allow a call now. */
  callable: v.boolean(),
  /** When the hours next allow a call; null while they do, or when no such time is found within 14 days. */
  callable_at: v.nullable(Moment),
  /** When the hours under way end; null while they do not allow a call. */
  callable_until: v.nullable(Moment),
  reason: v.nullable(NotNow),
  /** The state that forbids it, and the zone to tell the next time in; see calling/lawful-again.ts. */
  blocking_state: v.nullable(v.string()),
  blocking_zone: v.nullable(v.string()),
});
export type Place = v.InferOutput<typeof Place>;

export const LeadRequest = v.strictObject({ id: Id });
/** The answer when what was asked for is done. */
export const Done = v.object({ done: v.literal(true) });
