// A channel that is retired: what was owed to it is settled, and the team is told of its leads by the channels that are set up.
import { beforeEach, describe, expect, it } from "vitest";
import { claim, record } from "../delivery/claim.ts";
import { countDeliveries, readLeadCounts } from "../delivery/counts.ts";
import {
  enqueueMissedDeliveries,
  enqueueOverdueAlerts,
  requeueFailed,
  requeueLead,
  retireChannel,
  syncChannels,
} from "../delivery/outbox.ts";
import { claimOf } from "./support/a-delivery.ts";
import { byChannel } from "./support/by-channel.ts";
import { aLead, makeDatabase, removeLeads, sessionsWaitingForLocks } from "./support/database.ts";

const { owner: sql, intake } = await makeDatabase();
const all = { max: 100, lease: 60 };

beforeEach(async () => {
  await removeLeads(sql);
  await syncChannels(sql, ["webhook"]);
});

const insertMany = async (count: number) => {
  await intake`insert into public.leads ${intake(Array.from({ length: count }, (_, i) => aLead({ name: `Visitor ${i}` })))}`;
};

describe("a product without a channel", () => {
  it("counts the leads that nobody has reviewed, how many of these are owed to no channel, and all that are owed to none", async () => {
    await syncChannels(sql, []);
    await insertMany(3);
    await sql`insert into private.reviews (lead_id) select id from public.leads where name = 'Visitor 1'`;
    expect(await readLeadCounts(sql)).toMatchObject({
      stored: 3,
      unreviewed: 2,
      untold: 2,
      owedToNoChannel: 3,
    });
  });
});

describe("a retired channel", () => {
  it("has what is pending on it settled, and nothing requeued to it until it is set up again", async () => {
    await syncChannels(sql, ["email", "webhook"]);
    await insertMany(2);
    // A channel that is set up cannot be retired, because its server would send what is pending.
    expect(await retireChannel(sql, "webhook")).toBeUndefined();
    await syncChannels(sql, ["email"]);
    expect(await retireChannel(sql, "webhook")).toBe(2);
    expect(await requeueFailed(sql)).toBe(0);
    expect(byChannel(await countDeliveries(sql, new Date(Date.now() + 3_600_000)))).toMatchObject({
      email: { pending: 2, stuck: 2 },
      webhook: { retired: true, enabled: false, pending: 0, failed: 0, stuck: 0, lastError: null },
    });
    await syncChannels(sql, ["email", "webhook"]);
    expect(await requeueFailed(sql)).toBe(2);
  });

  it("has nothing pending by an erasure that was under way when it was retired", async () => {
    await insertMany(1);
    const [told] = await claim(sql, "webhook", all);
    await record(sql, [{ ...claimOf(told), delivered: true }]);
    await syncChannels(sql, []);
    const { retired } = await sql.begin(async (tx) => {
      await tx`select private.erase_leads(array(select id from public.leads), 'asked')`;
      const retired = retireChannel(sql, "webhook");
      await expect.poll(() => sessionsWaitingForLocks(sql)).toHaveLength(1);
      return { retired };
    });
    expect(await retired).toBe(1);
    expect(byChannel(await countDeliveries(sql)).webhook).toMatchObject({ pending: 0 });
  });

  it("makes an erasure of what it is owed wait until it is retired, without a deadlock", async () => {
    await syncChannels(sql, ["email"]);
    await insertMany(1);
    await syncChannels(sql, ["webhook"]);
    const { erasing } = await sql.begin(async (tx) => {
      await tx`select pg_advisory_xact_lock(hashtext('private.retire_channel'))`;
      const erasing = sql`delete from public.leads`.execute();
      await expect.poll(() => sessionsWaitingForLocks(sql)).toHaveLength(1);
      expect(await tx`select private.retire_channel('email') as settled`).toEqual([{ settled: 1 }]);
      return { erasing };
    });
    expect((await erasing).count).toBe(1);
  });

  it("can be told of an erasure in the meantime when it is set up again", async () => {
    await insertMany(1);
    await claim(sql, "webhook", all);
    await syncChannels(sql, []);
    await retireChannel(sql, "webhook");
    await sql`select private.erase_leads(array(select id from public.leads), 'asked')`;
    const counts = async () =>
      byChannel(await countDeliveries(sql, new Date(Date.now() + 3_600_000))).webhook;
    expect(await counts()).toMatchObject({ pending: 0, failed: 0, stuck: 0, lastError: null });
    await syncChannels(sql, ["webhook"]);
    expect(await counts()).toMatchObject({ pending: 0, failed: 1 });
    expect(await requeueFailed(sql)).toBe(1);
    const later = new Date(Date.now() + 120_000);
    expect(await claim(sql, "webhook", { ...all, at: later })).toMatchObject([{ event: "lead.erased" }]);
  });

  it("is told of an erasure after it is set up again, only where it may have heard of the lead", async () => {
    await insertMany(2);
    const [tried] = await claim(sql, "webhook", { ...all, max: 1 });
    await record(sql, [{ ...claimOf(tried), reason: "answered 503", wait: 3600 }]);
    await syncChannels(sql, []);
    await retireChannel(sql, "webhook");
    await syncChannels(sql, ["webhook"]);
    await sql`select private.erase_leads(array(select id from public.leads), 'asked')`;
    const owed = await sql`select lead_id, event from private.deliveries`;
    expect(owed).toEqual([{ lead_id: tried?.leadId, event: "lead.erased" }]);
  });

  it("leaves the leads that it took no message about owed to no channel, until a channel set up later is to tell of them", async () => {
    await insertMany(3);
    await sql`select private.index_new_leads()`;
    const [waiting, failed, delivered] = await claim(sql, "webhook", all);
    await record(sql, [
      { ...claimOf(waiting), reason: "answered 503", wait: 3600 },
      { ...claimOf(failed), reason: "answered 410", failed: true },
      { ...claimOf(delivered), delivered: true },
    ]);
    await syncChannels(sql, []);
    await retireChannel(sql, "webhook");
    const owedToNone = { untold: 2, owedToNoChannel: 2 };
    expect(await readLeadCounts(sql)).toMatchObject(owedToNone);
    await sql`select private.recount()`;
    expect(await readLeadCounts(sql)).toMatchObject(owedToNone);
    await sql`truncate private.lead_work cascade`;
    expect(await readLeadCounts(sql)).toMatchObject(owedToNone);
    await sql`select private.index_new_leads(look_back => '1 day')`;
    expect(await readLeadCounts(sql)).toMatchObject(owedToNone);
    await syncChannels(sql, ["email"]);
    expect(await requeueLead(sql, waiting?.leadId ?? "")).toBe(1);
    expect(await requeueLead(sql, delivered?.leadId ?? "")).toBe(0);
    expect(await readLeadCounts(sql)).toMatchObject({ untold: 1, owedToNoChannel: 1 });
    expect(await enqueueMissedDeliveries(sql)).toBe(1);
    expect(await readLeadCounts(sql)).toMatchObject({ untold: 0, owedToNoChannel: 0 });
    const told = await claim(sql, "email", all);
    expect(told.map(({ leadId }) => leadId).sort()).toEqual([waiting?.leadId, failed?.leadId].sort());
  });

  it("leaves the message about a new lead to the other channels, also where they took the alert that the lead is overdue", async () => {
    await insertMany(1);
    await sql`update public.leads set created_at = now() - interval '21 hours'`;
    await syncChannels(sql, ["email", "webhook"]);
    await enqueueOverdueAlerts(sql);
    const [alert] = await claim(sql, "email", all);
    await record(sql, [{ ...claimOf(alert), delivered: true }]);
    await syncChannels(sql, ["email"]);
    await retireChannel(sql, "webhook");
    expect(await enqueueMissedDeliveries(sql)).toBe(1);
    expect((await claim(sql, "email", all)).map(({ event }) => event)).toEqual(["lead.created"]);
  });

  it("leaves a reviewed lead to the team, who can have the message about it sent, also where another channel took the alert", async () => {
    await insertMany(1);
    await sql`update public.leads set created_at = now() - interval '21 hours'`;
    await syncChannels(sql, ["email", "webhook"]);
    await enqueueOverdueAlerts(sql);
    await sql`insert into private.reviews (lead_id) select id from public.leads`;
    const [alert] = await claim(sql, "email", all);
    await record(sql, [{ ...claimOf(alert), delivered: true }]);
    await syncChannels(sql, ["email"]);
    await retireChannel(sql, "webhook");
    expect(await enqueueMissedDeliveries(sql)).toBe(0);
    expect(await requeueLead(sql, alert?.leadId ?? "")).toBe(1);
    expect((await claim(sql, "email", all)).map(({ event }) => event)).toEqual(["lead.created"]);
  });

  it("is owed its leads again when it is set up again", async () => {
    await insertMany(1);
    await sql`select private.index_new_leads()`;
    await syncChannels(sql, []);
    await retireChannel(sql, "webhook");
    expect(await readLeadCounts(sql)).toMatchObject({ owedToNoChannel: 1 });
    await syncChannels(sql, ["webhook"]);
    expect(await readLeadCounts(sql)).toMatchObject({ owedToNoChannel: 0 });
    const [lead] = await sql`select id from public.leads`;
    expect(await requeueLead(sql, lead?.id)).toBe(1);
  });
});
