// What a member does with a lead: opens it, calls, records what came of it, and stops the calls when the person asks.
import { beforeEach, describe, expect, it } from "vitest";
import type { RequestOf } from "../inbox/api.ts";
import { reference } from "../lead/lead.ts";
import { removeLeads } from "./support/database.ts";
import { addLead, aNumber, makeInbox, nightZip, noonZip, type TestMember } from "./support/inbox.ts";

const { database, inbox } = await makeInbox();
const dana = await inbox.member("Dana");
const lee = await inbox.member("Lee");
await database.owner`update private.channels set enabled = name = 'webhook'`;
beforeEach(() => removeLeads(database.owner));

const audit = async (action: string, lead: string) => {
  const entries = await database.owner<{ who: string }[]>`
    select who from private.audit_log where action = ${action} and lead_id = ${lead}`;
  return entries.map(({ who }) => who);
};
const called = async (member: TestMember, id: string) => {
  const { body } = await member.call("call", { id });
  if (!("call_id" in body)) throw new Error(`refused: ${body.refused}`);
  return body;
};
/** Records an attempt as if it was made some hours ago. */
const anAttempt = (id: string, hoursAgo: number) => database.owner`
  insert into private.calls (lead_id, number_key, member_id, at)
  select ${id}, w.number_key, ${lee.id}, now() - ${hoursAgo} * interval '1 hour'
  from private.lead_work w where w.lead_id = ${id}`;

describe("a lead opened", () => {
  it("shows the person without number and health answers, and says in the audit log who looked", async () => {
    const phone = aNumber();
    const id = await addLead(database, { name: "Rosa Martinez", phone, email: "rosa@example.com" });
    const { status, body, text } = await dana.call("open", { id });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      id,
      reference: reference(id),
      name: "Rosa Martinez",
      email: "rosa@example.com",
    });
    expect(text).not.toContain(phone);
    expect(text).not.toMatch(/has_medicare|has_diabetes/);
    expect(await audit("opened lead", id)).toEqual(["Dana"]);
  });

  it("is found by its reference too, which the link in a message has", async () => {
    const id = await addLead(database);
    expect((await dana.call("open", { id: reference(id) })).body.id).toBe(id);
  });

  it("shows the health answers only when they are opened, and says so in the audit log", async () => {
    const id = await addLead(database, { has_medicare: true, has_diabetes: false });
    const { body } = await dana.call("health-answers", { id });
    expect(body).toEqual({ has_medicare: true, has_diabetes: false });
    expect(await audit("read health answers", id)).toEqual(["Dana"]);
  });

  it("names the other leads with the same number or e-mail address, each with its own permission", async () => {
    const phone = aNumber();
    const id = await addLead(database, { phone, email: "rosa@example.com" });
    const samePhone = await addLead(database, { phone: `+1 ${phone}`, email: "other@example.com" });
    const sameEmail = await addLead(database, { email: "Rosa@Example.com" });
    await addLead(database);
    const { body } = await dana.call("open", { id });
    expect(body.others.map(({ id, same }) => [id, same]).toSorted()).toEqual(
      [
        [samePhone, "phone"],
        [sameEmail, "email"],
      ].toSorted(),
    );
  });

  it("is not there when the id is forged", async () => {
    expect((await dana.call("open", { id: crypto.randomUUID() })).status).toBe(404);
    expect((await dana.call("call", { id: crypto.randomUUID() })).status).toBe(404);
    expect((await dana.call("health-answers", { id: crypto.randomUUID() })).status).toBe(404);
  });

  it("shows neither number nor e-mail address of a person who withdrew the permission", async () => {
    const id = await addLead(database, { email: "rosa@example.com" });
    await database.owner`select private.withdraw_permission(${id})`;
    const { body, text } = await dana.call("open", { id });
    expect(body).toMatchObject({ withdrawn: true, email: null });
    expect(body.permission?.withdrawn_at).toEqual(expect.any(String));
    expect(text).not.toContain("rosa@example.com");
  });
});

describe("a call", () => {
  it("shows the number within the calling hours, logs the attempt and claims the lead", async () => {
    const id = await addLead(database, { phone: "(111) 555-0142" });
    const { body } = await dana.call("call", { id });
    expect(body).toMatchObject({ phone: "(111) 555-0142", tel: "tel:+11115550142" });
    expect(await audit("called", id)).toEqual(["Dana"]);
    const opened = (await dana.call("open", { id })).body;
    expect(opened.claim?.member.name).toBe("Dana");
    expect(opened.attempts_today).toBe(1);
    expect(opened.under_way?.phone).toBe("(111) 555-0142");
    // The number of a call under way is its caller's alone.
    expect((await lee.call("open", { id })).text).not.toContain("555-0142");
  });

  it("counts as one attempt when it is asked for again at once", async () => {
    const id = await addLead(database);
    const first = await called(dana, id);
    expect((await called(dana, id)).call_id).toBe(first.call_id);
    expect((await dana.call("open", { id })).body.attempts_today).toBe(1);
  });

  it("is refused outside the hours, with the next lawful time and the end of the 24 hours", async () => {
    const phone = aNumber();
    const id = await addLead(database, { zip_code: nightZip, phone });
    const { body, text } = await dana.call("call", { id });
    expect(body).toMatchObject({ refused: "outside_hours", may_be_asked_for: true, reviewed: false });
    if (!("refused" in body)) return;
    expect(Date.parse(body.next_at ?? "")).toBeGreaterThan(Date.now());
    expect(body.place.blocking_state).toBe("VT");
    expect(Date.parse(body.due_at)).toBeGreaterThan(Date.now());
    expect(text).not.toContain(phone);
    expect(await audit("call refused", id)).toEqual(["Dana"]);
  });

  it("is made outside the hours when the person asked for this time, and that reason is recorded", async () => {
    const id = await addLead(database, { zip_code: nightZip });
    const { body } = await dana.call("call", { id, asked_for_this_time: true });
    expect(body).toHaveProperty("phone");
    expect((await dana.call("open", { id })).body.calls[0]).toMatchObject({
      called: true,
      asked_for_this_time: true,
    });
  });

  it("is not made to a paused state, whatever the person asked for", async () => {
    const id = await addLead(database);
    const maria = await inbox.member("Maria", "manager");
    await maria.call("pause-state", { state: "VT", reason: "An emergency" });
    try {
      const { body } = await dana.call("call", { id, asked_for_this_time: true });
      expect(body).toMatchObject({ refused: "paused", may_be_asked_for: false });
    } finally {
      await maria.call("resume-state", { state: "VT" });
    }
  });

  it("is made three times in 24 hours to one number at most, whichever lead it stands in", async () => {
    const phone = aNumber();
    const id = await addLead(database, { phone });
    const other = await addLead(database, { phone, name: "Rosa M." });
    await anAttempt(id, 23);
    await anAttempt(other, 3);
    await anAttempt(id, 2);
    const { body } = await dana.call("call", { id, asked_for_this_time: true });
    expect(body).toMatchObject({ refused: "attempts" });
    if (!("refused" in body)) return;
    const inAnHour = Date.now() + 3_600_000;
    expect(Math.abs(Date.parse(body.next_at ?? "") - inAnHour)).toBeLessThan(60_000);
    expect((await dana.call("rows", { ids: [other] })).body.rows[0]).toMatchObject({
      section: "not_callable",
    });
  });

  it("is made a third time by one of two members who call at the same moment", async () => {
    const phone = aNumber();
    const [one, two] = [
      await addLead(database, { phone }),
      await addLead(database, { phone, name: "R. M." }),
    ];
    await anAttempt(one, 5);
    await anAttempt(one, 4);
    const answers = await Promise.all([dana.call("call", { id: one }), lee.call("call", { id: two })]);
    expect(answers.map(({ body }) => ("refused" in body ? body.refused : "called")).toSorted()).toEqual([
      "attempts",
      "called",
    ]);
  });

  it("is refused while another member has the lead", async () => {
    const id = await addLead(database);
    await dana.call("claim", { id });
    expect((await lee.call("call", { id })).body).toMatchObject({
      refused: "claimed",
      held_by: { name: "Dana" },
    });
  });

  it("is refused after the permission was withdrawn, and when the number is on the stop list", async () => {
    const id = await addLead(database);
    await database.owner`select private.withdraw_permission(${id})`;
    expect((await dana.call("call", { id, asked_for_this_time: true })).body).toMatchObject({
      refused: "withdrawn",
    });
    const other = await addLead(database, { phone: "111-555-0999" });
    await database.owner`insert into private.stop_list (phone_digits) values ('1115550999')`;
    expect((await dana.call("call", { id: other })).body).toMatchObject({ refused: "stopped" });
  });
});

describe("an outcome", () => {
  it("is recorded after the call, is the review that the page promised, and gives the lead back", async () => {
    const id = await addLead(database);
    const { call_id } = await called(dana, id);
    const { body } = await dana.call("outcome", {
      id,
      call_id,
      outcome: "likely_qualifies",
      note: "Ask for the doctor.",
    });
    expect(body).toHaveProperty("undo_until");
    const opened = (await dana.call("open", { id })).body;
    expect(opened).toMatchObject({
      stage: "closed",
      outcome: "likely_qualifies",
      claim: null,
      section: "closed",
    });
    expect(opened.reviewed_at).toEqual(expect.any(String));
    expect(opened.calls).toMatchObject([
      { called: true, outcome: "likely_qualifies", note: "Ask for the doctor." },
    ]);
  });

  it("keeps a person who was not reached in the queue, after those whom nobody has tried", async () => {
    const [tried, untried] = [await addLead(database, {}, 9), await addLead(database, {}, 2)];
    const { call_id } = await called(dana, tried);
    await dana.call("outcome", { id: tried, call_id, outcome: "no_answer" });
    const { rows } = (await dana.call("queue", {})).body;
    expect(rows.map(({ id }) => id)).toEqual([untried, tried]);
    expect(rows[1]).toMatchObject({ outcome: "no_answer", section: "callable" });
  });

  it("without a call is a review, and cannot say what only a call tells", async () => {
    const id = await addLead(database);
    const refused = await dana.call("outcome", { id, call_id: null, outcome: "no_answer" });
    expect(refused.body).toMatchObject({ refused: "not_your_call" });
    await dana.call("outcome", { id, call_id: null, outcome: "does_not_qualify" });
    expect((await dana.call("open", { id })).body).toMatchObject({
      stage: "closed",
      calls: [{ called: false }],
    });
  });

  it("is not recorded for another member's call, nor twice for one call", async () => {
    const id = await addLead(database);
    const { call_id } = await called(dana, id);
    const outcome = { id, call_id, outcome: "not_interested" as const };
    expect((await lee.call("outcome", outcome)).body).toMatchObject({ refused: "not_your_call" });
    await dana.call("outcome", outcome);
    expect((await dana.call("outcome", outcome)).body).toMatchObject({ refused: "not_your_call" });
  });

  it("is taken back within five minutes, with the review that it was", async () => {
    const id = await addLead(database);
    const { call_id } = await called(dana, id);
    const { body } = await dana.call("outcome", { id, call_id, outcome: "wrong_number" });
    if (!("outcome_id" in body)) throw new Error("refused");
    const { outcome_id } = body;
    expect((await lee.call("undo-outcome", { outcome_id })).body).toEqual({ refused: "not yours" });
    expect((await dana.call("undo-outcome", { outcome_id })).body).toEqual({ done: true });
    expect((await dana.call("open", { id })).body).toMatchObject({
      stage: "open",
      outcome: null,
      reviewed_at: null,
    });
  });

  it("is not taken back later", async () => {
    const id = await addLead(database);
    const { body } = await dana.call("outcome", { id, call_id: null, outcome: "not_interested" });
    if (!("outcome_id" in body)) throw new Error("refused");
    await database.owner`update private.outcomes set at = now() - interval '6 minutes' where id = ${body.outcome_id}`;
    expect((await dana.call("undo-outcome", { outcome_id: body.outcome_id })).body).toEqual({
      refused: "too late",
    });
  });

  it("never holds a Medicare number", async () => {
    const id = await addLead(database);
    for (const note of ["1EG4-TE5-MK73", "her number is 1eg4te5mk73", "1EG4 TE5 MK73."]) {
      const answer = await dana.call("outcome", { id, call_id: null, outcome: "not_interested", note });
      expect([answer.status, answer.text]).toEqual([400, '{"error":"medicare number"}']);
    }
  });
});

describe("a callback", () => {
  /** A day from now at that hour, on the clocks of the noon place. */
  const tomorrowAt = async (hour: number) => {
    const [row] = await database.owner<{ zone: string; day: string }[]>`
      select zone, to_char((now() at time zone zone) + interval '1 day', 'YYYY-MM-DD') as day
      from private.places where place = private.place_of(${noonZip}, '')`;
    return { at: `${row?.day}T${String(hour).padStart(2, "0")}:30`, zone: row?.zone ?? "" };
  };

  it("stands in the person's own time, and comes first in the queue when it is due", async () => {
    const id = await addLead(database);
    const earlier = await addLead(database, {}, 20);
    const callback = await tomorrowAt(10);
    const { body } = await dana.call("outcome", { id, call_id: null, outcome: "callback", callback });
    expect(body).toMatchObject({ callback_at: expect.any(String) });
    const later = (await dana.call("rows", { ids: [id] })).body.rows[0];
    expect(later).toMatchObject({ stage: "callback", section: "not_callable" });
    await database.owner`update private.lead_work set callback_at = now() - interval '1 minute' where lead_id = ${id}`;
    const { rows, counts } = (await dana.call("queue", {})).body;
    expect(rows.map((row) => [row.id, row.section])).toEqual([
      [id, "callback_due"],
      [earlier, "callable"],
    ]);
    expect(counts).toMatchObject({ callback_due: 1, callable: 1, not_callable: 0 });
  });

  it("is refused at an hour that is not lawful there, unless the person asked for it", async () => {
    const id = await addLead(database);
    const callback = await tomorrowAt(5);
    const refused = await dana.call("outcome", { id, call_id: null, outcome: "callback", callback });
    expect(refused.body).toMatchObject({ refused: "callback_not_callable", reason: "outside_hours" });
    const asked = { ...callback, asked_for_this_time: true };
    const { body } = await dana.call("outcome", { id, call_id: null, outcome: "callback", callback: asked });
    expect(body).toMatchObject({ callback_at: expect.any(String) });
  });

  it("is refused in the past and when the zone is none", async () => {
    const id = await addLead(database);
    const callback = { at: "2020-01-01T12:00", zone: "America/New_York" };
    const past = await dana.call("outcome", { id, call_id: null, outcome: "callback", callback });
    expect(past.body).toMatchObject({ refused: "callback_past" });
    // PostgreSQL would take FOO5 for five hours behind, and no browser could show a time there.
    for (const zone of ["Nowhere/Else", "FOO5", "+05:00"]) {
      const nowhere = { at: "2020-01-01T12:00", zone };
      const { status } = await dana.call("outcome", {
        id,
        call_id: null,
        outcome: "callback",
        callback: nowhere,
      });
      expect([zone, status]).toEqual([zone, 400]);
    }
  });
});

describe("They asked us to stop", () => {
  it("holds at once for every lead with the number, tells the channels, and can be proved", async () => {
    const phone = aNumber();
    const [id, other] = [
      await addLead(database, { phone }),
      await addLead(database, { phone: `1${phone}`, name: "R." }),
    ];
    await lee.call("claim", { id: other });
    const { body } = await dana.call("stop", { id });
    expect(body.stopped_by.name).toBe("Dana");
    expect(body.leads.map((lead) => lead.id).toSorted()).toEqual([id, other].toSorted());
    expect(body.leads[0]?.channels).toEqual([{ channel: "webhook", told_at: null, failed: false }]);
    for (const lead of [id, other]) {
      expect((await lee.call("call", { id: lead })).body).toMatchObject({ refused: "withdrawn" });
      expect((await lee.call("open", { id: lead })).text).not.toContain(phone);
    }
    expect((await lee.call("queue", {})).body.rows).toEqual([]);
    expect((await lee.call("stop-proof", { id: other })).body).toMatchObject({
      stopped_by: { name: "Dana" },
    });
  });

  it("takes the number from the screen wherever the person typed it", async () => {
    const phone = aNumber();
    const typed = { phone, name: `Rosa ${phone}`, zip_code: `${noonZip} or ${phone}` };
    const id = await addLead(database, typed);
    await dana.call("stop", { id });
    const { body, text } = await dana.call("open", { id });
    expect(text).not.toContain(phone);
    expect(body.zip_code).toBe("");
  });

  it("holds for a number that somebody tells us, too", async () => {
    const phone = aNumber();
    const id = await addLead(database, { phone });
    expect((await dana.call("stop-number", { phone: `+1 (${phone})` })).body).toEqual({ leads: 1 });
    expect((await dana.call("call", { id })).body).toMatchObject({ refused: "withdrawn" });
    expect((await lee.call("stop-proof", { id })).body.stopped_by.name).toBe("Dana");
    expect((await dana.call("stop-number", { phone: "call me" })).body).toEqual({ refused: "no number" });
  });

  it("leaves a lead alone that the same person gives later", async () => {
    const phone = aNumber();
    const id = await addLead(database, { phone });
    await dana.call("stop", { id });
    const again = await addLead(database, { phone, name: "Rosa again" }, 0);
    expect((await dana.call("call", { id: again })).body).toHaveProperty("phone");
  });
});

type Answers = RequestOf<"eligibility-check">["answers"];
describe("the eligibility check", () => {
  const yes: Omit<Answers, "visit_on"> = {
    ...{ diabetes: "yes", insulin: "yes", recurrent_lows: "no", low_with_help: "no", visit_planned: "no" },
    ...{ trained: "yes", plan: "part_b", prescriber: "Dr. Lopez" },
  } as const;
  const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);

  it.each([
    ["likely", [], { visit_on: daysAgo(30) }],
    ["likely", [], { insulin: "no", low_with_help: "yes", visit_on: daysAgo(30) }],
    ["likely", ["Advantage plan has its own rules"], { plan: "advantage", visit_on: daysAgo(30) }],
    ["needs_visit", ["no visit within 6 months"], { visit_on: daysAgo(200) }],
    ["needs_visit", ["visit is planned"], { visit_on: null, visit_planned: "yes" }],
    ["not_now", ["no insulin and no problematic lows"], { insulin: "no", visit_on: daysAgo(30) }],
    ["not_now", ["insulin and lows not known"], { insulin: "unknown", visit_on: daysAgo(30) }],
    ["not_now", ["no diabetes"], { diabetes: "no", visit_on: daysAgo(30) }],
    ["not_now", ["no Part B"], { plan: "none", visit_on: daysAgo(30) }],
  ] as const)("says %s %j when the answers are %j", async (result, reasons, differences) => {
    const id = await addLead(database);
    const answers: Answers = { ...yes, ...differences };
    const { body } = await dana.call("eligibility-check", { id, answers });
    expect(body).toMatchObject({ result, reasons, answers, member: { name: "Dana" } });
    expect((await dana.call("open", { id })).body.checks).toMatchObject([{ result }]);
  });

  it("takes no Medicare number, and no answer that it did not ask for", async () => {
    const id = await addLead(database);
    const answers: Answers = { ...yes, visit_on: null, prescriber: "1EG4-TE5-MK73" };
    expect((await dana.call("eligibility-check", { id, answers })).status).toBe(400);
    const more: Answers & { medicare_number: string } = { ...yes, visit_on: null, medicare_number: "1" };
    expect((await dana.call("eligibility-check", { id, answers: more })).status).toBe(400);
  });
});
