// A person who sent the form twice has two leads with one number: two members do not phone that person at once, the number keeps its attempts, and a
// stop reaches it wherever it was typed.
import { beforeEach, describe, expect, it } from "vitest";
import { callLead } from "./support/calls.ts";
import { aLead, removeLeads } from "./support/database.ts";
import { addLead, aPhoneNumber, makeInbox } from "./support/inbox.ts";

const { database, inbox } = await makeInbox();
const dana = await inbox.member("Dana");
const lee = await inbox.member("Lee");
const maria = await inbox.member("Maria", "manager");
await database.owner`update private.channels set enabled = name = 'webhook'`;
beforeEach(() => removeLeads(database.owner));

/** Two leads of one person. */
async function addTwice() {
  const phone = aPhoneNumber();
  return [
    await addLead(database, { phone }),
    await addLead(database, { phone, email: "b@example.com" }),
  ] as const;
}

describe("a person with two leads", () => {
  it("is given to one member alone", async () => {
    const [first] = await addTwice();
    const other = await addLead(database);
    expect((await dana.call("take-next")).body).toEqual({ id: first });
    expect((await lee.call("take-next")).body).toEqual({ id: other });
  });

  it("is phoned by the member who had one of the leads first, and by no other", async () => {
    const [first, second] = await addTwice();
    await dana.call("claim", { id: first });
    await lee.call("claim", { id: second });
    expect((await lee.call("call", { id: second })).body).toMatchObject({
      refused: "number_claimed",
      held_by: { name: "Dana" },
      next_at: expect.any(String),
    });
    expect((await dana.call("call", { id: first })).body).toHaveProperty("call_id");
  });

  it("may be phoned by the other when the first has let it go", async () => {
    const [first, second] = await addTwice();
    await dana.call("claim", { id: first });
    await dana.call("release", { id: first });
    expect((await lee.call("call", { id: second })).body).toHaveProperty("call_id");
  });

  it("keeps the attempts of the last day when one of the leads is erased", async () => {
    const [first, second] = await addTwice();
    for (let nth = 0; nth < 3; nth += 1) {
      const { call_id } = await callLead(dana, first);
      await dana.call("outcome", { id: first, call_id, outcome: "no_answer" });
    }
    await maria.call("erase", { id: first, reference: first.slice(-8) });
    expect((await dana.call("call", { id: second })).body).toMatchObject({ refused: "attempts" });
    const [calls] =
      await database.owner`select count(*)::int as n from private.calls where lead_id = ${second}`;
    expect(calls?.n).toBe(3);
  });

  it("counts for how soon a lead was called the calls about that lead alone, and none that are kept of an erased one", async () => {
    const [first, second] = await addTwice();
    const call = async (id: string) => {
      const { call_id } = await callLead(dana, id);
      await dana.call("outcome", { id, call_id, outcome: "no_answer" });
      return call_id;
    };
    const firstCall = async () => {
      const [row] = await database.owner<{ id: string | null }[]>`
        select c.id from private.lead_work w left join private.calls c on c.at = w.first_called_at where w.lead_id = ${second}`;
      return row?.id;
    };
    const kept = await call(first);
    // The second lead came an hour ago.
    await database.owner`update private.calls set at = now() - interval '3 hours' where id = ${kept}`;
    await maria.call("erase", { id: first, reference: first.slice(-8) });
    expect(await firstCall()).toBeNull();
    const [own, next] = [await call(second), await call(second)];
    expect(await firstCall()).toBe(own);
    await database.owner`update private.calls set at = now() - interval '5 minutes' where id = ${next}`;
    expect(await firstCall()).toBe(next);
    await database.owner`delete from private.calls where id = ${next}`;
    expect(await firstCall()).toBe(own);
    await database.owner`delete from private.calls where id = ${own}`;
    expect(await firstCall()).toBeNull();
  });

  it("leaves nothing of an erased lead's calls where no other lead has the number", async () => {
    const id = await addLead(database);
    await callLead(dana, id);
    await maria.call("erase", { id, reference: id.slice(-8) });
    expect(await database.owner`select from private.calls`).toHaveLength(0);
  });
});

describe("a lead that a member has let go", () => {
  it("is given to them again only when there is no other", async () => {
    const first = await addLead(database, {}, 3);
    const second = await addLead(database, {}, 2);
    expect((await dana.call("take-next")).body).toEqual({ id: first });
    await dana.call("open", { id: first });
    await dana.call("release", { id: first });
    expect((await dana.call("take-next")).body).toEqual({ id: second });
    await dana.call("open", { id: second });
    expect((await dana.call("take-next")).body).toEqual({ id: first });
  });

  it("is given to a colleague first of all", async () => {
    const first = await addLead(database, {}, 3);
    await addLead(database, {}, 2);
    await dana.call("take-next");
    await dana.call("release", { id: first });
    expect((await lee.call("take-next")).body).toEqual({ id: first });
  });
});

describe("a number that a person typed into the name or beside the e-mail address", () => {
  const typed = [
    ["the name", { name: "Rosa Diaz 305-555-0142", phone: "see my name" }],
    ["the e-mail field", { email: "rosa@example.com or (305) 555 0142", phone: "see above" }],
    ["the name, in full-width digits", { name: "Rosa ３０５-５５５-０１４２", phone: "see my name" }],
  ] as const;

  it.each(typed)("is not called any more once it is stopped: in %s", async (_, lead) => {
    const id = await addLead(database, lead);
    const { body } = await dana.call("stop-number", { phone: "+1 305 555 0142" });
    expect(body).toMatchObject({ leads: 1 });
    expect((await dana.call("call", { id })).body).toMatchObject({ refused: "withdrawn" });
  });

  it.each(typed)("is stopped with its lead: in %s", async (_, lead) => {
    const id = await addLead(database, lead);
    const other = await addLead(database, { phone: "305 555 0142" });
    await dana.call("stop", { id });
    expect((await dana.call("call", { id: other })).body).toMatchObject({ refused: "withdrawn" });
  });

  it("is none where it has fewer than ten digits, because strangers share a date of birth", async () => {
    const id = await addLead(database, { name: "Rosa Diaz 12/03/1945" });
    const other = await addLead(database, { name: "Ann Lee 12-03-1945" });
    await dana.call("stop", { id });
    expect((await dana.call("call", { id: other })).body).toHaveProperty("call_id");
  });
});

describe("the same form sent again on the same day, after an outcome", () => {
  it.each([
    ["not_interested", 2],
    ["does_not_qualify", 2],
    ["likely_qualifies", 1],
  ] as const)(
    "is a lead of its own where the first was finished without a result, because the person has changed their mind: after %s there are %i",
    async (outcome, count) => {
      const send = () => database.intake`insert into public.leads ${database.intake(aLead())}`;
      const leads = () =>
        database.owner<{ id: string }[]>`select id from public.leads order by created_at, id`;
      await send();
      const [{ id } = { id: "" }] = await leads();
      await database.owner`select private.index_new_leads()`;
      await dana.call("outcome", { id, call_id: null, outcome });
      for (let nth = 0; nth < 2; nth += 1) await send();
      const stored = await leads();
      expect(stored).toHaveLength(count);
      const owed =
        await database.owner`select from private.deliveries where lead_id = ${stored.at(-1)?.id ?? ""}`;
      expect(owed).toHaveLength(1);
    },
  );
});
