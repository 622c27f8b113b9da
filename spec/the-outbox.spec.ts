// The outbox on real PostgreSQL: which deliveries are owed, who has claimed them, and how they end. The time is a parameter.
import { createHash } from "node:crypto";
import { beforeEach, describe, expect, it } from "vitest";
import type { Sql } from "../database/connect.ts";
import { claim, record, retryNow } from "../delivery/claim.ts";
import { countDeliveries } from "../delivery/counts.ts";
import {
  enqueueMissedDeliveries,
  enqueueOverdueAlerts,
  requeueFailed,
  requeueLead,
  requeuePending,
  syncChannels,
} from "../delivery/outbox.ts";
import { claimOf } from "./support/a-delivery.ts";
import { byChannel } from "./support/by-channel.ts";
import { aLead, makeDatabase, removeLeads, sessionsWaitingForLocks } from "./support/database.ts";

const { owner: sql, intake } = await makeDatabase();
const all = { max: 100, lease: 60 };
/**
 * The moment `count` seconds after a test's zero. Zero is one second after its first call of this function, so that what was
 * enqueued just now is due at `seconds(0)`.
 */
const seconds = (count: number) => new Date((clockBegan ||= Date.now() + 1_000) + count * 1000);
let clockBegan: number;
beforeEach(async () => {
  clockBegan = 0;
  await removeLeads(sql);
  await sql`update private.channels set cooldown_until = null`;
  await syncChannels(sql, ["webhook"]);
});

const insert = (differences = {}) => intake`insert into public.leads ${intake(aLead(differences))}`;
const insertMany = (count: number) =>
  intake`insert into public.leads ${intake(Array.from({ length: count }, (_, i) => aLead({ name: `Visitor ${i}` })))}`;
const theLead = async () => (await sql<{ id: string }[]>`select id from public.leads`)[0]?.id;
const states = () => sql`
  select event, channel, attempts, delivered_at is not null as delivered, failed_at is not null as failed, last_error
  from private.deliveries order by channel, event`;

describe("a lead that is erased while its delivery is enqueued", () => {
  it.each([
    ["because it was owed to no channel", enqueueMissedDeliveries],
    ["because it waits for a review", enqueueOverdueAlerts],
    ["because the team asks for it", async (sql: Sql) => requeueLead(sql, (await theLead()) ?? "")],
  ] as const)("leaves nothing owed that could never be sent: %s", async (_, enqueue) => {
    await syncChannels(sql, []);
    await insert();
    await sql`update public.leads set created_at = now() - interval '21 hours'`;
    await syncChannels(sql, ["webhook"]);
    let enqueued: Promise<unknown> | undefined;
    await sql.begin(async (erasing) => {
      await erasing`delete from public.leads`;
      let isOver = false;
      enqueued = enqueue(sql).finally(() => (isOver = true));
      await expect.poll(async () => isOver || (await sessionsWaitingForLocks(sql)).length > 0).toBe(true);
    });
    await enqueued;
    expect(await states()).toEqual([]);
  });
});

describe("the outbox", () => {
  it("owes a stored lead to each channel that is set up, and to no other", async () => {
    await insert();
    expect(await states()).toMatchObject([{ event: "lead.created", channel: "webhook", attempts: 0 }]);
    await syncChannels(sql, ["email", "webhook"]);
    await insert({ name: "Ana" });
    expect((await states()).map((d) => d.channel)).toEqual(["email", "webhook", "webhook"]);
  });

  it("gives a delivery out without flags when these cannot be decided", async () => {
    await insert();
    await sql`alter function private.index_new_leads rename to index_no_leads`;
    const claimed = await claim(sql, "webhook", all).catch(String);
    await sql`alter function private.index_no_leads rename to index_new_leads`;
    expect(claimed).toMatchObject([{ attempt: 1, flags: [] }]);
  });

  it("gives a delivery out with the lead, the permission and the spam flags", async () => {
    await insert({
      request_headers: { referer: "https://example.com/?utm_source=news", "x-honeypot-filled": "1" },
    });
    const [delivery] = await claim(sql, "webhook", all);
    expect(delivery).toMatchObject({
      event: "lead.created",
      attempt: 1,
      lead: aLead(),
      permission: { notice: null, withdrawn_at: null, page_path: "/", utm: { utm_source: "news" } },
      flags: ["honeypot filled"],
    });
    expect(delivery?.lead?.id).toBe(delivery?.leadId);
    expect(delivery?.lead?.created_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  });

  it("gives a delivery out with the language of the notice that was shown", async () => {
    const wording = `Usted permite ${crypto.randomUUID()}`;
    await sql`
      insert into private.notices (hash, language, text)
      values (encode(sha256(convert_to(${wording}, 'UTF8')), 'hex'), 'es', ${wording})`;
    await insert({
      request_headers: { "x-permission-notice": createHash("sha256").update(wording).digest("hex") },
    });
    const [delivery] = await claim(sql, "webhook", all);
    expect(delivery).toMatchObject({ language: "es", permission: { notice: wording } });
  });

  it("gives each delivery out once, also when many ask at once", async () => {
    await insertMany(60);
    const claims = await Promise.all(
      Array.from({ length: 8 }, () => claim(sql, "webhook", { max: 10, lease: 60 })),
    );
    const ids = claims.flat().map((d) => d.id);
    expect(ids.length).toBeGreaterThanOrEqual(10);
    expect(new Set(ids).size).toBe(ids.length);
    const rest = await claim(sql, "webhook", all);
    const allIds = [...ids, ...rest.map((d) => d.id)];
    expect([allIds.length, new Set(allIds).size]).toEqual([60, 60]);
  });

  it("gives out what no other process is claiming at that moment, and does not wait for that process", async () => {
    await insertMany(3);
    await sql.begin(async (tx) => {
      const [taken] = await claim(tx as unknown as Sql, "webhook", { max: 1, lease: 60 });
      let rest: string[] = [];
      void claim(sql, "webhook", all).then((deliveries) => (rest = deliveries.map(({ id }) => id)));
      await expect.poll(async () => rest.length || (await sessionsWaitingForLocks(sql)).length).not.toBe(0);
      expect([rest.length, new Set([taken?.id, ...rest]).size]).toEqual([2, 3]);
    });
  });

  it("gives the delivery of a dead process out again when its lease is over, with the same id and as the next attempt", async () => {
    await insert();
    const [first] = await claim(sql, "webhook", { ...all, at: seconds(0) });
    expect(await claim(sql, "webhook", { ...all, at: seconds(59) })).toEqual([]);
    const [again] = await claim(sql, "webhook", { ...all, at: seconds(61) });
    expect(again).toMatchObject({ id: first?.id, attempt: 2 });
  });

  it("gives a postponed delivery out when its time has come, and not before", async () => {
    await insert();
    const [delivery] = await claim(sql, "webhook", { ...all, at: seconds(0) });
    await record(sql, [{ ...claimOf(delivery), reason: "answered 500", wait: 300 }], seconds(0));
    expect(await claim(sql, "webhook", { ...all, at: seconds(295) })).toEqual([]);
    expect(await claim(sql, "webhook", { ...all, at: seconds(305) })).toHaveLength(1);
  });

  it("gives nothing out during a channel's cooldown", async () => {
    await insert();
    expect(await claim(sql, "webhook", { ...all, cooldown: 20, at: seconds(0) })).toHaveLength(1);
    await insert({ name: "Ana" });
    expect(await claim(sql, "webhook", { ...all, cooldown: 20, at: seconds(19) })).toEqual([]);
    expect(await claim(sql, "webhook", { ...all, cooldown: 20, at: seconds(21) })).toHaveLength(1);
  });

  it("begins no cooldown while more are waiting than it was asked for", async () => {
    await insertMany(3);
    expect(await claim(sql, "webhook", { max: 2, lease: 60, cooldown: 20 })).toHaveLength(2);
    expect(await claim(sql, "webhook", { max: 2, lease: 60, cooldown: 20 })).toHaveLength(1);
    await insert();
    expect(await claim(sql, "webhook", { max: 2, lease: 60, cooldown: 20 })).toEqual([]);
  });

  it("begins no cooldown when there was nothing to give", async () => {
    await claim(sql, "webhook", { ...all, cooldown: 20 });
    await insert();
    expect(await claim(sql, "webhook", { ...all, cooldown: 20 })).toHaveLength(1);
  });

  it("fails a delivery with its reason and has it tried again when the team asks", async () => {
    await insert();
    const [delivery] = await claim(sql, "webhook", all);
    await record(sql, [{ ...claimOf(delivery), reason: "answered 410", failed: true }]);
    expect(await states()).toMatchObject([{ failed: true, last_error: "answered 410" }]);
    expect(await claim(sql, "webhook", { ...all, at: seconds(1e6) })).toEqual([]);
    expect(await requeueFailed(sql)).toBe(1);
    expect(await claim(sql, "webhook", all)).toMatchObject([{ id: delivery?.id, attempt: 1 }]);
  });

  it("has a lead's deliveries tried again, and leaves what was delivered", async () => {
    await syncChannels(sql, ["email", "webhook"]);
    await insert();
    const [webhook] = await claim(sql, "webhook", all);
    const [email] = await claim(sql, "email", all);
    await record(sql, [
      { ...claimOf(webhook), reason: "answered 500", wait: 9999 },
      { ...claimOf(email), delivered: true },
    ]);
    expect(await requeueLead(sql, webhook?.leadId ?? "")).toBe(1);
    expect(await requeueLead(sql, "00000000-0000-4000-8000-000000000000")).toBe(0);
    expect(await claim(sql, "webhook", all)).toHaveLength(1);
    expect(await claim(sql, "email", all)).toEqual([]);
  });

  it("owes a lead that was owed to no channel to those set up since, when the team asks", async () => {
    await syncChannels(sql, []);
    await insert();
    const [lead] = await sql`select id from public.leads`;
    expect(await states()).toEqual([]);
    await syncChannels(sql, ["email", "webhook"]);
    expect(await requeueLead(sql, lead?.id)).toBe(2);
    expect(await states()).toMatchObject([{ channel: "email" }, { channel: "webhook" }]);
  });

  it("owes a lead to every channel that is set up, when the team asks, until a channel has taken the message about it", async () => {
    await insert();
    const [delivery] = await claim(sql, "webhook", all);
    await record(sql, [{ ...claimOf(delivery), reason: "answered 503", wait: 3600 }]);
    await syncChannels(sql, ["email"]);
    expect(await requeueLead(sql, delivery?.leadId ?? "")).toBe(2);
    const claimed = await claim(sql, "email", all);
    expect(claimed).toHaveLength(1);
    await record(sql, [{ ...claimOf(claimed[0]), delivered: true }]);
    await syncChannels(sql, ["chat"]);
    await requeueLead(sql, delivery?.leadId ?? "");
    expect(await claim(sql, "chat", all)).toEqual([]);
  });

  it("owes the leads of the last three days that were owed to no channel, once, unless the team has reviewed them", async () => {
    await syncChannels(sql, []);
    await insertMany(3);
    await sql`
      update public.leads set created_at = now() - case name when 'Visitor 0' then interval '73 hours' else interval '71 hours' end`;
    await sql`insert into private.reviews (lead_id) select id from public.leads where name = 'Visitor 1'`;
    await syncChannels(sql, ["webhook"]);
    expect(await enqueueMissedDeliveries(sql)).toBe(1);
    expect(await enqueueMissedDeliveries(sql)).toBe(0);
    expect((await claim(sql, "webhook", all)).map((d) => d.lead?.name)).toEqual(["Visitor 2"]);
  });

  it.each(["5 minutes", "1 year"])(
    "goes on at the next look for missed deliveries after a moment in which the database's clock was %s ahead",
    async (ahead) => {
      await syncChannels(sql, ["email"]);
      await insertMany(2);
      const [held] = await claim(sql, "email", { max: 1, lease: 60 });
      await sql`update private.channels set cooldown_until = now() + ${ahead}::interval`;
      await sql`
        update private.deliveries
        set due_at = due_at + case when claimed_until is null then ${ahead}::interval else '0' end,
          claimed_until = claimed_until + ${ahead}::interval`;
      expect(await claim(sql, "email", all)).toEqual([]);
      expect(await enqueueMissedDeliveries(sql)).toBe(0);
      const claimed = await claim(sql, "email", all);
      expect([claimed.length, claimed.some((d) => d.id === held?.id)]).toEqual([2, true]);
    },
  );

  it("looks for missed deliveries without changing a claim, a cooldown, or the longest wait that a receiver may ask for", async () => {
    await syncChannels(sql, ["email"]);
    await insertMany(2);
    const [asked] = await claim(sql, "email", { max: 1, lease: 60 });
    await record(sql, [{ ...claimOf(asked), reason: "answered 503, asked to wait", wait: 6 * 3600 }]);
    expect(await claim(sql, "email", { max: 2, lease: 90, cooldown: 20 })).toHaveLength(1);
    const waiting = () =>
      sql`select due_at, claimed_until, cooldown_until from private.deliveries, private.channels where name = 'email' order by id`;
    const before = await waiting();
    await enqueueMissedDeliveries(sql);
    expect(await waiting()).toEqual(before);
  });

  it("owes an alert about a lead that waited 20 hours unreviewed, once", async () => {
    await insertMany(2);
    await sql`insert into private.reviews (lead_id) select id from public.leads where name = 'Visitor 1'`;
    expect(await enqueueOverdueAlerts(sql, seconds(19.9 * 3600))).toBe(0);
    expect(await enqueueOverdueAlerts(sql, seconds(20.1 * 3600))).toBe(1);
    expect(await enqueueOverdueAlerts(sql, seconds(20.2 * 3600))).toBe(0);
    expect((await states()).filter((d) => d.event === "lead.overdue")).toHaveLength(1);
  });

  it("takes no alert back that was tried, because its channel is to be told of an erasure, also when the team has it tried again", async () => {
    await syncChannels(sql, []);
    await insert();
    await syncChannels(sql, ["webhook"]);
    await enqueueOverdueAlerts(sql, seconds(20.1 * 3600));
    const [alert] = await claim(sql, "webhook", { ...all, at: seconds(20.1 * 3600) });
    await record(sql, [{ ...claimOf(alert), reason: "no answer within 10 s", failed: true }]);
    await sql`insert into private.reviews (lead_id) select id from public.leads`;
    await requeueFailed(sql);
    await enqueueOverdueAlerts(sql, seconds(20.2 * 3600));
    await sql`select private.erase_leads(array(select id from public.leads), 'asked')`;
    expect((await states()).map(({ event }) => event)).toEqual(["lead.erased"]);
  });

  it("makes due what waited for the end of an outage, but not what the receiver asked to wait", async () => {
    await insertMany(3);
    const claimed = await claim(sql, "webhook", { max: 2, lease: 60 });
    const [one, two] = claimed;
    await record(sql, [
      { ...claimOf(one), reason: "answered 503", wait: 3600 },
      { ...claimOf(two), reason: "answered 503, asked to wait", wait: 3600 },
    ]);
    await retryNow(sql, "webhook");
    const given = (await claim(sql, "webhook", all)).map(({ id }) => id);
    expect(given).toHaveLength(2);
    expect(given).toContain(one?.id);
    expect(given).not.toContain(two?.id);
    expect((await claim(sql, "webhook", { ...all, at: seconds(3601) })).map(({ id }) => id)).toContain(
      two?.id,
    );
  });

  it("keeps what is owed to a channel that is no longer set up", async () => {
    await insert();
    await syncChannels(sql, []);
    expect(byChannel(await countDeliveries(sql))).toMatchObject({
      chat: { enabled: false, pending: 0 },
      email: { enabled: false, pending: 0, failed: 0, delivered: 0, oldestPending: null },
      webhook: { enabled: false, pending: 1, oldestPending: expect.any(Date) },
    });
  });

  it("owes a message about the erasure of a lead also when the team had the delivery tried again", async () => {
    await insert();
    const [delivery] = await claim(sql, "webhook", all);
    await record(sql, [{ ...claimOf(delivery), reason: "no answer within 10 s", failed: true }]);
    await requeueFailed(sql);
    await sql`select private.erase_leads(array[${delivery?.leadId ?? ""}]::uuid[], 'asked')`;
    expect(await claim(sql, "webhook", all)).toEqual([]);
    expect(await claim(sql, "webhook", { ...all, at: seconds(91) })).toMatchObject([
      { event: "lead.erased", leadId: delivery?.leadId, lead: null, permission: null, flags: [] },
    ]);
  });

  it("tells no channel of an erasure while it may be sending the lead there, also when the team has what waits tried now", async () => {
    await insert();
    const { leadId } = claimOf((await claim(sql, "webhook", all))[0]);
    await sql`select private.erase_leads(array[${leadId}]::uuid[], 'asked')`;
    expect([await requeuePending(sql), await requeueLead(sql, leadId)]).toEqual([0, 0]);
    expect(await claim(sql, "webhook", all)).toEqual([]);
    expect(await claim(sql, "webhook", { ...all, at: seconds(91) })).toMatchObject([
      { event: "lead.erased" },
    ]);
  });

  it("has what waits for a later attempt tried now when the team asks, and leaves what failed until the team asks for that", async () => {
    await insertMany(3);
    const [waiting, failed] = await claim(sql, "webhook", { max: 2, lease: 60 });
    await record(sql, [
      { ...claimOf(waiting), reason: "answered 503", wait: 3600 },
      { ...claimOf(failed), reason: "answered 410", failed: true },
    ]);
    await claim(sql, "webhook", all);
    expect(await requeuePending(sql)).toBe(1);
    expect(await requeuePending(sql)).toBe(0);
    expect((await claim(sql, "webhook", all)).map((d) => d.id)).toEqual([waiting?.id]);
    expect(await requeueFailed(sql)).toBe(1);
    expect((await claim(sql, "webhook", all)).map((d) => d.id)).toEqual([failed?.id]);
  });

  it("counts as stuck what was owed 15 minutes ago and is not delivered, however often it is tried", async () => {
    await insert();
    const [delivery] = await claim(sql, "webhook", all);
    await record(sql, [{ ...claimOf(delivery), reason: "answered 503", wait: 3600 }]);
    const stuckAfter = async (minutes: number) =>
      (await countDeliveries(sql, seconds(60 * minutes))).find(({ channel }) => channel === "webhook")?.stuck;
    expect([await stuckAfter(14), await stuckAfter(16)]).toEqual([0, 1]);
    await record(sql, [{ ...claimOf(delivery), delivered: true }]);
    expect(await stuckAfter(16)).toBe(0);
  });

  it("keeps the reason of a channel's last failure until everything that waited or failed because of it is delivered", async () => {
    await insertMany(2);
    const [one, two] = await claim(sql, "webhook", all);
    const lastError = async () =>
      (await countDeliveries(sql)).find(({ channel }) => channel === "webhook")?.lastError;
    expect(await lastError()).toBeNull();
    await record(sql, [{ ...claimOf(one), reason: "answered 503", wait: 5 }]);
    await record(sql, [{ ...claimOf(two), reason: "answered 404: check the address", failed: true }]);
    expect(await lastError()).toBe("answered 404: check the address");
    await record(sql, [{ ...claimOf(one), delivered: true }]);
    expect(await lastError()).toBe("answered 404: check the address");
    await requeueFailed(sql);
    const [again] = await claim(sql, "webhook", all);
    await record(sql, [{ ...claimOf(again), delivered: true }]);
    expect(await lastError()).toBeNull();
  });
});
