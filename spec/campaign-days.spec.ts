// Which page loads belong to which day of a manager's report of the ads: older ones to days of UTC, the others to days of the manager's zone.
import { beforeAll, describe, expect, it } from "vitest";
import { removeCounts } from "./support/counts.ts";
import { makeDatabase, type TestDatabase } from "./support/database.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await makeDatabase();
});

describe("a manager's days", () => {
  it.each([
    ["America/New_York", "the newest day of UTC has that evening too", [24, 29, 24]],
    ["Asia/Tokyo", "the day after the newest day of UTC lacks the hours that UTC's day has", [24, 24, 15]],
  ])("hold each load once where older days of UTC meet days of %s: %s", async (zone, _, loads) => {
    const sql = database.owner;
    await removeCounts(sql);
    // The 15th and the 16th are rolled up.
    await sql`
      insert into private.page_counts (day, hour, source, medium, campaign, variant, device, step, n)
      select day::date, hour, 'facebook', 'paid', 'spring', '', 'phone', 'view', case when hour < 0 then 24 else 1 end
      from generate_series('2026-11-13'::timestamp, '2026-11-19', '1 day') day
        join generate_series(-1, 23) hour on (hour < 0) = (day < '2026-11-17')`;
    const loadsOf = async (since: string, until: string) => {
      const [found] = await sql`select team.campaigns(${since}, ${until}, ${zone}) as report`;
      const viewsOf = (counted: { views: number }[]) => counted.map(({ views }) => views);
      const days = viewsOf(found?.report.days);
      expect(viewsOf(found?.report.rows)).toEqual([days.reduce((sum, views) => sum + views, 0)]);
      return days;
    };
    expect(await loadsOf("2026-11-15", "2026-11-17")).toEqual(loads);
    expect(await loadsOf("2026-11-15", "2026-11-16")).toEqual(loads.slice(0, 2));
    expect(await loadsOf("2026-11-17", "2026-11-17")).toEqual(loads.slice(2));
  });
});
