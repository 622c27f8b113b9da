// What a manager reads of the ads: the counts of page loads beside the leads and the costs, for a span of days.
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type CountedRow, reportOf } from "../campaigns/campaign-report.ts";
import { aCount, addCounts, removeCounts } from "./support/counts.ts";
import { makeDatabase, refusal, removeLeads, type TestDatabase } from "./support/database.ts";
import { addLead, serveInbox } from "./support/inbox.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await makeDatabase();
});
beforeEach(async () => {
  await removeLeads(database.owner);
  await removeCounts(database.owner);
});

const add = (pages: object[], vitals: object[] = []) => addCounts(database.intake, pages, vitals);
const rows = () => database.owner<Record<string, unknown>[]>`
  select source, medium, campaign, variant, device, views::int, pressed::int, stored::int, reviewed::int, outcomes,
    cost_cents::int, is_matched
  from private.campaign_rows('-infinity', 'infinity', '-infinity', 'infinity')`;

describe("the rows of the report", () => {
  it("set leads beside counts by the same words, and tell what became of them", async () => {
    await add([aCount({ n: 10 }), aCount({ step: "pressed", n: 2 })]);
    const lead = (campaign: string) =>
      addALead({
        referer: `https://example.com/?utm_source=Facebook&utm_medium=paid&utm_campaign=${campaign}&fbclid=abc`,
        "user-agent": "Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) Mobile/15E148",
      });
    const id = await lead("Spring");
    await lead("spring%20");
    await lead("not%20counted");
    await database.owner`select private.index_new_leads()`;
    await database.owner`insert into private.reviews (lead_id) values (${id})`;
    await database.owner`update private.lead_work set outcome = 'likely_qualifies' where lead_id = ${id}`;
    const none = {
      source: "facebook",
      medium: "paid",
      variant: "",
      device: "phone",
      cost_cents: 0,
      is_matched: true,
    };
    expect(await rows()).toEqual([
      { ...none, campaign: "not counted", views: 0, pressed: 0, stored: 1, reviewed: 0, outcomes: {} },
      {
        ...none,
        campaign: "spring",
        views: 10,
        pressed: 2,
        stored: 2,
        reviewed: 1,
        outcomes: { likely_qualifies: 1 },
      },
    ]);
  });

  it("take a lead's device from our own server, and else from what its browser states", async () => {
    await addALead({ "x-device": "no-script", "user-agent": "Mozilla/5.0 (Windows NT 10.0)" });
    await addALead({ "x-device": "a watch", "user-agent": "Mozilla/5.0 (Windows NT 10.0)" });
    await addALead({});
    expect((await rows()).map(({ device }) => device)).toEqual(["computer", "no-script", "unknown"]);
  });

  it("count leads as (other) where their campaign has no counted load and some loads are (other)", async () => {
    await add([aCount(), aCount({ source: "(other)", medium: "(other)", campaign: "(other)" })]);
    await addALead({ referer: "https://example.com/?utm_campaign=junk" });
    await addALead(headersOfSpring);
    expect((await rows()).map(({ campaign, stored }) => [campaign, stored])).toEqual([
      ["(other)", 0],
      ["(other)", 1],
      ["spring", 1],
    ]);
  });

  it("leave a lead its words where it has none or a cost names them, although some loads are (other)", async () => {
    await add([aCount({ source: "(other)", medium: "(other)", campaign: "(other)" })]);
    await addALead({});
    await addALead(headersOfSpring);
    await addALead({ referer: "https://example.com/?utm_source=facebook&utm_campaign=junk" });
    await recordCosts([
      { day: "2026-11-20", campaign: "spring", amount_cents: 500 },
      { day: "2026-11-20", source: "newsletter", campaign: "junk", amount_cents: 70 },
    ]);
    const shown = (await rows()).map((row) => [
      row.campaign,
      row.source,
      row.stored,
      row.cost_cents,
      row.is_matched,
    ]);
    expect(shown).toEqual([
      ["", "", 1, 0, true],
      ["(other)", "(other)", 0, 0, true],
      ["(other)", "(other)", 1, 0, true],
      ["junk", "newsletter", 0, 70, false],
      ["spring", "facebook", 1, 500, true],
    ]);
  });

  it("share a campaign's cost out by views, to the cent, and show costs that match nothing", async () => {
    await add([
      aCount({ n: 2 }),
      aCount({ device: "computer", n: 1 }),
      aCount({ device: "bot", n: 50 }),
      aCount({ source: "newsletter", n: 1 }),
    ]);
    await recordCosts([
      { day: "2026-11-20", campaign: "Spring", amount_cents: 1001 },
      { day: "2026-11-20", campaign: "Sprung", amount_cents: 500 },
      { day: "2026-11-20", source: "newsletter", campaign: "spring", amount_cents: 70 },
    ]);
    const shown = (await rows()).map((row) => [
      row.source,
      row.campaign,
      row.device,
      row.cost_cents,
      row.is_matched,
    ]);
    expect(shown).toEqual([
      ["facebook", "spring", "bot", 0, true],
      ["facebook", "spring", "computer", 250, true],
      ["facebook", "spring", "phone", 501, true],
      ["newsletter", "spring", "phone", 320, true],
      ["", "sprung", "", 500, false],
    ]);
    expect(shown.reduce((sum, [, , , cents]) => sum + Number(cents), 0)).toBe(1571);
  });

  it("share a cost out evenly among readers where nobody's load or lead was counted, and give bots a share only where there is nobody else", async () => {
    await add([
      aCount({ step: "served", n: 3 }),
      aCount({ device: "computer", step: "served", n: 1 }),
      aCount({ device: "bot", n: 50 }),
      aCount({ campaign: "crawled", device: "bot", n: 50 }),
    ]);
    await recordCosts([
      { day: "2026-11-20", campaign: "Spring", amount_cents: 1001 },
      { day: "2026-11-20", campaign: "Crawled", amount_cents: 500 },
    ]);
    expect((await rows()).map(({ campaign, device, cost_cents }) => [campaign, device, cost_cents])).toEqual([
      ["crawled", "bot", 500],
      ["spring", "bot", 0],
      ["spring", "computer", 501],
      ["spring", "phone", 500],
    ]);
  });

  it("share the cost of a medium out to that medium alone, and by leads where no load was counted", async () => {
    await add([aCount({ n: 2 }), aCount({ medium: "email", n: 1 })]);
    const headers = (browser: string) => ({
      referer: "https://example.com/?utm_campaign=uncounted",
      "user-agent": browser,
    });
    for (const browser of ["Mobi", "Mobi", "Windows NT 10.0"]) await addALead(headers(browser));
    await recordCosts([
      { day: "2026-11-20", medium: "email", campaign: "spring", amount_cents: 70 },
      { day: "2026-11-20", medium: "radio", campaign: "spring", amount_cents: 80 },
      { day: "2026-11-20", campaign: "uncounted", amount_cents: 300 },
    ]);
    const shown = (await rows()).map((row) => [row.campaign, row.medium, row.device, row.cost_cents]);
    expect(shown).toEqual([
      ["spring", "radio", "", 80],
      ["spring", "email", "phone", 70],
      ["spring", "paid", "phone", 0],
      ["uncounted", "", "computer", 100],
      ["uncounted", "", "phone", 200],
    ]);
  });

  it("hold one cost for a campaign and a day: the sum of those in one file, in the place of an earlier one; 0 removes it, and a campaign “?” is refused", async () => {
    const cost = { day: "2026-11-20", campaign: "spring", amount_cents: 1000 };
    await recordCosts([cost, { ...cost, campaign: "Spring " }]);
    expect((await rows()).map(({ cost_cents }) => cost_cents)).toEqual([2000]);
    await recordCosts([{ ...cost, amount_cents: 7 }]);
    expect((await rows()).map(({ cost_cents }) => cost_cents)).toEqual([7]);
    await recordCosts([{ ...cost, day: "2026-11-21", amount_cents: 9 }]);
    await recordCosts([{ ...cost, amount_cents: 0 }]);
    expect((await rows()).map(({ cost_cents }) => cost_cents)).toEqual([9]);
    await recordCosts([{ ...cost, day: "2026-11-21", amount_cents: 0 }]);
    expect(await rows()).toEqual([]);
    expect(await refusal(recordCosts([{ ...cost, campaign: "?" }]))).toBe("23514");
    // Also where another amount of the same campaign would make up for it.
    for (const [amount_cents, code] of [
      [-1, "23514"],
      [undefined, "23502"],
    ] as const)
      expect(await refusal(recordCosts([cost, { ...cost, amount_cents }]))).toBe(code);
  });
});

describe("the report for people", () => {
  const none = { served: 0, prefetched: 0, reloaded: 0, returned: 0, half_read: 0, form_seen: 0, began: 0 };
  const aRow = (campaign: string, more: Partial<CountedRow> = {}): CountedRow => ({
    source: "",
    medium: "",
    campaign,
    variant: "",
    device: "phone",
    ...none,
    views: 0,
    pressed: 0,
    stored: 0,
    reviewed: 0,
    outcomes: {},
    cost_cents: 0,
    is_matched: true,
    ...more,
  });

  it("has the campaign of most loads first, then that of most leads, and one of bots alone where it cost something", () => {
    const { campaigns } = reportOf(
      [
        aRow("fewer leads", { views: 5, stored: 1 }),
        aRow("more leads", { views: 5, stored: 2 }),
        aRow("bots", { device: "bot", views: 90 }),
        aRow("paid bots", { device: "bot", views: 90, cost_cents: 700 }),
        aRow("most loads", { views: 6 }),
        aRow("most loads", { device: "bot", views: 90, cost_cents: 30 }),
      ],
      [],
    );
    expect(campaigns.map((line) => [line.campaign, line.views, line.cost_cents])).toEqual([
      ["most loads", 6, 30],
      ["more leads", 5, 0],
      ["fewer leads", 5, 0],
      ["paid bots", 0, 700],
    ]);
  });

  it("leaves bots out of the web vitals", () => {
    const vital = { vital: "lcp", device: "phone", bucket: 7, n: 2 };
    const { vitals } = reportOf([], [vital, { ...vital, device: "bot" }]);
    expect(vitals[0]?.counts).toEqual([0, 0, 0, 0, 0, 0, 0, 2]);
  });
});

describe("the web vitals of a manager's days", () => {
  it("are those of each day of UTC that these days touch: an evening in America is in the next day of UTC", async () => {
    const vital = { variant: "", device: "phone", vital: "lcp" };
    await database.owner`
      insert into private.vital_counts (day, variant, device, vital, bucket, n)
      select day::date, ${vital.variant}, ${vital.device}, ${vital.vital}, bucket, 1
      from (values ('2026-11-19', 1), ('2026-11-20', 2), ('2026-11-21', 3), ('2026-11-22', 4)) v (day, bucket)`;
    const found = async (zone: string) => {
      const [row] = await database.owner<{ vitals: { bucket: number }[] }[]>`
        select team.campaigns('2026-11-20', '2026-11-20', ${zone}) -> 'vitals' as vitals`;
      return row?.vitals.map(({ bucket }) => bucket);
    };
    expect(await found("UTC")).toEqual([2]);
    expect(await found("America/New_York")).toEqual([2, 3]);
    expect(await found("Asia/Tokyo")).toEqual([1, 2]);
  });
});

describe("a manager's days", () => {
  it("hold the costs and the hours of these days alone; weekdays are numbered from Monday, 1, to Sunday, 7", async () => {
    const sql = database.owner;
    // The 15th of November 2026 is a Sunday. The 17th is rolled up.
    await sql`
      insert into private.page_counts (day, hour, source, medium, campaign, variant, device, step, n)
      select c.day::date, c.hour, 'facebook', 'paid', 'spring', '', 'phone', 'view', 1
      from (
        values ('2026-11-13', 23), ('2026-11-14', 0), ('2026-11-15', 0), ('2026-11-15', 23), ('2026-11-16', 12), ('2026-11-17', -1),
          ('2026-11-18', 0)
      ) c (day, hour)`;
    for (const at of ["13T23:59Z", "14T00:00Z", "15T23:30Z", "18T00:00Z"])
      await addLead(database, { created_at: `2026-11-${at}`, request_headers: headersOfSpring });
    await recordCosts(
      [13, 14, 15, 16, 17, 18].map((day, nth) => ({
        day: `2026-11-${day}`,
        campaign: "spring",
        amount_cents: 10 ** nth,
      })),
    );
    const [found] = await sql`select team.campaigns('2026-11-14', '2026-11-17', 'UTC') as report`;
    const { rows, days, hours, costs } = found?.report ?? {};
    expect(rows).toMatchObject([{ views: 5, stored: 2, cost_cents: 11_110 }]);
    expect(days).toEqual([
      { day: "2026-11-14", views: 1, pressed: 0, stored: 1 },
      { day: "2026-11-15", views: 2, pressed: 0, stored: 1 },
      { day: "2026-11-16", views: 1, pressed: 0, stored: 0 },
      { day: "2026-11-17", views: 1, pressed: 0, stored: 0 },
    ]);
    expect(hours).toEqual([
      { weekday: 1, hour: 12, views: 1, stored: 0 },
      { weekday: 6, hour: 0, views: 1, stored: 1 },
      { weekday: 7, hour: 0, views: 1, stored: 0 },
      { weekday: 7, hour: 23, views: 1, stored: 1 },
    ]);
    expect(costs.map(({ day }: { day: string }) => day)).toEqual(days.map(({ day }: { day: string }) => day));
  });
});

describe("a report of days whose leads are erased because of their age", () => {
  it("names the day before which leads are erased, where it has loads or costs from before that day", async () => {
    const sql = database.owner;
    const erasedBefore = async (since: number) => {
      const [row] = await sql<{ day: string | null; expected: string }[]>`
        select (private.utc_day(now()) - 30)::text as expected, team.campaigns(
          (private.utc_day(now()) - ${since}::int)::text, private.utc_day(now())::text, 'UTC'
        ) ->> 'leads_erased_before' as day`;
      return row;
    };
    const countOn = (ago: number) => sql`
      insert into private.page_counts (day, hour, source, medium, campaign, variant, device, step, n)
      values (private.utc_day(now()) - ${ago}::int, -1, '', '', 'spring', '', 'phone', 'view', 1)`;
    const costOn = (ago: number) => sql`
      insert into private.campaign_costs (day, source, medium, campaign, amount_cents)
      values (private.utc_day(now()) - ${ago}::int, '', '', 'spring', 100)`;
    for (const addOn of [countOn, costOn]) {
      await removeCounts(sql);
      for (const ago of [30, 29]) await addOn(ago);
      await sql`update private.settings set retention_days = 30`;
      expect(await erasedBefore(90)).toMatchObject({ day: null });
      await addOn(31);
      expect(await erasedBefore(30)).toMatchObject({ day: null });
      for (const since of [31, 90]) {
        const found = await erasedBefore(since);
        expect(found?.day).toBe(found?.expected);
      }
      await sql`update private.settings set retention_days = null`;
      expect(await erasedBefore(90)).toMatchObject({ day: null });
    }
  });
});

describe("a manager", () => {
  it("reads what the ads brought and records costs, with an entry in the audit log; a member may not", async () => {
    const inbox = await serveInbox(database);
    const [dana, lee] = [await inbox.member("Dana", "manager"), await inbox.member("Lee", "member")];
    const ask = (member: { cookie: string }, call: string) =>
      database.owner.begin(async (tx) => {
        await tx`select set_config('leads.session', ${member.cookie.replace("session=", "")}, true)`;
        const [row] = await tx.unsafe(`select team.${call} as answer`);
        return row?.answer;
      });
    await add([aCount({ n: 3 })], [{ variant: "", device: "phone", vital: "lcp", bucket: 2, n: 1 }]);
    await addLead(database);
    const costs = `record_campaign_costs('[{"day": "2026-11-20", "campaign": "spring", "amount_cents": 900}]')`;
    expect(await ask(dana, costs)).toEqual({ recorded: 1, removed: 0 });
    const report = await ask(dana, "campaigns('2020-01-01', '2100-01-01', 'America/New_York')");
    expect(report).toMatchObject({
      rows: [{ campaign: "" }, { campaign: "spring", views: 3, cost_cents: 900 }],
      vitals: [{ vital: "lcp", bucket: 2, n: 1 }],
      costs: [{ day: "2026-11-20", campaign: "spring", amount_cents: 900 }],
    });
    for (const { part, counted } of [
      { part: "days", counted: ["views", "pressed", "stored"] },
      { part: "hours", counted: ["views", "stored"] },
    ]) {
      const sums = counted.map((name) =>
        report[part].reduce((sum: number, row: Record<string, number>) => sum + (row[name] ?? 0), 0),
      );
      expect([part, sums]).toEqual([part, part === "days" ? [3, 0, 1] : [3, 1]]);
    }
    expect(await refusal(ask(lee, costs))).toBe("PT403");
    const many = "record_campaign_costs((select jsonb_agg('{}'::jsonb) from generate_series(1, 10001)))";
    expect(await refusal(ask(dana, many))).toBe("23514");
    expect(await refusal(ask(lee, "campaigns('2020-01-01', '2100-01-01', 'UTC')"))).toBe("PT403");
    const log = await database.owner`
      select who, action, details from private.audit_log
      where who <> 'operator' and action in ('recorded costs', 'read campaigns') order by id`;
    expect(log).toEqual([
      { who: "Dana", action: "recorded costs", details: { costs: 1, removed: 0 } },
      { who: "Dana", action: "read campaigns", details: { since: "2020-01-01", until: "2100-01-01" } },
    ]);
  });
});

/** Those of a lead with the words and the device of `aCount`. */
const headersOfSpring = {
  referer: "https://example.com/?utm_source=facebook&utm_medium=paid&utm_campaign=spring",
  "user-agent": "iPhone",
};

async function addALead(headers: Record<string, string>): Promise<string> {
  nthLead += 1;
  const [row] = await database.owner<{ id: string }[]>`
    insert into leads (name, email, phone, zip_code, request_headers)
    values (${`Rosa ${nthLead}`}, 'rosa@example.com', '(305) 555-0142', '33101', ${JSON.stringify(headers)}::text::jsonb)
    returning id`;
  return row?.id ?? "";
}
let nthLead = 0;

const recordCosts = (costs: object[]) =>
  database.owner`select private.record_campaign_costs(${JSON.stringify(costs)}::text::jsonb)`;
