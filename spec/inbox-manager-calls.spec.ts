// Which calls of the inbox's API only managers may make: what the list of calls says of each, and what the database does.
import { describe, expect, it } from "vitest";
import { type CallName, calls, type RequestOf } from "../inbox/api.ts";
import { makeInbox } from "./support/inbox.ts";

const { database, inbox } = await makeInbox();
/** Of nobody and of no lead. */
const id = crypto.randomUUID();
const period = { since: "2026-11-01", until: "2026-11-21", zone: "UTC" };

/** What each call is asked. Most name what is not there, so that a call that is allowed changes nothing. */
const requests: { [Name in CallName]: RequestOf<Name> } = {
  me: {},
  "call-scripts": {},
  "keep-alive": {},
  lock: {},
  "sign-out": {},
  passkeys: {},
  "passkeys/options": {},
  "passkeys/add": { credential: {} },
  "passkeys/remove": { id: "none" },
  queue: {},
  search: { text: "Rosa" },
  rows: { ids: [] },
  "newest-lead": {},
  "take-next": {},
  claim: { id },
  release: { id },
  open: { id },
  opened: { entry: 0 },
  "health-answers": { id },
  call: { id },
  outcome: { id, call_id: null, outcome: "not_interested" },
  "undo-outcome": { outcome_id: id },
  "eligibility-check": {
    id,
    answers: {
      diabetes: "yes",
      insulin: "yes",
      recurrent_lows: "no",
      low_with_help: "no",
      visit_on: null,
      visit_planned: "no",
      trained: "yes",
      plan: "part_b",
      prescriber: "",
    },
  },
  stop: { id },
  "stop-number": { phone: "305-555-0199" },
  "stop-proof": { id },
  members: {},
  "members/invite": { name: "Nora", role: "member" },
  "members/recover": { id },
  "members/remove": { id },
  "take-back": { id, member: id },
  export: period,
  erase: { id, reference: "00000000" },
  reports: period,
  audit: {},
  "audit/export": {},
  "paused-states": {},
  "pause-state": { state: "KY", reason: "A storm" },
  "resume-state": { state: "KY" },
  health: {},
  alert: {},
  "retry-deliveries": {},
  campaigns: period,
  "campaigns/costs": { csv: "date,campaign,amount\n" },
  experiments: {},
};

describe("the inbox's list of calls", () => {
  it.each(
    (Object.keys(calls) as CallName[]).map((name) => [
      name,
      calls[name].manager ? "managers alone" : "every member",
    ]),
  )("says rightly that the call %s is for %s", async (name) => {
    const statuses = [];
    for (const role of ["member", "manager"] as const) {
      // A call may end the session of whoever makes it.
      const member = await inbox.member(`Lee, ${role}, ${name}`, role);
      statuses.push((await member.call(name, requests[name])).status);
    }
    const [ofMember, ofManager] = statuses;
    if (calls[name].manager) expect(ofMember).toBe(403);
    expect(calls[name].manager).toBe(ofMember !== ofManager);
  });
});

describe("a file of costs that cannot be read", () => {
  const csv = "date,campaign,amount\nyesterday,spring,1\n";

  it("is refused as any other where the member is no manager", async () => {
    const dana = await inbox.member("Dana");
    expect((await dana.call("campaigns/costs", { csv })).status).toBe(403);
  });

  it("counts as activity of the manager who sends it, and is in no audit log", async () => {
    const maria = await inbox.member("Maria", "manager");
    await database.owner`update private.sessions set last_seen_at = now() - interval '5 minutes'`;
    expect((await maria.call("campaigns/costs", { csv })).body).toHaveProperty("problems");
    const [seen] = await database.owner`
      select last_seen_at > now() - interval '1 minute' as now from private.sessions where member_id = ${maria.id}`;
    expect(seen?.now).toBe(true);
    const [entries] = await database.owner`
      select count(*)::integer as n from private.audit_log where who = 'Maria' and action = 'recorded costs'`;
    expect(entries?.n).toBe(0);
  });
});
