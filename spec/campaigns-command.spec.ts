// `leads campaigns`: what the ads brought, for a person and for a program, and what they cost.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { aLead, makeDatabase, type TestDatabase } from "./support/database.ts";
import { deadlockOnce } from "./support/deadlocks.ts";
import { leads, startLeads, waitForExit } from "./support/leads-command.ts";

let database: TestDatabase;
let folder: string;
beforeAll(async () => {
  database = await makeDatabase();
  folder = await mkdtemp(join(tmpdir(), "leads-campaigns-"));
  const pages = [
    ...[10, 5, 4, 3, 2].map((n, nth) => ({
      ...spring,
      step: ["view", "half_read", "form_seen", "began", "pressed"][nth],
      n,
    })),
    { ...spring, step: "served", n: 12 },
    { ...spring, device: "bot", step: "view", n: 7 },
  ];
  await database.intake`select private.add_counts(${JSON.stringify(pages)}::text::json, '[]')`;
  const headers = {
    referer: "https://article.example/?utm_source=facebook&utm_medium=paid&utm_campaign=Spring",
    "user-agent": "Mozilla/5.0 (iPhone) Mobile/15E148",
  };
  const [lead] = await database.owner<{ id: string }[]>`
    insert into leads (name, email, phone, zip_code, request_headers)
    values ('Rosa', 'rosa@example.com', '(305) 555-0142', '33101', ${JSON.stringify(headers)}::text::jsonb) returning id`;
  await database.owner`select private.index_new_leads()`;
  await database.owner`insert into private.reviews (lead_id) values (${lead?.id ?? ""})`;
  await database.owner`update private.lead_work set outcome = 'likely_qualifies'`;
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const spring = { source: "facebook", medium: "paid", campaign: "spring", variant: "", device: "phone" };
const today = new Date().toISOString().slice(0, 10);
const costs = () => database.owner`
  select day::text, source, medium, campaign, amount_cents::int from private.campaign_costs order by 1, 2, 3, 4`;
const file = async (name: string, text: string) => {
  const path = join(folder, name);
  await writeFile(path, text);
  return path;
};

describe("leads campaigns", () => {
  it("prints for a program an array of rows with these keys, in this order", async () => {
    const ran = await leads(database.url, "campaigns", "--since", "7d", "--json");
    const rows = JSON.parse(ran.stdout);
    expect(rows).toEqual([
      expect.objectContaining({ device: "bot", views: 7, stored: 0 }),
      {
        ...spring,
        served: 12,
        views: 10,
        half_read: 5,
        form_seen: 4,
        began: 3,
        pressed: 2,
        stored: 1,
        reviewed: 1,
        outcomes: { likely_qualifies: 1 },
        cost: 0,
      },
    ]);
    expect(Object.keys(rows[1])).toEqual(
      "source medium campaign variant device served views half_read form_seen began pressed stored reviewed outcomes cost".split(
        " ",
      ),
    );
    expect(ran).toMatchObject({ status: 0, stderr: "" });
  });

  it("prints for a person a table with a line for each campaign, and below it the period and the counts of bots", async () => {
    const { stdout, status } = await leads(database.url, "campaigns");
    expect(status).toBe(0);
    expect(
      stdout
        .split("\n")
        .slice(0, 2)
        .map((line) => line.split(/ {2,}/)),
    ).toEqual([
      expect.arrayContaining(["SOURCE / MEDIUM / CAMPAIGN", "LOADS HALF READ SAW FORM"]),
      ["facebook / paid / spring", "10", "5", "4", "3", "2", "1", "1", "1", "-", "-", "-", "-"],
    ]);
    expect(stdout).toContain("\nSince the beginning, by the days of UTC. Costs are in US dollars.\n");
    expect(stdout).toContain("Counts up to PRESSED are page loads, not people.");
    expect(stdout).toContain("Bots, which the table leaves out: 7 loads");
    expect(stdout).toMatch(/Bots, which the table leaves out: 7 loads, [0-9]+ documents served, 0 leads\./);
  });

  it("begins at the start of the day in the time zone in which it runs, and names that zone", async () => {
    const { url, owner } = await makeDatabase();
    const now = new Date();
    /** The start of the day twenty days ago in a zone so many hours behind UTC. */
    const dayStart = (behind: number) => {
      const there = new Date(now.getTime() - 20 * 86_400_000 - behind * 3_600_000);
      return new Date(Date.parse(`${there.toISOString().slice(0, 10)}T00:00Z`) + behind * 3_600_000);
    };
    const run = async (zone: string, behind: number) => {
      const since = new Date(dayStart(behind).getTime() - behind * 3_600_000).toISOString().slice(0, 10);
      await owner`truncate public.leads, private.lead_work, private.campaign_costs cascade`;
      for (const minutes of [-1, 1]) {
        const at = new Date(dayStart(behind).getTime() + minutes * 60_000);
        await owner`
          insert into leads (created_at, name, email, phone, zip_code)
          values (${at}, ${`Rosa ${minutes}`}, 'rosa@example.com', '(305) 555-0142', '33101')`;
      }
      await owner`select private.index_new_leads(100, interval '1 year')`;
      const ask = (...words: string[]) =>
        waitForExit(startLeads(["campaigns", "--since", since, ...words], { DATABASE_URL: url, TZ: zone }));
      const rows = JSON.parse((await ask("--json")).stdout);
      return { stored: rows.map(({ stored }: { stored: number }) => stored), since, ...(await ask()) };
    };
    for (const [zone, behind] of [
      ["Etc/GMT+5", 5],
      ["Etc/GMT-9", -9],
    ] as const) {
      const { stored, stdout, since } = await run(zone, behind);
      expect([zone, stored]).toEqual([zone, [1]]);
      expect(stdout).toContain(
        `\nSince ${since} 00:00, by the days of ${zone}, and of UTC for page loads older than eight days. Costs are in US dollars.\n`,
      );
    }
  });

  it("takes in no cost of the day before, in a zone half an hour off UTC", async () => {
    const { url, owner } = await makeDatabase();
    const since = new Date(Date.now() - 2 * 24 * 60 * 60_000).toLocaleDateString("sv-SE", {
      timeZone: "Asia/Kolkata",
    });
    await owner`
      insert into private.campaign_costs (day, source, medium, campaign, amount_cents)
      values (${since}::text::date - 1, '', '', 'spring', 100)`;
    const ask = startLeads(["campaigns", "--since", since], { DATABASE_URL: url, TZ: "Asia/Kolkata" });
    expect((await waitForExit(ask)).stdout).toBe("Nothing was counted.\n");
  });

  it("says that older leads are erased where it has their loads or costs, which stay", async () => {
    const { owner, url } = await makeDatabase();
    await owner`update private.settings set retention_days = 30`;
    await owner`
      insert into private.campaign_costs (day, source, medium, campaign, amount_cents)
      select ${today}::text::date - ago, '', '', 'spring', 100 from unnest(array[2, 40]) as ago`;
    const sentence = () =>
      `Leads that came before ${new Date(Date.now() - 30 * 86_400_000).toISOString().slice(0, 10)} are erased because of their age; the loads and costs of those days are still here. So a lead cost less than is shown, and more of the loads became leads.`;
    const told = async (...since: string[]) => {
      const { stdout } = await leads(url, "campaigns", ...since);
      return stdout.split("\n").find((line) => line.includes("are erased because of their age"));
    };
    expect(await told("--since", "7d")).toBeUndefined();
    for (const since of [["--since", "90d"], []]) {
      const before = sentence();
      const said = await told(...since);
      expect([before, sentence()]).toContain(said);
    }
    await owner`update private.settings set retention_days = null`;
    expect(await told()).toBeUndefined();
  });

  it("prints two campaigns whose names differ only at their ends under two names", async () => {
    const { url, intake } = await makeDatabase();
    const ends = ["women", "men"].map((one) => `2026-spring-florida-lookalike-${one}`);
    const pages = ends.map((campaign) => ({ ...spring, campaign, step: "view", n: 1 }));
    await intake`select private.add_counts(${JSON.stringify(pages)}::text::json, '[]')`;
    const { stdout } = await leads(url, "campaigns");
    for (const campaign of ends) expect(stdout).toContain(`\nfacebook / paid / ${campaign} `);
  });

  it("says so when nothing was counted", async () => {
    const { url } = await makeDatabase();
    expect(await leads(url, "campaigns")).toEqual({
      status: 0,
      stdout: "Nothing was counted.\n",
      stderr: "",
    });
    expect(JSON.parse((await leads(url, "campaigns", "--json")).stdout)).toEqual([]);
  });
});

describe("leads campaigns costs add", () => {
  it("records a file, shows which rows match no campaign, and tells what a lead cost", async () => {
    const path = await file(
      "costs.csv",
      `date,campaign,amount\r\n${today},Spring,40.50\r\n${today},"Summer, late",1\r\n`,
    );
    expect(await leads(database.url, "campaigns", "costs", "add", path)).toEqual({
      status: 0,
      stdout: "Recorded 2 costs from 2 lines.\n",
      stderr:
        "Of all costs so far, these belong to no page load and no lead:\n  - / - / summer- late ($1.00)\n",
    });
    // The same file again changes nothing.
    await leads(database.url, "campaigns", "costs", "add", path);
    const rows = JSON.parse((await leads(database.url, "campaigns", "--json")).stdout);
    expect(rows.map((row: Record<string, unknown>) => [row.campaign, row.device, row.cost])).toEqual([
      ["spring", "bot", 0],
      ["spring", "phone", 40.5],
      ["summer- late", "", 1],
    ]);
    const { stdout } = await leads(database.url, "campaigns");
    const springs = stdout.split("\n").find((line) => line.startsWith("facebook / paid / spring"));
    expect(springs?.split(/ {2,}/).slice(-4)).toEqual(["$40.50", "$40.50", "$40.50", "$40.50"]);
    expect(stdout).toContain("Cost without a campaign: - / - / summer- late $1.00\n");
  });

  it("records a file also where PostgreSQL rolls that back once, because a manager records the same costs at that moment", async () => {
    const path = await file("again.csv", `date,campaign,amount\n${today},Spring,41.25\n`);
    await deadlockOnce(database.owner, "insert", "private.campaign_costs");
    expect((await leads(database.url, "campaigns", "costs", "add", path)).status).toBe(0);
    expect(await costs()).toContainEqual(
      expect.objectContaining({ day: today, campaign: "spring", amount_cents: 4125 }),
    );
    // The first try was rolled back, and the second was not.
    expect(await database.owner`select last_value::int from private.deadlocks`).toEqual([{ last_value: 2 }]);
  });

  it("records what is typed in, in place of what was recorded for that day; 0 takes it away", async () => {
    const add = (amount: string, campaign = "spring") =>
      leads(
        database.url,
        "campaigns",
        "costs",
        "add",
        "--date",
        today,
        "--campaign",
        campaign,
        "--amount",
        amount,
      );
    await add("0", "Summer, late");
    expect(await add("$1,200.5")).toEqual({ status: 0, stdout: "Recorded 1 cost.\n", stderr: "" });
    const rows = JSON.parse((await leads(database.url, "campaigns", "--json")).stdout);
    expect(rows.map(({ cost }: { cost: number }) => cost)).toEqual([0, 1200.5]);
  });

  it("says in one sentence how many costs it recorded and took away, and from how many lines where a file named them", async () => {
    const add = async (...words: string[]) =>
      (await leads(database.url, "campaigns", "costs", "add", ...words)).stdout;
    const type = (amount: string) => add("--date", today, "--campaign", "brief", "--amount", amount);
    expect(await type("5")).toBe("Recorded 1 cost.\n");
    expect(await type("0")).toBe("Recorded 0 costs and took 1 cost away.\n");
    await type("5");
    const path = await file("brief.csv", `date,campaign,amount\n${today},brief,0\n2026-01-31,brief,7\n`);
    expect(await add(path)).toBe("Recorded 1 cost and took 1 cost away, from 2 lines.\n");
    await add("--date", "2026-01-31", "--campaign", "brief", "--amount", "0");
  });

  it("records nothing of a file with a line that it cannot read, and says which", async () => {
    const before = await costs();
    const path = await file(
      "bad.csv",
      `date,campaign,amount\n${today},spring,1\n2026-02-31,spring,1\n${today},,1\n${today},x,a lot\n`,
    );
    expect(await leads(database.url, "campaigns", "costs", "add", path)).toEqual({
      status: 1,
      stdout: "",
      stderr: [
        "Nothing was recorded.",
        "Line 3: The date has to look like 2026-01-31 or 1/31/2026.",
        "Line 4: The campaign is missing.",
        "Line 5: The amount has to be in US dollars, such as 12.50 or $1,204.50, up to 100,000,000.\n",
      ].join("\n"),
    });
    const empty = await file("empty.csv", "");
    expect((await leads(database.url, "campaigns", "costs", "add", empty)).stderr).toContain(
      "Line 1: The first line has to name the columns",
    );
    expect(await costs()).toEqual(before);
  });

  it("records nothing and fails where the file cannot be read, the words of a cost are missing or its day is no date", async () => {
    const before = await costs();
    const none = join(folder, "none.csv");
    expect(await leads(database.url, "campaigns", "costs", "add", none)).toEqual({
      status: 1,
      stdout: "",
      stderr: `The file ${none} cannot be read (ENOENT).\n`,
    });
    expect((await leads(database.url, "campaigns", "costs", "add")).status).toBe(2);
    expect(
      (
        await leads(
          database.url,
          "campaigns",
          "costs",
          "add",
          "--date",
          "x",
          "--campaign",
          "y",
          "--amount",
          "1",
        )
      ).status,
    ).toBe(2);
    expect(await costs()).toEqual(before);
  });
});

describe("leads campaigns --since", () => {
  it("begins at the start of the day where there are costs, because costs are of whole days, and else of the hour", async () => {
    const { owner, url } = await makeDatabase();
    await owner`insert into leads ${owner(aLead())}`;
    /** Where the report begins, and where it may: the command reads its clock after our first look and before our second. */
    const report = async (begin: (threeHoursAgo: string) => string) => {
      const threeHoursAgo = () => begin(new Date(Date.now() - 3 * 3_600_000).toISOString().replace("T", " "));
      const before = threeHoursAgo();
      const { stdout } = await waitForExit(
        startLeads(["campaigns", "--since", "3h"], { DATABASE_URL: url, TZ: "UTC" }),
      );
      const printed = /\nSince (\d{4}-\d\d-\d\d \d\d:\d\d), by the days of UTC/.exec(stdout)?.[1];
      return { printed, allowed: [before, threeHoursAgo()] };
    };
    const byHour = await report((at) => `${at.slice(0, 13)}:00`);
    expect(byHour.allowed).toContain(byHour.printed);
    await owner`
      insert into private.campaign_costs (day, source, medium, campaign, amount_cents)
      values (${today}::text::date, '', '', 'spring', 5000)`;
    const byDay = await report((at) => `${at.slice(0, 10)} 00:00`);
    expect(byDay.allowed).toContain(byDay.printed);
  });
});
