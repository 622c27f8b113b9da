// Page loads are read from the sums of whole months, from the sums of the other summed days, and from the counts of the rest: exactly the
// rows that reading each count gives.
import { beforeAll, describe, expect, it } from "vitest";
import type { Sql } from "../database/connect.ts";
import { makeDatabase, type TestDatabase } from "./support/database.ts";

const dayInMs = 24 * 3_600_000;
const today = Math.floor(Date.now() / dayInMs) * dayInMs;
const dateOf = (time: number) => new Date(time).toISOString().slice(0, 10);
const daysAgo = (days: number) => dateOf(today - days * dayInMs);
const monthOf = (date: string) => `${date.slice(0, 7)}-01`;

let sql: TestDatabase["owner"];
beforeAll(async () => {
  ({ owner: sql } = await makeDatabase());
  // Today and the last eight days have counts by hour, earlier days one for the whole day; nothing was counted from the 40th to the 44th day
  // before today.
  await sql`
    insert into private.page_counts (day, hour, source, medium, campaign, variant, device, step, n)
    select ${daysAgo(0)}::text::date - ago, hour, campaign, '', campaign, variant, device, step, 1 + ago + hour + length(step)
    from generate_series(0, 150) as ago
      join unnest(array[-1, 0, 12, 23]) as hour on (hour < 0) = (ago > 8),
      unnest(array['spring', 'autumn']) as campaign, unnest(array['', 'garden']) as variant, unnest(array['phone', 'bot']) as device,
      unnest(array['served', 'prefetched', 'view', 'reload', 'return', 'half_read', 'form_seen', 'began', 'pressed']) as step
    where ago not between 40 and 44`;
  await sumUp();
});

const sumUp = () => sql`select private.sum_up_report_days(400)`;

const summedMonths = async () => {
  const found = await sql`select distinct month::text from private.report_page_months order by 1`;
  return found.map(({ month }) => month as string);
};

/** The page loads of whole days, as the reports ask for them. */
const loads = (tx: Sql, since: string, until: string) => tx`
  select p.source, p.medium, p.campaign, p.variant, p.device, sum(p.served)::int as served, sum(p.prefetched)::int as prefetched,
    sum(p.views)::int as views, sum(p.reloaded)::int as reloaded, sum(p.returned)::int as returned, sum(p.half_read)::int as half_read,
    sum(p.form_seen)::int as form_seen, sum(p.began)::int as began, sum(p.pressed)::int as pressed
  from private.page_sums(
    ${since}::text::timestamp at time zone 'UTC', ${until}::text::timestamp at time zone 'UTC' + interval '1 day', ${since}, ${until}
  ) p
  group by 1, 2, 3, 4, 5 order by 1, 2, 3, 4, 5`;

/** The same, each count read by itself. */
const loadsRead = (since: string, until: string) => sql`
  select c.source, c.medium, c.campaign, c.variant, c.device, sum(c.n) filter (where c.step = 'served')::int as served,
    sum(c.n) filter (where c.step = 'prefetched')::int as prefetched, sum(c.n) filter (where c.step = 'view')::int as views,
    sum(c.n) filter (where c.step = 'reload')::int as reloaded, sum(c.n) filter (where c.step = 'return')::int as returned,
    sum(c.n) filter (where c.step = 'half_read')::int as half_read, sum(c.n) filter (where c.step = 'form_seen')::int as form_seen,
    sum(c.n) filter (where c.step = 'began')::int as began, sum(c.n) filter (where c.step = 'pressed')::int as pressed
  from private.page_counts c
  where c.day between ${since} and ${until}
  group by 1, 2, 3, 4, 5 order by 1, 2, 3, 4, 5`;

/**
 * Compares the page loads with the counts: of all days; of days that begin or end within a month; of a month, and of a month with a day less at
 * either end.
 */
async function expectSameAsCounts() {
  const [month = ""] = await summedMonths();
  const last = dateOf(Date.parse(monthOf(dateOf(Date.parse(month) + 40 * dayInMs))) - dayInMs);
  const spans = [
    ["2000-01-01", daysAgo(0)],
    ["2000-01-01", daysAgo(60)],
    [daysAgo(100), daysAgo(1)],
    [daysAgo(140), daysAgo(20)],
    [month, last],
    [dateOf(Date.parse(month) + dayInMs), last],
    [month, dateOf(Date.parse(last) - dayInMs)],
  ] as const;
  for (const [since, until] of spans) {
    const rows = [...(await loads(sql, since, until))];
    expect([since, until, rows]).toEqual([since, until, [...(await loadsRead(since, until))]]);
    // Of two campaigns, two variants and two devices.
    expect(rows.length).toBe(8);
  }
}

describe("the page loads of a long time, from the sums of its months", () => {
  it("are the same as from each count, of whole months and of parts of them", async () => {
    // The month that has begun, and the one in which the counting began, are not whole.
    const months = await summedMonths();
    expect(months.length).toBeGreaterThanOrEqual(3);
    expect(months).not.toContain(monthOf(daysAgo(0)));
    expect(Date.parse(months[0] ?? "")).toBeGreaterThanOrEqual(Date.parse(daysAgo(150)));
    await expectSameAsCounts();
  });

  it("are read from the sums of the months, and not from their days", async () => {
    const [month = ""] = await summedMonths();
    const undone = new Error("undone");
    const read = sql.begin(async (tx) => {
      const views = async () => {
        const rows = await loads(tx as unknown as Sql, "2000-01-01", daysAgo(0));
        return rows.reduce((sum, { views }) => sum + views, 0);
      };
      const before = await views();
      await tx`delete from private.report_pages where private.month_of(day) = ${month}`;
      expect(await views()).toBe(before);
      const changed =
        await tx`update private.report_page_months set views = views + 1 where month = ${month}`;
      expect(await views()).toBe(before + changed.count);
      throw undone;
    });
    await expect(read).rejects.toBe(undone);
  });

  it("agree with the counts also when those of a summed month change, before the month is summed anew and after", async () => {
    const [month = ""] = await summedMonths();
    const changes = [
      () =>
        sql`update private.page_counts set n = n + 5 where day = ${month}::text::date + 11 and campaign = 'spring'`,
      () => sql`delete from private.page_counts where day = ${month}::text::date + 12 and device = 'phone'`,
      () => sql`
        insert into private.page_counts (day, hour, source, medium, campaign, variant, device, step, n)
        values (${month}::text::date + 12, -1, 'spring', '', 'spring', '', 'phone', 'view', 1000)`,
      () => sql`update private.page_counts set day = ${daysAgo(0)} where day = ${month}::text::date + 14`,
      () =>
        sql`update private.page_counts set day = ${month}::text::date + 14 where day = ${daysAgo(0)} and hour = -1`,
    ];
    for (const change of changes) {
      await change();
      await expectSameAsCounts();
      await sumUp();
      await expectSameAsCounts();
      expect(await summedMonths()).toContain(month);
    }
  });

  it("agree with the counts when days are rolled up, and when one day of a month is not summed", async () => {
    const [month = ""] = await summedMonths();
    await sql`select private.roll_up_counts(${new Date(today + 3 * dayInMs)})`;
    await expectSameAsCounts();
    await sumUp();
    await expectSameAsCounts();
    await sql`delete from private.report_page_days where day = ${month}::text::date + 20`;
    await expectSameAsCounts();
  });

  it("agree with the counts when all are removed at once and others are counted since", async () => {
    const [month = ""] = await summedMonths();
    await sumUp();
    await sql`truncate private.page_counts`;
    await sql`
      insert into private.page_counts (day, hour, source, medium, campaign, variant, device, step, n)
      select day, -1, 'spring', '', 'spring', '', 'phone', 'view', 1000
      from unnest(array[${month}::text::date, ${daysAgo(1)}::text::date]) as day`;
    const rows = [...(await loads(sql, "2000-01-01", daysAgo(0)))];
    expect(rows.map(({ campaign, views }) => [campaign, views])).toEqual([["spring", 2000]]);
  });
});
