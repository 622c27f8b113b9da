// The reports of the inbox in the browser: the days that are chosen, the figures, the pictures, and each table as CSV.
import { describe, expect, it } from "vitest";
import { intercept } from "./support/browser.ts";
import { addLead } from "./support/inbox.ts";
import { openAs, saved } from "./support/inbox-pages.ts";
import { setUpInboxInBrowser } from "./support/inbox-screens.ts";

const { browser, database, inbox, dana, maria, as } = await setUpInboxInBrowser();

const asMaria = (path: string) => as(maria, path);

describe("the reports", () => {
  it("never show the figures of other days, and ask for no year that is still being typed", async () => {
    await addLead(database, {}, 2);
    const page = await asMaria("/reports");
    await page.locator(".figure").first().waitFor();
    const asked: string[] = [];
    const answered = Promise.withResolvers<void>();
    await intercept(page, "**/api/reports", async (route) => {
      asked.push(route.request().postDataJSON().since);
      await answered.promise;
      await route.continue();
    });
    const from = page.getByLabel("From");
    for (const year of ["0002", "0020", "0202", "2025"]) await from.fill(`${year}-11-22`);
    await expect.poll(() => asked).toEqual(["2025-11-22"]);
    expect(await page.locator(".figure").count()).toBe(0);
    answered.resolve();
    await page.locator(".figure").first().waitFor();
  });

  it("ask for nothing, and say why, while the first day is later than the last", async () => {
    const page = await asMaria("/reports");
    await page.locator(".figure").first().waitFor();
    const asked: string[] = [];
    page.on("request", (request) => {
      if (request.url().endsWith("/api/reports")) asked.push(request.postDataJSON().since);
    });
    await page.getByLabel("To").fill("2025-11-01");
    await page.getByRole("alert").getByText("“From” is later than “To”", { exact: false }).waitFor();
    expect(await page.locator(".figure").count()).toBe(0);
    expect(await page.getByRole("button", { name: "Export the leads of these days" }).count()).toBe(0);
    await page.getByLabel("From").fill("2025-10-01");
    await page.locator(".figure").first().waitFor();
    expect(asked).toEqual(["2025-10-01"]);
    expect(await page.getByRole("alert").count()).toBe(0);
  });

  it("say how the promise was kept, how soon people were called, and what came of it, and give each table as CSV", async () => {
    const [kept] = [await addLead(database, {}, 2), await addLead(database, {}, 40)];
    const { body } = await dana.call("call", { id: kept });
    if (!("call_id" in body)) throw new Error(body.refused);
    await dana.call("outcome", { id: kept, call_id: body.call_id, outcome: "likely_qualifies" });
    const page = await asMaria("/reports");
    await page.locator(".figure").first().waitFor();
    expect(await page.locator(".figures").innerText()).toContain("50%");
    expect(await page.locator(".figures").innerText()).toMatch(/Kept\n+1\n+Missed\n+1\n+Still open\n+0\n/);
    expect(await page.locator(".figures").innerText()).toContain("2 h");
    expect(await page.locator(".picture title").allTextContents()).toContainEqual(
      expect.stringMatching(/: 1 lead, 1 kept, 0 missed, 0 still open, 0 withdrawn unreviewed$/),
    );
    expect(await page.getByText("withdrawn within", { exact: false }).count()).toBe(0);
    expect(await saved(page, "CSV of Outcomes")).toMatchObject({
      name: "outcomes.csv",
      text: "\ufeffOutcome,Leads\r\nLikely qualifies,1\r\n",
    });
    for (const title of ["By day", "By hour and weekday", "By campaign"]) {
      expect((await saved(page, `CSV of ${title}`)).text.split("\r\n").length).toBeGreaterThan(2);
    }
  });

  it("count a lead withdrawn within the 24 hours and not reviewed within them, as neither kept nor missed nor open, and say so", async () => {
    const id = await addLead(database, {}, 40);
    await dana.call("stop", { id });
    await database.owner`update private.permissions set withdrawn_at = now() - interval '30 hours' where lead_id = ${id}`;
    const page = await asMaria("/reports");
    await page
      .getByText(
        "1 lead was withdrawn within the 24 hours and not reviewed within them. It counts as neither kept nor missed.",
      )
      .waitFor();
    expect(await page.locator(".figures").innerText()).toMatch(/Kept\n+0\n+Missed\n+0\n+Still open\n+0\n/);
    expect(await page.locator(".picture title").allTextContents()).toContainEqual(
      expect.stringMatching(/: 1 lead, 0 kept, 0 missed, 0 still open, 1 withdrawn unreviewed$/),
    );
    expect((await saved(page, "CSV of By day")).text).toMatch(
      /^\ufeffDay,Leads,Kept,Missed,Still open,Withdrawn unreviewed,Calls\r\n/,
    );
  });

  it("write a large figure in groups of three digits, as the tables below it do", async () => {
    const page = await asMaria("/account");
    await intercept(page, "**/api/reports", async (route) => {
      const response = await route.fetch();
      const reports = await response.json();
      await route.fulfill({
        response,
        json: { ...reports, promises: { ...reports.promises, kept: 12_345 } },
      });
    });
    await page.getByRole("link", { name: "Reports" }).click();
    await page.locator(".figures").getByText("12,345").waitFor();
  });

  it("say so where they list only the campaigns with the most leads", async () => {
    const page = await asMaria("/account");
    const campaign = {
      source: "",
      medium: "",
      leads: 1,
      reviewed: 0,
      likely: 0,
      needs_visit: 0,
      withdrawn: 0,
    };
    const campaigns = Array.from({ length: 500 }, (_, nth) => ({ ...campaign, campaign: `c${nth}` }));
    await intercept(page, "**/api/reports", async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, json: { ...(await response.json()), campaigns } });
    });
    await page.getByRole("link", { name: "Reports" }).click();
    await page.getByText("Only the 500 campaigns with the most leads.").waitFor();
  });

  it("are printed with every table, dark on white, without what is for the screen", async () => {
    await addLead(database);
    const page = await openAs(browser(), inbox, maria, "/reports", { colorScheme: "dark" });
    await page.locator(".report").first().waitFor();
    await page.emulateMedia({ media: "print", colorScheme: "dark" });
    // What is folded up has its height all the same, but is not visible.
    const heights = await page
      .locator(".report table")
      .evaluateAll((tables) =>
        tables.map((table) => (table.checkVisibility() ? table.getBoundingClientRect().height : 0)),
      );
    expect(heights.length).toBeGreaterThanOrEqual(4);
    expect(Math.min(...heights)).toBeGreaterThan(30);
    expect(await page.locator("button, a, input, select").locator("visible=true").count()).toBe(0);
    const ink = await page
      .locator(".figure dd")
      .first()
      .evaluate((element) => getComputedStyle(element).color);
    const paper = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    expect([ink, paper]).toEqual(["rgb(0, 0, 0)", "rgb(255, 255, 255)"]);
  });

  it("show a campaign by its name, also when that looks like a day, or like a day that does not exist", async () => {
    const names = ["2026-12-31", "2026-31-12"];
    for (const name of names)
      await addLead(database, {
        request_headers: { referer: `https://www.example.com/?utm_source=letter&utm_campaign=${name}` },
      });
    const page = await asMaria("/reports");
    const cells = page.getByRole("region", { name: "By campaign" }).locator("tbody td:nth-child(3)");
    await cells.first().waitFor();
    expect((await cells.allInnerTexts()).toSorted()).toEqual(names);
  });

  it("give the leads of the days as a file, and the audit log says so", async () => {
    await addLead(database, { name: "Rosa Martinez" });
    await addLead(database, { name: "Olga Earlier" }, 40 * 24);
    const page = await asMaria("/reports");
    const { name, text } = await saved(page, "Export the leads of these days");
    expect(name).toMatch(/^leads-.*\.csv$/);
    expect(text).toContain("Rosa Martinez");
    expect(text).not.toContain("Olga Earlier");
    await page.getByRole("link", { name: "Audit log" }).click();
    await page.getByRole("cell", { name: "exported leads" }).first().waitFor();
  });
});
