// The calls of the inbox's API with which a member finds a lead and claims it: the queue, the search, the claim.
import * as v from "valibot";
import { Day, Done, Id, LeadRequest, Moment, Outcome, Person, Place, Text, Zone } from "./api-values.ts";

/** A row of the queue or of a search. No phone, e-mail address or health answer is in it. */
export const Row = v.object({
  id: Id,
  reference: v.string(),
  name: v.string(),
  place: Place,
  created_at: Moment,
  /** 24 hours after the lead came, by when its review is due. Nights, Sundays and paused states count. */
  due_at: Moment,
  reviewed_at: v.nullable(Moment),
  stage: v.picklist(["open", "callback", "closed"]),
  callback_at: v.nullable(Moment),
  /** The zone in which the callback was agreed. */
  callback_zone: v.nullable(v.string()),
  outcome: v.nullable(Outcome),
  /** Who has it, and until when. */
  claim: v.nullable(v.object({ member: Person, until: Moment })),
  /** Words such as "link in name": it may be spam. */
  flags: v.array(v.string()),
  withdrawn: v.boolean(),
  /**
   * Where the queue has it: callbacks that are due and may be made now; then open leads that may be called now; then all others, a callback
   * of a later time among them, which may be made earlier within the hours. "closed" is not in the queue.
   */
  section: v.picklist(["callback_due", "callable", "not_callable", "closed"]),
  /** Whether the callback may be made at this moment whatever the calling hours, because the person asked for this time. */
  asked_for_now: v.boolean(),
  /** When the number may be called again, where it was called three times in the last 24 hours; otherwise null. */
  next_attempt_at: v.nullable(Moment),
});
export type Row = v.InferOutput<typeof Row>;

/** What narrows the queue and the search; a row has to pass each. `mine` and `late` narrow only when they are true. */
const Filter = v.strictObject({
  section: v.optional(v.picklist(["callback_due", "callable", "not_callable"])),
  stage: v.optional(v.picklist(["open", "callback", "closed"])),
  state: v.optional(v.pipe(v.string(), v.regex(/^[A-Z]{2}$/))),
  outcome: v.optional(Outcome),
  mine: v.optional(v.boolean()),
  /** Leads older than 24 hours that are not closed, and for which no attempt to reach the person has been recorded yet. */
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

export const queue = {
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
  /**
   * By name (the beginnings of its words, without regard to case and accents), whole phone number, whole e-mail address, id or reference.
   * The kind of a search with words is in the audit log, its words are not.
   */
  search: {
    manager: false,
    request: v.strictObject({ text: Text(200), filter: v.optional(Filter), ...Page }),
    response: Rows,
  },
  /**
   * Rows of these leads in the order given, for lists on screen after a `leads` event. A lead that has left the queue has the section
   * "closed", and one that was erased is left out. Does not count as activity.
   */
  rows: {
    manager: false,
    request: v.strictObject({ ids: v.pipe(v.array(Id), v.maxLength(200)) }),
    response: v.object({ rows: v.array(Row) }),
  },
  /** When the newest lead came; null when there is none. For a page that may have missed an event. Does not count as activity. */
  "newest-lead": {
    manager: false,
    request: v.strictObject({}),
    response: v.object({ created_at: v.nullable(Moment) }),
  },
  /**
   * Gives the member again the lead that a `take-next` of the last ten minutes gave them and that they have neither opened nor called. Else
   * claims the first of the queue that may be called and that nobody has; null when there is none.
   */
  "take-next": { manager: false, request: v.strictObject({}), response: v.object({ id: v.nullable(Id) }) },
  claim: {
    manager: false,
    request: LeadRequest,
    response: v.union([
      v.object({ until: Moment }),
      v.object({ refused: v.literal("claimed"), held_by: Person }),
    ]),
  },
  release: { manager: false, request: LeadRequest, response: Done },
} as const;
