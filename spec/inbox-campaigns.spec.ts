// The inbox's page "Campaigns" for managers: what the ads bring, in sentences, tables and pictures, with costs, experiments and web vitals.
import { readFileSync } from "node:fs";
import type { BrowserContextOptions, Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { syncSettings } from "../database/sync-settings.ts";
import { anExperiment } from "./support/an-experiment.ts";
import { axeViolations } from "./support/axe.ts";
import { useBrowser } from "./support/browser.ts";
import { makeDatabase, type TestDatabase } from "./support/database.ts";
import { addLead, addPlaces, serveInbox, type TestInbox, type TestMember } from "./support/inbox.ts";
import { openAs } from "./support/inbox-pages.ts";
import { leads } from "./support/leads-command.ts";

const { browser } = useBrowser();

let database: TestDatabase;
let inbox: TestInbox;
let dana: TestMember;
let maria: TestMember;
/** The day of UTC on which all was counted and stored. */
let today: string;
const dayInWords = (day: string) =>
  new Date(day).toLocaleDateString("en-US", { dateStyle: "medium", timeZone: "UTC" });
const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);
/** Wide enough for the days of UTC and of any machine's own zone. */
const period = { since: daysAgo(20), until: daysAgo(-1), zone: "UTC" };

beforeAll(async () => {
  database = await makeDatabase();
  await addPlaces(database);
  inbox = await serveInbox(database);
  dana = await inbox.member("Dana");
  maria = await inbox.member("Maria", "manager");
  await syncSettings(database.owner, {
    notices: [],
    keepAddress: true,
    experiments: [anExperiment({ variant: "garden", startedOn: daysAgo(5) })],
  });
  const at = await addCounts();
  today = at.toISOString().slice(0, 10);
  await addLeads(at);
});

/** A file of costs with these lines. */
const costs = (...lines: string[]) => ["date,campaign,amount", ...lines].join("\n");
const facebook = { source: "facebook", medium: "paid", campaign: "spring" };
const newsletter = { source: "news", medium: "email", campaign: "autumn" };

/** Adds counts as the web process does: two campaigns, a bot, an experiment's two sides, and web vitals. Returns the time of all. */
async function addCounts(): Promise<Date> {
  const steps = {
    served: 1400,
    view: 1204,
    reload: 31,
    half_read: 803,
    form_seen: 640,
    began: 120,
    pressed: 30,
  };
  const counted = [
    ...Object.entries(steps).map(([step, n]) => ({ ...facebook, variant: "", device: "phone", step, n })),
    { ...newsletter, variant: "", device: "computer", step: "view", n: 200 },
    { ...facebook, variant: "", device: "bot", step: "view", n: 500 },
    { ...newsletter, variant: "original", device: "phone", step: "view", n: 2_000 },
    { ...newsletter, variant: "garden", device: "phone", step: "view", n: 2_030 },
  ];
  const vitals = [1, 3, 6].map((bucket) => ({ variant: "", device: "phone", vital: "lcp", bucket, n: 20 }));
  const [row] = await database.intake<{ at: Date }[]>`
    select now() as at, private.add_counts(${JSON.stringify(counted)}::text::json, ${JSON.stringify(vitals)}::text::json)`;
  return row?.at ?? new Date(Number.NaN);
}

/** Adds three leads from the first campaign (one likely qualifies), one from the experiment's variant, and one of a bot. */
async function addLeads(created_at: Date) {
  const referer = "https://site.example/?utm_source=facebook&utm_medium=paid&utm_campaign=spring";
  const ids: string[] = [];
  for (let nth = 0; nth < 3; nth++)
    ids.push(await addLead(database, { created_at, request_headers: { referer } }));
  await database.owner`insert into private.reviews (lead_id, outcome) values (${ids[0] ?? ""}, 'likely_qualifies')`;
  await database.owner`update private.lead_work set outcome = 'likely_qualifies' where lead_id = ${ids[0] ?? ""}`;
  const fromNews = "https://site.example/?utm_source=news&utm_medium=email&utm_campaign=autumn";
  await addLead(database, { created_at, request_headers: { referer: fromNews, "x-variant": "garden" } });
  await addLead(database, { created_at, request_headers: { referer, "x-device": "bot" } });
}

/** Opens the page, and waits until it shows what the API has answered. */
async function openPage(options: BrowserContextOptions = {}): Promise<Page> {
  const page = await openAs(browser(), inbox, maria, "/campaigns", { timezoneId: "UTC", ...options });
  await page.getByRole("region", { name: "Experiment: garden" }).waitFor();
  await page.getByRole("region", { name: "Campaigns" }).waitFor();
  return page;
}
/** How the page says what its table of campaigns leaves out. */
const leftOut = "Bots, which the table leaves out: 500 loads, 0 documents served, 1 lead.";
const section = (page: Page, name: string) => page.getByRole("region", { name, exact: true });
const cellsOf = (page: Page, name: string) =>
  section(page, name)
    .locator("tbody tr")
    .evaluateAll((rows) => rows.map((row) => [...row.children].map((cell) => cell.textContent?.trim())));

describe("the API about campaigns", () => {
  it("answers managers alone", async () => {
    for (const [call, request] of [
      ["campaigns", period],
      ["experiments", {}],
      ["campaigns/costs", { csv: costs("2026-11-21,spring,41") }],
    ] as const) {
      expect([call, (await dana.call(call, request)).status]).toEqual([call, 403]);
      expect([call, (await maria.call(call, request)).status]).toEqual([call, 200]);
    }
    await maria.call("campaigns/costs", { csv: costs("2026-11-21,spring,0") });
  });

  it("adds up each campaign over its variants and devices, without bots, with the range of its rate", async () => {
    const { body } = await maria.call("campaigns", period);
    expect(body.campaigns).toHaveLength(2);
    const loads = { views: 1_204, half_read: 803, form_seen: 640, began: 120, pressed: 30 };
    const leadsOfIt = { stored: 3, reviewed: 1, qualified: 1, cost_cents: 0 };
    expect(body.campaigns[1]).toMatchObject({ ...facebook, ...loads, ...leadsOfIt });
    expect(body.campaigns[1]?.rate?.low).toBeCloseTo(0.0008, 3);
    expect(body.campaigns[1]?.rate?.high).toBeCloseTo(0.0073, 3);
    expect(body.campaigns[0]).toMatchObject({ ...newsletter, views: 4_230, stored: 1 });
    expect(body.devices.find(({ device }) => device === "bot")).toMatchObject({ views: 500, stored: 1 });
    expect(body.vitals[0]).toEqual({
      vital: "lcp",
      bounds: [1000, 1500, 2000, 2500, 3000, 4000, 6000],
      counts: [0, 20, 0, 20, 0, 0, 20, 0],
    });
  });

  it("records costs, or says which lines cannot be read, and names costs that no campaign took", async () => {
    const record = async (csv: string) => (await maria.call("campaigns/costs", { csv })).body;
    expect(await record(costs(`${today},spring,123`, "yesterday,spring,1"))).toEqual({
      problems: ["Line 3: The date has to look like 2026-01-31 or 1/31/2026."],
    });
    expect(await record(costs(`${today},Spring,123`, `${today},sprnig,7.50`))).toEqual({
      recorded: 2,
      removed: 0,
    });
    const { body } = await maria.call("campaigns", period);
    expect(body.campaigns[1]?.cost_cents).toBe(12_300);
    expect(body.unmatched).toEqual([{ source: "", medium: "", campaign: "sprnig", cost_cents: 750 }]);
    const [entry] =
      await database.owner`select action, who from private.audit_log order by id desc offset 1 limit 1`;
    expect(entry).toEqual({ action: "recorded costs", who: "Maria" });
    expect(await record(costs(`${today},spring,0`, `${today},sprnig,0`))).toEqual({
      recorded: 0,
      removed: 2,
    });
    const [taken] = await database.owner`
      select details from private.audit_log where action = 'recorded costs' order by id desc limit 1`;
    expect(taken?.details).toEqual({ costs: 0, removed: 2 });
  });

  it("takes a file of 50,000 characters as the page does, also of quotation marks and of a script whose letters are longer in UTF-8", async () => {
    const fileWith = (note: string) => `date,campaign,amount,note\n${today},spring,0,"${note}"\n`;
    for (const letter of ['""', "春"]) {
      const note = letter.repeat((50_000 - fileWith("").length) / letter.length);
      const csv = fileWith(note).padEnd(50_000, "\n");
      expect(csv).toHaveLength(50_000);
      expect((await maria.call("campaigns/costs", { csv })).body).toEqual({ recorded: 0, removed: 0 });
    }
  });
});

describe("the page Campaigns", () => {
  it("says each campaign in a sentence, and how many are lost at each step", async () => {
    const page = await openPage();
    expect(await section(page, "In short").locator("li").allInnerTexts()).toEqual([
      "News, autumn: 4,230 loads, 1 lead, 0 qualify.",
      "Facebook, spring: 1,204 loads, 3 leads, 1 qualifies.",
    ]);
    await section(page, "From a look to a lead")
      .getByRole("combobox")
      .selectOption({ label: "Facebook, spring, paid" });
    await page.getByText("Of one campaign alone: Facebook, spring, paid.").waitFor();
    expect(await cellsOf(page, "From a look to a lead")).toEqual([
      ["Saw the page", "1,204", "100%", "0", ""],
      ["Read half of it", "803", "67%", "401", "33%"],
      ["Saw the form", "640", "53%", "163", "20%"],
      ["Began to fill it in", "120", "10.0%", "520", "81%"],
      ["Pressed the button", "30", "2.5%", "90", "75%"],
      ["Lead stored", "3", "0.2%", "27", "90%"],
      ["Reviewed", "1", "0.1%", "2", "67%"],
      ["Likely qualifies", "1", "0.1%", "0", "0%"],
    ]);
  });

  it("records a cost that is typed in, and says then what a lead cost", async () => {
    const page = await openPage();
    const form = section(page, "Costs");
    await form.getByRole("textbox", { name: "Campaign" }).fill("spring");
    await form.getByLabel("Cost in US dollars").fill("123");
    await form.getByRole("button", { name: "Record" }).click();
    await form.getByText("1 cost is recorded.").waitFor();
    await page.getByText("Facebook, spring: 1,204 loads, 3 leads, 1 qualifies, $41.00 a lead.").waitFor();
    const [, line] = await cellsOf(page, "Campaigns");
    expect(line?.join(" | ")).toBe(
      "spring | facebook | paid | 1,204 | 3 | 0.25 (0.08 to 0.73) | 1 | 1 | $123.00 | $41.00 | $123.00 | $123.00",
    );
    const table = section(page, "Campaigns").getByRole("group");
    await page.setViewportSize({ width: 1280, height: 720 });
    expect(await table.evaluate((scrolling) => scrolling.scrollWidth - scrolling.clientWidth)).toBe(0);
    await form.getByRole("textbox", { name: "Campaign" }).fill("spring");
    await form.getByLabel("Cost in US dollars").fill("0");
    await form.getByRole("button", { name: "Record" }).click();
    await page.getByText("Facebook, spring: 1,204 loads, 3 leads, 1 qualifies.").waitFor();
  });

  it("reads an ad network's file, shows the costs that no campaign took, and says which line it cannot read", async () => {
    const page = await openPage();
    const choose = (text: string) =>
      page
        .getByLabel("A CSV file: date, campaign, amount in US dollars")
        .setInputFiles({ name: "costs.csv", mimeType: "text/csv", buffer: Buffer.from(text) });
    await choose(`Day,Campaign name,Amount spent (USD)\n${today},sprnig,20.00\n`);
    await page.getByRole("heading", { name: "Costs that no campaign took" }).waitFor();
    expect(await cellsOf(page, "Costs that no campaign took")).toEqual([["sprnig", "Any", "Any", "$20.00"]]);
    await section(page, "Recorded costs").getByText("Table").click();
    expect(await cellsOf(page, "Recorded costs")).toEqual([
      [dayInWords(today), "sprnig", "Any", "Any", "$20.00"],
    ]);
    await choose(costs(`${today},spring,twenty`));
    await page
      .getByRole("alert")
      .getByText("Line 2: The amount has to be in US dollars, such as 12.50")
      .waitFor();
    await choose(costs(`${today},spring,€20`));
    await page.getByRole("alert").getByText("Line 2: The amount is not in US dollars.").waitFor();
    await choose(costs(`${today},sprnig,0`));
    await page.getByRole("heading", { name: "Costs that no campaign took" }).waitFor({ state: "detached" });
  });

  it("sorts the campaigns by a column, with a pointer or with a keyboard", async () => {
    const page = await openPage();
    const table = section(page, "Campaigns");
    const names = async () => (await cellsOf(page, "Campaigns")).map(([name]) => name);
    expect(await names()).toEqual(["autumn", "spring"]);
    await table.getByRole("button", { name: "Leads", exact: true }).click();
    expect(await names()).toEqual(["spring", "autumn"]);
    await table.getByRole("button", { name: "Campaign", exact: true }).focus();
    await page.keyboard.press("Enter");
    expect(await names()).toEqual(["autumn", "spring"]);
    await page.keyboard.press("Enter");
    expect(await names()).toEqual(["spring", "autumn"]);
    expect(await table.getByRole("columnheader", { name: "Campaign" }).getAttribute("aria-sort")).toBe(
      "descending",
    );
  });

  it("shows an experiment as ranges, with its split and the days left", async () => {
    const page = await openPage();
    const text = await section(page, "Experiment: garden").innerText();
    expect(text).toContain("No difference can be told so far.");
    expect(text).toMatch(/Leads: between \d\.\d\d fewer and \d\.\d\d more of 100 loads/);
    expect(text).toMatch(/Likely qualify: between \d\.\d\d fewer and \d\.\d\d more of 100 loads/);
    expect(text).toMatch(/Each side needs 18,753 loads to find \+30%: about \d\d more days\./);
    expect(text).toContain("The split: chi-square 0.22; above 10.83 it is broken.");
    expect(await cellsOf(page, "Experiment: garden")).toEqual([
      ["The original", "2,000", "0", "0.00", "0", "0", "0.00"],
      ["The variant", "2,030", "1", "0.05", "0", "0", "0.00"],
    ]);
  });

  it("shows when readers come as a table of weekdays and hours, and how fast the page was for them", async () => {
    const page = await openPage();
    const hours = section(page, "By hour and weekday");
    expect(await hours.locator("table.hours tbody tr").count()).toBe(7);
    expect(await hours.locator("table.hours td").allInnerTexts()).toContain("5.4K");
    await hours.getByRole("button", { name: "Leads" }).click();
    expect(await hours.locator("table.hours td").allInnerTexts()).toContain("5");
    const painted = await section(page, "Largest picture or text painted").innerText();
    expect(painted).toContain("67% of 60 loads were good: 2.5 s or less.");
  });

  it("names days and weekdays in words in its tables, and days as YYYY-MM-DD in their CSV", async () => {
    const page = await openPage();
    const inWords = dayInWords(today);
    expect((await cellsOf(page, "By day")).map(([day]) => day)).toEqual([inWords]);
    const weekday = new Date(today).toLocaleDateString("en-US", { weekday: "short", timeZone: "UTC" });
    const rows = await section(page, "By hour and weekday")
      .locator("table:not(.hours) tbody th")
      .allTextContents();
    expect(new Set(rows)).toEqual(new Set([weekday]));
    const coming = page.waitForEvent("download");
    await page.getByRole("button", { name: "CSV of By day" }).click();
    expect(readFileSync(await (await coming).path(), "utf8")).toContain(`\n${today},`);
  });

  it("gives each table as CSV, with what its reader must know", async () => {
    const page = await openPage();
    const files: Record<string, string[]> = {};
    for (const button of await page.getByRole("button", { name: /^CSV of/ }).all()) {
      const coming = page.waitForEvent("download");
      await button.click();
      const download = await coming;
      files[download.suggestedFilename()] = readFileSync(await download.path(), "utf8")
        .trim()
        .split("\r\n");
    }
    expect(Object.keys(files).join(" ")).toBe(
      "funnel.csv campaigns.csv campaign-days.csv campaign-hours.csv campaign-devices.csv " +
        "vital-lcp.csv vital-cls.csv vital-inp.csv experiment-garden.csv",
    );
    expect(files["campaigns.csv"]?.[0]).toMatch(/^Campaign,Source,Medium,Loads,Leads,/);
    expect(files["campaigns.csv"]?.at(-1)).toBe(`"${leftOut}"`);
    expect(files["campaigns.csv"]?.[2]).toBe("spring,facebook,paid,1204,3,0.25 (0.08 to 0.73),1,1,,,,");
    expect(files["campaign-days.csv"]?.at(-1)).toBe('"Leads are all that were stored, those of bots too."');
    expect(files["campaign-hours.csv"]?.at(-2)).toMatch(/^"Loads are those of the last eight days, /);
    expect(files["campaign-hours.csv"]?.at(-1)).toBe(files["campaign-days.csv"]?.at(-1));
    expect(files["campaign-devices.csv"]?.at(-1)).toBe(
      '"Of a browser without scripts, loads, presses of the button and leads are counted, but not how far the page was read. Pages sent to it are counted under its real device, such as phone."',
    );
    expect(files["vital-lcp.csv"]).toContain("up to 2.5 s,20");
    expect(files["experiment-garden.csv"]?.slice(3)).toEqual([
      expect.stringMatching(/^"Since .{0,300} Each side needs /),
      expect.stringMatching(/^"?The split: chi-square 0\.22; above 10\.83 it is broken\./),
    ]);
  });

  it("says how many loads and leads of bots its table leaves out, in the words of the command, on paper too", async () => {
    const page = await openPage();
    const line = section(page, "Campaigns").getByText(leftOut);
    await line.waitFor();
    await page.emulateMedia({ media: "print" });
    expect(await line.isVisible()).toBe(true);
    const command = await leads(database.url, "campaigns");
    expect(command.stdout).toContain(leftOut);
  });

  it("is printed with every table, dark on white, without what is for the screen", async () => {
    await maria.call("campaigns/costs", { csv: costs(`${today},spring,"$123,456.70"`) });
    const page = await openPage({ colorScheme: "dark" });
    await maria.call("campaigns/costs", { csv: costs(`${today},spring,0`) });
    await page.emulateMedia({ media: "print", colorScheme: "dark" });
    expect(await page.locator("button.button:visible, input:visible, select:visible").count()).toBe(0);
    const printed = await page
      .locator(".report table")
      .evaluateAll((tables) =>
        tables
          .filter((table) => table.checkVisibility() && table.getBoundingClientRect().height > 30)
          .map((table) => table.closest("section")?.querySelector("h2")?.textContent),
      );
    expect(printed.join("; ")).toBe(
      "From a look to a lead; Campaigns; Recorded costs; By day; By hour and weekday; By hour and weekday; " +
        "By device; Largest picture or text painted; Experiment: garden",
    );
    // Letter paper has about so many pixels between its margins.
    await page.setViewportSize({ width: 720, height: 960 });
    const tooNarrow = (cells: Element[]) =>
      cells.flatMap((cell) => (cell.scrollWidth > cell.clientWidth ? [cell.textContent] : []));
    expect(await page.locator("table.hours td").evaluateAll(tooNarrow)).toEqual([]);
    expect(
      await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth),
    ).toBe(0);
    expect((await cellsOf(page, "Campaigns"))[1]?.slice(-4)).toEqual([
      "$123,456.70",
      "$41,152.23",
      "$123,456.70",
      "$123,456.70",
    ]);
    const sentence = section(page, "In short").locator("li").first();
    const ink = await sentence.evaluate((element) => getComputedStyle(element).color);
    const paper = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    expect([ink, paper]).toEqual(["rgb(0, 0, 0)", "rgb(255, 255, 255)"]);
  });

  it("says that nothing was counted in days in which nothing was", async () => {
    const page = await openPage();
    await page.getByLabel("From", { exact: true }).fill("2020-01-01");
    await page.getByLabel("To", { exact: true }).fill("2020-01-07");
    await page.getByText("Nothing was counted in these days.").waitFor();
    expect(await page.getByText("Nothing in these days.").count()).toBeGreaterThan(5);
  });

  it.each<[string, BrowserContextOptions]>([
    ["a small phone", { viewport: { width: 320, height: 640 } }],
    ["a tablet in the dark", { viewport: { width: 768, height: 1024 }, colorScheme: "dark" }],
    ["a desktop in forced colours", { viewport: { width: 1440, height: 900 }, forcedColors: "active" }],
  ])(
    "has no violation that axe finds, does not scroll sideways, and has no small targets on %s",
    async (_, options) => {
      const page = await openPage(options);
      expect(await axeViolations(page)).toEqual([]);
      expect(
        await page.evaluate(
          () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
        ),
      ).toBe(0);
      const small = await page
        .locator("main button:visible, main summary:visible, main input:visible, main select:visible")
        .evaluateAll((targets) =>
          targets
            .filter((target) => (target.closest("label") ?? target).getBoundingClientRect().height < 39)
            .map((target) => target.outerHTML),
        );
      expect(small).toEqual([]);
    },
  );
});
