// What a member records of a call or a review: the outcome.
import { beforeEach, describe, expect, it } from "vitest";
import { callLead } from "./support/calls.ts";
import { removeLeads } from "./support/database.ts";
import { addLead, makeInbox } from "./support/inbox.ts";

const { database, inbox } = await makeInbox();
const dana = await inbox.member("Dana");
const lee = await inbox.member("Lee");
await database.owner`update private.channels set enabled = name = 'webhook'`;
beforeEach(() => removeLeads(database.owner));

const reviewOf = async (id: string) => [
  ...(await database.owner`select outcome from private.reviews where lead_id = ${id}`),
];

/** A lead that Dana called half an hour ago and Lee calls now. Neither call has an outcome. */
async function callTwice() {
  const id = await addLead(database);
  const early = await callLead(dana, id);
  await database.owner`update private.calls set at = at - interval '30 minutes' where id = ${early.call_id}`;
  await dana.call("release", { id });
  const { call_id } = await callLead(lee, id);
  return { id, early, call_id };
}

describe("an outcome", () => {
  it("is recorded after the call, is the review that the page promised, and ends the member's claim", async () => {
    const id = await addLead(database);
    const { call_id } = await callLead(dana, id);
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
    expect(opened.call_log).toMatchObject([
      { called: true, outcome: "likely_qualifies", note: "Ask for the doctor." },
    ]);
  });

  it("keeps a person who was not reached in the queue, after those whom nobody has tried", async () => {
    const untried = await addLead(database, {}, 2);
    const tried = [];
    for (const outcome of ["no_answer", "left_message"] as const) {
      const id = await addLead(database, {}, 9);
      const { call_id } = await callLead(dana, id);
      await dana.call("outcome", { id, call_id, outcome });
      tried.push({ id, outcome, section: "callable" });
    }
    const { rows } = (await dana.call("queue", {})).body;
    expect(rows).toMatchObject([{ id: untried }, ...tried]);
  });

  it("without a call is a review, and cannot say what only a call tells", async () => {
    const id = await addLead(database);
    for (const outcome of ["no_answer", "left_message", "wrong_number"] as const) {
      const { body } = await dana.call("outcome", { id, call_id: null, outcome });
      expect([outcome, body]).toEqual([outcome, expect.objectContaining({ refused: "needs_call" })]);
    }
    await dana.call("outcome", { id, call_id: null, outcome: "does_not_qualify" });
    expect((await dana.call("open", { id })).body).toMatchObject({
      stage: "closed",
      reviewed_at: expect.any(String),
      call_log: [{ called: false }],
    });
  });

  it("is not recorded for another member's call or another lead's, nor twice for one call", async () => {
    const id = await addLead(database);
    const { call_id } = await callLead(dana, id);
    const outcome = { id, call_id, outcome: "not_interested" as const };
    expect((await lee.call("outcome", outcome)).body).toMatchObject({ refused: "not_your_call" });
    const other = await addLead(database);
    expect((await dana.call("outcome", { ...outcome, id: other })).body).toMatchObject({
      refused: "not_your_call",
    });
    await dana.call("outcome", outcome);
    expect((await dana.call("outcome", { ...outcome, note: "Again" })).body).toMatchObject({
      refused: "call_has_outcome",
    });
  });

  it("is not recorded as a review while another member is on the phone with the person", async () => {
    const id = await addLead(database);
    const { call_id } = await callLead(dana, id);
    const review = { id, call_id: null, outcome: "not_interested" as const };
    expect((await lee.call("outcome", review)).body).toMatchObject({ refused: "under_call" });
    await dana.call("outcome", { id, call_id, outcome: "no_answer" });
    expect((await lee.call("outcome", review)).body).toHaveProperty("outcome_id");
  });

  it("is recorded and taken back once when the answer was lost and the member sends the same again", async () => {
    for (const isCall of [true, false]) {
      const id = await addLead(database);
      const call_id = isCall ? (await callLead(dana, id)).call_id : null;
      const sent = { id, call_id, outcome: "not_interested" as const, note: "Has one already" };
      const { body } = await dana.call("outcome", sent);
      expect((await dana.call("outcome", sent)).body).toEqual(body);
      expect((await dana.call("open", { id })).body.call_log).toHaveLength(1);
      if (!("outcome_id" in body)) throw new Error("refused");
      const { outcome_id } = body;
      expect((await dana.call("undo-outcome", { outcome_id })).body).toEqual({ done: true });
      expect((await dana.call("undo-outcome", { outcome_id })).body).toEqual({ done: true });
    }
  });

  it("is recorded anew when it is sent again after another outcome", async () => {
    const id = await addLead(database);
    const sent = { id, call_id: null, outcome: "not_interested" as const };
    await dana.call("outcome", sent);
    await lee.call("outcome", { ...sent, outcome: "needs_visit" });
    await dana.call("outcome", sent);
    expect((await dana.call("open", { id })).body).toMatchObject({ outcome: "not_interested" });
    expect((await dana.call("open", { id })).body.call_log).toHaveLength(3);
  });

  it("is taken back within five minutes, with the review that it was", async () => {
    const id = await addLead(database);
    const { call_id } = await callLead(dana, id);
    const { body } = await dana.call("outcome", { id, call_id, outcome: "wrong_number" });
    if (!("outcome_id" in body)) throw new Error("refused");
    const { outcome_id } = body;
    await database.owner`update private.outcomes set at = now() - interval '4 minutes 30 seconds' where id = ${outcome_id}`;
    expect((await lee.call("undo-outcome", { outcome_id })).body).toEqual({ refused: "not_yours" });
    expect((await dana.call("undo-outcome", { outcome_id })).body).toEqual({ done: true });
    expect((await dana.call("open", { id })).body).toMatchObject({
      stage: "open",
      outcome: null,
      reviewed_at: null,
    });
  });

  it("says until when it can be taken back, in its answer and each time that the lead is loaded", async () => {
    const id = await addLead(database);
    const { call_id } = await callLead(dana, id);
    expect((await dana.call("open", { id })).body.call_log).toMatchObject([{ undo_until: null }]);
    const { body } = await dana.call("outcome", { id, call_id, outcome: "no_answer" });
    const review = await dana.call("outcome", { id, call_id: null, outcome: "not_interested" });
    if (!("outcome_id" in body && "outcome_id" in review.body)) throw new Error("refused");
    const { call_log } = (await dana.call("open", { id })).body;
    expect(call_log.map((one) => one.undo_until)).toEqual([body.undo_until, review.body.undo_until]);
    const [called] = call_log;
    expect(Date.parse(called?.undo_until ?? "") - Date.parse(called?.outcome_at ?? "")).toBe(5 * 60_000);
  });

  it("is not taken back later", async () => {
    const id = await addLead(database);
    const { body } = await dana.call("outcome", { id, call_id: null, outcome: "not_interested" });
    if (!("outcome_id" in body)) throw new Error("refused");
    await database.owner`update private.outcomes set at = now() - interval '5 minutes 1 second' where id = ${body.outcome_id}`;
    expect((await dana.call("undo-outcome", { outcome_id: body.outcome_id })).body).toEqual({
      refused: "too_late",
    });
  });

  it("of a call before a colleague's, recorded after the colleague's outcome, goes into the call log alone, and leaves it when it is taken back", async () => {
    const { id, early, call_id } = await callTwice();
    await lee.call("outcome", { id, call_id, outcome: "not_interested" });
    const late = (await dana.call("outcome", { id, call_id: early.call_id, outcome: "no_answer" })).body;
    expect(late).toHaveProperty("undo_until");
    const finished = { stage: "closed", outcome: "not_interested" };
    const opened = (await lee.call("open", { id })).body;
    expect(opened).toMatchObject(finished);
    expect(opened.call_log.map(({ outcome }) => outcome).sort()).toEqual(["no_answer", "not_interested"]);
    expect(await reviewOf(id)).toEqual([{ outcome: "not interested" }]);
    if ("outcome_id" in late) await dana.call("undo-outcome", { outcome_id: late.outcome_id });
    const after = (await lee.call("open", { id })).body;
    expect(after).toMatchObject(finished);
    expect(after.call_log.map(({ outcome }) => outcome)).toEqual([null, "not_interested"]);
    expect(await reviewOf(id)).toEqual([{ outcome: "not interested" }]);
  });

  it("of a call before a colleague's, recorded before the colleague's outcome, counts until that one does", async () => {
    const { id, early, call_id } = await callTwice();
    for (const [member, of, outcome] of [
      [dana, early.call_id, "not_interested"],
      [lee, call_id, "likely_qualifies"],
    ] as const) {
      await member.call("outcome", { id, call_id: of, outcome });
      expect((await lee.call("open", { id })).body).toMatchObject({ stage: "closed", outcome });
      expect(await reviewOf(id)).toEqual([{ outcome: outcome.replace("_", " ") }]);
    }
  });

  it("is taken back also where a colleague has recorded the outcome of an earlier call since", async () => {
    const { id, early, call_id } = await callTwice();
    const recorded = (await lee.call("outcome", { id, call_id, outcome: "not_interested" })).body;
    await dana.call("outcome", { id, call_id: early.call_id, outcome: "no_answer" });
    if (!("outcome_id" in recorded)) throw new Error("It was refused.");
    expect((await lee.call("undo-outcome", { outcome_id: recorded.outcome_id })).body).toEqual({
      done: true,
    });
    expect((await lee.call("open", { id })).body).toMatchObject({ stage: "open" });
  });

  it.each(["no_answer", "left_message"] as const)(
    "of a further call that reached nobody leaves a finished lead as it is: %s",
    async (outcome) => {
      const id = await addLead(database);
      const first = await callLead(dana, id);
      await dana.call("outcome", { id, call_id: first.call_id, outcome: "likely_qualifies" });
      const { call_id } = await callLead(dana, id);
      await dana.call("outcome", { id, call_id, outcome });
      const opened = (await dana.call("open", { id })).body;
      expect(opened).toMatchObject({ stage: "closed", outcome: "likely_qualifies" });
      expect(opened.call_log).toHaveLength(2);
      expect(await reviewOf(id)).toEqual([{ outcome: "likely qualifies" }]);
    },
  );

  it("without a call is recorded again when the same is sent again after five minutes", async () => {
    const id = await addLead(database);
    const sent = { id, call_id: null, outcome: "not_interested" as const };
    await dana.call("outcome", sent);
    await database.owner`update private.outcomes set at = now() - interval '6 minutes' where lead_id = ${id}`;
    await dana.call("outcome", sent);
    expect((await dana.call("open", { id })).body.call_log).toHaveLength(2);
  });

  it("taken back gives the lead to its member again, and with the earlier one taken back nothing is reviewed", async () => {
    const id = await addLead(database);
    const outcomes = [];
    for (const outcome of ["needs_visit", "not_interested"] as const) {
      const { body } = await dana.call("outcome", { id, call_id: null, outcome });
      if ("outcome_id" in body) outcomes.unshift(body.outcome_id);
    }
    for (const [nth, outcome_id] of outcomes.entries()) {
      expect((await dana.call("undo-outcome", { outcome_id })).body).toEqual({ done: true });
      const { claim, reviewed_at } = (await dana.call("open", { id })).body;
      expect([claim?.member.name, reviewed_at !== null]).toEqual(["Dana", nth === 0]);
    }
  });

  it("that went into the call log alone, taken back, gives the lead to its member only if it ended the member's claim", async () => {
    const { id, early, call_id } = await callTwice();
    await lee.call("outcome", { id, call_id, outcome: "not_interested" });
    const record = async (of: string) =>
      (await dana.call("outcome", { id, call_id: of, outcome: "no_answer" })).body;
    const claimOfUndone = async (recorded: Awaited<ReturnType<typeof record>>) => {
      if (!("outcome_id" in recorded)) throw new Error("It was refused.");
      await dana.call("undo-outcome", { outcome_id: recorded.outcome_id });
      return (await lee.call("open", { id })).body.claim?.member.name;
    };
    expect(await claimOfUndone(await record(early.call_id))).toBeUndefined();
    const further = await callLead(dana, id);
    expect(await claimOfUndone(await record(further.call_id))).toBe("Dana");
  });

  it("leaves the claim of a colleague who has the lead", async () => {
    const id = await addLead(database);
    await lee.call("claim", { id });
    const { body } = await dana.call("outcome", { id, call_id: null, outcome: "not_interested" });
    expect(body).toHaveProperty("outcome_id");
    expect((await dana.call("open", { id })).body.claim?.member.name).toBe("Lee");
  });

  it("of a call after which the permission was withdrawn is recorded, and the lead stays closed", async () => {
    const id = await addLead(database);
    const { call_id } = await callLead(dana, id);
    await database.owner`select private.withdraw_permission(${id})`;
    expect((await dana.call("outcome", { id, call_id, outcome: "no_answer" })).body).toHaveProperty(
      "outcome_id",
    );
    expect((await dana.call("open", { id })).body).toMatchObject({ stage: "closed", outcome: "no_answer" });
  });

  it("is refused with a Medicare number in its note, in whatever letters and however it is usually divided; of an older one divided by blanks, only 123 45 6789 A and 123 456 789A are taken for one", async () => {
    const id = await addLead(database);
    const divided = [
      "1EG4-TE5-MK73",
      "1EG4 TE5 MK73.",
      "1EG4 - TE5 - MK73",
      "1EG4–TE5–MK73",
      "1EG4.TE5.MK73",
      "1EG4  TE5\u00a0MK73",
      "1EG4\nTE5\nMK73",
      "1 EG4 TE5 MK73",
      "1-E-G-4-T-E-5-M-K-7-3",
    ];
    const within = [
      "her number is 1eg4te5mk73",
      "MBI_1EG4TE5MK73",
      "MBI1EG4TE5MK73",
      "1EG4TE5MK73is hers",
      "１EG4TE5MK73",
      "ＭＢＩ：１ＥＧ４ＴＥ５ＭＫ７３",
    ];
    const older = [
      "123-45-6789A",
      "Medicare 123 45 6789-B1",
      "123 45 6789 A.",
      "123456789d",
      "Medicare123-45-6789A",
      "123456789–A",
      "123456789.A",
      "123-456-789A",
      "123 456 789A",
      "123-456789A",
      "12345-6789A",
    ];
    for (const note of [...divided, ...within, ...older]) {
      const answer = await dana.call("outcome", { id, call_id: null, outcome: "not_interested", note });
      expect([note, answer.status, answer.text]).toEqual([note, 400, '{"error":"medicare number"}']);
    }
  });

  it.each([
    "Call 305-555-0142 after 2 pm, 1 dog, 2 cats",
    "33101-1234 is the ZIP code, 12-31-2026 at 9, 12/31/2026 9am, 12/31/2026-9am, 1/31/2026@10am, 11-21-2026-9am, 11.21.2026;9am, 1-21-2026(10am), 2026-11-21-9am, 11-21-26-900am, 305-555-0142x12, 612 345 678 a las 5, order 123456789 is late, 123-45-678 a, 1234 56789A",
    "1 EG4 TE5, 11EG4TE5MK73, 1EG4TE5MK735, 1SG4TE5MK73",
  ])("may hold other numbers: %s", async (note) => {
    const id = await addLead(database);
    const { status } = await dana.call("outcome", { id, call_id: null, outcome: "not_interested", note });
    expect(status).toBe(200);
  });
});
