// The reports of what the ads brought take a day's sums where they exist, and elsewhere read the leads and the counts by hour. Each row is
// the same as if every lead and every count were read.
import { beforeAll, describe, expect, it } from "vitest";
import type { Sql } from "../database/connect.ts";
import { syncSettings } from "../database/sync-settings.ts";
import { addUp } from "../delivery/scheduled-jobs.ts";
import { askAsOperator } from "../team/ask.ts";
import { type CampaignRow, campaignRows } from "../team/campaigns.ts";
import { experiments } from "../team/experiments.ts";
import { anExperiment } from "./support/an-experiment.ts";
import { makeDatabase, type TestDatabase } from "./support/database.ts";

const zone = "America/New_York";
const hour = 3_600_000;
const day = 24 * hour;
const now = Date.now();
const daysAgo = (days: number) => new Date(now - days * day).toISOString().slice(0, 10);

let database: TestDatabase;
beforeAll(async () => {
  database = await makeDatabase();
  await syncSettings(database.owner, {
    notices: [],
    keepAddress: true,
    experiments: [anExperiment({ variant: "garden", startedOn: daysAgo(8), endedOn: daysAgo(2) })],
  });
  await countLoads();
  await addLeads(Array.from({ length: 400 }, (_, nth) => aLeadOf(nth)));
  await workOnLeads();
});

/** The nth of the values, round and round. */
const pick = <Value>(values: readonly Value[], nth: number): Value => values[nth % values.length] as Value;

/** A lead of the last twelve days, from one of several pages, browsers and variants. */
function aLeadOf(nth: number, at = now - 2 * hour - ((nth * 41) % (12 * 24)) * hour) {
  const words = pick(
    [
      "?utm_source=facebook&utm_medium=paid&utm_campaign=spring",
      "?utm_source=Facebook&utm_medium=paid&utm_campaign=Spring",
      "?utm_source=news&utm_campaign=autumn",
      "?utm_campaign=never%20counted",
      "?utm_campaign=rosa%40example.com",
      "",
    ],
    nth,
  );
  return {
    name: `Rosa ${nth}`,
    phone: `305555${String(1000 + nth)}`,
    created_at: new Date(at).toISOString(),
    request_headers: {
      referer: `https://article.example/${words}`,
      "user-agent": pick(["Mozilla/5.0 (iPhone) Mobile/15E148", "Mozilla/5.0 (Windows NT 10.0)", ""], nth),
      ...(nth % 5 > 2 && { "x-variant": pick(["original", "garden"], nth) }),
      ...(nth % 7 === 0 && { "x-device": "no-script" }),
      ...(nth % 20 === 1 && { "x-device": "bot", "x-honeypot-filled": "yes" }),
    },
  };
}

const addLeads = (leads: object[]) => database.owner`
  insert into leads (created_at, name, email, phone, zip_code, request_headers)
  select x.created_at, x.name, 'rosa@example.com', x.phone, '33101', x.request_headers
  from jsonb_to_recordset(${JSON.stringify(leads)}::text::jsonb) as x (created_at timestamptz, name text, phone text, request_headers jsonb)`;

/** Some campaigns are counted, some are over the limit of names. */
async function countLoads() {
  const counted = [
    { source: "facebook", medium: "paid", campaign: "spring", n: 90 },
    { source: "news", medium: "", campaign: "autumn", n: 40 },
    { source: "(other)", medium: "(other)", campaign: "(other)", n: 3 },
  ];
  await database.owner`
    insert into private.page_counts (day, hour, source, medium, campaign, variant, device, step, n)
    select ${daysAgo(0)}::text::date - ago, h.hour, c.source, c.medium, c.campaign, pick, device, step, c.n + ago + h.hour
    from jsonb_to_recordset(${JSON.stringify(counted)}::text::jsonb) as c (source text, medium text, campaign text, n int),
      generate_series(0, 14) as ago
      join unnest(array[-1, 0, 5, 13, 23]) as h (hour) on (h.hour < 0) = (ago > 8),
      unnest(array['', 'original', 'garden']) as pick, unnest(array['phone', 'bot']) as device, unnest(array['view', 'pressed']) as step
    where ago > 0 or h.hour < ${new Date(now).getUTCHours()}::int`;
}

/** Reviews, outcomes, withdrawals and erasures; then the days are summed. */
async function workOnLeads() {
  const sql = database.owner;
  await sql`select private.index_new_leads(10000, interval '1 year')`;
  const ids = await idsOf("true");
  const every = (nth: number, from: number) => ids.filter((_, at) => at % nth === from);
  await sql`insert into private.reviews (lead_id, reviewed_at) select unnest(${every(3, 0)}::uuid[]), now()`;
  await sql`update private.lead_work set outcome = 'likely_qualifies' where lead_id = any (${every(6, 0)}::uuid[])`;
  await sql`update private.lead_work set outcome = 'wrong_number' where lead_id = any (${every(6, 3)}::uuid[])`;
  for (const id of every(40, 2)) await sql`select private.withdraw_permission(${id})`;
  await sql`select private.erase_leads(${every(25, 4)}::uuid[], 'asked')`;
  await addUp(sql);
}

async function idsOf(condition: string): Promise<string[]> {
  const found = await database.owner.unsafe(
    `select id from leads where ${condition} order by created_at, id`,
  );
  return found.map(({ id }) => id);
}

/** The leads since a time by cleaned words, variant and device, each lead read by itself. */
const leadsRead = (sql: Sql, since: Date) => sql`
  select w.source, w.medium, w.campaign, w.variant, w.device, count(*)::int as stored, count(w.reviewed_at)::int as reviewed,
    jsonb_strip_nulls(jsonb_build_object(
      'likely_qualifies', nullif(count(*) filter (where w.outcome = 'likely_qualifies'), 0),
      'wrong_number', nullif(count(*) filter (where w.outcome = 'wrong_number'), 0),
      'not_interested', nullif(count(*) filter (where w.outcome = 'not_interested'), 0)
    )) as outcomes
  from (
    select case when k.is_known then c.source else '(other)' end as source, case when k.is_known then c.medium else '(other)' end as medium,
      case when k.is_known then c.campaign else '(other)' end as campaign, coalesce(p.variant, '') as variant,
      coalesce(p.device, private.device_of(p.browser)) as device, r.reviewed_at, x.outcome
    from leads l
    left join private.permissions p on p.lead_id = l.id
    left join private.reviews r on r.lead_id = l.id
    left join private.lead_work x on x.lead_id = l.id
    cross join lateral (
      select private.clean_campaign_word(coalesce(p.utm ->> 'utm_source', '')) as source,
        private.clean_campaign_word(coalesce(p.utm ->> 'utm_medium', '')) as medium,
        private.clean_campaign_word(coalesce(p.utm ->> 'utm_campaign', '')) as campaign
    ) c
    cross join lateral (
      select (c.source, c.medium, c.campaign) in (('facebook', 'paid', 'spring'), ('news', '', 'autumn'), ('', '', '')) as is_known
    ) k
    where l.created_at >= date_trunc('hour', ${since.toISOString()}::timestamptz)
  ) w
  group by 1, 2, 3, 4, 5 order by 3, 1, 2, 4, 5`;

/** The views and presses since a time, each row of counts read by itself. */
const loadsRead = (sql: Sql, since: Date) => sql`
  select c.source, c.medium, c.campaign, c.variant, c.device, sum(c.n) filter (where c.step = 'view')::int as views,
    sum(c.n) filter (where c.step = 'pressed')::int as pressed
  from private.page_counts c
  where case
    when c.hour < 0 then c.day >= ${since.toLocaleDateString("sv-SE")}::date
    else (c.day + make_interval(hours => c.hour)) at time zone 'UTC' >= date_trunc('hour', ${since.toISOString()}::timestamptz)
  end
  group by 1, 2, 3, 4, 5 order by 3, 1, 2, 4, 5`;

/** Rows of the campaigns that have something of `counted`, with these columns alone. */
async function rowsWith(sql: Sql, since: Date, counted: "views" | "stored", ...more: (keyof CampaignRow)[]) {
  const columns = ["source", "medium", "campaign", "variant", "device", counted, ...more] as const;
  const rows = await campaignRows(sql, since);
  return rows
    .filter((row) => row[counted] > 0)
    .map((row) => Object.fromEntries(columns.map((column) => [column, row[column]])));
}

const leadsOf = (sql: Sql, since: Date) => rowsWith(sql, since, "stored", "reviewed", "outcomes");

/** The manager's answer, with the rows, the days and the hours. */
async function managersReport(sql: Sql, days: number) {
  const [row] = await sql<{ report: Record<string, unknown> }[]>`
    select team.campaigns(${daysAgo(days)}, ${daysAgo(-1)}, ${zone}) as report`;
  return row?.report;
}

/** Asks for a report while no day is summed. */
async function withoutSums<Answer>(ask: (sql: Sql) => Promise<Answer>): Promise<Answer> {
  const undone = new Error("undone");
  let answer: Answer | undefined;
  await database.owner
    .begin(async (tx) => {
      await tx`delete from private.report_days`;
      await tx`delete from private.report_page_days`;
      answer = await ask(tx as unknown as Sql);
      throw undone;
    })
    .catch((error) => {
      if (error !== undone) throw error;
    });
  return answer as Answer;
}

/** Leads by day and by weekday and hour in the zone, counted one by one. */
async function leadsInTime(sql: Sql, days: number) {
  const counted = (by: string) =>
    sql.unsafe(
      `select ${by}, count(*)::int as stored from (select created_at at time zone '${zone}' as at from leads) l
       where l.at >= '${daysAgo(days)}' group by ${by} order by ${by}`,
    );
  const byDay = await counted("l.at::date::text");
  const byHour = await counted("extract(isodow from l.at)::int, extract(hour from l.at)::int");
  return { days: byDay.map(({ stored }) => stored), hours: byHour.map(({ stored }) => stored) };
}

async function comparison() {
  const { owner } = database;
  for (const days of [2, 5.4, 9, 30]) {
    const since = new Date(now - days * day);
    // A report that begins more than eight days ago begins at the start of a day.
    if (days > 8) since.setHours(0, 0, 0, 0);
    expect([days, await leadsOf(owner, since)]).toEqual([days, [...(await leadsRead(owner, since))]]);
    expect([days, await rowsWith(owner, since, "views", "pressed")]).toEqual([
      days,
      [...(await loadsRead(owner, since))],
    ]);
  }
  for (const days of [3, 30]) {
    const report = await managersReport(owner, days);
    expect(report).toEqual(await withoutSums((sql) => managersReport(sql, days)));
    const stored = (part: unknown) => (part as { stored: number }[]).map((row) => row.stored).filter(Boolean);
    expect({ days: stored(report?.days), hours: stored(report?.hours) }).toEqual(
      await leadsInTime(owner, days),
    );
  }
  const [found] = await experiments(askAsOperator(owner));
  for (const [side, variant] of [
    [found?.original, "original"],
    [found?.changed, "garden"],
  ] as const) {
    const [read] = await owner`
      select count(*)::int as stored, count(r.lead_id)::int as reviewed,
        (count(*) filter (where w.outcome = 'likely_qualifies'))::int as qualified
      from leads l join private.permissions p on p.lead_id = l.id
      left join private.lead_work w on w.lead_id = l.id
      left join private.reviews r on r.lead_id = l.id
      where p.variant = ${variant} and not p.honeypot_filled and coalesce(p.device, '') <> 'bot'
        and (l.created_at at time zone 'UTC')::date >= ${daysAgo(8)}::date and (l.created_at at time zone 'UTC')::date < ${daysAgo(2)}::date`;
    const [counted] = await owner`
      select sum(n)::int as loads from private.page_counts
      where variant = ${variant} and device <> 'bot' and step = 'view' and day >= ${daysAgo(8)} and day < ${daysAgo(2)}`;
    expect(side).toMatchObject({ ...read, ...counted });
    expect(side?.stored).toBeGreaterThan(5);
  }
}

describe("what the ads brought, from the sums of the days", () => {
  it("is the same as from each lead, with devices, variants, bots, words over the limit, withdrawn and erased leads", async () => {
    const [summed] = await database.owner<
      { days: number }[]
    >`select count(*)::int as days from private.report_days`;
    expect(summed?.days).toBeGreaterThan(8);
    const rows = await leadsOf(database.owner, new Date(now - 30 * day));
    expect(new Set(rows.map(({ device }) => device))).toEqual(
      new Set(["phone", "computer", "unknown", "no-script", "bot"]),
    );
    expect(new Set(rows.map(({ variant }) => variant))).toEqual(new Set(["", "original", "garden"]));
    expect(rows.some(({ campaign }) => campaign === "(other)")).toBe(true);
    await comparison();
  });

  it("is the same as from each lead after a lead of a summed day changes, before that day is summed anew and after", async () => {
    const sql = database.owner;
    const leadAt = async (nth: number) => (await idsOf("created_at < now() - interval '5 days'"))[nth] ?? "";
    const changes: [what: string, change: () => Promise<unknown>][] = [
      [
        "an outcome",
        async () =>
          sql`update private.lead_work set outcome = 'not_interested' where lead_id = ${await leadAt(8)}`,
      ],
      [
        "a review",
        async () =>
          sql`insert into private.reviews (lead_id) values (${await leadAt(13)}) on conflict do nothing`,
      ],
      ["a withdrawal", async () => sql`select private.withdraw_permission(${await leadAt(20)})`],
      [
        "an erased lead",
        async () => sql`select private.erase_leads(array[${await leadAt(22)}]::uuid[], 'asked')`,
      ],
      [
        "a permission that lost its address and its browser with age",
        async () =>
          sql`update private.permissions set utm = null, browser = null, page_path = null where lead_id = ${await leadAt(30)}`,
      ],
      [
        "a corrected variant",
        async () =>
          sql`update private.permissions set variant = 'garden' where lead_id = ${await leadAt(34)}`,
      ],
      [
        "a lead of an older day that came late",
        async () => {
          await addLeads([aLeadOf(1001, now - 6 * day)]);
          await sql`select private.index_new_leads(10000, interval '1 year')`;
        },
      ],
    ];
    for (const [what, change] of changes) {
      await change();
      const [marked] = await sql<
        { days: number }[]
      >`select count(*)::int as days from private.report_changes`;
      expect([what, (marked?.days ?? 0) > 0]).toEqual([what, true]);
      await comparison();
      await addUp(sql);
      await comparison();
    }
  });

  it("holds the leads of this moment, which are not in the lists yet", async () => {
    await addLeads([aLeadOf(2001, Date.now()), aLeadOf(2004, Date.now()), aLeadOf(2021, Date.now())]);
    await comparison();
    expect(
      await idsOf("not exists (select from private.lead_work w where w.lead_id = leads.id)"),
    ).toHaveLength(3);
  });

  it("is the same as from each lead and each count where some days are not summed", async () => {
    await database.owner`delete from private.report_days where day in (${daysAgo(4)}, ${daysAgo(7)})`;
    await database.owner`delete from private.report_page_days where day in (${daysAgo(3)}, ${daysAgo(7)}, ${daysAgo(11)})`;
    await comparison();
  });

  it("is the same as from each count after hours are added up to days, and after somebody corrects counts of summed days", async () => {
    const sql = database.owner;
    await addUp(sql);
    await sql`update private.page_counts set n = n + 5 where day = ${daysAgo(5)} and hour = 13`;
    await sql`delete from private.page_counts where day = ${daysAgo(12)} and source = 'news'`;
    await comparison();
    await addUp(sql);
    await comparison();
    await sql`select private.roll_up_counts(${new Date(now + 2 * day)})`;
    const hours = () =>
      sql`select distinct (hour at time zone 'UTC')::date::text as day from private.report_page_hours order by 1`;
    expect((await hours())[0]?.day).toBe(daysAgo(6));
    await comparison();
    await addUp(sql);
    await comparison();
    expect((await hours())[0]?.day).toBe(daysAgo(6));
  });

  it("is the same as from each lead after the database's clock was a year ahead for a moment, and days to come were summed", async () => {
    const sql = database.owner;
    await sql`
      insert into private.report_days select private.utc_day(now()) + n from generate_series(-1, 365) n on conflict do nothing`;
    await sql`
      insert into private.report_page_days select private.utc_day(now()) + n, 0, 0 from generate_series(0, 365) n on conflict do nothing`;
    await addUp(sql);
    await comparison();
  });
});

describe("a report of what the ads brought", () => {
  it("counts only once a lead that is taken into the lists while the report is made", async () => {
    const [row] = await database.owner<{ groups: number; hours: number; all: number }[]>`
      with taken as (select array_agg(lead_id) as ids from private.lead_work)
      select
        (select sum(g.stored)::int from private.lead_groups('-infinity', 'infinity', t.ids) g) as groups,
        (select sum(h.leads)::int from private.lead_hours('-infinity', 'infinity', t.ids) h) as hours,
        cardinality(t.ids) as all
      from taken t`;
    expect(row).toMatchObject({ groups: row?.all, hours: row?.all });
  });

  it("has a day's sums only ten minutes after its last lead is 24 hours old, because a change that began before may still be committed", async () => {
    const sql = database.owner;
    await sql`delete from private.report_days`;
    const midnight = new Date(Math.floor(now / day) * day);
    const newest = async (minutesAfter: number) => {
      await sql`select private.sum_up_report_days(200, ${midnight}::timestamptz + ${minutesAfter} * interval '1 minute')`;
      const [row] = await sql<{ ago: number }[]>`
        select (${midnight} at time zone 'UTC')::date - max(day) as ago from private.report_days`;
      return row?.ago;
    };
    // The day waits also where an earlier change has marked it to be summed anew.
    await sql`insert into private.report_changes values ((${midnight} at time zone 'UTC')::date - 2)`;
    expect(await newest(9)).toBe(3);
    expect(await newest(11)).toBe(2);
  });

  it("is the same from the sums of whole months as from each lead, also after something changes about a lead of such a month", async () => {
    const sql = database.owner;
    await addLeads(Array.from({ length: 150 }, (_, nth) => aLeadOf(400 + nth, now - (15 + nth / 2) * day)));
    await sql`select private.index_new_leads(10000, interval '1 year')`;
    const isTheSame = async () => {
      const since = new Date(now - 100 * day);
      expect(await leadsOf(sql, since)).toEqual([...(await leadsRead(sql, since))]);
      const report = (sql: Sql) => sql`select private.report(${since}, ${new Date(now)}, ${zone})`;
      expect([...(await report(sql))]).toEqual([...(await withoutSums(report))]);
    };
    const sumUp = () => sql`select private.sum_up_report_days(200)`;
    await sumUp();
    const months = await sql<{ month: string }[]>`select month::text from private.report_months order by 1`;
    expect(months.length).toBeGreaterThanOrEqual(1);
    const leadsByMonth = () => sql`select sum(leads)::int as leads from private.report_campaign_months`;
    const before = await leadsByMonth();
    await isTheSame();
    const [id = ""] = await idsOf(`created_at >= '${months[0]?.month}T12:00Z'`);
    await sql`update private.lead_work set outcome = 'wrong_number' where lead_id = ${id}`;
    await sql`select private.withdraw_permission(${id})`;
    await isTheSame();
    await sumUp();
    await isTheSame();
    await sql`select private.erase_leads(array[${id}]::uuid[], 'asked')`;
    await isTheSame();
    await sumUp();
    await isTheSame();
    expect(await leadsByMonth()).toEqual([{ leads: before[0]?.leads - 1 }]);
  });
});
