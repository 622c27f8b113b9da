// What managers do in the inbox: members, export, erasing, reports and the audit log.
import { parse } from "csv-parse/sync";
import { beforeEach, describe, expect, it } from "vitest";
import { reference } from "../lead/lead.ts";
import { aLead, refusal, removeLeads, sessionsWaitingForLocks } from "./support/database.ts";
import { addLead, makeInbox } from "./support/inbox.ts";

const { database, inbox } = await makeInbox();
const dana = await inbox.member("Dana");
const maria = await inbox.member("Maria", "manager");
beforeEach(() => removeLeads(database.owner));

const period = { since: "2020-01-01", until: "2035-12-31", zone: "America/New_York" };
const csvAt = async (address: string) => (await maria.download(address)).text();
const lastAudit = async (action: string) => {
  const [entry] = await database.owner`
    select who, details from private.audit_log where action = ${action} order by id desc limit 1`;
  return entry;
};

describe("a member", () => {
  it("is refused what only a manager may do", async () => {
    const id = await addLead(database);
    for (const [call, request] of [
      ["members", {}],
      ["members/invite", { name: "Mallory", role: "manager" }],
      ["members/recover", { id: maria.id }],
      ["members/remove", { id: maria.id }],
      ["take-back", { id, member: maria.id }],
      ["export", period],
      ["erase", { id, reference: reference(id) }],
      ["reports", period],
      ["audit", {}],
      ["audit/export", {}],
      ["pause-state", { state: "KY", reason: "why" }],
      ["resume-state", { state: "KY" }],
      ["retry-deliveries", {}],
    ] as const) {
      expect([call, (await dana.call(call, request)).status]).toEqual([call, 403]);
    }
  });
});

describe("a manager", () => {
  it("pauses a known state, and is told that another is unknown", async () => {
    expect((await maria.call("pause-state", { state: "LA", reason: "An emergency" })).status).toBe(200);
    const mia = await inbox.member("Mia", "manager");
    await mia.call("pause-state", { state: "LA", reason: "A storm" });
    expect((await maria.call("paused-states")).body.states).toMatchObject([
      { state: "LA", paused_by: "Mia", reason: "A storm" },
    ]);
    expect((await maria.call("resume-state", { state: "LA" })).status).toBe(200);
    expect((await maria.call("pause-state", { state: "ZZ", reason: "An emergency" })).status).toBe(404);
  });

  it("invites and recovers with a link, and sees who has joined", async () => {
    const { body } = await maria.call("members/invite", { name: "Nora", role: "member" });
    expect(body.link).toMatch(new RegExp(`^${inbox.url}/join#[A-Za-z0-9_-]{43}$`));
    const { members } = (await maria.call("members")).body;
    const nora = members.find(({ name }) => name === "Nora");
    expect(nora).toMatchObject({ role: "member", joined_at: null, removed_at: null, passkeys: 0 });
    expect(members.find(({ name }) => name === "Dana")?.joined_at).toEqual(expect.any(String));
    const again = await maria.call("members/recover", { id: nora?.id ?? "" });
    expect(again.body.link).not.toBe(body.link);
    expect((await maria.call("members/invite", { name: "nora", role: "member" })).status).toBe(409);
  });

  it("cannot give two members names that differ only in capitals, blanks and invisible characters, nor the operator's name, nor one that nobody can see", async () => {
    const invite = async (name: string) =>
      (await maria.call("members/invite", { name, role: "member" })).status;
    expect(await invite(" Ines\u00a0 \u200bCosta\u202e ")).toBe(200);
    const alike = [
      "Ines Costa",
      "ines  costa",
      "Ine\u00ads Costa",
      "Ines\u200d Costa",
      "Ines Costa\u{e0061}",
    ];
    for (const name of [
      ...alike,
      "Ines \u200b Costa",
      "Ines\u1680Costa",
      "Ines\ufff3 Costa",
      "\u{1d173}Ines Costa\u{1bca0}",
      "Ines Costa \u200d",
      "Ines \u200d Costa",
    ])
      expect([name, await invite(name)]).toEqual([name, 409]);
    expect(await invite("Zoe\u0301 Diaz")).toBe(200);
    for (const name of ["Zo\u00e9 Diaz", "Zoe\u034f\u0301 Diaz", "Zoe\u200d\u0301 Diaz"])
      expect([name, await invite(name)]).toEqual([name, 409]);
    for (const name of ["Operator", "opera\u200ctor", "Operator \u200d"])
      expect([name, await invite(name)]).toEqual([name, 409]);
    expect(await invite("क्\u200dष")).toBe(200);
    // Each letter of the last one is kept as two characters, so the name has more than 100.
    for (const name of ["\u200b", "\u3164 \u2800", "\u200d", "\u202e\u200b", "\u0958".repeat(51)])
      expect([name, await invite(name)]).toEqual([name, 400]);
    const { members } = (await maria.call("members")).body;
    expect(members.map(({ name }) => name)).toEqual(expect.arrayContaining(["Ines Costa", "क्\u200dष"]));
  });

  it("gives names that are stored without invisible characters, except the joiners of some scripts", async () => {
    const rows = await database.owner<{ n: number }[]>`
      select n from generate_series(1, 1114111) as n, lateral (select 'a ' || chr(n) || ' e' || chr(n) || U&'\\0301' as typed offset 0) as t
      where n not between 55296 and 57343 and private.shown(chr(n), '') = '' and private.member_name(typed) not in ('a \u00e9', 'a e \u0301')`;
    expect(rows.map(({ n }) => n)).toEqual([0x200c, 0x200d]);
  });

  it("sees when a member was last here, also long after their last session ended", async () => {
    const olga = await inbox.member("Olga");
    const addSessionEnded = (daysAgo: number) => database.owner`
      insert into private.sessions (token_hash, member_id, last_seen_at, ends_at)
      select sha256(random()::text::bytea), ${olga.id}, now() - ${daysAgo} * interval '1 day', now() - ${daysAgo} * interval '1 day'`;
    await database.owner`delete from private.sessions where member_id = ${olga.id}`;
    for (const daysAgo of [90, 60, 120]) await addSessionEnded(daysAgo);
    // Each sign-in deletes old sessions, and keeps the newest one of a member.
    await inbox.member("Pat");
    expect(await database.owner`select from private.sessions where member_id = ${olga.id}`).toHaveLength(1);
    const seen = (await maria.call("members")).body.members.find(({ name }) => name === "Olga")?.last_seen_at;
    expect(Math.round((Date.now() - Date.parse(seen ?? "")) / 86_400_000)).toBe(60);
  });

  it("exports the leads of some days as CSV, after an entry in the audit log", async () => {
    const id = await addLead(database, { name: '=cmd|"x"', phone: "111-555-0133" });
    const { body } = await maria.call("export", period);
    expect(await lastAudit("exported leads")).toEqual({
      who: "Maria",
      details: { since: "2020-01-01", until: "2035-12-31", zone: period.zone },
    });
    const rows = parse(await csvAt(body.address), { columns: true }) as Record<string, string>[];
    expect(rows).toHaveLength(1);
    const [row] = rows;
    expect(row).toMatchObject({ id, phone: "111-555-0133", has_medicare: "true" });
    expect(row?.name).toMatch(/^'=cmd/);
  });

  it("exports also a lead that came a moment ago", async () => {
    const [lead] = await database.owner`insert into public.leads ${database.owner(aLead())} returning id`;
    const { address } = (await maria.call("export", period)).body;
    expect(parse(await csvAt(address), { columns: true })).toMatchObject([{ id: lead?.id }]);
  });

  it("gives back the leads of a member whom they remove, and sees how many claims each member has", async () => {
    const gone = await inbox.member("Gone");
    const [held, ended] = [await addLead(database), await addLead(database)];
    for (const id of [held, ended]) await gone.call("claim", { id });
    await database.owner`update private.claims set until = now() where lead_id = ${ended}`;
    const seen = async () => (await maria.call("members")).body.members;
    expect((await seen()).find(({ id }) => id === gone.id)).toMatchObject({ claims: 1 });
    await maria.call("members/remove", { id: gone.id });
    expect((await dana.call("claim", { id: held })).body).toHaveProperty("until");
    const order = (await seen()).map(({ removed_at }) => removed_at !== null);
    expect(order).toEqual(order.toSorted((one, other) => Number(one) - Number(other)));
    expect(order.at(-1)).toBe(true);
  });

  it("is named in the audit log once for taking a lead back, for pausing a state and for ending the pause", async () => {
    const id = await addLead(database);
    await dana.call("claim", { id });
    for (let n = 0; n < 2; n++) await maria.call("take-back", { id, member: dana.id });
    await maria.call("pause-state", { state: "MS", reason: "A storm" });
    for (let n = 0; n < 2; n++) await maria.call("resume-state", { state: "MS" });
    const entries = await database.owner`
      select action, details from private.audit_log
      where who = 'Maria' and (lead_id = ${id} or details ->> 'state' = 'MS') order by id`;
    expect([...entries]).toEqual([
      { action: "took lead back", details: { from: "Dana" } },
      { action: "paused state", details: { state: "MS" } },
      { action: "resumed state", details: { state: "MS" } },
    ]);
  });

  it("is named in the audit log for taking a lead back also from a member who was claiming it at the same moment", async () => {
    const id = await addLead(database);
    await database.owner`
      insert into private.claims (lead_id, member_id, until) values (${id}, ${dana.id}, now() - interval '1 second')`;
    const { taking } = await database.owner.begin(async (tx) => {
      await tx`update private.claims set until = now() + interval '20 minutes' where lead_id = ${id}`;
      const taking = maria.call("take-back", { id, member: dana.id });
      await expect.poll(() => sessionsWaitingForLocks(database.owner)).toHaveLength(1);
      return { taking };
    });
    await taking;
    const entries = await database.owner`
      select details from private.audit_log where action = 'took lead back' and lead_id = ${id}`;
    expect([...entries]).toEqual([{ details: { from: "Dana" } }]);
  });

  it("takes a lead back from the member who was named, and from nobody who has taken it since", async () => {
    const id = await addLead(database);
    await dana.call("claim", { id });
    const holders = async () => [
      ...(await database.owner`select member_id from private.claims where lead_id = ${id} and until > now()`),
    ];
    await maria.call("take-back", { id, member: maria.id });
    expect(await holders()).toEqual([{ member_id: dana.id }]);
    await maria.call("take-back", { id, member: dana.id });
    expect(await holders()).toEqual([]);
  });

  it("may type the reference of a lead to erase in capitals and with blanks, or its whole id", async () => {
    for (const typed of [(id: string) => ` ${reference(id).toUpperCase()} `, (id: string) => id]) {
      const id = await addLead(database);
      expect((await maria.call("erase", { id, reference: typed(id) })).body).toEqual({ done: true });
    }
  });

  it("erases a lead for good after typing its reference", async () => {
    const id = await addLead(database);
    expect((await maria.call("erase", { id, reference: "00000000" })).body).toEqual({
      refused: "another reference",
    });
    expect((await maria.call("erase", { id, reference: reference(id) })).body).toEqual({ done: true });
    expect((await maria.call("open", { id })).status).toBe(404);
    expect(await database.owner`select reason from private.erasures where lead_id = ${id}`).toEqual([
      { reason: "asked" },
    ]);
    const { entries } = (await maria.call("audit", { filter: { lead: reference(id) } })).body;
    expect(entries.map(({ action }) => action)).toContain("erased lead");
  });

  it("is told that a lead is gone which somebody else erases at that moment, and the audit log does not say that they erased it", async () => {
    const id = await addLead(database);
    const { erasing } = await database.owner.begin(async (tx) => {
      await tx`select private.erase_leads(array[${id}]::uuid[], 'asked')`;
      const erasing = maria.call("erase", { id, reference: reference(id) });
      await expect.poll(() => sessionsWaitingForLocks(database.owner)).toHaveLength(1);
      return { erasing };
    });
    expect((await erasing).status).toBe(404);
    const { entries } = (await maria.call("audit", { filter: { lead: id } })).body;
    expect(entries).toEqual([]);
  });
});

describe("the reports", () => {
  it("say how many promises were kept, how soon people were called, and what came of it", async () => {
    const review = async (id: string, outcome: "likely_qualifies" | "needs_visit", hoursAfter: number) => {
      const { body } = await dana.call("call", { id });
      if (!("call_id" in body)) throw new Error("refused");
      await dana.call("outcome", { id, call_id: body.call_id, outcome });
      await database.owner`
        update private.reviews r set reviewed_at = l.created_at + ${hoursAfter} * interval '1 hour'
        from leads l where l.id = r.lead_id and l.id = ${id}`;
      await database.owner`
        update private.calls c set at = l.created_at + ${hoursAfter} * interval '1 hour'
        from leads l where l.id = c.lead_id and l.id = ${id}`;
    };
    await review(await addLead(database, {}, 60), "likely_qualifies", 1);
    await review(await addLead(database, {}, 60), "needs_visit", 3);
    await review(await addLead(database, {}, 60), "needs_visit", 30);
    await addLead(database, {}, 25);
    await addLead(database, {}, 2);
    const withdrew = await addLead(database, {}, 25);
    await dana.call("stop", { id: withdrew });
    await database.owner`update private.permissions set withdrawn_at = now() - interval '20 hours' where lead_id = ${withdrew}`;
    const { body } = await maria.call("reports", period);
    expect(body.promises).toEqual({ kept: 2, missed: 2, open: 1, withdrawn: 1, percent: 50 });
    // A promise that ended with a withdrawal is not missed because of a later review.
    await database.owner`insert into private.reviews (lead_id, outcome) values (${withdrew}, 'filed away')`;
    expect((await maria.call("reports", period)).body.promises).toEqual(body.promises);
    expect(body.first_call).toMatchObject({ leads: 3, median_minutes: 180 });
    expect(body.first_call.p90_minutes).toBeGreaterThan(180);
    expect(body.outcomes).toEqual([
      { outcome: "needs_visit", leads: 2 },
      { outcome: "likely_qualifies", leads: 1 },
    ]);
    const sum = (value: (day: (typeof body.days)[number]) => number) =>
      body.days.reduce((all, day) => all + value(day), 0);
    expect([sum(({ leads }) => leads), sum(({ calls }) => calls), sum(({ kept }) => kept)]).toEqual([
      6, 3, 2,
    ]);
    expect([sum(({ missed }) => missed), sum(({ open }) => open), sum(({ withdrawn }) => withdrawn)]).toEqual(
      [2, 1, 1],
    );
    expect(body.hours.reduce((all, { reached }) => all + reached, 0)).toBe(3);
  });

  it.each([
    [2_999, 99.9],
    [1, 0.1],
    [3_000, 100],
    [0, 0],
  ])(
    "say, where %i of 3,000 promises were kept, %d percent, so that no rounding hides one",
    async (kept, percent) => {
      // Nothing is read of days before the first lead.
      const first = await addLead(database, { created_at: new Date("2025-02-01T12:00:00Z") });
      await database.owner`insert into private.report_days values ('2025-03-03') on conflict do nothing`;
      await database.owner`
      insert into private.report_hours values ('2025-03-03 12:00Z', 3000, ${kept}, 0, 0, 0)
      on conflict (hour) do update set kept = excluded.kept`;
      const { body } = await maria.call("reports", { since: "2025-03-01", until: "2025-03-05", zone: "UTC" });
      expect(body.promises).toMatchObject({ kept, missed: 3_000 - kept, percent });
      await database.owner`delete from private.report_hours`;
      await database.owner`delete from private.report_days`;
      await database.owner`delete from leads where id = ${first}`;
    },
  );

  it("tell leads apart by campaign words", async () => {
    await addLead(database);
    const one = await addLead(database);
    await database.owner`
      update private.permissions set utm = ${database.owner.json({ utm_source: "paper", utm_campaign: "autumn" })}
      where lead_id = ${one}`;
    const { campaigns } = (await maria.call("reports", period)).body;
    expect(campaigns).toEqual([
      expect.objectContaining({ source: "", leads: 1 }),
      expect.objectContaining({ source: "paper", campaign: "autumn", leads: 1 }),
    ]);
  });

  it("clean the campaign words, so that one campaign has one row and nobody's address is in it", async () => {
    for (const utm of [
      { utm_source: "Google", utm_campaign: "Spring" },
      { utm_source: "google", utm_campaign: "spring" },
      { utm_source: "mail", utm_campaign: "rosa@example.com" },
    ]) {
      const id = await addLead(database);
      await database.owner`
        update private.permissions set utm = ${database.owner.json(utm)} where lead_id = ${id}`;
    }
    const { campaigns } = (await maria.call("reports", period)).body;
    expect(campaigns).toEqual([
      expect.objectContaining({ source: "google", campaign: "spring", leads: 2 }),
      expect.objectContaining({ source: "mail", campaign: "(removed)", leads: 1 }),
    ]);
  });

  it("refuse an unknown zone and an impossible day", async () => {
    expect((await maria.call("reports", { ...period, zone: "Nowhere" })).status).toBe(400);
    expect((await maria.call("reports", { ...period, since: "2026-02-31" })).status).toBe(400);
  });
});

describe("the audit log", () => {
  it("is filtered by member, act, lead and day, and exported, of which it has an entry", async () => {
    const id = await addLead(database);
    await dana.call("open", { id });
    await maria.call("open", { id });
    const entriesOf = async (filter: object) => (await maria.call("audit", { filter })).body.entries;
    expect((await entriesOf({ lead: id })).map(({ who }) => who.name)).toEqual(["Maria", "Dana"]);
    expect(await entriesOf({ lead: reference(id).toUpperCase() })).toHaveLength(2);
    expect((await entriesOf({ lead: reference(id), member: dana.id })).map(({ action }) => action)).toEqual([
      "opened lead",
    ]);
    expect(await entriesOf({ lead: id, action: "called" })).toEqual([]);
    expect(await entriesOf({ lead: id, action: "opened lead" })).toHaveLength(2);
    for (const short of ["--------", `--------${id.slice(-7)}`])
      expect(await entriesOf({ lead: short })).toEqual([]);
    expect(await entriesOf({ lead: id, until: "2020-01-01" })).toEqual([]);
    expect(await entriesOf({ lead: id, since: "2035-12-31" })).toEqual([]);
    expect(await entriesOf({ lead: id, since: "2020-01-01", until: "2035-12-31" })).toHaveLength(2);
    const { address } = (await maria.call("audit/export", { filter: { lead: id } })).body;
    expect(parse(await csvAt(address), { columns: true })).toHaveLength(2);
    expect(await lastAudit("exported audit log")).toEqual({
      who: "Maria",
      details: { entries: 2, lead: id },
    });
  });

  it("takes no entry whose details are a list, or hold one or another object, because no page of it could be read with that", async () => {
    for (const details of ["[]", "1", '{"leads": []}', '{"leads": [1]}', '{"lead": {}}'])
      expect(
        await refusal(database.owner`
          insert into private.audit_log (who, action, details) values ('x', 'x', ${details}::text::jsonb)`),
        details,
      ).toBe("23514");
    expect((await maria.call("audit")).status).toBe(200);
  });
});
