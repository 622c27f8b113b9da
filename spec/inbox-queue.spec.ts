// The queue that the team works off: its order, who has which lead, and what a list never says.
import { beforeEach, describe, expect, it } from "vitest";
import type { ResponseOf } from "../inbox/api.ts";
import { aLead, removeLeads, sessionsWaitingForLocks } from "./support/database.ts";
import {
  type Answer,
  addLead,
  aPhoneNumber,
  makeInbox,
  nightZip,
  noonZip,
  type TestMember,
} from "./support/inbox.ts";

const { database, inbox } = await makeInbox();
const dana = await inbox.member("Dana");
const lee = await inbox.member("Lee");
const maria = await inbox.member("Maria", "manager");
beforeEach(() => removeLeads(database.owner));

const idsIn = async (member: TestMember, filter: object = {}) =>
  (await member.call("queue", { filter })).body.rows.map(({ id }) => id);

describe("the queue", () => {
  it("lists the leads with the least time left first, and last those that may not be called now, with the time when they may", async () => {
    const night = await addLead(database, { zip_code: nightZip }, 23);
    const late = await addLead(database, {}, 27);
    const fresh = await addLead(database, {}, 0.1);
    const soon = await addLead(database, {}, 20);
    const { rows, counts } = (await dana.call("queue", {})).body;
    expect(rows.map(({ id }) => id)).toEqual([late, soon, fresh, night]);
    expect(rows.map(({ section }) => section)).toEqual(["callable", "callable", "callable", "not_callable"]);
    expect(rows[3]?.place).toMatchObject({
      callable: false,
      reason: "outside_hours",
      zip: nightZip,
      states: ["VT"],
    });
    expect(Date.parse(rows[3]?.place.callable_at ?? "")).toBeGreaterThan(Date.now());
    expect(counts).toMatchObject({ callable: 3, not_callable: 1, late: 1 });
  });

  it("names for a lead each state where the person may be: that of the ZIP code, and that of an area code from elsewhere", async () => {
    await addLead(database, { zip_code: noonZip, phone: "(808) 555-0142" });
    const { rows } = (await dana.call("queue", {})).body;
    expect(rows.map(({ place }) => place.states)).toEqual([["VT", "HI"]]);
  });

  it("says no number, no e-mail address and no health answer", async () => {
    await addLead(database, {
      phone: "111-555-9876",
      email: "rosa@example.com",
      zip_code: "call 111-555-9876",
    });
    for (const { text } of [
      await dana.call("queue", {}),
      await dana.call("search", { text: "rosa@example.com" }),
    ]) {
      expect(text).toContain("Rosa Martinez");
      expect(text).not.toMatch(/555\D?9876|example\.com|has_medicare|has_diabetes/);
    }
  });

  it("hides a number and an e-mail address that somebody typed into the name, except from the member whose call is under way", async () => {
    const name = "Rosa Martinez +1 (111) 555-9876 rosa@example.com 3rd";
    const id = await addLead(database, { name });
    const { body, text } = await dana.call("queue", {});
    expect(body.rows[0]?.name).toBe("Rosa Martinez … … 3rd");
    expect(text).not.toMatch(/555\D?9876|example\.com/);
    expect((await dana.call("open", { id })).body.name).toBe("Rosa Martinez … … 3rd");
    await dana.call("claim", { id });
    await dana.call("call", { id });
    expect((await dana.call("open", { id })).body.name).toBe(name);
  });

  it.each([
    ["in place of an e-mail address", "111-555-9876", "…"],
    ["beside an e-mail address", "rosa@example.com or 111 555 9876", "… or …"],
    ["beside an e-mail address, with a comma between", "rosa@example.com,111-555-9876", "…"],
    ["beside an e-mail address, with a plus sign between", "rosa@example.com+1-111-555-9876", "…"],
    ["beside an e-mail address, in brackets", "rosa@example.com[1115559876]", "…"],
    ["behind an e-mail address, with a sign that it may have", "rosa@example.com-111-555-9876", "…"],
    ["before an e-mail address, with a question mark between", "111-555-9876?rosa@example.com", "…"],
    ["with three dots within it", "111…555…9876", "…"],
  ])(
    "hides a number that somebody typed %s, except from the member whose call is under way",
    async (_, email, hidden) => {
      const id = await addLead(database, { email });
      expect((await dana.call("open", { id })).body.email).toBe(hidden);
      await dana.call("claim", { id });
      await dana.call("call", { id });
      expect((await dana.call("open", { id })).body.email).toBe(email);
    },
  );

  it("shows an e-mail address whole when a number is a part of it", async () => {
    const email = "rosa1115559876@example.com";
    const id = await addLead(database, { email });
    expect((await dana.call("open", { id })).body.email).toBe(email);
  });

  it("has nobody who withdrew the permission", async () => {
    const id = await addLead(database);
    await dana.call("claim", { id });
    await database.owner`select private.withdraw_permission(${id})`;
    expect(await idsIn(dana)).toEqual([]);
    expect((await dana.call("rows", { ids: [id] })).body.rows[0]).toMatchObject({
      withdrawn: true,
      stage: "closed",
      claim: null,
    });
  });

  it("follows the managers and the clock: paused states, hours that begin, and hours computed while the clock was ahead", async () => {
    const id = await addLead(database);
    expect((await dana.call("queue", {})).body.rows[0]).toMatchObject({ id, section: "callable" });
    await maria.call("pause-state", { state: "VT", reason: "An emergency" });
    const paused = (await dana.call("queue", {})).body;
    expect(paused.rows[0]).toMatchObject({
      section: "not_callable",
      place: { reason: "paused", blocking_state: "VT" },
    });
    expect((await dana.call("take-next")).body).toEqual({ id: null });
    await maria.call("resume-state", { state: "VT" });
    expect((await dana.call("queue", {})).body.counts).toMatchObject({ callable: 1, not_callable: 0 });
    // As if the calling hours had begun since the row was computed.
    await database.owner`update private.place_windows set callable = false, callable_at = now(), holds_until = now()`;
    expect((await dana.call("queue", {})).body.counts).toMatchObject({ callable: 1, not_callable: 0 });
    // As if the row had been computed while the database's clock was years ahead.
    await database.owner`
      update private.place_windows set callable = false, callable_at = now(), holds_until = now() + interval '3 years'`;
    expect((await dana.call("queue", {})).body.counts).toMatchObject({ callable: 1, not_callable: 0 });
  });

  it("computes the hours once for members who ask at the same moment", async () => {
    await addLead(database);
    await database.owner.begin(async (tx) => {
      // The transaction stands for a member whose now() is earlier than that of the computation below.
      await tx`select now()`;
      await database.owner`update private.place_windows set holds_until = default`;
      await database.owner`select private.refresh_place_windows()`;
      const rows = () => database.owner`select place, xmin::text from private.place_windows order by place`;
      const computed = await rows();
      await tx`select private.refresh_place_windows()`;
      expect(await tx`select place, xmin::text from private.place_windows order by place`).toEqual(computed);
    });
  });

  it("is read a page at a time without missing one or naming one twice", async () => {
    const all = [];
    for (let hour = 9; hour > 0; hour -= 1)
      all.push(await addLead(database, hour % 3 ? {} : { zip_code: nightZip }, hour));
    const read: string[] = [];
    let after: string | null = null;
    do {
      const { body }: Answer<ResponseOf<"queue">> = await dana.call("queue", { limit: 2, after });
      read.push(...body.rows.map(({ id }) => id));
      after = body.next;
    } while (after);
    expect(read).toHaveLength(9);
    expect(read.toSorted()).toEqual(all.toSorted());
  });

  it("is narrowed by state, section, lateness, flags and whose it is", async () => {
    const late = await addLead(database, {}, 30);
    const night = await addLead(database, { zip_code: nightZip }, 2);
    const spam = await addLead(database, { name: "Win at www.example.com" }, 1);
    const kentucky = await addLead(database, { zip_code: "40202" }, 3);
    expect(await idsIn(dana, { late: true })).toEqual([late]);
    expect(await idsIn(dana, { flagged: true })).toEqual([spam]);
    expect(await idsIn(dana, { state: "KY" })).toEqual([kentucky]);
    expect(await idsIn(dana, { section: "not_callable", state: "VT" })).toEqual([night]);
    await dana.call("claim", { id: night });
    await dana.call("outcome", { id: spam, call_id: null, outcome: "not_interested" });
    await dana.call("claim", { id: spam });
    expect(await idsIn(dana, { mine: true })).toEqual([night]);
    expect((await dana.call("queue", {})).body.counts.mine).toBe(1);
    expect(await idsIn(lee, { mine: true })).toEqual([]);
  });
});

describe("a lead reviewed by command", () => {
  it("leaves the queue, is closed, and has the time of its review", async () => {
    const id = await addLead(database);
    await database.owner`insert into private.reviews (lead_id, outcome) values (${id}, 'qualifies')`;
    expect(await idsIn(dana)).toEqual([]);
    expect((await dana.call("open", { id })).body).toMatchObject({
      stage: "closed",
      reviewed_at: expect.any(String),
    });
  });
});

describe("Take next lead", () => {
  it("claims the first that may be called, and shows the others who has it", async () => {
    const [first, second] = [await addLead(database, {}, 5), await addLead(database, {}, 4)];
    await addLead(database, { zip_code: nightZip }, 9);
    expect((await dana.call("take-next")).body).toEqual({ id: first });
    expect((await lee.call("queue", {})).body.rows[0]?.claim?.member.name).toBe("Dana");
    expect((await lee.call("take-next")).body).toEqual({ id: second });
    await lee.call("open", { id: second });
    expect((await lee.call("take-next")).body).toEqual({ id: null });
  });

  it("gives the same lead again until the member opens it, as long as it may be called and no other member has it", async () => {
    const [first, second] = [await addLead(database, {}, 5), await addLead(database, {}, 4)];
    expect((await dana.call("take-next")).body).toEqual({ id: first });
    expect((await dana.call("take-next")).body).toEqual({ id: first });
    await maria.call("pause-state", { state: "VT", reason: "An emergency" });
    expect((await dana.call("take-next")).body).toEqual({ id: null });
    await maria.call("resume-state", { state: "VT" });
    await database.owner`delete from private.claims`;
    await lee.call("claim", { id: first });
    expect((await dana.call("take-next")).body).toEqual({ id: second });
  });

  it("gives a lead that came this moment, and none whose hours have ended since they were computed", async () => {
    await addLead(database, { zip_code: nightZip });
    await database.owner`update private.place_windows set callable = true, callable_until = now(), holds_until = now()`;
    expect((await dana.call("take-next")).body).toEqual({ id: null });
    const lead = aLead({ zip_code: noonZip, phone: aPhoneNumber() });
    const [came] = await database.owner`insert into public.leads ${database.owner(lead)} returning id`;
    expect((await dana.call("take-next")).body).toEqual({ id: came?.id });
  });

  it("passes over any number of leads that others have", async () => {
    await addLead(database);
    await database.owner`
      insert into public.leads (created_at, name, email, phone, zip_code, has_medicare, has_diabetes)
      select now() - interval '2 hours', 'Claimed ' || n, n || '@example.com', (1115560000 + n)::text, ${noonZip}, true, true
      from generate_series(1, 150) as n`;
    await database.owner`select private.index_new_leads(null, '100 years')`;
    await database.owner`
      insert into private.claims (lead_id, member_id)
      select id, ${lee.id} from public.leads where name like 'Claimed %'`;
    const [free] = await database.owner<
      { id: string }[]
    >`select id from public.leads where name not like 'Claimed %'`;
    expect((await dana.call("take-next")).body).toEqual({ id: free?.id });
    await dana.call("open", { id: free?.id ?? "" });
    expect((await dana.call("take-next")).body).toEqual({ id: null });
  });

  it("gives the same lead again to a member whom the answer did not reach, until they have opened it", async () => {
    const [first, second] = [await addLead(database, {}, 5), await addLead(database, {}, 4)];
    await dana.call("take-next");
    expect((await dana.call("take-next")).body).toEqual({ id: first });
    await dana.call("open", { id: first });
    expect((await dana.call("take-next")).body).toEqual({ id: second });
    await lee.call("outcome", { id: second, call_id: null, outcome: "not_interested" });
    expect((await dana.call("take-next")).body).toEqual({ id: null });
    const taken = await database.owner`
      select lead_id from private.audit_log where action = 'took next lead' and lead_id in (${first}, ${second})`;
    expect(taken).toHaveLength(2);
  });

  it("passes over a lead that is erased at that moment", async () => {
    const [erased, after] = [await addLead(database, {}, 5), await addLead(database, {}, 4)];
    const { taking } = await database.owner.begin(async (tx) => {
      await tx`select private.erase_leads(array[${erased}]::uuid[], 'asked')`;
      const taking = dana.call("take-next");
      await expect.poll(() => sessionsWaitingForLocks(database.owner)).toHaveLength(1);
      return { taking };
    });
    expect((await taking).body).toEqual({ id: after });
  });

  it("never gives one lead to two members who ask at the same moment", async () => {
    const all = [];
    for (let hour = 1; hour <= 20; hour += 1) all.push(await addLead(database, {}, hour));
    const members = await Promise.all(Array.from({ length: 24 }, (_, nth) => inbox.member(`Member ${nth}`)));
    const taken = await Promise.all(
      members.map((member) => member.call("take-next").then(({ body }) => body.id)),
    );
    const given = taken.filter((id) => id !== null);
    expect(new Set(given).size).toBe(given.length);
    expect(given.toSorted()).toEqual(all.toSorted());
  });
});

describe("a claim", () => {
  it("that was made while the database's clock was ahead is shortened to 20 minutes when another member takes the next lead", async () => {
    const id = await addLead(database);
    await lee.call("claim", { id });
    await database.owner`update private.claims set until = now() + interval '3 years' where lead_id = ${id}`;
    expect((await dana.call("take-next")).body).toEqual({ id: null });
    const [claim] = await database.owner`
      select until <= now() + interval '20 minutes' as "endsSoon" from private.claims where lead_id = ${id}`;
    expect(claim).toEqual({ endsSoon: true });
  });

  it("that was made while the database's clock was ahead does not give its lead again to the member who has opened it since", async () => {
    const [first, second] = [await addLead(database, {}, 5), await addLead(database, {}, 4)];
    await dana.call("take-next");
    await database.owner`
      update private.claims set claimed_at = claimed_at + interval '3 years', until = until + interval '3 years' where lead_id = ${first}`;
    await database.owner`
      update private.audit_log set at = at + interval '3 years' where lead_id = ${first} and action = 'took next lead'`;
    await dana.call("open", { id: first });
    expect((await dana.call("take-next")).body).toEqual({ id: second });
  });

  it("ends after 20 idle minutes, and what its member does on the lead renews it", async () => {
    const id = await addLead(database);
    await dana.call("claim", { id });
    const left = async () => {
      const [row] = await database.owner<{ minutes: number }[]>`
        select round(extract(epoch from until - now()) / 60)::int as minutes from private.claims where lead_id = ${id}`;
      return row?.minutes;
    };
    await database.owner`update private.claims set until = now() + interval '1 minute'`;
    await dana.call("keep-alive", {});
    expect(await left()).toBe(1);
    await dana.call("keep-alive", { lead: id });
    expect(await left()).toBe(20);
    await database.owner`update private.claims set until = now()`;
    expect((await lee.call("claim", { id })).body).toHaveProperty("until");
    expect((await dana.call("claim", { id })).body).toMatchObject({
      refused: "claimed",
      held_by: { name: "Lee" },
    });
  });

  it("ends when it is released, and when a manager takes it back", async () => {
    const id = await addLead(database);
    await dana.call("claim", { id });
    await lee.call("release", { id });
    expect((await lee.call("claim", { id })).body).toHaveProperty("refused");
    await dana.call("release", { id });
    expect((await lee.call("claim", { id })).body).toHaveProperty("until");
    expect((await dana.call("take-back", { id, member: lee.id })).status).toBe(403);
    await maria.call("take-back", { id, member: lee.id });
    expect((await dana.call("claim", { id })).body).toHaveProperty("until");
  });
});
