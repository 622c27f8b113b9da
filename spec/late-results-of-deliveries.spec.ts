// Results that come after the lease of their claim is over, because the process was held up, or the database could not be reached.
import { beforeEach, describe, expect, it } from "vitest";
import { claim, record } from "../delivery/claim.ts";
import { requeueFailed, syncChannels } from "../delivery/outbox.ts";
import { claimOf } from "./support/a-delivery.ts";
import { aLead, makeDatabase, removeLeads } from "./support/database.ts";

const { owner: sql, intake } = await makeDatabase();
const all = { max: 100, lease: 60 };
const begin = Date.now() + 1_000;
const seconds = (count: number) => new Date(begin + count * 1000);

beforeEach(async () => {
  await removeLeads(sql);
  await syncChannels(sql, ["webhook"]);
});

const state = async () => {
  const [row] = await sql`
    select delivered_at is not null as delivered, failed_at is not null as failed, last_error from private.deliveries`;
  return row;
};

describe("a late result of a delivery", () => {
  it("is ignored when it is a failure of a process whose lease is over, because another has the claim, and taken when it is a success", async () => {
    await intake`insert into public.leads ${intake(aLead())}`;
    const [late] = await claim(sql, "webhook", all);
    const [holder] = await claim(sql, "webhook", { ...all, at: seconds(61) });
    await record(sql, [{ ...claimOf(late), reason: "answered 500", wait: 0 }]);
    expect(await claim(sql, "webhook", { ...all, at: seconds(62) })).toEqual([]);
    await record(sql, [{ ...claimOf(late), delivered: true }]);
    await record(sql, [{ ...claimOf(holder), reason: "answered 410", failed: true }]);
    expect(await state()).toMatchObject({ delivered: true, failed: false });
  });

  it("is ignored when it is a failure of an attempt from before a retry, which counts the attempts anew", async () => {
    await intake`insert into public.leads ${intake(aLead())}`;
    const [late] = await claim(sql, "webhook", all);
    const [holder] = await claim(sql, "webhook", { ...all, at: seconds(61) });
    await record(sql, [{ ...claimOf(holder), reason: "answered 410", failed: true }]);
    expect(await requeueFailed(sql)).toBe(1);
    const [retried] = await claim(sql, "webhook", { ...all, at: seconds(70) });
    expect(retried?.attempt).toBe(late?.attempt);
    const postponed = { ...claimOf(retried), reason: "answered 503", wait: 300 };
    await record(sql, [{ ...claimOf(late), reason: "answered 500", failed: true }]);
    expect(await state()).toMatchObject({ failed: false });
    await record(sql, [postponed, { ...claimOf(holder), reason: "answered 500", failed: true }]);
    expect(await state()).toMatchObject({ failed: false, last_error: "answered 503" });
  });

  it("that is a success, while a retry has not begun, lets the channel be told of an erasure", async () => {
    await intake`insert into public.leads ${intake(aLead())}`;
    const [late] = await claim(sql, "webhook", all);
    const [holder] = await claim(sql, "webhook", { ...all, at: seconds(61) });
    await record(sql, [{ ...claimOf(holder), reason: "answered 410", failed: true }]);
    await requeueFailed(sql);
    await record(sql, [{ ...claimOf(late), delivered: true }]);
    await sql`select private.erase_leads(array(select id from public.leads), 'asked')`;
    expect(await sql`select event from private.deliveries`).toEqual([{ event: "lead.erased" }]);
  });

  it("counts where one batch brings both a failure and, from an earlier attempt, a success", async () => {
    await intake`insert into public.leads ${intake(aLead())}`;
    const [late] = await claim(sql, "webhook", all);
    const [holder] = await claim(sql, "webhook", { ...all, at: seconds(61) });
    const failure = { ...claimOf(holder), reason: "answered 410", failed: true } as const;
    await record(sql, [failure, { ...claimOf(late), delivered: true }]);
    expect(await state()).toMatchObject({ delivered: true, failed: false });
  });
});
