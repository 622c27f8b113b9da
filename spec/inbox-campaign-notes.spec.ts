// What the inbox's page "Campaigns" says beside its figures, and what it asks a manager to do.
import { describe, expect, it } from "vitest";
import { syncSettings } from "../database/sync-settings.ts";
import { anExperiment } from "./support/an-experiment.ts";
import { aCount, addCounts } from "./support/counts.ts";
import { addLead } from "./support/inbox.ts";
import { setUpInboxInBrowser } from "./support/inbox-screens.ts";

const { database, maria, as } = await setUpInboxInBrowser();

const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);

describe("an experiment on the page Campaigns", () => {
  it("asks neither for more days nor for a decision once it is told whether the variant brings more", async () => {
    const plan = { rate: 0.3, lift: 0.8 };
    await syncSettings(database.owner, {
      notices: [],
      keepAddress: true,
      experiments: [anExperiment({ variant: "garden", startedOn: daysAgo(5), plan })],
    });
    const countLoads = (n: number) =>
      addCounts(
        database.intake,
        ["original", "garden"].map((variant) => aCount({ variant, n })),
      );
    await countLoads(60);
    for (let nth = 0; nth < 40; nth += 1)
      await addLead(database, { request_headers: { "x-variant": "garden" } });
    for (const loads of [60, 200]) {
      if (loads > 60) await countLoads(loads - 60);
      const page = await as(maria, "/campaigns");
      const report = page.getByRole("region", { name: "Experiment: garden" });
      await report.getByText("The variant brings more leads.", { exact: true }).waitFor();
      expect(await report.innerText()).toMatch(
        /\. Each side needs \d{3} loads to find \+80%\. The answer holds already: the variant brings more leads\.\n/,
      );
    }
  });
});

describe("a file of costs that is too long for the page Campaigns", () => {
  it("is to be divided between days, because a second file would replace costs of the same campaign and day", async () => {
    const page = await as(maria, "/campaigns");
    const line = `${daysAgo(1)},spring,1\n`;
    await page.getByLabel("A CSV file: date, campaign, amount in US dollars").setInputFiles({
      name: "costs.csv",
      mimeType: "text/csv",
      buffer: Buffer.from(`date,campaign,amount\n${line.repeat(3_000)}`),
    });
    expect(await page.getByRole("alert").innerText()).toBe(
      "The file is too long: 50,000 characters at once. Please divide it between days, because lines of one campaign and day have to stay in one file.",
    );
  });
});

describe("the table of campaigns in the inbox", () => {
  it("says that older leads are erased where it has their loads or costs, which stay", async () => {
    await database.owner`update private.settings set retention_days = 30`;
    await maria.call("campaigns/costs", { csv: `date,campaign,amount\n${daysAgo(40)},spring,5\n` });
    const page = await as(maria, "/campaigns");
    const table = page.getByRole("region", { name: "Campaigns", exact: true });
    await table.getByText("The range in brackets", { exact: false }).waitFor();
    const note = table.getByText("are erased because of their age", { exact: false });
    expect(await note.count()).toBe(0);
    await page.getByRole("button", { name: "90 days" }).click();
    expect(await note.innerText()).toMatch(
      /^Leads that came before \w{3} \d{1,2}, \d{4} are erased because of their age; the loads and costs of those days are still here\. So a lead cost less than is shown, and more of the loads became leads\.$/,
    );
    await database.owner`update private.settings set retention_days = null`;
  });
});

describe("the table of loads and leads by day in the inbox", () => {
  it("says that older loads are kept by the day of UTC, so that one day may have more or fewer hours of them than of leads", async () => {
    const page = await as(maria, "/campaigns");
    await page
      .getByRole("region", { name: "By day", exact: true })
      .getByText(
        "Loads older than eight days are kept by the day of UTC. Where those days end and the days of your own time begin, one day may have more or fewer than 24 hours of loads.",
        { exact: true },
      )
      .waitFor();
  });
});
