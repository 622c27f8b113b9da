// The counts of page loads by campaign and of web vitals: sums that the web process can only add to, by hour and later by day.
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Sql } from "../database/connect.ts";
import { aCount, addCounts, removeCounts } from "./support/counts.ts";
import {
  makeDatabase,
  refusal,
  removeLeads,
  sessionsWaitingForLocks,
  type TestDatabase,
} from "./support/database.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await makeDatabase();
});
beforeEach(async () => {
  await removeLeads(database.owner);
  await removeCounts(database.owner);
});

const add = (pages: object[], vitals: object[] = [], sql = database.intake) => addCounts(sql, pages, vitals);
const counts = () => database.owner<Record<string, string | number>[]>`
  select source, medium, campaign, variant, device, step, hour, n::int from private.page_counts order by 1, 2, 3, 4, 5, 6, 7`;

/** A count of the usual kind, and for each of its words one that differs in it. */
const kinds = [
  {},
  { source: "google" },
  { medium: "email" },
  { campaign: "summer" },
  { variant: "b" },
  { device: "tablet" },
  { step: "served" },
];

describe("the counts", () => {
  it("are added up by hour, source, medium, campaign, variant, device and step, and say nothing of who was counted", async () => {
    // Of one moment, because the hour may be over between two lines.
    const hour = await database.intake.begin(async (tx) => {
      const sql = tx as unknown as Sql;
      await add([...kinds.map(aCount), aCount({ source: "Facebook", n: 5 })], [], sql);
      await add(
        kinds.map((kind, nth) => aCount({ ...kind, n: 10 * (nth + 1) })),
        [],
        sql,
      );
      const [row] = await sql`select extract(hour from now() at time zone 'UTC')::int as hour`;
      return row?.hour;
    });
    expect((await counts()).toSorted((one, other) => Number(one.n) - Number(other.n))).toEqual(
      [1 + 5 + 10, 1 + 20, 1 + 30, 1 + 40, 1 + 50, 1 + 60, 1 + 70].map((n, nth) => ({
        ...aCount(kinds[nth]),
        hour,
        n,
      })),
    );
    const columns = await database.owner<{ name: string }[]>`
      select distinct column_name as name from information_schema.columns
      where table_schema = 'private' and table_name in ('page_counts', 'vital_counts') order by 1`;
    expect(columns.map(({ name }) => name)).toEqual([
      "bucket",
      "campaign",
      "day",
      "device",
      "hour",
      "medium",
      "n",
      "source",
      "step",
      "variant",
      "vital",
    ]);
  });

  it.each([
    ["a step that does not exist", aCount({ step: "stored" })],
    ["a device that does not exist", aCount({ device: "Rosa's phone" })],
    ["a variant that is no word", aCount({ variant: "rosa@example.com" })],
    ["no step", aCount({ step: null })],
    ["a count below zero", aCount({ n: -5 })],
    ["a count of zero", aCount({ n: 0 })],
    ["a count that is missing", aCount({ n: null })],
  ])("refuse a value that is not allowed, and add nothing then: %s", async (_, count) => {
    expect(await refusal(add([aCount({ n: 10 }), count]))).toMatch(/^235(14|02)$/);
    expect(await counts()).toEqual([]);
  });

  it("grow by at most a billion for one row of a batch, and a batch has at most 5,000", async () => {
    const aVital = { variant: "", device: "phone", vital: "lcp", bucket: 2, n: 10 ** 15 };
    await add([aCount({ n: 10 ** 15 })], [aVital]);
    expect((await counts())[0]?.n).toBe(1_000_000_000);
    expect(await database.owner`select n::int from private.vital_counts`).toEqual([{ n: 1_000_000_000 }]);
    const many = (length: number, one: object) => Array.from({ length }, () => one);
    expect(await refusal(add(many(5001, aCount())))).toBe("23514");
    expect(await refusal(add([], many(5001, { ...aVital, n: 1 })))).toBe("23514");
    await add(many(5000, aCount()), many(5000, { ...aVital, n: 1 }));
    expect((await counts())[0]?.n).toBe(1_000_005_000);
    expect(await database.owner`select n::int from private.vital_counts`).toEqual([{ n: 1_000_005_000 }]);
  });

  it("name at most 500 new campaigns a day, those of most loads first, and count the rest as (other)", async () => {
    await add([aCount({ n: 2 })]);
    const junk = Array.from({ length: 599 }, (_, nth) => aCount({ campaign: `junk ${nth}` }));
    await add([...junk, aCount({ campaign: "often", n: 3 })]);
    await add([aCount(), aCount({ campaign: "one more" })]);
    const [{ names } = { names: 0 }] = await database.owner<{ names: number }[]>`
      select count(distinct campaign)::int as names from private.page_counts where campaign <> '(other)'`;
    expect(names).toBe(500);
    const found = await counts();
    expect(found.find(({ campaign }) => campaign === "spring")?.n).toBe(3);
    expect(found.find(({ campaign }) => campaign === "often")?.n).toBe(3);
    expect(found.find(({ campaign }) => campaign === "(other)")).toMatchObject({
      source: "(other)",
      medium: "(other)",
      n: 102,
    });
    await database.owner`update private.campaign_names set first_day = first_day - 1`;
    await add([aCount({ campaign: "of the next day" })]);
    expect((await counts()).some(({ campaign }) => campaign === "of the next day")).toBe(true);
  });

  it("forget the name of a campaign that is known for more than 90 days and was not counted in the last 90", async () => {
    const sql = database.owner;
    await sql`
      insert into private.campaign_names (source, medium, campaign, variant, first_day)
      select 'facebook', 'paid', n.campaign, '', private.utc_day(now()) - n.days
      from (values ('old', 91), ('old and counted', 91), ('old and counted long ago', 91), ('younger', 90)) n (campaign, days)`;
    await sql`
      insert into private.page_counts (day, hour, source, medium, campaign, variant, device, step, n)
      select private.utc_day(now()) - c.days, c.hour, 'facebook', 'paid', c.campaign, '', 'phone', 'view', 1
      from (values ('old and counted', 90, -1), ('old and counted long ago', 91, -1), ('to be rolled up', 12, 1)) c (campaign, days, hour)`;
    await sql`select private.roll_up_counts()`;
    const names = await sql`select campaign from private.campaign_names order by 1`;
    expect(names.map(({ campaign }) => campaign)).toEqual(["old and counted", "younger"]);
  });

  it("lose none when several processes add at once", async () => {
    await Promise.all(
      Array.from({ length: 40 }, (_, nth) =>
        add([aCount({ campaign: `c${nth % 3}` }), aCount({ campaign: `c${(nth + 1) % 3}` })]),
      ),
    );
    expect((await counts()).reduce((sum, { n }) => sum + Number(n), 0)).toBe(80);
  });

  it("hold the web vitals in eight buckets each, from 0 to 7, and refuse another bucket and another vital", async () => {
    const aVital = { variant: "", device: "phone", vital: "lcp", bucket: 2, n: 1 };
    const all = ["cls", "inp", "lcp"].flatMap((vital) =>
      [0, 1, 2, 3, 4, 5, 6, 7].map((bucket) => ({ ...aVital, vital, bucket })),
    );
    await add([], [...all, { ...aVital, n: 4 }]);
    for (const refused of [{ bucket: -1 }, { bucket: 8 }, { vital: "fingerprint" }])
      expect([refused, await refusal(add([], [{ ...aVital, ...refused }]))]).toEqual([refused, "23514"]);
    const found = await database.owner`
      select variant, device, vital, bucket, n::int from private.vital_counts order by vital, bucket`;
    expect(found).toEqual(
      all.map((one) => (one.vital === "lcp" && one.bucket === 2 ? { ...one, n: 5 } : one)),
    );
  });

  it("refuse a count without a number, and a web vital's below one", async () => {
    const aVital = { variant: "", device: "phone", vital: "lcp", bucket: 2 };
    expect(await refusal(add([aCount({ n: null })]))).toBe("23502");
    for (const n of [null, 0, -5])
      expect([
        n,
        await refusal(
          add(
            [],
            [
              { ...aVital, n: 10 },
              { ...aVital, n },
            ],
          ),
        ),
      ]).toEqual([n, "23502"]);
  });

  it("are added while older ones are rolled up", async () => {
    const sql = database.owner;
    await sql`
      insert into private.page_counts (day, hour, source, medium, campaign, variant, device, step, n)
      values (current_date - 12, 1, 'facebook', 'paid', 'spring', '', 'phone', 'view', 1)`;
    const { rolling } = await sql.begin(async (tx) => {
      await tx`select from private.page_counts for update`;
      const rolling = sql`select private.roll_up_counts() as n`.execute();
      await expect.poll(() => sessionsWaitingForLocks(sql)).toHaveLength(1);
      await add([aCount()]);
      return { rolling };
    });
    expect(await rolling).toEqual([{ n: 1 }]);
    expect((await counts()).map(({ n }) => n)).toEqual([1, 1]);
  });

  it("are rolled up to days once they are more than eight days old, with the same sums, and once", async () => {
    await database.owner`
      insert into private.page_counts (day, hour, source, medium, campaign, variant, device, step, n)
      select date '2026-06-15' - d, h, 'facebook', 'paid', 'spring', '', 'phone', 'view', 1
      from unnest(array[1, 8, 9, 13]) as d, generate_series(0, 23) as h`;
    const sum = async () => (await counts()).reduce((total, { n }) => total + Number(n), 0);
    const roll = async () => {
      const [row] = await database.owner<{ n: number }[]>`
        select private.roll_up_counts('2026-06-15T23:59:59Z') as n`;
      return row?.n;
    };
    expect([await sum(), await roll(), await sum(), await roll(), await sum()]).toEqual([96, 48, 96, 0, 96]);
    const byDay = await database.owner`
      select date '2026-06-15' - day as ago, count(*)::int as rows, min(hour) as first from private.page_counts group by 1 order by 1`;
    expect(byDay).toEqual([
      { ago: 1, rows: 24, first: 0 },
      { ago: 8, rows: 24, first: 0 },
      { ago: 9, rows: 1, first: -1 },
      { ago: 13, rows: 1, first: -1 },
    ]);
  });

  it("are rolled up apart for each source, medium, campaign, variant, device and step", async () => {
    const sql = database.owner;
    for (const [nth, kind] of kinds.entries())
      for (const hour of [1, 2])
        await sql`insert into private.page_counts ${sql({ day: "2026-06-01", hour, ...aCount({ ...kind, n: nth + 1 }) })}`;
    await sql`select private.roll_up_counts('2026-06-15T00:00:00Z')`;
    expect((await counts()).toSorted((one, other) => Number(one.n) - Number(other.n))).toEqual(
      kinds.map((kind, nth) => ({ ...aCount(kind), hour: -1, n: 2 * (nth + 1) })),
    );
  });
});

describe("the web process", () => {
  it("may add to the counts, and may neither read nor change them, the names of campaigns or the costs in another way", async () => {
    expect(await refusal(add([aCount()]))).toBe("allowed");
    const tables = {
      page_counts: "(day, n) values (current_date, 1)",
      vital_counts: "(day, n) values (current_date, 1)",
      campaign_names: "(campaign, first_day) values ('spring', current_date)",
      campaign_costs: "(campaign, day) values ('spring', current_date)",
    };
    for (const statement of [
      ...Object.entries(tables).flatMap(([table, row]) => [
        `select from private.${table}`,
        `insert into private.${table} ${row}`,
        `update private.${table} set ${/\w+/.exec(row)} = null`,
        `delete from private.${table}`,
        `truncate private.${table}`,
      ]),
      "select private.roll_up_counts()",
      "select * from private.campaign_rows('-infinity', 'infinity', '-infinity', 'infinity')",
      "select private.record_campaign_costs('[]')",
      "select team.record_campaign_costs('[]')",
      "select team.campaigns('2026-01-01', '2026-01-31', 'UTC')",
    ]) {
      expect([statement, await refusal(database.intake.unsafe(statement))]).toEqual([statement, "42501"]);
    }
  });
});
