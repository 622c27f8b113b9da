// When a channel is told that a permission was withdrawn: at once, and never while it is being sent an earlier state of the lead. The time is
// a parameter.
import { beforeEach, describe, expect, it } from "vitest";
import { claim, record } from "../delivery/claim.ts";
import { enqueueOverdueAlerts, syncChannels } from "../delivery/outbox.ts";
import { claimOf } from "./support/a-delivery.ts";
import { aLead, makeDatabase, removeLeads } from "./support/database.ts";

const { owner: sql, intake } = await makeDatabase();
const all = { max: 100, lease: 60 };
/** The moment `count` seconds after a test's zero. What was enqueued before the first call of this function is due at `seconds(0)`. */
const seconds = (count: number) => new Date((clockBegan ||= Date.now() + 1_000) + count * 1000);
let clockBegan: number;
let id: string;
beforeEach(async () => {
  clockBegan = 0;
  await removeLeads(sql);
  await syncChannels(sql, ["webhook"]);
  await intake`insert into public.leads ${intake(aLead())}`;
  id = (await sql<{ id: string }[]>`select id from public.leads`)[0]?.id ?? "";
});

const stop = () => sql`select private.withdraw_permission(${id})`;
const claimAt = (second: number, differences = {}) =>
  claim(sql, "webhook", { ...all, at: seconds(second), ...differences });

describe("the message about a withdrawal", () => {
  it("is due at once", async () => {
    const [created] = await claimAt(0);
    await record(sql, [{ ...claimOf(created), delivered: true }]);
    await stop();
    expect(await claimAt(30)).toMatchObject([
      { event: "permission.withdrawn", permission: { withdrawn_at: expect.any(String) } },
    ]);
  });

  it("is sent as soon as the one about the lead, which is under way, has arrived", async () => {
    const [created] = await claimAt(0);
    await stop();
    expect(await claimAt(30)).toEqual([]);
    await record(sql, [{ ...claimOf(created), delivered: true }]);
    expect(await claimAt(30)).toMatchObject([{ event: "permission.withdrawn" }]);
  });

  it("is not in one claim with the one about the lead, which goes first and says that the permission was withdrawn", async () => {
    await stop();
    const [created, ...others] = await claimAt(0);
    expect(others).toEqual([]);
    expect(created).toMatchObject({
      event: "lead.created",
      permission: { withdrawn_at: expect.any(String) },
    });
    await record(sql, [{ ...claimOf(created), delivered: true }]);
    expect(await claimAt(30)).toMatchObject([{ event: "permission.withdrawn" }]);
  });

  it("waits for the one about the lead also when the stop's transaction began before the lead came", async () => {
    const [created] = await claimAt(0);
    await stop();
    await sql`
      update private.deliveries set created_at = created_at - interval '1 hour', due_at = due_at - interval '1 hour'
      where event = 'permission.withdrawn'`;
    expect(await claimAt(30)).toEqual([]);
    await record(sql, [{ ...claimOf(created), delivered: true }]);
    expect(await claimAt(30)).toMatchObject([{ event: "permission.withdrawn" }]);
  });

  it("waits for an alert that was enqueued while the stop was being recorded", async () => {
    await sql`update public.leads set created_at = now() - interval '21 hours'`;
    const [created] = await claimAt(0);
    await record(sql, [{ ...claimOf(created), delivered: true }]);
    expect(await enqueueOverdueAlerts(sql)).toBe(1);
    const [overdue] = await claimAt(0);
    await stop();
    await sql`
      update private.deliveries set created_at = created_at - interval '1 hour', due_at = due_at - interval '1 hour'
      where event = 'permission.withdrawn'`;
    expect(await claimAt(30)).toEqual([]);
    await record(sql, [{ ...claimOf(overdue), delivered: true }]);
    expect(await claimAt(30)).toMatchObject([{ event: "permission.withdrawn" }]);
  });

  it("follows the one about the lead once more when a process that was sending that one has died", async () => {
    await claimAt(0);
    await stop();
    expect(await claimAt(59)).toEqual([]);
    const [again] = await claimAt(61, { lease: 200 });
    expect(again).toMatchObject({
      event: "lead.created",
      attempt: 2,
      permission: { withdrawn_at: expect.any(String) },
    });
    expect(await claimAt(120)).toEqual([]);
    await record(sql, [{ ...claimOf(again), delivered: true }]);
    expect(await claimAt(121)).toMatchObject([
      { event: "permission.withdrawn", permission: { withdrawn_at: expect.any(String) } },
    ]);
  });

  it("goes on while the one about the lead waits for a later attempt", async () => {
    const [created] = await claimAt(0);
    await record(sql, [{ ...claimOf(created), reason: "answered 503", wait: 4 * 3600 }]);
    await stop();
    expect(await claimAt(30)).toMatchObject([{ event: "permission.withdrawn" }]);
  });
});
