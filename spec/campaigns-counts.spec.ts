// What the database keeps of the ads: sums that the web process can only add to, by hour and later by day.
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Sql } from "../database/connect.ts";
import { aCount, addCounts, removeCounts } from "./support/counts.ts";
import {
  makeDatabase,
  refusal,
  removeLeads,
  sessionsAtLocks,
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

describe("the counts", () => {
  it("are added up by hour, campaign, variant, device and step, and say nothing of who was counted", async () => {
    // Of one moment, because the hour may be over between two lines.
    const hour = await database.intake.begin(async (tx) => {
      const sql = tx as unknown as Sql;
      await add([aCount(), aCount({ source: "Facebook" }), aCount({ step: "served", n: 3 })], [], sql);
      await add([aCount({ n: 2 })], [], sql);
      const [row] = await sql`select extract(hour from now() at time zone 'UTC')::int as hour`;
      return row?.hour;
    });
    const common = {
      source: "facebook",
      medium: "paid",
      campaign: "spring",
      variant: "",
      device: "phone",
      hour,
    };
    expect(await counts()).toEqual([
      { ...common, step: "served", n: 3 },
      { ...common, step: "view", n: 4 },
    ]);
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
    ["a count below one", aCount({ n: -5 })],
  ])("refuse a value that is not allowed, and add nothing then: %s", async (_, count) => {
    expect(await refusal(add([aCount(), count]))).toMatch(/^235(14|02)$/);
    expect(await counts()).toEqual([]);
  });

  it("grow by at most a million for one row of a batch, and a batch has at most 5,000", async () => {
    const aVital = { variant: "", device: "phone", vital: "lcp", bucket: 2, n: 10 ** 15 };
    await add([aCount({ n: 10 ** 15 })], [aVital]);
    expect((await counts())[0]?.n).toBe(1_000_000);
    expect(await database.owner`select n::int from private.vital_counts`).toEqual([{ n: 1_000_000 }]);
    const many = (one: object) => Array.from({ length: 5001 }, () => one);
    expect(await refusal(add(many(aCount())))).toBe("23514");
    expect(await refusal(add([], many({ ...aVital, n: 1 })))).toBe("23514");
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

  it("hold the web vitals in eight buckets each", async () => {
    const aVital = { variant: "", device: "phone", vital: "lcp", bucket: 2, n: 1 };
    await add([], [aVital, { ...aVital, n: 4 }]);
    const found =
      await database.owner`select variant, device, vital, bucket, n::int from private.vital_counts`;
    expect(found).toEqual([{ ...aVital, n: 5 }]);
    expect(await refusal(add([], [{ ...aVital, bucket: 8 }]))).toBe("23514");
    expect(await refusal(add([], [{ ...aVital, vital: "fingerprint" }]))).toBe("23514");
  });

  it("refuse a count without a number", async () => {
    const aVital = { variant: "", device: "phone", vital: "lcp", bucket: 2, n: null };
    expect(await refusal(add([aCount({ n: null })]))).toBe("23514");
    expect(await refusal(add([], [aVital]))).toBe("23514");
  });

  it("are added while older ones are rolled up", async () => {
    const sql = database.owner;
    await sql`
      insert into private.page_counts (day, hour, source, medium, campaign, variant, device, step, n)
      values (current_date - 12, 1, 'facebook', 'paid', 'spring', '', 'phone', 'view', 1)`;
    const { rolling } = await sql.begin(async (tx) => {
      await tx`select from private.page_counts for update`;
      const rolling = sql`select private.roll_up_counts() as n`.execute();
      await expect.poll(() => sessionsAtLocks(sql)).toHaveLength(1);
      await add([aCount()]);
      return { rolling };
    });
    expect(await rolling).toEqual([{ n: 1 }]);
    expect((await counts()).map(({ n }) => n)).toEqual([1, 1]);
  });

  it("are rolled up to days after eight days, with the same sums, and once", async () => {
    await database.owner`
      insert into private.page_counts (day, hour, source, medium, campaign, variant, device, step, n)
      select current_date - d, h, 'facebook', 'paid', 'spring', '', 'phone', 'view', 1
      from unnest(array[1, 7, 12, 13]) as d, generate_series(0, 23) as h`;
    const sum = async () => (await counts()).reduce((total, { n }) => total + Number(n), 0);
    const roll = async () => {
      const [row] = await database.owner<{ n: number }[]>`select private.roll_up_counts() as n`;
      return row?.n;
    };
    expect([await sum(), await roll(), await sum(), await roll(), await sum()]).toEqual([96, 48, 96, 0, 96]);
    const byDay = await database.owner`
      select current_date - day as ago, count(*)::int as rows, min(hour) as first from private.page_counts group by 1 order by 1`;
    expect(byDay).toEqual([
      { ago: 1, rows: 24, first: 0 },
      { ago: 7, rows: 24, first: 0 },
      { ago: 12, rows: 1, first: -1 },
      { ago: 13, rows: 1, first: -1 },
    ]);
  });
});

describe("the web process", () => {
  it("may add to the counts and do nothing else with them", async () => {
    for (const statement of [
      "select * from private.page_counts",
      "select * from private.vital_counts",
      "select * from private.campaign_costs",
      "insert into private.page_counts values (current_date, 1, '', '', '', '', 'phone', 'view', 1)",
      "update private.page_counts set n = 0",
      "delete from private.page_counts",
      "truncate private.page_counts",
      "select private.roll_up_counts()",
      "select * from private.campaign_rows('-infinity', 'infinity', '-infinity', 'infinity')",
      "select private.record_campaign_costs('[]')",
    ]) {
      expect([statement, await refusal(database.intake.unsafe(statement))]).toEqual([statement, "42501"]);
    }
  });
});
