// A member's calls to leads, for the chapters about them.
import type { TestDatabase } from "./database.ts";
import type { TestMember } from "./inbox.ts";

/** Calls a lead. Throws when the call is refused. */
export async function callLead(member: TestMember, id: string) {
  const { body } = await member.call("call", { id });
  if (!("call_id" in body)) throw new Error(`refused: ${body.refused}`);
  return body;
}

/** Says who has done this with a lead, as the audit log has it. */
export async function whoDid({ owner }: TestDatabase, action: string, lead: string): Promise<string[]> {
  const entries = await owner<{ who: string }[]>`
    select who from private.audit_log where action = ${action} and lead_id = ${lead} order by id`;
  return entries.map(({ who }) => who);
}
