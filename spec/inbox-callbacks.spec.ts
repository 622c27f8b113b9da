// A callback that a member agrees with a person: when it may be, when it is due, and when it is gone.
import { beforeEach, describe, expect, it } from "vitest";
import { reviewLead } from "../team/review-lead.ts";
import { callLead } from "./support/calls.ts";
import { removeLeads } from "./support/database.ts";
import { addLead, makeInbox, nightZip, noonZip } from "./support/inbox.ts";

const { database, inbox } = await makeInbox();
const dana = await inbox.member("Dana");
beforeEach(() => removeLeads(database.owner));

describe("a callback", () => {
  it("agreed within the 24 hours keeps its lead from being late, though it is due after them", async () => {
    const id = await addLead(database, {}, 23);
    await dana.call("outcome", { id, call_id: null, outcome: "callback", callback: await tomorrowAt(10) });
    await database.owner`update private.lead_work set created_at = created_at - interval '2 hours' where lead_id = ${id}`;
    expect((await dana.call("queue", {})).body.counts.late).toBe(0);
    expect((await dana.call("queue", { filter: { late: true } })).body.rows).toEqual([]);
  });

  /** Half past that hour, so many days from now, on the clocks of the noon place. */
  const inDaysAt = async (days: number, hour: number) => {
    const [row] = await database.owner<{ zone: string; day: string }[]>`
      select zone, to_char((now() at time zone zone) + make_interval(days => ${days}), 'YYYY-MM-DD') as day
      from private.places where place = private.place_of(${noonZip}, '')`;
    return { at: `${row?.day}T${String(hour).padStart(2, "0")}:30`, zone: row?.zone ?? "" };
  };
  const tomorrowAt = (hour: number) => inDaysAt(1, hour);

  it("brings a lead back that left the queue when the operator reviewed it", async () => {
    const id = await addLead(database);
    expect(await reviewLead(database.owner, id, undefined)).toMatchObject({ stage: "open", tried_at: null });
    const row = async () => (await dana.call("rows", { ids: [id] })).body.rows[0];
    expect(await row()).toMatchObject({ stage: "closed" });
    await dana.call("outcome", { id, call_id: null, outcome: "callback", callback: await tomorrowAt(10) });
    expect(await row()).toMatchObject({ stage: "callback" });
    expect(await reviewLead(database.owner, id, "qualifies")).toMatchObject({ stage: "callback" });
    expect(await row()).toMatchObject({ stage: "callback" });
  });

  it("stands in the person's own time, and comes first in the queue when it is due", async () => {
    const id = await addLead(database);
    const earlier = await addLead(database, {}, 20);
    const callback = await tomorrowAt(10);
    const { body } = await dana.call("outcome", { id, call_id: null, outcome: "callback", callback });
    const { callback_at } = body as { callback_at: string };
    const there = new Date(callback_at).toLocaleString("sv-SE", { timeZone: callback.zone });
    expect(there).toBe(`${callback.at.replace("T", " ")}:00`);
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

  it("at an hour when the place is closed, as the person asked, stands before the leads that wait for its opening", async () => {
    const waits = await addLead(database, { zip_code: nightZip });
    const asked = await addLead(database, { zip_code: nightZip });
    const asAgreed = (isAskedFor: boolean) => database.owner`
      update private.lead_work set stage = 'callback', callback_asked_for = ${isAskedFor},
        callback_at = now() + interval '30 minutes' where lead_id = ${asked}`;
    const order = async () => (await dana.call("queue", {})).body.rows.map((row) => row.id);
    await asAgreed(true);
    expect(await order()).toEqual([asked, waits]);
    await asAgreed(false);
    // Both wait for the opening then, and stand in the order of their ids.
    expect(await order()).toEqual([asked, waits].toSorted());
  });

  it("is refused at an hour that is not lawful there, unless the person asked for it", async () => {
    const id = await addLead(database);
    const callback = await tomorrowAt(5);
    const refused = await dana.call("outcome", { id, call_id: null, outcome: "callback", callback });
    expect(refused.body).toMatchObject({ refused: "callback_not_callable", reason: "outside_hours" });
    if (!("refused" in refused.body)) return;
    // Eight in the morning of that day.
    const untilLawful = Date.parse(refused.body.next_at ?? "") - Date.now();
    expect(untilLawful).toBeGreaterThan(18 * 3_600_000);
    const asked = { ...callback, asked_for_this_time: true };
    const { body } = await dana.call("outcome", { id, call_id: null, outcome: "callback", callback: asked });
    expect(body).toMatchObject({ callback_at: expect.any(String) });
  });

  it("does not keep that the person asked for this time when the time is a lawful one", async () => {
    const id = await addLead(database);
    const callback = { ...(await tomorrowAt(10)), asked_for_this_time: true };
    await dana.call("outcome", { id, call_id: null, outcome: "callback", callback });
    const [work] = await database.owner`
      select callback_asked_for from private.lead_work where lead_id = ${id}`;
    expect(work).toEqual({ callback_asked_for: false });
  });

  it("leaves the lead among those who were tried", async () => {
    const id = await addLead(database);
    const { call_id } = await callLead(dana, id);
    await dana.call("outcome", { id, call_id, outcome: "no_answer" });
    const callback = await tomorrowAt(10);
    await dana.call("outcome", { id, call_id: null, outcome: "callback", callback });
    const [work] = await database.owner`
      select tried_at is not null as is_tried from private.lead_work where lead_id = ${id}`;
    expect(work).toEqual({ is_tried: true });
  });

  it("is gone when the permission is withdrawn, and does not come back with an outcome that is taken back", async () => {
    const id = await addLead(database);
    const callback = await tomorrowAt(10);
    const callbackAt = async () => (await dana.call("rows", { ids: [id] })).body.rows[0]?.callback_at;
    await dana.call("outcome", { id, call_id: null, outcome: "callback", callback });
    expect(await callbackAt()).toEqual(expect.any(String));
    const { body } = await dana.call("outcome", { id, call_id: null, outcome: "needs_visit" });
    if (!("outcome_id" in body)) throw new Error("refused");
    await database.owner`select private.withdraw_permission(${id})`;
    const { outcome_id } = body;
    expect((await dana.call("undo-outcome", { outcome_id })).body).toEqual({ done: true });
    expect(await callbackAt()).toBeNull();
    const other = await addLead(database);
    await dana.call("outcome", { id: other, call_id: null, outcome: "callback", callback });
    await database.owner`select private.withdraw_permission(${other})`;
    expect((await dana.call("open", { id: other })).body).toMatchObject({
      stage: "closed",
      callback_at: null,
    });
  });

  it("has a time, not more than 90 days away, and no other outcome has one", async () => {
    const id = await addLead(database);
    const outcome = async (outcome: "callback" | "needs_visit", callback?: { at: string; zone: string }) =>
      dana.call("outcome", { id, call_id: null, outcome, ...(callback && { callback }) });
    expect((await outcome("callback")).status).toBe(400);
    expect((await outcome("needs_visit", await tomorrowAt(10))).status).toBe(400);
    // It is about noon there.
    expect((await outcome("callback", await inDaysAt(90, 14))).body).toMatchObject({
      refused: "callback_too_far",
    });
    expect((await outcome("callback", await inDaysAt(90, 11))).body).toHaveProperty("outcome_id");
  });

  it("is refused when its time is past, and when its zone is no time zone", async () => {
    const id = await addLead(database);
    const set = (at: string, zone: string) =>
      dana.call("outcome", { id, call_id: null, outcome: "callback", callback: { at, zone } });
    // The minute that has begun is past.
    const [now] = await database.owner<{ at: string }[]>`
      select to_char(now() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI') as at`;
    for (const [at, zone] of [
      ["2020-01-01T12:00", "America/New_York"],
      [now?.at ?? "", "UTC"],
    ] as const)
      expect((await set(at, zone)).body).toMatchObject({ refused: "callback_past" });
    // PostgreSQL would take FOO5 for five hours behind, and no browser could show a time there.
    for (const zone of ["Nowhere/Else", "FOO5", "+05:00"])
      expect([zone, (await set("2020-01-01T12:00", zone)).status]).toEqual([zone, 400]);
  });
});
