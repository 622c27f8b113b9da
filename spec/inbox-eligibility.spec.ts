// The eligibility check, which a member fills in on the phone: what its answers mean, and what of them is kept.
import { describe, expect, it } from "vitest";
import type { RequestOf } from "../inbox/api.ts";
import { whoDid } from "./support/calls.ts";
import { addLead, makeInbox, type TestMember } from "./support/inbox.ts";

const { database, inbox } = await makeInbox();
const dana = await inbox.member("Dana");
const lee = await inbox.member("Lee");

type Answers = RequestOf<"eligibility-check">["answers"];
describe("the eligibility check", () => {
  const eligible: Omit<Answers, "visit_on"> = {
    diabetes: "yes",
    insulin: "yes",
    recurrent_lows: "no",
    low_with_help: "no",
    visit_planned: "no",
    trained: "yes",
    plan: "part_b",
    prescriber: "Dr. Lopez",
  } as const;
  const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);

  it.each([
    ["likely", [], { visit_on: daysAgo(30) }],
    ["likely", [], { insulin: "no", low_with_help: "yes", visit_on: daysAgo(30) }],
    ["likely", ["Advantage plan has its own rules"], { plan: "advantage", visit_on: daysAgo(30) }],
    ["needs_visit", ["no visit within 6 months"], { visit_on: daysAgo(200) }],
    ["needs_visit", ["visit is planned"], { visit_on: null, visit_planned: "yes" }],
    ["needs_visit", ["visit is in the future"], { visit_on: daysAgo(-30), visit_planned: "no" }],
    ["needs_visit", ["visit is planned"], { visit_on: daysAgo(-30), visit_planned: "yes" }],
    ["not_now", ["no insulin and no problematic lows"], { insulin: "no", visit_on: daysAgo(30) }],
    ["not_now", ["insulin and lows not known"], { insulin: "unknown", visit_on: daysAgo(30) }],
    ["not_now", ["no diabetes"], { diabetes: "no", visit_on: daysAgo(30) }],
    ["not_now", ["no Part B"], { plan: "none", visit_on: daysAgo(30) }],
  ] as const)(
    "says %s %j when an eligible person's answers are changed by %j",
    async (result, reasons, differences) => {
      const id = await addLead(database);
      const answers: Answers = { ...eligible, ...differences };
      const { body } = await dana.call("eligibility-check", { id, answers });
      expect(body).toMatchObject({ result, reasons, answers, member: { name: "Dana" } });
      expect((await dana.call("open", { id })).body.checks).toMatchObject([{ result }]);
    },
  );

  it("is recorded once where the same is sent again within five minutes, because the answer was lost, unless another check came between", async () => {
    const id = await addLead(database);
    const send = async (member: TestMember, visit_on: string | null = null) =>
      (await member.call("eligibility-check", { id, answers: { ...eligible, visit_on } })).body.id;
    const letPass = (minutes: number) => database.owner`
      update private.eligibility_checks set at = at - make_interval(mins => ${minutes}) where lead_id = ${id}`;
    const first = await send(dana);
    await letPass(4);
    expect(await send(dana)).toBe(first);
    expect(await whoDid(database, "checked eligibility", id)).toHaveLength(1);
    const others = [await send(lee), await send(dana), await send(dana, daysAgo(30)), await send(dana)];
    await letPass(6);
    expect(new Set([first, ...others, await send(dana)]).size).toBe(6);
  });

  it("takes an answer that is missing for one that is not known, never for a yes", async () => {
    const notKnown = ["diabetes not known", "insulin and lows not known", "plan not known"];
    const aside = ["training not known", "prescriber not known"];
    for (const [given, reasons] of [
      ['{"visit_on": "2026-11-20"}', [...notKnown, ...aside]],
      ["{}", [...notKnown, "no visit within 6 months", ...aside]],
    ] as const) {
      const [row] = await database.owner`
        select result, reasons from private.eligibility(${given}::text::jsonb, '2026-11-21')`;
      expect([given, row]).toEqual([given, { result: "not_now", reasons }]);
    }
  });

  it("counts a visit of this day six months ago and of today, and none before or after, and takes a blank prescriber for none", async () => {
    const answers = { ...eligible, visit_on: "", prescriber: "  " };
    const results = [];
    for (const visit_on of ["2026-05-20", "2026-05-21", "2026-11-21", "2026-11-22"]) {
      const [row] = await database.owner<{ result: string; reasons: string[] }[]>`
        select result, reasons from private.eligibility(${database.owner.json({ ...answers, visit_on })}, '2026-11-21')`;
      results.push(row?.result);
      expect(row?.reasons).toContain("prescriber not known");
    }
    expect(results).toEqual(["needs_visit", "likely", "likely", "needs_visit"]);
  });

  it("takes the day of the visit by the person's calendar, also where it is another day than in the database", async () => {
    // Their clocks are 26 hours apart, so it is never the same day in both.
    const zones = ["Pacific/Kiritimati", "Etc/GMT+12"] as const;
    const results = [];
    for (const [nth, zone] of zones.entries()) {
      const [prefix, place] = [`00${nth + 3}`, `VT/${zone}`];
      await database.owner`insert into private.places (state, zone) values ('VT', ${zone})`;
      await database.owner`insert into private.zip_places (prefix, place, rank) values (${prefix}, ${place}, 1)`;
      const id = await addLead(database, { zip_code: `${prefix}05` });
      const [today] = await database.owner<{ day: string }[]>`
        select to_char(now() at time zone ${zones[0]}, 'YYYY-MM-DD') as day`;
      const answers: Answers = { ...eligible, visit_on: today?.day ?? "" };
      results.push((await dana.call("eligibility-check", { id, answers })).body.result);
    }
    expect(results).toEqual(["likely", "needs_visit"]);
  });

  it("takes no Medicare number, and no answer that it did not ask for", async () => {
    const id = await addLead(database);
    const answers: Answers = { ...eligible, visit_on: null, prescriber: "1EG4-TE5-MK73" };
    expect((await dana.call("eligibility-check", { id, answers })).status).toBe(400);
    const more: Answers & { medicare_number: string } = { ...eligible, visit_on: null, medicare_number: "1" };
    expect((await dana.call("eligibility-check", { id, answers: more })).status).toBe(400);
  });
});
