// The outbox on real PostgreSQL: what is owed, who holds it, and what becomes of it. Time is handed in.
import { beforeEach, describe, expect, it } from "vitest";
import { mostAttempts, waitAfter } from "../delivery/backoff.ts";
import { claim, hasten, record } from "../delivery/claim.ts";
import { countDeliveries } from "../delivery/counts.ts";
import type { Delivery } from "../delivery/delivery.ts";
import { enableChannels, oweForgotten, oweOverdue, retry, retryFailed } from "../delivery/outbox.ts";
import { aLead, makeDatabase } from "./support/database.ts";

const { owner: sql, intake } = await makeDatabase();
const all = { most: 100, lease: 60 };
const seconds = (count: number) => new Date(Date.now() + count * 1000);

beforeEach(async () => {
  await sql`truncate public.leads, private.deliveries cascade`;
  await sql`update private.channels set cooldown_until = null`;
  await enableChannels(sql, ["webhook"]);
});

const insert = (differences = {}) => intake`insert into public.leads ${intake(aLead(differences))}`;
const insertMany = async (count: number) => {
  await intake`insert into public.leads ${intake(Array.from({ length: count }, (_, i) => aLead({ name: `Visitor ${i}` })))}`;
};
const states = () => sql`
  select event, channel, attempts, delivered_at is not null as delivered, failed_at is not null as failed, last_error
  from private.deliveries order by channel, event`;

describe("the outbox", () => {
  it("owes a stored lead to each channel that is set up, and to no other", async () => {
    await insert();
    expect(await states()).toMatchObject([{ event: "lead.created", channel: "webhook", attempts: 0 }]);
    await enableChannels(sql, ["email", "webhook"]);
    await insert({ name: "Ana" });
    expect((await states()).map((d) => d.channel)).toEqual(["email", "webhook", "webhook"]);
  });

  it("gives a delivery out with the lead, the permission and the marks", async () => {
    await insert({
      request_headers: { referer: "https://example.com/?utm_source=news", "x-honeypot-filled": "1" },
    });
    const [delivery] = await claim(sql, "webhook", all);
    expect(delivery).toMatchObject({
      event: "lead.created",
      attempt: 1,
      lead: aLead(),
      permission: { notice: null, withdrawn_at: null, page_path: "/", utm: { utm_source: "news" } },
      marks: ["honeypot filled"],
    });
    expect(delivery?.lead?.id).toBe(delivery?.leadId);
    expect(delivery?.lead?.created_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  });

  it("gives each delivery to one worker only, also when many ask at once", async () => {
    await insertMany(60);
    const claims = await Promise.all(
      Array.from({ length: 8 }, () => claim(sql, "webhook", { most: 10, lease: 60 })),
    );
    const ids = claims.flat().map((d) => d.id);
    expect(ids.length).toBeGreaterThanOrEqual(10);
    expect(new Set(ids).size).toBe(ids.length);
    const rest = await claim(sql, "webhook", all);
    expect(new Set([...ids, ...rest.map((d) => d.id)]).size).toBe(60);
  });

  it("gives what a dead worker held out again when its lease is over, under the same id and counted", async () => {
    await insert();
    const [first] = await claim(sql, "webhook", all);
    expect(await claim(sql, "webhook", { ...all, at: seconds(59) })).toEqual([]);
    const [again] = await claim(sql, "webhook", { ...all, at: seconds(61) });
    expect(again).toMatchObject({ id: first?.id, attempt: 2 });
  });

  it("gives a postponed delivery out when its time has come, and not before", async () => {
    await insert();
    const [delivery] = await claim(sql, "webhook", all);
    await record(sql, [{ ...held(delivery), reason: "answered 500", wait: 300 }]);
    expect(await claim(sql, "webhook", { ...all, at: seconds(295) })).toEqual([]);
    expect(await claim(sql, "webhook", { ...all, at: seconds(305) })).toHaveLength(1);
  });

  it("gives nothing out while a channel rests", async () => {
    await insert();
    expect(await claim(sql, "webhook", { ...all, rest: 20 })).toHaveLength(1);
    await insert({ name: "Ana" });
    expect(await claim(sql, "webhook", { ...all, rest: 20, at: seconds(19) })).toEqual([]);
    expect(await claim(sql, "webhook", { ...all, rest: 20, at: seconds(21) })).toHaveLength(1);
  });

  it("takes no rest while more are waiting than it was asked for", async () => {
    await insertMany(3);
    expect(await claim(sql, "webhook", { most: 2, lease: 60, rest: 20 })).toHaveLength(2);
    expect(await claim(sql, "webhook", { most: 2, lease: 60, rest: 20 })).toHaveLength(1);
    await insert();
    expect(await claim(sql, "webhook", { most: 2, lease: 60, rest: 20 })).toEqual([]);
  });

  it("takes no rest when there was nothing to give", async () => {
    await claim(sql, "webhook", { ...all, rest: 20 });
    await insert();
    expect(await claim(sql, "webhook", { ...all, rest: 20 })).toHaveLength(1);
  });

  it("lets a late word of a worker whose lease is over not undo another's claim", async () => {
    await insert();
    const [late] = await claim(sql, "webhook", all);
    const [holder] = await claim(sql, "webhook", { ...all, at: seconds(61) });
    await record(sql, [{ ...held(late), reason: "answered 500", wait: 0 }]);
    expect(await claim(sql, "webhook", { ...all, at: seconds(62) })).toEqual([]);
    await record(sql, [{ ...held(late), delivered: true }]);
    await record(sql, [{ ...held(holder), reason: "answered 410", failed: true }]);
    expect(await states()).toMatchObject([{ delivered: true, failed: false }]);
  });

  it("fails a delivery with its reason and has it tried again when the team asks", async () => {
    await insert();
    const [delivery] = await claim(sql, "webhook", all);
    await record(sql, [{ ...held(delivery), reason: "answered 410", failed: true }]);
    expect(await states()).toMatchObject([{ failed: true, last_error: "answered 410" }]);
    expect(await claim(sql, "webhook", { ...all, at: seconds(1e6) })).toEqual([]);
    expect(await retryFailed(sql)).toBe(1);
    expect(await claim(sql, "webhook", all)).toMatchObject([{ id: delivery?.id, attempt: 1 }]);
  });

  it("has a lead's deliveries tried again, and leaves what was delivered", async () => {
    await enableChannels(sql, ["email", "webhook"]);
    await insert();
    const [webhook] = await claim(sql, "webhook", all);
    const [email] = await claim(sql, "email", all);
    await record(sql, [
      { ...held(webhook), reason: "answered 500", wait: 9999 },
      { ...held(email), delivered: true },
    ]);
    expect(await retry(sql, webhook?.leadId ?? "")).toBe(1);
    expect(await retry(sql, "00000000-0000-4000-8000-000000000000")).toBe(0);
    expect(await claim(sql, "webhook", all)).toHaveLength(1);
    expect(await claim(sql, "email", all)).toEqual([]);
  });

  it("owes a lead that nobody was told of to the channels set up since, when the team asks", async () => {
    await enableChannels(sql, []);
    await insert();
    const [lead] = await sql`select id from public.leads`;
    expect(await states()).toEqual([]);
    await enableChannels(sql, ["email", "webhook"]);
    expect(await retry(sql, lead?.id)).toBe(2);
    expect(await states()).toMatchObject([{ channel: "email" }, { channel: "webhook" }]);
  });

  it("owes the leads of the last three days that nobody was told of, once, unless the team has seen them", async () => {
    await enableChannels(sql, []);
    await insertMany(3);
    await sql`update public.leads set created_at = now() - interval '73 hours' where name = 'Visitor 0'`;
    await sql`insert into private.reviews (lead_id) select id from public.leads where name = 'Visitor 1'`;
    await enableChannels(sql, ["webhook"]);
    expect(await oweForgotten(sql)).toBe(1);
    expect(await oweForgotten(sql)).toBe(0);
    expect((await claim(sql, "webhook", all)).map((d) => d.lead?.name)).toEqual(["Visitor 2"]);
  });

  it("owes word of a lead that waited 20 hours unreviewed, once", async () => {
    await insertMany(2);
    await sql`insert into private.reviews (lead_id) select id from public.leads where name = 'Visitor 1'`;
    expect(await oweOverdue(sql, seconds(19.9 * 3600))).toBe(0);
    expect(await oweOverdue(sql, seconds(20.1 * 3600))).toBe(1);
    expect(await oweOverdue(sql, seconds(20.2 * 3600))).toBe(0);
    expect((await states()).filter((d) => d.event === "lead.overdue")).toHaveLength(1);
  });

  it("makes what waits for an ended outage due, but not what was asked to wait", async () => {
    await insertMany(3);
    const claimed = await claim(sql, "webhook", { most: 2, lease: 60 });
    const [one, two] = claimed;
    await record(sql, [
      { ...held(one), reason: "answered 503", wait: 3600 },
      { ...held(two), reason: "answered 503, asked to wait", wait: 3600 },
    ]);
    await hasten(sql, "webhook");
    expect((await claim(sql, "webhook", all)).map((d) => d.id)).not.toContain(two?.id);
    expect(await claim(sql, "webhook", { ...all, at: seconds(3601) })).toHaveLength(3);
  });

  it("keeps what is owed to a channel that is no longer set up", async () => {
    await insert();
    await enableChannels(sql, []);
    expect(await countDeliveries(sql)).toMatchObject([
      { channel: "email", enabled: false, pending: 0, failed: 0, delivered: 0, oldestPending: null },
      { channel: "webhook", enabled: false, pending: 1, oldestPending: expect.any(Date) },
    ]);
  });

  it("owes word of an erased lead also when the team had the delivery tried again", async () => {
    await insert();
    const [delivery] = await claim(sql, "webhook", all);
    await record(sql, [{ ...held(delivery), reason: "no answer within 10 s", failed: true }]);
    await retryFailed(sql);
    await sql`select private.erase_leads(array[${delivery?.leadId ?? ""}]::uuid[], 'asked')`;
    expect(await claim(sql, "webhook", all)).toEqual([]);
    expect(await claim(sql, "webhook", { ...all, at: seconds(61) })).toMatchObject([
      { event: "lead.erased", leadId: delivery?.leadId, lead: null, permission: null, marks: [] },
    ]);
  });
});

describe("the waits between tries", () => {
  const even = () => 0.5;
  const waits = Array.from({ length: mostAttempts }, (_, i) => waitAfter(i + 1, 0, even));

  it("grow from seconds to hours over about three days, and end", () => {
    const given = waits.filter((wait) => wait !== undefined);
    expect(given[0]).toBe(5);
    expect(given).toEqual(given.toSorted((a, b) => a - b));
    expect(given.at(-1)).toBe(4 * 3600);
    expect(given.reduce((sum, wait) => sum + wait) / 3600).toBeCloseTo(72, 0);
    expect(waits.at(-1)).toBeUndefined();
  });

  it("are longer when a receiver asks, up to six hours, and never shorter", () => {
    expect(waitAfter(1, 120, even)).toBe(120);
    expect(waitAfter(1, 1e9, even)).toBe(6 * 3600);
    expect(waitAfter(10, 1, even)).toBe(4 * 3600);
  });
});

const held = (delivery: Delivery | undefined) => {
  if (!delivery) throw new Error("Nothing was claimed.");
  const { leadId, channel, event, attempt } = delivery;
  return { leadId, channel, event, attempt };
};
