// The calls of the inbox's API with which a member works a lead: its page, calls, outcomes, the eligibility check, the stop.
import * as v from "valibot";
import { Row } from "./api-queue.ts";
import {
  Day,
  Done,
  Id,
  LeadRequest,
  LocalTime,
  Moment,
  NonEmptyText,
  NotNow,
  noteLength,
  Outcome,
  Person,
  Place,
  Text,
  Zone,
} from "./api-values.ts";

/** An entry of the call log: a call, or an outcome that was recorded without one. */
export const CallLogEntry = v.object({
  id: Id,
  /** For an undo; null while a call has no outcome. */
  outcome_id: v.nullable(Id),
  member: Person,
  at: Moment,
  /** "The person asked for this time": the reason for a call outside the hours. */
  asked_for_this_time: v.boolean(),
  /** Whether a number was called; false for a review without a call. */
  called: v.boolean(),
  outcome: v.nullable(Outcome),
  outcome_at: v.nullable(Moment),
  /** Until when its member can take the outcome back, unless another one that counts comes after it. */
  undo_until: v.nullable(Moment),
  note: v.string(),
  callback_at: v.nullable(Moment),
  callback_zone: v.nullable(v.string()),
});

export const yesNo = ["yes", "no", "unknown"] as const;
const YesNo = v.picklist(yesNo);
/** The answers of the eligibility check (LCD L33822, article A52464). There is no field for a Medicare number. */
export const Answers = v.strictObject({
  diabetes: YesNo,
  insulin: YesNo,
  /** Recurrent lows under 54 mg/dL despite more than one change of treatment. */
  recurrent_lows: YesNo,
  /** A low that needed another person's help. */
  low_with_help: YesNo,
  /** The day of the last visit about diabetes, in person or by Medicare-accepted telehealth; null: not known. */
  visit_on: v.nullable(Day),
  visit_planned: YesNo,
  trained: YesNo,
  plan: v.picklist(["part_b", "advantage", "none", "unknown"]),
  /** Who prescribes, as the person says it. */
  prescriber: Text(200),
});
export const Check = v.object({
  id: Id,
  member: Person,
  at: Moment,
  answers: Answers,
  result: v.picklist(["likely", "needs_visit", "not_now"]),
  /** Codes, such as "no insulin and no problematic lows"; the page words them. */
  reasons: v.array(v.string()),
});

/** A lead opened. Its phone field is not in it, unless the member has a call with it under way. */
export const OpenLead = v.object({
  ...Row.entries,
  /** The entry in the audit log that says who opened it; for `opened`. */
  entry: v.number(),
  /** Null when the lead has no permission, when it was withdrawn, or when the number was put on the stop list after the lead came. */
  email: v.nullable(v.string()),
  /** As typed, with “…” for a phone number or e-mail address; the five digits alone once the person may not be contacted. */
  zip_code: v.string(),
  permission: v.nullable(
    v.object({
      given_at: Moment,
      withdrawn_at: v.nullable(Moment),
      /** "shown": `text` was shown. "not known": a wording that the database does not hold. "not stated". */
      wording: v.picklist(["shown", "not known", "not stated"]),
      text: v.nullable(v.string()),
      language: v.nullable(v.string()),
      page: v.nullable(v.string()),
      address: v.nullable(v.string()),
      browser: v.nullable(v.string()),
    }),
  ),
  stopped_at: v.nullable(Moment),
  /** The calls, and the reviews without a call (`called` is false), the oldest first. */
  call_log: v.array(CallLogEntry),
  /** The ids of the outcomes that went into the call log alone. A later one of these does not keep an outcome from being taken back. */
  log_only_outcomes: v.array(Id),
  /** Calls to the number within the last 24 hours, whichever lead it stands in. */
  recent_attempts: v.number(),
  checks: v.array(Check),
  /** Other leads with the same number or e-mail address. */
  others: v.array(
    v.object({
      id: Id,
      reference: v.string(),
      created_at: Moment,
      same: v.picklist(["phone", "email", "phone and email"]),
      stage: v.picklist(["open", "callback", "closed"]),
      outcome: v.nullable(Outcome),
      withdrawn: v.boolean(),
    }),
  ),
  /**
   * The member's latest call of the last hour that has no outcome; null once the permission is withdrawn or the number is stopped. Its
   * `phone` and `tel` are null while the state is paused or another member has the lead, and outside the hours unless the person asked for
   * this time.
   */
  under_way: v.nullable(
    v.object({ call_id: Id, phone: v.nullable(v.string()), tel: v.nullable(v.string()), at: Moment }),
  ),
});
export type OpenLead = v.InferOutput<typeof OpenLead>;

/** Why not, and when: the page says it in words. */
export const NotCalled = v.object({
  refused: NotNow,
  /** When the refusal ends: another member's claim, or the next lawful time; null when there is none within 14 days. */
  next_at: v.nullable(Moment),
  place: Place,
  /** 24 hours after the lead came: its review is due by then. */
  due_at: Moment,
  reviewed: v.boolean(),
  /** Whether the reason "The person asked for this time" allows it. */
  may_be_asked_for: v.boolean(),
  /** Who has this lead, or another one with the same number (number_claimed). */
  held_by: v.nullable(Person),
});

export const StopProof = v.object({
  stopped_at: Moment,
  stopped_by: Person,
  /** Of this lead and those that share a number with it: each whose permission has ended, by any stop, with the channels to tell. */
  leads: v.array(
    v.object({
      id: Id,
      reference: v.string(),
      withdrawn_at: Moment,
      channels: v.array(v.object({ channel: v.string(), told_at: v.nullable(Moment), failed: v.boolean() })),
    }),
  ),
});

export const lead = {
  /** `id` is a lead's id or its reference (the link in a mail has the reference). Written to the audit log. */
  open: {
    manager: false,
    request: v.strictObject({ id: v.pipe(v.string(), v.regex(/^[0-9a-fA-F-]{8,36}$/)) }),
    response: OpenLead,
  },
  /** Loads a lead again that is on screen. Takes the entry in the audit log of the member's opening since this session began, and writes none. */
  opened: { manager: false, request: v.strictObject({ entry: v.number() }), response: OpenLead },
  /** The answers hidden until opened. Written to the audit log. */
  "health-answers": {
    manager: false,
    request: LeadRequest,
    response: v.object({ has_medicare: v.boolean(), has_diabetes: v.boolean() }),
  },
  /** Checks whether the lead may be called, logs the attempt, and then shows the number. Claims the lead when nobody has it. */
  call: {
    manager: false,
    request: v.strictObject({ id: Id, asked_for_this_time: v.optional(v.boolean()) }),
    response: v.union([v.object({ call_id: Id, phone: v.string(), tel: v.string(), at: Moment }), NotCalled]),
  },
  /**
   * `call_id` null: a review without a call, with any outcome that needs none. A note with a Medicare number in it is answered with
   * 400 and `{"error":"medicare number"}`. `callback` comes with the outcome "callback", and is refused (400) with any other.
   */
  outcome: {
    manager: false,
    request: v.strictObject({
      id: Id,
      call_id: v.nullable(Id),
      outcome: Outcome,
      note: v.optional(Text(noteLength)),
      callback: v.optional(
        v.strictObject({ at: LocalTime, zone: Zone, asked_for_this_time: v.optional(v.boolean()) }),
      ),
    }),
    response: v.union([
      v.object({ outcome_id: Id, undo_until: Moment, callback_at: v.nullable(Moment) }),
      v.object({
        refused: v.picklist([
          "call_has_outcome",
          "callback_not_callable",
          "callback_past",
          "callback_too_far",
          "needs_call",
          "not_your_call",
          "under_call",
          "withdrawn",
        ]),
        reason: v.nullable(NotNow),
        next_at: v.nullable(Moment),
        place: v.nullable(Place),
      }),
    ]),
  },
  /** Takes an outcome back, shortly after it was recorded, by the same member. */
  "undo-outcome": {
    manager: false,
    request: v.strictObject({ outcome_id: Id }),
    response: v.union([Done, v.object({ refused: v.picklist(["later_outcome", "too_late", "not_yours"]) })]),
  },
  "eligibility-check": {
    manager: false,
    request: v.strictObject({ id: Id, answers: Answers }),
    response: Check,
  },
  /** "They asked us to stop", for every lead with the number. */
  stop: { manager: false, request: LeadRequest, response: StopProof },
  /** The same request, with a number that a person gives on the phone, because a person who calls may not be found by name. */
  "stop-number": {
    manager: false,
    request: v.strictObject({ phone: NonEmptyText(100) }),
    /** How many permissions it ended: 0 also where all were withdrawn before. */
    response: v.union([
      v.object({ leads: v.number() }),
      v.object({ refused: v.picklist(["no number", "too many numbers"]) }),
    ]),
  },
  /** The proof for a lead that was stopped, to print. */
  "stop-proof": { manager: false, request: LeadRequest, response: StopProof },
} as const;
