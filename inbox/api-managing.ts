// The calls of the inbox's API with which managers manage, and what every member may see of it (`manager: false`): the health of the
// delivery, the alert and the paused states.
import * as v from "valibot";
import { Day, Done, Id, Moment, NonEmptyText, Outcome, Person, Role, Text, Zone } from "./api-values.ts";

const Empty = v.strictObject({});
const State = v.pipe(v.string(), v.regex(/^[A-Z]{2}$/));
const Link = v.object({ link: v.string(), expires_at: Moment, member_id: Id });
/** A file to be saved under this name, from an address that the same manager may load for an hour (inbox/downloads.ts). */
const File = v.object({ name: v.string(), address: v.string() });
/** Days, both included, in a time zone. */
const Period = { since: Day, until: Day, zone: Zone };

export const Member = v.object({
  id: Id,
  name: v.string(),
  role: Role,
  created_at: Moment,
  removed_at: v.nullable(Moment),
  /** Null: invited, and not joined yet. */
  joined_at: v.nullable(Moment),
  /** Until when a link that nobody has used lets them in; null without one. */
  link_until: v.nullable(Moment),
  last_seen_at: v.nullable(Moment),
  passkeys: v.number(),
  /** Whether they can sign in with an account at the identity provider of the company. */
  oidc: v.boolean(),
  claims: v.number(),
});

export const AuditEntry = v.object({
  id: v.number(),
  at: Moment,
  who: Person,
  /** Such as "opened lead", "read health answers", "called"; see docs/inbox.md. */
  action: v.string(),
  lead: v.nullable(v.object({ id: Id, reference: v.string() })),
  /** Codes, counts, days, filters and members' names; never a word about a visitor. */
  details: v.record(v.string(), v.union([v.string(), v.number(), v.boolean(), v.null()])),
});

export const AuditFilter = v.strictObject({
  since: v.optional(Day),
  until: v.optional(Day),
  zone: v.optional(Zone),
  /** "operator": what was done by command. */
  member: v.optional(v.union([Id, v.literal("operator")])),
  action: v.optional(NonEmptyText(60)),
  lead: v.optional(v.pipe(v.string(), v.regex(/^[0-9a-fA-F-]{8,36}$/))),
});

export const Reports = v.object({
  promises: v.object({
    /** Leads reviewed within 24 hours. */
    kept: v.number(),
    /** Leads reviewed later, or not yet although the 24 hours are over. */
    missed: v.number(),
    /** Leads not reviewed yet, within their 24 hours. */
    open: v.number(),
    /** Leads withdrawn within 24 hours and not reviewed within them. */
    withdrawn: v.number(),
    /** Kept of kept and missed, 0 to 100; null when none is decided. */
    percent: v.nullable(v.number()),
  }),
  first_call: v.object({
    leads: v.number(),
    median_minutes: v.nullable(v.number()),
    p90_minutes: v.nullable(v.number()),
  }),
  outcomes: v.array(v.object({ outcome: Outcome, leads: v.number() })),
  days: v.array(
    v.object({
      day: Day,
      leads: v.number(),
      kept: v.number(),
      missed: v.number(),
      open: v.number(),
      /** As in `promises`. */
      withdrawn: v.number(),
      calls: v.number(),
    }),
  ),
  /** ISO weekday, 1 is Monday; hour 0 to 23 in the zone asked for. Only those with anything. */
  hours: v.array(
    v.object({
      weekday: v.number(),
      hour: v.number(),
      leads: v.number(),
      calls: v.number(),
      reached: v.number(),
    }),
  ),
  campaigns: v.array(
    v.object({
      source: v.string(),
      medium: v.string(),
      campaign: v.string(),
      leads: v.number(),
      reviewed: v.number(),
      likely: v.number(),
      needs_visit: v.number(),
      /** Leads withdrawn at any time. */
      withdrawn: v.number(),
    }),
  ),
});
export type Reports = v.InferOutput<typeof Reports>;

export const Health = v.object({
  /** Whether nothing is wrong. */
  ok: v.boolean(),
  /** What `leads status` finds wrong; none when all is well. */
  problems: v.array(v.picklist(["no channel", "failed", "stuck", "overdue", "backup"])),
  stored: v.number(),
  erased: v.number(),
  unreviewed: v.number(),
  overdue: v.number(),
  /** Leads that are neither reviewed nor withdrawn, and owed to no channel. */
  untold: v.number(),
  channels: v.array(
    v.object({
      channel: v.string(),
      enabled: v.boolean(),
      delivered: v.number(),
      pending: v.number(),
      oldest_pending: v.nullable(Moment),
      failed: v.number(),
      stuck: v.number(),
      last_error: v.nullable(v.string()),
    }),
  ),
  /** The newest scheduled backup that is whole (BACKUP_DIR); null: none. */
  last_backup_at: v.nullable(Moment),
  /** Why there is no newer one; null when the newest attempt went well. */
  backup_failure: v.nullable(v.string()),
  schema: v.string(),
  at: Moment,
});

export const managing = {
  members: { manager: true, request: Empty, response: v.object({ members: v.array(Member) }) },
  "members/invite": {
    manager: true,
    request: v.strictObject({ name: NonEmptyText(100), role: Role }),
    response: Link,
  },
  /** A new link; passkeys, company accounts, sessions and unused links end at once. */
  "members/recover": { manager: true, request: v.strictObject({ id: Id }), response: Link },
  /** Ends the member's sessions at once. Refused for oneself. */
  "members/remove": {
    manager: true,
    request: v.strictObject({ id: Id }),
    response: v.union([Done, v.object({ refused: v.literal("yourself") })]),
  },
  /** Ends the claim of a lead, where this member has it: another one may have taken it since the page was loaded. */
  "take-back": { manager: true, request: v.strictObject({ id: Id, member: Id }), response: Done },
  /** The address of a CSV file of the leads that came in the period, oldest first, with the columns and cells of `leads export`. Written to the audit log. */
  export: { manager: true, request: v.strictObject(Period), response: File },
  /** For good. `reference` is typed again to confirm it. */
  erase: {
    manager: true,
    request: v.strictObject({ id: Id, reference: Text(40) }),
    response: v.union([Done, v.object({ refused: v.literal("another reference") })]),
  },
  reports: { manager: true, request: v.strictObject(Period), response: Reports },
  audit: {
    manager: true,
    request: v.strictObject({ filter: v.optional(AuditFilter), after: v.optional(v.nullable(v.number())) }),
    response: v.object({
      entries: v.array(AuditEntry),
      next: v.nullable(v.number()),
      actions: v.array(v.string()),
    }),
  },
  "audit/export": {
    manager: true,
    request: v.strictObject({ filter: v.optional(AuditFilter) }),
    response: File,
  },
  /** Not counted as activity, which would put off the lock. */
  "paused-states": {
    manager: false,
    request: Empty,
    response: v.object({
      states: v.array(
        v.object({ state: State, paused_at: Moment, paused_by: v.string(), reason: v.string() }),
      ),
    }),
  },
  "pause-state": {
    manager: true,
    request: v.strictObject({ state: State, reason: NonEmptyText(200) }),
    response: Done,
  },
  "resume-state": { manager: true, request: v.strictObject({ state: State }), response: Done },
  /** Not counted as activity either. */
  health: { manager: false, request: Empty, response: Health },
  /** Leads that wait longer than ALERT_AFTER_MINUTES while no channel took a message about them. Does not count as activity. */
  alert: {
    manager: false,
    request: Empty,
    response: v.object({ leads: v.number(), oldest_at: v.nullable(Moment) }),
  },
  "retry-deliveries": { manager: true, request: Empty, response: v.object({ deliveries: v.number() }) },
} as const;
