// Files of what the ads cost, as ad networks and spreadsheets write them, for `leads campaigns costs add` and the inbox.
import { beforeAll, describe, expect, it } from "vitest";
import { readCostsCsv } from "../team/campaign-costs.ts";
import { makeDatabase, type TestDatabase } from "./support/database.ts";
import { serveInbox } from "./support/inbox.ts";
import { leads, startLeads, waitForExit } from "./support/leads-command.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await makeDatabase();
});

const today = new Date().toISOString().slice(0, 10);

describe("a file of costs", () => {
  it("is refused beside --source, for which a file has a column", async () => {
    const { status, stderr } = await leads(
      database.url,
      "campaigns",
      "costs",
      "add",
      "a.csv",
      "--source",
      "fb",
    );
    expect([status, stderr]).toEqual([2, expect.stringMatching(/^Either a file or --source, not both\./)]);
  });

  it("is read as ad networks and spreadsheets write it", () => {
    const text =
      '\ufeffCampaign name,Reporting starts,Amount spent (USD),utm_source\r\n"Spring ""65+"", FL",1/31/2026,"1,234.56",fb\r\n\r\n';
    expect(readCostsCsv(text)).toEqual({
      costs: [
        { day: "2026-01-31", campaign: 'Spring "65+", FL', source: "fb", medium: "", amount_cents: 123456 },
      ],
    });
  });

  it.each([
    [
      "a cost of a whole month",
      "Campaign name,Reporting starts,Reporting ends,Amount spent (USD)\nspring,2026-01-01,2026-01-31,900\n",
      { line: 2, problem: "This cost is of more than one day. Export the report with a line for each day." },
    ],
    [
      "a quotation mark that is never closed",
      'date,campaign,amount,note\n2026-01-01,a,1,x\n2026-01-02,b,2,"y\n2026-01-03,c,3,z\n',
      { line: 3, problem: "A quotation mark is opened here and never closed." },
    ],
    [
      "a day in the year 26",
      "date,campaign,amount\n0026-01-31,spring,1\n",
      { line: 2, problem: "The date has to look like 2026-01-31 or 1/31/2026." },
    ],
    [
      "a campaign of which nothing would be left",
      "date,campaign,amount\n2026-01-01,春,1\n",
      { line: 2, problem: "The campaign's name has to have a letter from A to Z or a digit." },
    ],
    [
      "a percent-encoded campaign of which nothing would be left",
      "date,campaign,amount\n2026-01-01,%E6%98%A5,1\n",
      { line: 2, problem: "The campaign's name has to have a letter from A to Z or a digit." },
    ],
    [
      "a source of which nothing would be left, because an empty source stands for every source",
      "date,campaign,amount,source\n2026-01-01,spring,1,Яндекс\n",
      { line: 2, problem: "The source's name has to have a letter from A to Z or a digit." },
    ],
    [
      "a campaign of which nothing would be left once its accent is off",
      "date,campaign,amount\n2026-01-01,%é2,1\n",
      { line: 2, problem: "The campaign's name has to have a letter from A to Z or a digit." },
    ],
    [
      "a campaign in another encoding than UTF-8, of which a part would be left out",
      `date,campaign,amount\n2026-01-01,${Buffer.from("café", "latin1")},1\n`,
      { line: 2, problem: "The campaign cannot be read. A file has to be in UTF-8." },
    ],
    [
      "a character that PostgreSQL cannot keep",
      "date,campaign,amount,utm_source\n2026-01-01,spring,1,f\0b\n",
      { line: 2, problem: "The source cannot be read. A file has to be in UTF-8." },
    ],
    [
      "a column in another currency beside a column that names no currency",
      "date,campaign,amount (eur),cost\n2026-01-01,a,1,2\n",
      {
        line: 1,
        problem:
          'The column "amount (eur)" is not in US dollars. Costs are recorded in US dollars and not converted.',
      },
    ],
  ])("is refused as a whole for %s", (_, text, problem) => {
    expect(readCostsCsv(text)).toEqual({ problems: [problem] });
  });

  it("takes a report with a line for each day that has a column for the last day", () => {
    expect(
      readCostsCsv("campaign,reporting starts,reporting ends,cost\na,1/2/2026,2026-01-02,5\n"),
    ).toMatchObject({
      costs: [{ day: "2026-01-02", amount_cents: 500 }],
    });
  });

  it.each(["€12.50", "£12", "12.50 EUR", "CA$12", "12 Mex$", "₹1,200"])(
    "is refused for an amount of %s, because costs are recorded in US dollars alone",
    (amount) => {
      expect(readCostsCsv(`date,campaign,amount\n${today},spring,"${amount}"\n`)).toEqual({
        problems: [
          {
            line: 2,
            problem: "The amount is not in US dollars. Costs are recorded in US dollars and not converted.",
          },
        ],
      });
    },
  );

  it.each(["12 US$", "$US 12", "-US$12", "(USD 12)"])(
    "is refused for %s, an amount in US dollars, and the refusal says how to write it",
    (amount) => {
      const problem = "The amount has to be in US dollars, such as 12.50 or $1,204.50, up to 100,000,000.";
      expect(readCostsCsv(`date,campaign,amount\n${today},spring,"${amount}"\n`)).toEqual({
        problems: [{ line: 2, problem }],
      });
    },
  );

  it("is refused where a column beside the amounts, or the heading above them, names another currency", () => {
    const problem = "The amount is not in US dollars. Costs are recorded in US dollars and not converted.";
    expect(
      readCostsCsv(`Day,Campaign,Currency code,Cost\n${today},spring,USD,5\n${today},spring,EUR,5\n`),
    ).toEqual({ problems: [{ line: 3, problem }] });
    expect(readCostsCsv(`Day,Campaign name,Amount spent (EUR)\n${today},spring,5\n`)).toEqual({
      problems: [
        {
          line: 1,
          problem:
            'The column "amount spent (eur)" is not in US dollars. Costs are recorded in US dollars and not converted.',
        },
      ],
    });
  });

  it("is read by its column in US dollars where another column has another currency, and with source and medium", () => {
    const text = "date,campaign,amount (eur),amount (usd),source,medium\n2026-01-31,spring,9,10,fb,paid\n";
    expect(readCostsCsv(text)).toEqual({
      costs: [{ day: "2026-01-31", campaign: "spring", source: "fb", medium: "paid", amount_cents: 1000 }],
    });
  });

  it.each([
    ["12.50", 1_250],
    ["$1,204.50", 120_450],
    ["US$ 1204.5", 120_450],
    ["USD 7", 700],
    ["1,204,000 USD", 120_400_000],
    ["US$12.50 USD", 1_250],
    ["100,000,000.00", 10_000_000_000],
  ])("reads %s as an amount of US dollars", (amount, cents) => {
    expect(readCostsCsv(`date,campaign,amount\n${today},spring,"${amount}"\n`)).toMatchObject({
      costs: [{ amount_cents: cents }],
    });
  });

  it.each(["12,50", "1.204,50", "1,20,400", "-5", "(5.00)", "1 2", "0.125", "100,000,000.01"])(
    "refuses %s, which could be read in two ways or in none, or is too much",
    (amount) => {
      expect(readCostsCsv(`date,campaign,amount\n${today},spring,"${amount}"\n`)).toEqual({
        problems: [
          {
            line: 2,
            problem: "The amount has to be in US dollars, such as 12.50 or $1,204.50, up to 100,000,000.",
          },
        ],
      });
    },
  );

  it("is refused when all its amounts add up to more than the database can keep of one campaign on one day", () => {
    const lines = (count: number, more: string) =>
      `date,campaign,amount\n${"2026-11-01,spring,100000000\n".repeat(count)}${more}`;
    expect(readCostsCsv(lines(10, ""))).toHaveProperty("costs.length", 10);
    expect(readCostsCsv(lines(10, "2026-11-01,spring,0.01\n"))).toEqual({
      problems: [{ line: 1, problem: "The amounts of a file add up to at most 1,000,000,000 dollars." }],
    });
  });

  it("is to be divided between days where it has more than 10,000 lines, because a second file would replace costs of the same campaign and day", () => {
    expect(readCostsCsv(`date,campaign,amount\n${`${today},a,1\n`.repeat(10_001)}`)).toEqual({
      problems: [
        {
          line: 10_002,
          problem:
            "A file has at most 10,000 lines. Please divide it between days, because lines of one campaign and day have to stay in one file.",
        },
      ],
    });
  });

  it("is refused where a line is 100,000 quotation marks and no cost, or with more than 10,000 lines", () => {
    const lines = `date,campaign,amount\n${'"'.repeat(100_000)}`;
    expect(readCostsCsv(lines)).toHaveProperty("problems");
    expect(readCostsCsv(`date,campaign,amount\n${`${today},a,1\n`.repeat(10_001)}`)).toHaveProperty(
      "problems",
    );
  });
});

describe("a file of costs that comes through a pipe", () => {
  it("is recorded, so that nobody has to put it where a release's system user, leads, may read it", async () => {
    const added = startLeads(["campaigns", "costs", "add", "-"], { DATABASE_URL: database.url });
    added.stdin?.end("date,campaign,amount\n2026-01-31,piped,12.50\n");
    expect(await waitForExit(added, { keepOpen: true })).toMatchObject({
      status: 0,
      stdout: "Recorded 1 cost from 1 line.\n",
    });
  });
});

describe("costs of a day that has begun nowhere yet", () => {
  const dayFromNow = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
  const problem = (day: string) => `The day ${day} has not begun, so nothing can have been spent on it.`;
  const recorded = () =>
    database.owner`select day::text, amount_cents::int from private.campaign_costs where campaign = 'early' order by 1`;
  const costsOf = (...days: string[]) =>
    `date,campaign,amount\n${days.map((day) => `${day},early,1\n`).join("")}`;

  it("are refused by the command and by the inbox alike, and with them the whole file", async () => {
    const maria = await (await serveInbox(database)).member("Maria", "manager");
    const [later, soon] = [dayFromNow(400), dayFromNow(2)];
    const csv = costsOf(later, today, soon);
    expect((await maria.call("campaigns/costs", { csv })).body).toEqual({ problems: [problem(soon)] });
    const added = startLeads(["campaigns", "costs", "add", "-"], { DATABASE_URL: database.url });
    added.stdin?.end(csv);
    expect(await waitForExit(added, { keepOpen: true })).toEqual({
      status: 1,
      stdout: "",
      stderr: `Nothing was recorded.\n${problem(soon)}\n`,
    });
    const typed = ["--date", later, "--campaign", "early", "--amount", "1"];
    expect(await leads(database.url, "campaigns", "costs", "add", ...typed)).toMatchObject({
      status: 1,
      stderr: `Nothing was recorded.\n${problem(later)}\n`,
    });
    expect(await recorded()).toEqual([]);
  });

  it("can be taken away where a clock that was ahead let them in", async () => {
    const later = dayFromNow(2);
    await database.owner`
      insert into private.campaign_costs (day, source, medium, campaign, amount_cents) values (${later}, '', '', 'early', 100)`;
    const typed = ["--date", later, "--campaign", "early", "--amount", "0"];
    expect((await leads(database.url, "campaigns", "costs", "add", ...typed)).status).toBe(0);
    expect(await recorded()).toEqual([]);
  });

  it("are none of the day that has begun where the clocks are furthest ahead", async () => {
    const [there] = await database.owner<{ day: string }[]>`
      select (now() at time zone 'Pacific/Kiritimati')::date::text as day`;
    const costs = JSON.stringify([
      { day: there?.day, source: "", medium: "", campaign: "early", amount_cents: 100 },
    ]);
    expect(
      await database.owner`select recorded, to_come from private.record_campaign_costs(${costs}::text::jsonb)`,
    ).toEqual([{ recorded: 1, to_come: null }]);
  });
});
