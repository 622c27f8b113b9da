// Which leads the queue has, in which section and order, by the hours, the callbacks, the calls and the claims of the moment.
import { beforeEach, describe, expect, it } from "vitest";
import { removeLeads } from "./support/database.ts";
import { addLead, aPhoneNumber, makeInbox, nightZip } from "./support/inbox.ts";

const { database, inbox } = await makeInbox();
const { owner } = database;
const dana = await inbox.member("Dana");
const lee = await inbox.member("Lee");
beforeEach(() => removeLeads(owner));

/** Lets a claim end in so many minutes. */
const endClaim = (id: string, minutes: number) => owner`
  update private.claims set until = now() + ${minutes} * interval '1 minute' where lead_id = ${id}`;

describe("the queue", () => {
  const attempts = (id: string | undefined, hoursAgo: string) => owner`
    insert into private.calls (lead_id, number_key, member_id, at)
    select w.lead_id, w.number_key, ${lee.id}, now() - hours * interval '1 hour'
    from private.lead_work w, unnest(${hoursAgo}::text::float[]) as hours where w.lead_id = ${id ?? ""}`;
  const callbackIn = async (minutes: number, differences: Record<string, unknown> = {}, isAsked = false) => {
    const id = await addLead(database, differences);
    await owner`
      update private.lead_work
      set stage = 'callback', callback_at = now() + ${minutes} * interval '1 minute', callback_zone = 'UTC',
        callback_asked_for = ${isAsked}
      where lead_id = ${id}`;
    return id;
  };

  it("has each lead once, in the section that the hours, the callback and the calls of the last 24 hours give, and gives out only who may be called", async () => {
    const [phone, night] = [aPhoneNumber(), { zip_code: nightZip }];
    const exhausted = [
      await addLead(database, { phone }),
      await addLead(database, { phone, name: "Rosa again" }),
      await callbackIn(-30, { phone, name: "Rosa as agreed" }),
      await addLead(database, { phone: "none" }),
    ];
    const atNight = [
      await addLead(database, { ...night, phone: "none" }),
      await addLead(database, night),
      await callbackIn(-20, night),
    ];
    const [asked, soon, later] = [
      await callbackIn(-10, night, true),
      await callbackIn(30),
      await callbackIn(180),
    ];
    // The two hours after its time are over.
    const missed = await callbackIn(-121, night, true);
    const free = await addLead(database);
    for (const id of [exhausted[0], exhausted[3], atNight[0]]) await attempts(id, "{23,3,2}");
    await attempts(free, "{24.01,3,2}");
    const { rows, counts } = (await dana.call("queue", {})).body;
    const idsOf = (section: string) => rows.filter((row) => row.section === section).map(({ id }) => id);
    expect(rows.map(({ id }) => id)).toEqual([asked, free, ...idsOf("not_callable")]);
    expect([idsOf("callback_due"), idsOf("callable")]).toEqual([[asked], [free]]);
    const waiting = idsOf("not_callable");
    expect([waiting[0], waiting[5]]).toEqual([soon, later]);
    expect(waiting.slice(1, 5).toSorted()).toEqual(exhausted.toSorted());
    expect(waiting.slice(6).toSorted()).toEqual([...atNight, missed].toSorted());
    expect(counts).toMatchObject({ callback_due: 1, callable: 1, not_callable: 10 });
    // In a paused state nobody may be called, not even at a time that the person asked for.
    await owner`insert into private.paused_states (state, paused_by, reason) values ('VT', 'Maria', 'An emergency')`;
    expect((await dana.call("queue", {})).body.counts).toMatchObject({ callback_due: 0, callable: 0 });
    expect((await dana.call("take-next")).body).toEqual({ id: null });
    await owner`delete from private.paused_states`;
    expect((await dana.call("take-next")).body).toEqual({ id: asked });
    expect((await lee.call("take-next")).body).toEqual({ id: free });
    await dana.call("open", { id: asked });
    expect((await dana.call("take-next")).body).toEqual({ id: null });
  });

  it("has the hours of each place computed again at the moment at which they end or begin", async () => {
    const rolledBack = owner.begin(async (tx) => {
      // At any moment the hours of one of these zones end within an hour, and those of another begin.
      await tx`
        insert into private.places (state, zone) select 'VT', 'Etc/GMT' || case when behind < 0 then '-' else '+' end || abs(behind)
        from generate_series(-12, 11) as behind on conflict do nothing`;
      await tx`insert into private.place_windows (place) select place from private.places where state = 'VT' on conflict do nothing`;
      await tx`select private.refresh_place_windows()`;
      const rows = await tx<{ holds_on: boolean }[]>`
        select distinct holds_until > coalesce(callable_until, callable_at) as holds_on
        from private.place_windows where states = '{VT}'`;
      // Thrown, so that the places of this test are rolled back.
      throw rows;
    });
    await expect(rolledBack).rejects.toEqual([{ holds_on: false }]);
  });

  it("counts a lead as late once its 24 hours are over, until it is tried, and a claim as its member's until it ends", async () => {
    const [, late] = [await addLead(database, {}, 23.99), await addLead(database, {}, 24.01)];
    await dana.call("claim", { id: late });
    const counts = async () => (await dana.call("queue", {})).body.counts;
    expect(await counts()).toMatchObject({ late: 1, mine: 1 });
    await endClaim(late, 0);
    await owner`update private.lead_work set tried_at = now() where lead_id = ${late}`;
    expect(await counts()).toMatchObject({ late: 0, mine: 0 });
  });
});
