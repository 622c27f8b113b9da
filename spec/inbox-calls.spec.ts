// What a member does with a lead: opens it, calls, and stops the calls when the person asks.
import { beforeEach, describe, expect, it } from "vitest";
import { reference } from "../lead/lead.ts";
import { callLead, whoDid } from "./support/calls.ts";
import { aLead, removeLeads } from "./support/database.ts";
import { addLead, aPhoneNumber, makeInbox, nightZip, noonZip } from "./support/inbox.ts";

const { database, inbox } = await makeInbox();
const dana = await inbox.member("Dana");
const lee = await inbox.member("Lee");
await database.owner`update private.channels set enabled = name = 'webhook'`;
beforeEach(() => removeLeads(database.owner));

/** Records an attempt as if it was made some hours ago. */
const anAttempt = (id: string, hoursAgo: number) => database.owner`
  insert into private.calls (lead_id, number_key, member_id, at)
  select ${id}, w.number_key, ${lee.id}, now() - ${hoursAgo} * interval '1 hour'
  from private.lead_work w where w.lead_id = ${id}`;

describe("a lead opened", () => {
  it("shows the person without number and health answers, and says in the audit log who looked", async () => {
    const phone = aPhoneNumber();
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
    expect(await whoDid(database, "opened lead", id)).toEqual(["Dana"]);
  });

  it("is found by its reference too, which the link in a message has", async () => {
    const id = await addLead(database);
    expect((await dana.call("open", { id: reference(id) })).body.id).toBe(id);
  });

  it("is opened by its reference at once, also while another process takes new leads into the lists", async () => {
    const id = await addLead(database);
    await database.owner`insert into public.leads ${database.owner(aLead())}`;
    await database.owner.begin(async (busy) => {
      await busy`select private.index_new_leads()`;
      expect((await dana.call("open", { id: reference(id) })).body.id).toBe(id);
    });
  });

  it("is not opened by a reference that another lead has too, because it may not be the one that is meant", async () => {
    const ids = ["0000000a", "0000000b"].map((begin) => `${begin}-0000-7000-8000-0000feedbee5`);
    for (const id of ids) await addLead(database, { id });
    expect(await dana.call("open", { id: "feedbee5" })).toMatchObject({
      status: 409,
      body: { error: "Several leads have this reference." },
    });
    for (const id of ids) expect((await dana.call("open", { id })).body.id).toBe(id);
    const { rows } = (await dana.call("search", { text: "feedbee5" })).body;
    expect(rows.map((row) => row.id).toSorted()).toEqual(ids);
  });

  it("shows the health answers only when they are opened, and says so in the audit log", async () => {
    const id = await addLead(database, { has_medicare: true, has_diabetes: false });
    const { body } = await dana.call("health-answers", { id });
    expect(body).toEqual({ has_medicare: true, has_diabetes: false });
    expect(await whoDid(database, "read health answers", id)).toEqual(["Dana"]);
  });

  it("names the other leads with the same number or e-mail address", async () => {
    const phone = aPhoneNumber();
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

  it("is not there when the id is forged, or holds less than a reference", async () => {
    await addLead(database);
    for (const id of ["--------", "-------a", "----0123"])
      expect([id, (await dana.call("open", { id })).status]).toEqual([id, 404]);
    expect((await dana.call("open", { id: crypto.randomUUID() })).status).toBe(404);
    expect((await dana.call("call", { id: crypto.randomUUID() })).status).toBe(404);
    expect((await dana.call("health-answers", { id: crypto.randomUUID() })).status).toBe(404);
  });

  it("shows neither number nor e-mail address of a person who withdrew the permission", async () => {
    const phone = aPhoneNumber();
    const id = await addLead(database, { phone, email: "rosa@example.com" });
    // Until then the page shows the number, because a call is under way.
    await callLead(dana, id);
    expect((await dana.call("open", { id })).text).toContain(phone);
    await database.owner`select private.withdraw_permission(${id})`;
    const { body, text } = await dana.call("open", { id });
    expect(body).toMatchObject({ withdrawn: true, email: null });
    expect(body.permission?.withdrawn_at).toEqual(expect.any(String));
    expect(text).not.toContain("rosa@example.com");
    expect(text).not.toContain(phone);
  });
});

describe("a call", () => {
  it("shows the number within the calling hours, logs the attempt and claims the lead", async () => {
    const id = await addLead(database, { phone: "(111) 555-0142" });
    const { body } = await dana.call("call", { id });
    expect(body).toMatchObject({ phone: "(111) 555-0142", tel: "tel:+11115550142" });
    expect(await whoDid(database, "called", id)).toEqual(["Dana"]);
    const opened = (await dana.call("open", { id })).body;
    expect(opened.claim?.member.name).toBe("Dana");
    expect(opened.recent_attempts).toBe(1);
    expect(opened.under_way?.phone).toBe("(111) 555-0142");
    // The number of a call under way is its caller's alone.
    expect((await lee.call("open", { id })).text).not.toContain("555-0142");
  });

  it("counts as one attempt when it is asked for again at once", async () => {
    const id = await addLead(database);
    const first = await callLead(dana, id);
    expect((await callLead(dana, id)).call_id).toBe(first.call_id);
    expect((await dana.call("open", { id })).body.recent_attempts).toBe(1);
  });

  it("is refused outside the hours, with the next lawful time and the end of the 24 hours", async () => {
    const phone = aPhoneNumber();
    const id = await addLead(database, { zip_code: nightZip, phone });
    const { body, text } = await dana.call("call", { id });
    expect(body).toMatchObject({ refused: "outside_hours", may_be_asked_for: true, reviewed: false });
    if (!("refused" in body)) return;
    const [lead] = await database.owner`
      select to_char(${body.next_at}::timestamptz at time zone ${body.place.blocking_zone}, 'HH24:MI') as opening,
        ${body.due_at}::timestamptz - created_at = interval '24 hours' as is_due_after_a_day
      from public.leads where id = ${id}`;
    expect(lead).toEqual({ opening: "08:00", is_due_after_a_day: true });
    expect(Date.parse(body.next_at ?? "")).toBeGreaterThan(Date.now());
    expect(body.place.blocking_state).toBe("VT");
    expect(text).not.toContain(phone);
    expect(await whoDid(database, "call refused", id)).toEqual(["Dana"]);
  });

  it("is made outside the hours when the person asked for this time, and that reason is recorded", async () => {
    const id = await addLead(database, { zip_code: nightZip });
    const { body } = await dana.call("call", { id, asked_for_this_time: true });
    expect(body).toHaveProperty("phone");
    expect((await dana.call("open", { id })).body.call_log[0]).toMatchObject({
      called: true,
      asked_for_this_time: true,
    });
    const entries = await database.owner`
      select details from private.audit_log where action = 'called' and lead_id = ${id}`;
    expect([...entries]).toEqual([{ details: { asked_for_this_time: true } }]);
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

  it("that was begun shows no number any more, and is not made again, when the state is paused since", async () => {
    const id = await addLead(database, { phone: "(111) 555-0142", name: "Rosa, or 111-555-0143" });
    const { call_id } = await callLead(dana, id);
    const maria = await inbox.member("Mona", "manager");
    await maria.call("pause-state", { state: "VT", reason: "An emergency" });
    try {
      const opened = await dana.call("open", { id });
      // Its outcome can still be recorded.
      expect(opened.body.under_way).toMatchObject({ call_id, phone: null, tel: null });
      expect(opened.text).not.toMatch(/555-014[23]/);
      expect((await dana.call("call", { id, asked_for_this_time: true })).body).toMatchObject({
        refused: "paused",
      });
    } finally {
      await maria.call("resume-state", { state: "VT" });
    }
    expect((await dana.call("call", { id })).body).toMatchObject({ call_id, phone: "(111) 555-0142" });
  });

  it("that was begun shows no number any more while another member has the lead", async () => {
    const id = await addLead(database, { phone: "(111) 555-0142", name: "Rosa, or 111-555-0143" });
    const { call_id } = await callLead(dana, id);
    const maria = await inbox.member("Nora", "manager");
    await maria.call("take-back", { id, member: dana.id });
    await lee.call("claim", { id });
    const opened = await dana.call("open", { id });
    // Its outcome can still be recorded.
    expect(opened.body.under_way).toMatchObject({ call_id, phone: null, tel: null });
    expect(opened.text).not.toMatch(/555-014[23]/);
    await lee.call("release", { id });
    expect((await dana.call("open", { id })).body.under_way?.phone).toBe("(111) 555-0142");
  });

  it("is made three times in 24 hours to one number at most, whichever lead it stands in", async () => {
    const phone = aPhoneNumber();
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
    const phone = aPhoneNumber();
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
    const { body } = await dana.call("claim", { id });
    expect((await lee.call("call", { id })).body).toMatchObject({
      refused: "claimed",
      held_by: { name: "Dana" },
      next_at: "until" in body && body.until,
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

describe("They asked us to stop", () => {
  it("holds at once for every lead with the number, tells the channels, and can be proved", async () => {
    const phone = aPhoneNumber();
    const [id, other] = [
      await addLead(database, { phone }),
      await addLead(database, { phone: `1${phone}`, name: "R." }),
    ];
    await lee.call("claim", { id: other });
    const { body } = await dana.call("stop", { id });
    expect(body.stopped_by.name).toBe("Dana");
    expect(body.leads.map((lead) => lead.id).toSorted()).toEqual([id, other].toSorted());
    for (const { channels } of body.leads)
      expect(channels).toEqual([{ channel: "webhook", told_at: null, failed: false }]);
    for (const lead of [id, other]) {
      expect((await lee.call("call", { id: lead })).body).toMatchObject({ refused: "withdrawn" });
      expect((await lee.call("open", { id: lead })).text).not.toContain(phone);
    }
    expect((await lee.call("queue", {})).body.rows).toEqual([]);
    expect((await lee.call("stop-proof", { id: other })).body).toMatchObject({
      stopped_by: { name: "Dana" },
    });
    const [entry] = await database.owner`
      select details from private.audit_log where action = 'stopped calls' and lead_id = ${id}`;
    expect(entry).toEqual({ details: { leads: 2 } });
  });

  it("takes the number from the screen wherever the person typed it", async () => {
    const phone = aPhoneNumber();
    const typed = { phone, name: `Rosa ${phone}`, zip_code: `${noonZip} or ${phone}` };
    const id = await addLead(database, typed);
    await dana.call("stop", { id });
    const { body, text } = await dana.call("open", { id });
    expect(text).not.toContain(phone);
    expect(body.zip_code).toBe("");
  });

  it("can be proved where no permission is stored; even before it, nobody may call or see the e-mail address", async () => {
    const typed = { phone: aPhoneNumber(), name: "Rosa rosa@example.com" };
    const id = await addLead(database, typed);
    await database.owner`delete from private.permissions where lead_id = ${id}`;
    expect((await dana.call("call", { id })).body).toMatchObject({ refused: "withdrawn" });
    const { body } = await dana.call("open", { id });
    expect(body).toMatchObject({ permission: null, email: null });
    expect(body.name).not.toContain("@");
    await dana.call("stop", { id });
    expect((await dana.call("stop-proof", { id })).body.stopped_at).toEqual(expect.any(String));
  });

  it("holds for a number that somebody tells us, too", async () => {
    const phone = aPhoneNumber();
    const id = await addLead(database, { phone });
    expect((await dana.call("stop-number", { phone: `+1 (${phone})` })).body).toEqual({ leads: 1 });
    expect((await dana.call("call", { id })).body).toMatchObject({ refused: "withdrawn" });
    expect((await lee.call("stop-proof", { id })).body.stopped_by.name).toBe("Dana");
    expect((await dana.call("stop-number", { phone: "call me" })).body).toEqual({ refused: "no number" });
  });

  it("keeps in the proof who stopped the calls first, also after another member records it again", async () => {
    const phone = aPhoneNumber();
    const ids = [await addLead(database, { phone }), await addLead(database, { phone: "none" })];
    const proofs = await Promise.all(ids.map(async (id) => (await dana.call("stop", { id })).body));
    await lee.call("stop-number", { phone });
    for (const [nth, id] of ids.entries()) {
      await lee.call("stop", { id });
      const { body } = await lee.call("stop-proof", { id });
      expect(body).toMatchObject({ stopped_by: { name: "Dana" }, stopped_at: proofs[nth]?.stopped_at });
    }
  });

  it("is proved as the operator's when the operator had withdrawn the permission before a member recorded it", async () => {
    const id = await addLead(database, { phone: "none" });
    await database.owner`select private.withdraw_permission(${id})`;
    const { body } = await dana.call("stop", { id });
    expect(body).toMatchObject({ stopped_by: { name: "operator" } });
  });

  it("is proved for a later lead by its own stop", async () => {
    const phone = aPhoneNumber();
    const id = await addLead(database, { phone }, 2);
    await database.owner`
      insert into private.stop_list (phone_digits, stopped_at, who)
      values (${phone.replaceAll("-", "")}, now() - interval '90 minutes', 'Ann')`;
    const later = await addLead(database, { phone, name: "Rosa again" });
    expect((await dana.call("call", { id })).body).toMatchObject({ refused: "stopped" });
    expect((await dana.call("call", { id: later })).body).toHaveProperty("phone");
    await dana.call("stop", { id: later });
    expect((await dana.call("stop-proof", { id: later })).body.stopped_by.name).toBe("Dana");
    expect((await dana.call("stop-proof", { id })).body.stopped_by.name).toBe("Ann");
  });

  it("leaves a lead alone that the same person gives later", async () => {
    const phone = aPhoneNumber();
    const id = await addLead(database, { phone });
    await dana.call("stop", { id });
    const again = await addLead(database, { phone, name: "Rosa again" }, 0);
    expect((await dana.call("call", { id: again })).body).toHaveProperty("phone");
    const { leads } = (await dana.call("stop-proof", { id })).body;
    expect(leads.map((lead) => lead.id)).toEqual([id]);
  });
});
