// What a manager does in the inbox, or the operator by command, as functions over SQL: members, a lead taken back, export, erasing,
// paused states, reports, the audit log, deliveries. The answers are those of the inbox's API (inbox/api-managing.ts).
import type { JSONValue } from "postgres";
import type { Ask } from "./ask.ts";

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

/** What an invitation's link is made of. */
export interface Invitation {
  token: string;
  expires_at: string;
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

export const members = async (ask: Ask) =>
  ((await ask((sql) => sql`team.members()`)) as { members: Member[] }).members;

/** @throws Refused 409 when a member has the name. */
export const inviteMember = async (ask: Ask, name: string, role: Member["role"]) =>
  (await ask((sql) => sql`team.invite_member(${name}, ${role})`)) as Invitation;

/** Ends the member's passkeys and sessions. @throws Refused 404 */
export const recoverMember = async (ask: Ask, id: string) =>
  (await ask((sql) => sql`team.recover_member(${id})`)) as Invitation;

/** At once, everywhere. False for oneself. @throws Refused 404 */
export const removeMember = async (ask: Ask, id: string) =>
  (await ask((sql) => sql`team.remove_member(${id})`)) as boolean;

export const takeBack = (ask: Ask, id: string) => ask((sql) => sql`team.take_back(${id})`);

/** False when the reference that confirms it is another lead's. */
export const eraseLead = async (ask: Ask, id: string, reference: string) =>
  (await ask((sql) => sql`team.erase_lead(${id}, ${reference})`)) as boolean;

/** The audit log says so before the database shows anything. */
export async function exportLeads(ask: Ask, { since, until, zone }: Period) {
  const entry = (await ask((sql) => sql`team.record_export(${since}, ${until})`)) as string;
  return (await ask((sql) => sql`team.export_leads(${entry}, ${zone})`)) as Record<string, unknown>[];
}

export const pausedStates = (ask: Ask) => ask((sql) => sql`team.paused_states()`);

export const pauseState = (ask: Ask, state: string, reason: string) =>
  ask((sql) => sql`team.pause_state(${state}, ${reason})`);

export const resumeState = (ask: Ask, state: string) => ask((sql) => sql`team.resume_state(${state})`);

export const reports = (ask: Ask, { since, until, zone }: Period) =>
  ask((sql) => sql`team.reports(${since}, ${until}, ${zone})`);

/** Newest first, before the entry `before`. */
export const auditLog = async (ask: Ask, filter: Filter, before: number | null, limit: number) =>
  (await ask((sql) => sql`team.audit_log(${sql.json(plain(filter))}, ${before}, ${limit})`)) as {
    entries: AuditEntry[];
    next: number | null;
    actions: string[];
  };

/** The whole log that the filter leaves, newest first; reading it is in the log, too. */
export async function exportAuditLog(ask: Ask, filter: Filter): Promise<AuditEntry[]> {
  const entries: AuditEntry[] = [];
  for (let before: number | null = null; ; ) {
    const page: Awaited<ReturnType<typeof auditLog>> = await auditLog(ask, filter, before, 5_000);
    entries.push(...page.entries);
    before = page.next;
    if (before === null) break;
  }
  await ask((sql) => sql`team.note_audit_export(${entries.length})`);
  return entries;
}

export const callLog = async (ask: Ask, id: string) =>
  (await ask((sql) => sql`team.call_log(${id})`)) as LoggedCall[];

export interface LoggedCall {
  at: string;
  member: { name: string };
  called: boolean;
  asked_for_this_time: boolean;
  outcome: string | null;
  note: string;
  callback_at: string | null;
}

export const machine = async (ask: Ask) =>
  (await ask((sql) => sql`team.machine()`)) as { problems: string[] };

export const alert = async (ask: Ask) =>
  (await ask((sql) => sql`team.alert()`)) as { leads: number; oldest_at: string | null };

export const retryFailedDeliveries = async (ask: Ask) =>
  (await ask((sql) => sql`team.retry_failed_deliveries()`)) as number;

const plain = (values: object): Record<string, JSONValue> =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
