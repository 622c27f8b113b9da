// The calls of the inbox's API with which a member works leads: the queue, one lead, calls, outcomes, stop.
import * as v from "valibot";
import {
  Day,
  Id,
  LocalTime,
  Moment,
  NonEmptyText,
  NotNow,
  Outcome,
  Person,
  Place,
  Text,
  Zone,
} from "./api-values.ts";

const Lead = v.strictObject({ id: Id });
const Done = v.object({ done: v.literal(true) });

/** A row of the queue or of a search. No phone, e-mail address or health answer is in it. */
export const Row = v.object({
  id: Id,
  reference: v.string(),
  name: v.string(),
  place: Place,
  created_at: Moment,
  /** When the 24 hours end or ended; they never pause. */
  due_at: Moment,
  reviewed_at: v.nullable(Moment),
  stage: v.picklist(["open", "callback", "closed"]),
  callback_at: v.nullable(Moment),
  outcome: v.nullable(Outcome),
  /** Who has it, and until when. */
  claim: v.nullable(v.object({ member: Person, until: Moment })),
  /** Words such as "link in name": it may be spam. */
  flags: v.array(v.string()),
  withdrawn: v.boolean(),
  /** Where the queue has it: callbacks that are due, then those that may be called now, then the others. */
  section: v.picklist(["callback_due", "callable", "not_callable", "closed"]),
  /** Null when three attempts in 24 hours have not been made: else when a further one may be. */
  attempts_until: v.nullable(Moment),
});
export type Row = v.InferOutput<typeof Row>;

/** What narrows the queue and the search; each that is given must hold. */
const Filter = v.strictObject({
  section: v.optional(v.picklist(["callback_due", "callable", "not_callable"])),
  stage: v.optional(v.picklist(["open", "callback", "closed"])),
  state: v.optional(v.pipe(v.string(), v.regex(/^[A-Z]{2}$/))),
  outcome: v.optional(Outcome),
  mine: v.optional(v.boolean()),
  late: v.optional(v.boolean()),
  flagged: v.optional(v.boolean()),
  withdrawn: v.optional(v.boolean()),
  /** Days of arrival, in the time zone given, both included. */
  since: v.optional(Day),
  until: v.optional(Day),
  zone: v.optional(Zone),
});

const Page = {
  after: v.optional(v.nullable(Text(400))),
  limit: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(200))),
};
const Rows = v.object({
  rows: v.array(Row),
  /** Hand it in as `after` for the next page; null when this is the last. */
  next: v.nullable(v.string()),
});

/** One call, or an outcome recorded without one, oldest first. */
export const LoggedCall = v.object({
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

/** A lead opened. The number is not in it, unless the member has a call with it under way. */
export const OpenLead = v.object({
  ...Row.entries,
  /** Null when the permission was withdrawn or the number is on the stop list. */
  email: v.nullable(v.string()),
  /** As typed. */
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
  calls: v.array(LoggedCall),
  attempts_today: v.number(),
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
  /** The member's own call that has no outcome yet. */
  under_way: v.nullable(v.object({ call_id: Id, phone: v.string(), tel: v.string(), at: Moment })),
});
export type OpenLead = v.InferOutput<typeof OpenLead>;

/** Why not, and when: the page says it in words. */
export const NotCalled = v.object({
  refused: NotNow,
  /** When a call is lawful again; null when it never is. */
  next_at: v.nullable(Moment),
  place: Place,
  /** When the 24 hours end. */
  due_at: Moment,
  reviewed: v.boolean(),
  /** Whether the reason "The person asked for this time" allows it. */
  may_be_asked_for: v.boolean(),
  held_by: v.nullable(Person),
});

export const StopProof = v.object({
  stopped_at: Moment,
  stopped_by: Person,
  /** The leads whose permission it ended, with the channels that are told of each. */
  leads: v.array(
    v.object({
      id: Id,
      reference: v.string(),
      withdrawn_at: Moment,
      channels: v.array(v.object({ channel: v.string(), told_at: v.nullable(Moment), failed: v.boolean() })),
    }),
  ),
});

export const work = {
  /** Does not count as activity. */
  queue: {
    manager: false,
    request: v.strictObject({ filter: v.optional(Filter), ...Page }),
    response: v.object({
      ...Rows.entries,
      /** Of the whole queue, not of the filter. */
      counts: v.object({
        callback_due: v.number(),
        callable: v.number(),
        not_callable: v.number(),
        late: v.number(),
        mine: v.number(),
      }),
      at: Moment,
    }),
  },
  /** By name, whole phone number, whole e-mail address, or reference; the kind of search is in the audit log, its words are not. */
  search: {
    manager: false,
    request: v.strictObject({ text: Text(200), filter: v.optional(Filter), ...Page }),
    response: Rows,
  },
  /** Rows of these leads, for lists on screen after a `leads` event; those not in the queue any more are closed. */
  rows: {
    manager: false,
    request: v.strictObject({ ids: v.pipe(v.array(Id), v.maxLength(200)) }),
    response: v.object({ rows: v.array(Row) }),
  },
  /** Claims the first lead that may be called; null when there is none. */
  "take-next": { manager: false, request: v.strictObject({}), response: v.object({ id: v.nullable(Id) }) },
  claim: {
    manager: false,
    request: Lead,
    response: v.union([
      v.object({ until: Moment }),
      v.object({ refused: v.literal("claimed"), held_by: Person }),
    ]),
  },
  release: { manager: false, request: Lead, response: Done },
  /** `id` is a lead's id or its reference (the link in a mail has the reference). Written to the audit log. */
  open: {
    manager: false,
    request: v.strictObject({ id: v.pipe(v.string(), v.regex(/^[0-9a-fA-F-]{8,36}$/)) }),
    response: OpenLead,
  },
  /** The answers hidden until opened. Written to the audit log. */
  "health-answers": {
    manager: false,
    request: Lead,
    response: v.object({ has_medicare: v.boolean(), has_diabetes: v.boolean() }),
  },
  /** Checks and then shows the number; logs the attempt. Claims the lead when nobody has it. */
  call: {
    manager: false,
    request: v.strictObject({ id: Id, asked_for_this_time: v.optional(v.boolean()) }),
    response: v.union([v.object({ call_id: Id, phone: v.string(), tel: v.string(), at: Moment }), NotCalled]),
  },
  /**
   * `call_id` null: a review without a call, with any outcome that needs none. A note with a Medicare number in it is answered with
   * 400 and `{"error":"medicare number"}`. `callback` is needed for the outcome "callback" and for no other.
   */
  outcome: {
    manager: false,
    request: v.strictObject({
      id: Id,
      call_id: v.nullable(Id),
      outcome: Outcome,
      note: v.optional(Text(2000)),
      callback: v.optional(
        v.strictObject({ at: LocalTime, zone: Zone, asked_for_this_time: v.optional(v.boolean()) }),
      ),
    }),
    response: v.union([
      v.object({ outcome_id: Id, undo_until: Moment, callback_at: v.nullable(Moment) }),
      v.object({
        refused: v.picklist([
          "callback_not_callable",
          "callback_past",
          "callback_too_far",
          "not_your_call",
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
    response: v.union([Done, v.object({ refused: v.picklist(["too late", "not yours"]) })]),
  },
  "eligibility-check": {
    manager: false,
    request: v.strictObject({ id: Id, answers: Answers }),
    response: Check,
  },
  /** "They asked us to stop", for every lead with the number. */
  stop: { manager: false, request: Lead, response: StopProof },
  /** The same request, with a number that a person gives on the phone, because a person who calls may not be found by name. */
  "stop-number": {
    manager: false,
    request: v.strictObject({ phone: NonEmptyText(100) }),
    response: v.union([v.object({ leads: v.number() }), v.object({ refused: v.literal("no number") })]),
  },
  /** The proof for a lead that was stopped, to print. */
  "stop-proof": { manager: false, request: Lead, response: StopProof },
} as const;
