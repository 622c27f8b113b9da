// Managing, in the inbox or by the operator's command, as functions over SQL: members, a claim ended, export, erasing, states of the USA
// where calls are paused, reports, the audit log, deliveries; and what every member sees of it (health, the alert, the paused
// states). inbox/answers.ts and inbox/downloads.ts answer the inbox's API with them, but for `memberNamed` and `callLog`, which only
// the operator's command may call.
import { type Ask, withoutUnset } from "./ask.ts";
import { askToRead } from "./standby.ts";

export interface Member {
  id: string;
  name: string;
  role: "member" | "manager";
  created_at: string;
  removed_at: string | null;
  joined_at: string | null;
  last_seen_at: string | null;
  passkeys: number;
  oidc: boolean;
}

/** The token that an invitation's link ends with, and until when the link works. */
export interface Invitation {
  token: string;
  expires_at: string;
  member_id: string;
}

export interface AuditEntry {
  id: number;
  at: string;
  who: { id: string | null; name: string };
  action: string;
  lead: { id: string; reference: string } | null;
  details: Record<string, string | number | boolean | null>;
}

/** Days as YYYY-MM-DD, both included, in a time zone. */
export interface Period {
  since: string;
  until: string;
  zone: string;
}
type Filter = Readonly<Record<string, string | undefined>>;

/** The link of an invitation. What follows the # is not sent to any server by itself. */
export const linkOf = (inboxUrl: string, { token }: Invitation): string => `${inboxUrl}/join#${token}`;

/** `issuer` names the identity provider with whose accounts members sign in; without one, none has such an account. */
export const members = async (ask: Ask, issuer: string | undefined) =>
  ((await ask((sql) => sql`team.members(${issuer ?? null})`)) as { members: Member[] }).members;

/** The member who has this name, which need not be typed as it is kept. */
export const memberNamed = async (ask: Ask, name: string) =>
  (await ask((sql) => sql`team.member_named(${name})`)) as Pick<Member, "id" | "name"> | null;

/** @throws Refused 409 when a member has the name. */
export const inviteMember = async (ask: Ask, name: string, role: Member["role"]) =>
  (await ask((sql) => sql`team.invite_member(${name}, ${role})`)) as Invitation;

/** Ends all ways in that the member has (passkeys, accounts, sessions, invitations), and makes a new invitation. @throws Refused 404 */
export const recoverMember = async (ask: Ask, id: string) =>
  (await ask((sql) => sql`team.recover_member(${id})`)) as Invitation;

/** Ends the member's sessions and access at once. False for oneself. @throws Refused 404 */
export const removeMember = async (ask: Ask, id: string) =>
  (await ask((sql) => sql`team.remove_member(${id})`)) as boolean;

/** Ends the claim of a lead, where this member has it. */
export const takeBack = (ask: Ask, id: string, member: string) =>
  ask((sql) => sql`team.take_back(${id}, ${member})`);

/** False when the text that confirms it is neither the lead's reference nor its id. @throws Refused 404 */
export const eraseLead = async (ask: Ask, id: string, reference: string) =>
  (await ask((sql) => sql`team.erase_lead(${id}, ${reference})`)) as boolean;

/** Rows of a page of an export. Two pages are held in memory at once. */
const exportPageSize = 2_000;

/** Writes the audit log, and returns the entry that each page of the export asks for. */
export const recordExport = async (ask: Ask, { since, until, zone }: Period) =>
  (await ask((sql) => sql`team.record_export(${since}, ${until}, ${zone})`)) as string;

/**
 * The leads of the entry's days, the oldest first, a page at a time; the first page may be empty.
 * @throws Refused 403 when the entry is not this manager's own of the last hour.
 */
export const exportedLeadPages = (ask: Ask, entry: string) =>
  pagesAhead<Record<string, unknown>, string>(async (after) => {
    const page = (await ask((sql) => sql`team.export_leads(${entry}, ${after}, ${exportPageSize})`)) as {
      leads: Record<string, unknown>[];
      next: string | null;
    };
    return { rows: page.leads, next: page.next };
  });

/** Yields the pages that `read` returns, each of which says where the next one begins. One page is read ahead of the reader. */
async function* pagesAhead<Row, Place>(
  read: (from: Place | null) => Promise<{ rows: Row[]; next: Place | null }>,
): AsyncGenerator<Row[]> {
  let coming = read(null);
  for (;;) {
    const { rows, next } = await coming;
    if (next !== null) {
      coming = read(next);
      // A reader that stops early awaits it no more.
      coming.catch(() => {});
    }
    yield rows;
    if (next === null) return;
  }
}

/** The states of the USA where calls are paused. */
export const pausedStates = (ask: Ask) => ask((sql) => sql`team.paused_states()`);

/** `state` is its two letters, such as FL. */
export const pauseState = (ask: Ask, state: string, reason: string) =>
  ask((sql) => sql`team.pause_state(${state}, ${reason})`);

export const resumeState = (ask: Ask, state: string) => ask((sql) => sql`team.resume_state(${state})`);

export const reports = (ask: Ask, { since, until, zone }: Period, standby?: Ask) =>
  askToRead(
    ask,
    standby,
    "read reports",
    { since, until },
    (sql, entry) => sql`team.reports(${since}, ${until}, ${zone}, ${entry})`,
  );

/** Newest first, before the entry `before`. */
export const auditLog = async (ask: Ask, filter: Filter, before: number | null, limit: number) =>
  (await ask((sql) => sql`team.audit_log(${sql.json(withoutUnset(filter))}, ${before}, ${limit})`)) as {
    entries: AuditEntry[];
    next: number | null;
    actions: string[];
  };

/** Writes in the log that what the filter leaves is exported, and returns the entry that each page of the export asks for. */
export const recordAuditExport = async (ask: Ask, filter: Filter) =>
  (await ask((sql) => sql`team.record_audit_export(${sql.json(withoutUnset(filter))})`)) as string;

/**
 * The log before the entry, as its filter leaves it, the newest first, a page at a time; the first page may be empty.
 * @throws Refused 403 when the entry is not this manager's own of the last hour.
 */
export const exportedAuditPages = (ask: Ask, entry: string) =>
  pagesAhead<AuditEntry, number>(async (before) => {
    const page = (await ask((sql) => sql`team.export_audit_log(${entry}, ${before}, ${exportPageSize})`)) as {
      entries: AuditEntry[];
      next: number | null;
    };
    return { rows: page.entries, next: page.next };
  });

export const callLog = async (ask: Ask, id: string) =>
  (await ask((sql) => sql`team.call_log(${id})`)) as CallLogEntry[];

/** An entry of the call log; `called` is false for a review without a call. */
export interface CallLogEntry {
  at: string;
  member: { name: string };
  called: boolean;
  asked_for_this_time: boolean;
  outcome: string | null;
  note: string;
  callback_at: string | null;
}

export const health = async (ask: Ask) => (await ask((sql) => sql`team.health()`)) as { problems: string[] };

/** How many leads have waited for too long while no channel took a message about them. It may be two minutes old. */
export const alert = async (ask: Ask) =>
  (await ask((sql) => sql`team.alert()`)) as { leads: number; oldest_at: string | null };

export const retryFailedDeliveries = async (ask: Ask) =>
  (await ask((sql) => sql`team.retry_failed_deliveries()`)) as number;
