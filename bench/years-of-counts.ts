// Fills a database with what years of page loads leave behind: sums by campaign, kind of device and step (of each hour of the last days,
// of each day before), web vitals and costs. The campaigns, and the experiment of the last sixty days, are those of bench/years-of-leads.ts.
import type { Sql } from "../database/connect.ts";

/** For how many days an experiment has run: half of the loads showed the original, half the variant "garden". */
export const experimentDays = 60;

export async function fillCounts(sql: Sql, days: number, daysByHourBeforeToday = 8): Promise<void> {
  await sql`
    insert into private.experiments (variant, language, started_on, planned_rate, planned_lift)
    values ('garden', 'en', (now() at time zone 'UTC')::date - ${Math.min(days, experimentDays)}::integer, 0.02, 0.3)`;
  await sql`
    insert into private.page_counts (day, hour, source, medium, campaign, variant, device, step, n)
    select (now() at time zone 'UTC')::date - d.ago, h.hour, (array['facebook', 'google', 'paper'])[1 + c.nth % 3], '', 'spring ' || c.nth,
      x.variant, v.device, t.step, 1 + (d.ago * 31 + h.hour * 7 + c.nth) % 97
    from generate_series(0, ${days - 1}::integer) as d (ago)
    join generate_series(-1, 23) as h (hour) on (h.hour >= 0) = (d.ago <= ${daysByHourBeforeToday}::integer)
    join unnest(array['original', 'garden', '']) as x (variant) on (x.variant <> '') = (d.ago <= ${experimentDays}::integer),
      generate_series(0, 8) as c (nth), unnest(array['phone', 'tablet', 'computer', 'no-script', 'bot']) as v (device),
      unnest(array['served', 'prefetched', 'view', 'reload', 'return', 'half_read', 'form_seen', 'began', 'pressed']) as t (step)
    order by 1, 2, 3, 4, 5, 6, 7, 8`;
  await sql`
    insert into private.vital_counts (day, variant, device, vital, bucket, n)
    select (now() at time zone 'UTC')::date - d.ago, '', v.device, t.vital, b.bucket, 1 + d.ago % 97
    from generate_series(0, ${days - 1}::integer) as d (ago), unnest(array['phone', 'tablet', 'computer']) as v (device),
      unnest(array['lcp', 'cls', 'inp']) as t (vital), generate_series(0, 7) as b (bucket)
    order by 1, 2, 3, 4, 5`;
  await sql`
    insert into private.campaign_costs (day, source, medium, campaign, amount_cents)
    select (now() at time zone 'UTC')::date - d.ago, '', '', 'spring ' || c.nth, 10000 + c.nth
    from generate_series(0, ${days - 1}::integer) as d (ago), generate_series(0, 8) as c (nth)`;
}
