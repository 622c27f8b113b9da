// What a member does with a lead, how long it holds, and for whom: a claim, a call under way, a callback that allows a call outside the
// hours, and the lead on a screen.
import { beforeEach, describe, expect, it } from "vitest";
import type { RequestOf } from "../inbox/api.ts";
import { callLead, whoDid } from "./support/calls.ts";
import { removeLeads, sessionsWaitingForLocks } from "./support/database.ts";
import { addLead, aPhoneNumber, makeInbox, nightZip, type TestMember } from "./support/inbox.ts";

const { database, inbox } = await makeInbox();
const { owner } = database;
const dana = await inbox.member("Dana");
const lee = await inbox.member("Lee");
beforeEach(() => removeLeads(owner));

/** Lets so many minutes pass for a call. */
const age = (call_id: string, minutes: number) => owner`
  update private.calls set at = at - ${minutes} * interval '1 minute' where id = ${call_id}`;
/** Lets a claim end in so many minutes. */
const endClaim = (id: string, minutes: number) => owner`
  update private.claims set until = now() + ${minutes} * interval '1 minute' where lead_id = ${id}`;
const claimOf = async (id: string) => (await lee.call("rows", { ids: [id] })).body.rows[0]?.claim ?? null;
const minutesLeft = async (id: string) => {
  const [claim] = await owner<{ minutes: number }[]>`
    select round(extract(epoch from until - now()) / 60)::int as minutes from private.claims where lead_id = ${id}`;
  return claim?.minutes;
};
/** The number of a call, as `team.number_of_call` tells it to a member, or the code of the refusal. */
const numberFor = ({ cookie }: TestMember, call_id: string) =>
  owner
    .begin(async (tx) => {
      await tx`select set_config('leads.session', ${cookie.replace("session=", "")}, true)`;
      const [row] = await tx<{ tel: string }[]>`select team.number_of_call(${call_id}) ->> 'tel' as tel`;
      return row?.tel;
    })
    .catch((error: { code: string }) => error.code);

describe("a call under way", () => {
  it("is the same call for ten minutes, and another attempt after that", async () => {
    const id = await addLead(database);
    const first = await callLead(dana, id);
    await age(first.call_id, 9);
    expect((await callLead(dana, id)).call_id).toBe(first.call_id);
    await age(first.call_id, 2);
    expect((await callLead(dana, id)).call_id).not.toBe(first.call_id);
    expect(await whoDid(database, "called", id)).toHaveLength(2);
  });

  it.each(["first", "third"])(
    "that was begun within the hours goes on after them at the person's wish alone, which is recorded then: the %s attempt",
    async (attempt) => {
      const phone = aPhoneNumber();
      for (let nth = 0; attempt === "third" && nth < 2; nth += 1)
        await callLead(dana, await addLead(database, { phone }));
      const id = await addLead(database, { phone });
      const { call_id } = await callLead(dana, id);
      const night = await addLead(database, { zip_code: nightZip });
      await owner`
      update private.lead_work w set place = n.place from private.lead_work n where w.lead_id = ${id} and n.lead_id = ${night}`;
      expect((await dana.call("call", { id })).body).toMatchObject({ may_be_asked_for: true });
      const asked = await dana.call("call", { id, asked_for_this_time: true });
      expect(asked.body).toMatchObject({ call_id, tel: expect.stringMatching(/^tel:/) });
      expect((await dana.call("open", { id })).body.call_log).toMatchObject([{ asked_for_this_time: true }]);
    },
  );

  it("is over where its time is more than an hour ahead: the clock was ahead then, and it would stay the same call for too long", async () => {
    const id = await addLead(database);
    const { call_id } = await callLead(dana, id);
    await age(call_id, -3 * 24 * 60);
    expect(await numberFor(dana, call_id)).toBe("PT404");
    expect((await callLead(dana, id)).call_id).not.toBe(call_id);
    const another = await callLead(dana, await addLead(database));
    await age(another.call_id, -59);
    expect(await numberFor(dana, another.call_id)).toBe(another.tel);
    await age(another.call_id, -2);
    expect(await numberFor(dana, another.call_id)).toBe("PT404");
  });

  it("shows its number for an hour, until it has an outcome, and to its caller alone", async () => {
    const id = await addLead(database);
    const { call_id, tel } = await callLead(dana, id);
    await age(call_id, 59);
    expect([await numberFor(dana, call_id), await numberFor(lee, call_id)]).toEqual([tel, "PT404"]);
    await age(call_id, 2);
    expect(await numberFor(dana, call_id)).toBe("PT404");
    expect((await dana.call("open", { id })).body.under_way).toBeNull();
    const other = await addLead(database);
    const ended = await callLead(dana, other);
    await dana.call("outcome", { id: other, call_id: ended.call_id, outcome: "no_answer" });
    expect(await numberFor(dana, ended.call_id)).toBe("PT404");
  });

  it("keeps colleagues from a review for an hour, or until the claim has ended", async () => {
    const review = async (minutes: number, claim: number) => {
      const id = await addLead(database);
      const { call_id } = await callLead(dana, id);
      await age(call_id, minutes);
      await endClaim(id, claim);
      return (await lee.call("outcome", { id, call_id: null, outcome: "not_interested" })).body;
    };
    expect(await review(59, 1)).toMatchObject({ refused: "under_call" });
    expect(await review(61, 1)).toHaveProperty("outcome_id");
    expect(await review(59, 0)).toHaveProperty("outcome_id");
  });

  it("shows its number no more once the permission is withdrawn or the number stopped", async () => {
    const [withdrawn, stopped] = [
      await addLead(database),
      await addLead(database, { phone: "111-555-0998" }),
    ];
    const calls = [await callLead(dana, withdrawn), await callLead(dana, stopped)];
    await owner`select private.withdraw_permission(${withdrawn})`;
    await owner`insert into private.stop_list (phone_digits) values ('1115550998')`;
    for (const { call_id } of calls) expect(await numberFor(dana, call_id)).toBe("PT404");
    for (const id of [withdrawn, stopped])
      expect((await dana.call("open", { id })).body.under_way).toBeNull();
  });

  it("shows its number no more once the permission is withdrawn, also where the number is not on the stop list", async () => {
    const id = await addLead(database);
    const { call_id, tel } = await callLead(dana, id);
    expect(await numberFor(dana, call_id)).toBe(tel);
    await owner`update private.permissions set withdrawn_at = now() where lead_id = ${id}`;
    expect(await numberFor(dana, call_id)).toBe("PT404");
  });

  it("is not begun at the moment in which the person asks us to stop", async () => {
    const id = await addLead(database);
    const { calling } = await owner.begin(async (tx) => {
      await tx`select private.withdraw_permission(${id})`;
      const calling = dana.call("call", { id });
      await expect.poll(() => sessionsWaitingForLocks(owner)).toHaveLength(1);
      return { calling };
    });
    expect((await calling).body).toMatchObject({ refused: "withdrawn" });
    expect((await dana.call("open", { id })).body.recent_attempts).toBe(0);
  });

  it("is not recorded as the person's wish when the hours allow it anyway", async () => {
    const id = await addLead(database);
    await dana.call("call", { id, asked_for_this_time: true });
    expect((await dana.call("open", { id })).body.call_log).toMatchObject([{ asked_for_this_time: false }]);
  });

  it("counts for how soon a person was called if it is the first, and as a recent attempt for a day", async () => {
    const id = await addLead(database);
    const first = await callLead(dana, id);
    const recentAttempts = async () => (await dana.call("open", { id })).body.recent_attempts;
    await age(first.call_id, 23 * 60);
    await callLead(dana, id);
    expect(await recentAttempts()).toBe(2);
    await age(first.call_id, 2 * 60);
    expect(await recentAttempts()).toBe(1);
    const [work] = await owner<{ is_first: boolean }[]>`
      select w.first_called_at = c.at as is_first from private.lead_work w, private.calls c
      where w.lead_id = ${id} and c.id = ${first.call_id}`;
    expect(work).toEqual({ is_first: true });
  });
});

describe("a callback at a time that the person asked for", () => {
  /** Why a call is refused at so many minutes after the time of a callback; undefined when it is made. */
  const refusalAt = async (minutes: number, isAsked = true) => {
    const id = await addLead(database, { zip_code: nightZip });
    await owner`
      update private.lead_work
      set stage = 'callback', callback_asked_for = ${isAsked}, callback_zone = 'UTC',
        callback_at = now() - ${minutes} * interval '1 minute'
      where lead_id = ${id}`;
    const { body } = await dana.call("call", { id });
    return "refused" in body ? body.refused : undefined;
  };

  it("may be made outside the hours from 15 minutes before to two hours after it, without a further reason", async () => {
    for (const minutes of [-14, 0, 119])
      expect([minutes, await refusalAt(minutes)]).toEqual([minutes, undefined]);
    for (const minutes of [-16, 121])
      expect([minutes, await refusalAt(minutes)]).toEqual([minutes, "outside_hours"]);
    expect(await refusalAt(0, false)).toBe("outside_hours");
  });

  it("stands again as it was when the outcome after it is taken back", async () => {
    const id = await addLead(database);
    const callback = () => owner`
      select stage, callback_at, callback_zone, callback_asked_for from private.lead_work where lead_id = ${id}`;
    await owner`
      update private.lead_work
      set stage = 'callback', callback_asked_for = true, callback_zone = 'America/Denver', callback_at = now()
      where lead_id = ${id}`;
    const agreed = await callback();
    const { body } = await dana.call("outcome", { id, call_id: null, outcome: "needs_visit" });
    expect((await callback())[0]).toMatchObject({ stage: "closed", callback_at: null });
    await dana.call("undo-outcome", { outcome_id: "outcome_id" in body ? body.outcome_id : "" });
    expect(await callback()).toEqual(agreed);
  });

  it("is set for a later moment within 90 days, never after a withdrawal or in a paused state", async () => {
    const refusals = await owner<{ refusal: string | null }[]>`
      select private.callback_refusal(
        now() + moment::interval, true,
        jsonb_populate_record(null::private.place_windows, jsonb_build_object('callable', reason is null, 'reason', reason)), is_withdrawn,
        case when moment = '2 hours' then now() + interval '3 hours' end
      ) as refusal
      from (values
        ('0 s', null, false), ('1 s', null, false), ('90 days', null, false), ('90 days 1 s', null, false),
        ('1 day', null, true), ('1 day', 'paused', false), ('1 day', 'holiday', false),
        -- Three attempts were made, and the next may be made in three hours.
        ('2 hours', null, false)
      ) as asked (moment, reason, is_withdrawn)`;
    expect(refusals.map(({ refusal }) => refusal)).toEqual([
      "callback_past",
      null,
      null,
      "callback_too_far",
      "withdrawn",
      "callback_not_callable",
      null,
      "callback_not_callable",
    ]);
  });
});

describe("a claim", () => {
  it("is renewed by its own member alone, and not after it has ended", async () => {
    const id = await addLead(database);
    await dana.call("claim", { id });
    await endClaim(id, 5);
    await lee.call("open", { id });
    await lee.call("keep-alive", { lead: id });
    expect(await minutesLeft(id)).toBe(5);
    await dana.call("open", { id });
    expect(await minutesLeft(id)).toBe(20);
    await endClaim(id, 0);
    await dana.call("open", { id });
    await dana.call("keep-alive", { lead: id });
    expect(await claimOf(id)).toBeNull();
  });

  it("stands in the audit log, as does its end by the member who has it, and nothing that another one tries", async () => {
    const id = await addLead(database);
    await dana.call("claim", { id });
    await lee.call("claim", { id });
    await lee.call("release", { id });
    expect(await whoDid(database, "claimed lead", id)).toEqual(["Dana"]);
    expect(await whoDid(database, "released lead", id)).toEqual([]);
    await dana.call("release", { id });
    expect(await whoDid(database, "released lead", id)).toEqual(["Dana"]);
  });

  it("by Take next lead is given again for ten minutes, and not once the person was called", async () => {
    const [first, second, third] = [
      await addLead(database, {}, 5),
      await addLead(database, {}, 4),
      await addLead(database, {}, 3),
    ];
    expect((await dana.call("take-next")).body).toEqual({ id: first });
    await callLead(dana, first);
    const passMinutes = async (minutes: number) => {
      await owner`update private.claims set claimed_at = claimed_at - ${minutes} * interval '1 minute'`;
      await owner`
        update private.audit_log set at = at - ${minutes} * interval '1 minute' where action = 'took next lead'`;
    };
    for (let n = 0; n < 2; n++) expect((await dana.call("take-next")).body).toEqual({ id: second });
    await passMinutes(9);
    expect((await dana.call("take-next")).body).toEqual({ id: second });
    await passMinutes(2);
    expect((await dana.call("take-next")).body).toEqual({ id: third });
  });

  it("by Take next lead passes over a lead that a colleague closes at that moment", async () => {
    const [closed, after] = [await addLead(database, {}, 5), await addLead(database, {}, 4)];
    const { taking } = await owner.begin(async (tx) => {
      await tx`insert into private.claims (lead_id, member_id, until) values (${closed}, ${lee.id}, now())`;
      await tx`update private.lead_work set stage = 'closed' where lead_id = ${closed}`;
      const taking = dana.call("take-next");
      await expect.poll(() => sessionsWaitingForLocks(owner)).toHaveLength(1);
      return { taking };
    });
    expect((await taking).body).toEqual({ id: after });
    expect(await claimOf(closed)).toBeNull();
  });
});

describe("a lead on the screen", () => {
  it("is loaded again in no session that began after it was opened", async () => {
    const id = await addLead(database);
    const { entry } = (await dana.call("open", { id })).body;
    expect((await dana.call("opened", { entry })).body).toMatchObject({ id });
    await owner`
      update private.sessions set created_at = now() + interval '1 second' where member_id = ${dana.id}`;
    expect((await dana.call("opened", { entry })).status).toBe(403);
  });

  it("lists calls and reviews in the order of time, and the newest eligibility check first", async () => {
    const id = await addLead(database);
    const first = await callLead(dana, id);
    await dana.call("outcome", { id, call_id: first.call_id, outcome: "no_answer" });
    await age(first.call_id, 30);
    await lee.call("outcome", { id, call_id: null, outcome: "needs_visit" });
    await owner`update private.outcomes set at = at - interval '20 minutes' where call_id is null`;
    await callLead(dana, id);
    const unknown: Omit<RequestOf<"eligibility-check">["answers"], "diabetes"> = {
      insulin: "unknown",
      recurrent_lows: "unknown",
      low_with_help: "unknown",
      visit_on: null,
      visit_planned: "unknown",
      trained: "unknown",
      plan: "unknown",
      prescriber: "",
    } as const;
    for (const diabetes of ["yes", "no"] as const)
      await dana.call("eligibility-check", { id, answers: { ...unknown, diabetes } });
    const { call_log, checks } = (await dana.call("open", { id })).body;
    expect(call_log.map(({ outcome }) => outcome)).toEqual(["no_answer", "needs_visit", null]);
    expect(checks.map(({ answers }) => answers.diabetes)).toEqual(["no", "yes"]);
    expect(await whoDid(database, "checked eligibility", id)).toHaveLength(2);
  });

  it("lists them in that order also in the hour that comes twice when clocks are set back, in whichever zone the database is", async () => {
    const id = await addLead(database);
    const { call_id } = await callLead(dana, id);
    await dana.call("outcome", { id, call_id, outcome: "no_answer" });
    await lee.call("outcome", { id, call_id: null, outcome: "needs_visit" });
    await owner`update private.calls set at = '2026-11-01T01:50-04:00' where id = ${call_id}`;
    await owner`update private.outcomes set at = '2026-11-01T01:10-05:00' where lead_id = ${id} and call_id is null`;
    const listed = await owner.begin(async (tx) => {
      await tx`set local timezone = 'America/New_York'`;
      const [row] = await tx<{ calls: { outcome: string }[] }[]>`select private.call_log_of(${id}) as calls`;
      return row?.calls.map(({ outcome }) => outcome);
    });
    expect(listed).toEqual(["no_answer", "needs_visit"]);
  });
});
