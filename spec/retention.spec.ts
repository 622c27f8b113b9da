// How long leads are kept, and the circumstances of their permissions: network address, browser, page and campaign words.
import { createHash } from "node:crypto";
import { beforeEach, describe, expect, it } from "vitest";
import type { Sql } from "../database/connect.ts";
import { type SyncedSettings, syncSettings } from "../database/sync-settings.ts";
import { carryOutRetention } from "../delivery/scheduled-jobs.ts";
import { makeLog } from "../log/log.ts";
import { aLead, makeDatabase, sessionsWaitingForLocks } from "./support/database.ts";

const { owner: sql, intake } = await makeDatabase();
let lines: string[] = [];
const log = makeLog((line) => lines.push(line));
const sync = (settings: Partial<SyncedSettings> = {}) =>
  syncSettings(sql, {
    notices: [{ language: "en", text: "You may call me." }],
    keepAddress: true,
    ...settings,
  });

beforeEach(async () => {
  lines = [];
  await sql`truncate public.leads, private.permissions, private.deliveries, private.erasures, private.retention_plan,
    private.retention_run_days cascade`;
  await sql`update private.emptied_circumstances set up_to = default, up_to_lead = default`;
  await sync();
});

const request_headers = {
  referer: "https://site.example/offer?utm_source=news&utm_medium=email",
  "user-agent": "A browser",
  "x-forwarded-for": "192.0.2.7, 10.0.0.1",
};
const insert = (differences = {}, headers = {}) =>
  intake`insert into public.leads ${intake(aLead({ request_headers: { ...request_headers, ...headers }, ...differences }))}`;
const permissions = () => sql`
  select n.text as notice, p.page_origin, p.page_path, p.address, p.browser, p.utm
  from private.permissions p left join private.notices n on n.hash = p.notice_hash order by p.given_at`;

describe("retention", () => {
  const leads = async () => (await sql`select id from public.leads`).length;
  const age = (days: number) => sql`
    update public.leads set created_at = created_at - make_interval(days => ${days}) where name <> 'Newest'`;
  const hoursPass = (hours: number) => sql`
    update private.retention_plan set planned_at = planned_at - make_interval(hours => ${hours})`;
  const aDayPasses = () => hoursPass(24);
  const run = () => carryOutRetention(sql, log);
  const many = Array.from({ length: 1203 }, (_, i) => aLead({ name: `Visitor ${i}` }));

  it("erases nobody unless RETENTION_DAYS says so", async () => {
    await insert();
    await insert({ name: "Newest" });
    await age(10_000);
    await run();
    await aDayPasses();
    await run();
    expect(await leads()).toBe(2);
  });

  it("says how many would go, erases them a day later with everything about them, and leaves receipts", async () => {
    await sync({ retentionDays: 30 });
    await intake`insert into public.leads ${intake(many)}`;
    await insert({ name: "Newest" });
    await age(31);
    await run();
    await hoursPass(23);
    await run();
    expect(await leads()).toBe(1204);
    expect(lines.join("")).toMatch(/^\S+ warn retention-planned: .{0,300} leads=1203 circumstances=0\n$/);
    await hoursPass(1);
    await Promise.all([run(), run()]);
    expect(await leads()).toBe(1);
    expect(await permissions()).toHaveLength(1);
    expect(await sql`select reason, count(*)::int from private.erasures group by reason`).toEqual([
      { reason: "age", count: 1203 },
    ]);
  });

  it("erases nothing when even the newest lead has reached the age: the clock or the setting is wrong", async () => {
    await sync({ retentionDays: 30 });
    await insert();
    await age(31);
    await run();
    await aDayPasses();
    await run();
    expect(await leads()).toBe(1);
    expect(lines.join("")).toMatch(/error retention-refused: /);
  });

  it("does not say that something is kept where a lead is past the age of circumstances and has none any more", async () => {
    await sync({ permissionDays: 30 });
    await insert();
    await age(31);
    await sql`
      update private.permissions set given_at = given_at - interval '31 days',
        address = null, browser = null, page_origin = null, page_path = null, utm = null`;
    await run();
    await aDayPasses();
    await run();
    expect(lines.join("")).not.toContain("retention-refused");
  });

  it("erases a lead on time also after a newer one was erased, because the days on which it ran before that one count", async () => {
    await sync({ retentionDays: 30 });
    await insert();
    await age(31);
    await insert({ name: "Newest" });
    await sql`select private.index_new_leads(look_back => '100 years')`;
    await sql`insert into private.retention_run_days select (now() at time zone 'UTC')::date - n from generate_series(1, 31) n`;
    await run();
    await sql`select private.erase_leads(array(select id from public.leads where name = 'Newest'), 'asked')`;
    await aDayPasses();
    await run();
    expect(await leads()).toBe(0);
  });

  it("erases leads also on a site without new leads, when it ran on RETENTION_DAYS days since the newest one, not on 20 of 30", async () => {
    await sync({ retentionDays: 30 });
    await insert();
    await age(31);
    const ran = (days: number) => sql`
      insert into private.retention_run_days
      select (now() at time zone 'UTC')::date - n from generate_series(1, ${days}::integer) n on conflict do nothing`;
    await ran(20);
    await run();
    await aDayPasses();
    await run();
    expect(await leads()).toBe(1);
    expect(lines.join("")).toMatch(/error retention-refused: /);
    lines.length = 0;
    await run();
    await aDayPasses();
    await ran(30);
    await run();
    expect(await leads()).toBe(0);
    expect(lines.join("")).not.toContain("retention-refused");
  });

  it("takes nine tenths of RETENTION_DAYS days since the newest lead for all of them, because a server stands still now and then", async () => {
    // One transaction, because its time stands still, so no midnight comes in between.
    await sql.begin(async (tx) => {
      const isCredibleAfter = async (days: number) => {
        await tx`delete from private.retention_run_days`;
        await tx`
          insert into private.retention_run_days
          select (now() at time zone 'UTC')::date - n from generate_series(1, ${days}::integer) n`;
        const [row] = await tx`
          select private.is_age_credible(now() - interval '31 days', now() - interval '30 days', 30) as credible`;
        return row?.credible;
      };
      expect([await isCredibleAfter(26), await isCredibleAfter(27)]).toEqual([false, true]);
    });
  });

  it.each([
    { retentionDays: 6, permissionDays: 4 },
    { retentionDays: 4, permissionDays: 6 },
  ])(
    "counts once each day on which it ran, and forgets the days before the longest age that is set: %o",
    async (ages) => {
      await sync(ages);
      // One transaction, because its time stands still, so no midnight comes in between.
      await sql.begin(async (tx) => {
        await tx`insert into public.leads ${tx(aLead())}`;
        await tx`insert into private.retention_run_days select (now() at time zone 'UTC')::date - n from generate_series(1, 9) n`;
        await tx`select private.index_new_leads()`;
        for (let times = 0; times < 2; times += 1) await carryOutRetention(tx as unknown as Sql, log);
        expect(
          await tx`select (now() at time zone 'UTC')::date - day as ago from private.retention_run_days`,
        ).toEqual(expect.arrayContaining([0, 1, 2, 3, 4, 5, 6].map((ago) => ({ ago }))));
        expect(await tx`select from private.retention_run_days`).toHaveLength(7);
      });
    },
  );

  it("plans for the day after, so that a lead is erased, or its circumstances are emptied, on the day on which it reaches the age", async () => {
    await sync({ retentionDays: 30, permissionDays: 20 });
    const names = ["Of 29 days", "Of 28 days", "Of 19 days", "Of 18 days", "Newest"];
    for (const name of names) await insert({ name });
    await sql`
      with lead as (
        update public.leads set created_at = created_at - interval '12 hours' - substr(name, 4, 2)::integer * interval '1 day'
        where name like 'Of %' returning id, created_at
      )
      update private.permissions p set given_at = l.created_at from lead l where l.id = p.lead_id`;
    await run();
    await aDayPasses();
    await run();
    const left = await sql`
      select l.name, p.address from public.leads l join private.permissions p on p.lead_id = l.id order by l.created_at`;
    expect(left).toEqual([
      { name: "Of 28 days", address: null },
      { name: "Of 19 days", address: null },
      { name: "Of 18 days", address: "192.0.2.7" },
      { name: "Newest", address: "192.0.2.7" },
    ]);
  });

  it("erases the oldest first, in portions, and none that came at or after the moment given", async () => {
    for (const [name, time] of [
      ["Second", "2026-01-02T12:00:00Z"],
      ["Third", "2026-01-02T12:00:01Z"],
      ["First", "2026-01-02T11:59:59Z"],
    ] as const)
      await sql`insert into public.leads ${sql(aLead({ name, created_at: new Date(time) }))}`;
    await sql`select private.index_new_leads(null, '100 years')`;
    const left = async (atMost: number) => {
      await sql`select private.erase_oldest('2026-01-02T12:00:01Z', ${atMost})`;
      return (await sql`select name from public.leads order by created_at`).map(({ name }) => name);
    };
    expect([await left(1), await left(5)]).toEqual([["Second", "Third"], ["Third"]]);
  });

  it("does not take the day's work for done when somebody else has just erased the oldest leads", async () => {
    await sync({ retentionDays: 30 });
    await intake`insert into public.leads ${intake(many)}`;
    await insert({ name: "Newest" });
    await age(31);
    await sql`select private.index_new_leads(look_back => '100 years')`;
    await run();
    await aDayPasses();
    let portion: Promise<unknown> | undefined;
    await sql.begin(async (other) => {
      await other`select private.erase_oldest(now() - interval '30 days', 100)`;
      portion = sql`select erased, is_done from private.carry_out_retention(100)`.then(([row]) => row);
      await expect.poll(() => sessionsWaitingForLocks(sql)).toHaveLength(1);
    });
    expect(await portion).toEqual({ erased: 0, is_done: false });
    await run();
    expect(await leads()).toBe(1);
  });

  it("makes a new plan when the setting is changed, so that no mistyped number acts at once", async () => {
    await sync({ retentionDays: 1000 });
    await insert();
    await insert({ name: "Newest" });
    await age(31);
    await run();
    await aDayPasses();
    await sync({ retentionDays: 3 });
    await run();
    expect(await leads()).toBe(2);
    await aDayPasses();
    // The plan of 3 days is a day old, but the mistake was corrected before it was carried out.
    await sync({ retentionDays: 30 });
    lines = [];
    await run();
    expect(await leads()).toBe(2);
    expect(lines.join("")).toMatch(/retention-planned: .{0,300} leads=1 /);
    await aDayPasses();
    await run();
    expect(await sql`select name from public.leads`).toEqual([{ name: "Newest" }]);
  });

  it("makes a new plan where the database's clock was years ahead when it made the last one", async () => {
    await sync({ retentionDays: 30 });
    await insert();
    await insert({ name: "Newest" });
    await age(31);
    await run();
    await sql`
      update private.retention_plan
      set planned_at = now() + interval '3 years', leads_before = now() + interval '2 years 11 months'`;
    await run();
    await run();
    await aDayPasses();
    await run();
    expect(await sql`select name from public.leads`).toEqual([{ name: "Newest" }]);
  });

  it("empties the circumstances of permissions in portions, and reads leads again later only while a late lead has its circumstances", async () => {
    await sync({ permissionDays: 30 });
    await intake`insert into public.leads ${intake(many.slice(0, 25))}`;
    await insert({ name: "Newest" });
    await age(40);
    await sql`
      update private.permissions set given_at = l.created_at, address = '192.0.2.7' from public.leads l where l.id = lead_id`;
    const portions = async () => {
      const emptied: number[] = [];
      for (;;) {
        const [portion] = await sql<{ emptied: number; is_done: boolean }[]>`
          select emptied, is_done from private.carry_out_retention(10)`;
        if (!portion || portion.is_done) return emptied;
        emptied.push(portion.emptied);
      }
    };
    const nextDay = async () => {
      await sql`select private.plan_retention()`;
      await aDayPasses();
      return portions();
    };
    expect([await nextDay(), await nextDay(), await nextDay()]).toEqual([[10, 10, 5], [], []]);
    // A lead with a date of long ago, and with a permission of today.
    const late = aLead({ name: "Late", created_at: new Date(Date.now() - 41 * 86_400_000), request_headers });
    await sql`insert into public.leads ${sql(late)}`;
    await sql`select private.index_new_leads(null, '100 years')`;
    expect(await nextDay()).toEqual([0, 0, 0]);
    await sql`update private.permissions set given_at = given_at - interval '40 days' where lead_id = (
      select id from public.leads where name = 'Late')`;
    expect([await nextDay(), await nextDay()]).toEqual([[1, 0, 0], []]);
    expect((await permissions()).filter(({ address }) => address !== null)).toHaveLength(1);
  });

  it("empties circumstances after PERMISSION_DAYS, also where only campaign words are left, but not before, nor when even the newest lead is older", async () => {
    await sync({ permissionDays: 30 });
    await insert();
    await insert({ name: "Newest" });
    const ageAll = (days: number, name: string) => sql`
      with lead as (
        update public.leads set created_at = now() - make_interval(days => ${days}) where name <> ${name} returning id, created_at
      ),
      work as (update private.lead_work w set created_at = l.created_at from lead l where l.id = w.lead_id)
      update private.permissions p set given_at = l.created_at from lead l where l.id = p.lead_id`;
    const planAndErase = async () => {
      await sql`select private.index_new_leads(null, '100 years')`;
      await run();
      await aDayPasses();
      await run();
    };
    const addresses = async () =>
      (await permissions()).map(({ address, utm }) => address ?? utm?.utm_source ?? null);
    await ageAll(25, "Newest");
    await planAndErase();
    expect(await addresses()).toEqual(["192.0.2.7", "192.0.2.7"]);
    await ageAll(31, "");
    await sql`delete from private.retention_plan`;
    await planAndErase();
    expect(await addresses()).toEqual(["192.0.2.7", "192.0.2.7"]);
    expect(lines.join("")).toMatch(/error retention-refused: /);
    await sql`
      update private.permissions set address = null, browser = null, page_origin = null, page_path = null
      where lead_id = (select id from public.leads where name <> 'Newest')`;
    await insert({ name: "Newer" });
    await sql`delete from private.retention_plan`;
    await planAndErase();
    expect(await addresses()).toEqual([null, null, "192.0.2.7"]);
    const kept = await sql`select address from private.lead_work where address is not null`;
    expect(kept).toEqual([{ address: "192.0.2.7" }]);
  });

  it("empties the circumstances of a permission after PERMISSION_DAYS, and keeps its wording and time", async () => {
    await sync({ permissionDays: 1826 });
    await insert(
      {},
      { "x-permission-notice": createHash("sha256").update("You may call me.").digest("hex") },
    );
    await sql`update private.permissions set given_at = given_at - interval '1827 days'`;
    await sql`update public.leads set created_at = created_at - interval '1827 days'`;
    await insert({ name: "Newest" });
    await run();
    await aDayPasses();
    await run();
    expect(await permissions()).toMatchObject([
      {
        notice: "You may call me.",
        address: null,
        browser: null,
        page_path: null,
        page_origin: null,
        utm: null,
      },
      { address: "192.0.2.7" },
    ]);
    expect(lines.join("")).toMatch(/permissions-emptied: .{0,300} count=1\n/);
  });
});
