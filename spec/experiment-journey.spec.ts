// A visitor during an experiment, in a browser against the running product. The variant stays the same from the first page load to the
// stored lead, and the counts, the manager's results and the operator's results name the same variant.
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeCounters } from "../campaigns/counters.ts";
import { type Flushing, startFlushing } from "../campaigns/flush.ts";
import { connect } from "../database/connect.ts";
import { makeResilientConnection } from "../database/resilient-connection.ts";
import { syncSettings } from "../database/sync-settings.ts";
import type { Lead } from "../lead/lead.ts";
import { makeCounting } from "../web/counting.ts";
import { loadSite, pageDependencies } from "../web/pages.ts";
import { makeHttpServer } from "../web/server.ts";
import { anExperiment } from "./support/an-experiment.ts";
import { useBrowser } from "./support/browser.ts";
import { browsers, removeCounts } from "./support/counts.ts";
import { aLead, makeDatabase, removeLeads, type TestDatabase } from "./support/database.ts";
import { serveInbox } from "./support/inbox.ts";
import { openAs } from "./support/inbox-pages.ts";
import { anonKey, makeIntake } from "./support/intake.ts";
import { leads } from "./support/leads-command.ts";
import { pageSettings } from "./support/site.ts";
import { fillIn, formReady, submit } from "./support/visitor.ts";

const { open, browser } = useBrowser();
const startedOn = new Date(Date.now() - 3 * 86_400_000).toISOString().slice(0, 10);
const experiment = anExperiment({ startedOn });
const headlines = {
  original: "A New Device Is Changing How Seniors Manage Blood Sugar",
  "fewer-finger-sticks": "Fewer Finger-Sticks for Seniors",
};
type Variant = keyof typeof headlines;

let database: TestDatabase;
let server: Server;
let address: string;
let flushing: Flushing;
beforeAll(async () => {
  database = await makeDatabase();
  await syncSettings(database.owner, { notices: [], keepAddress: true, experiments: [experiment] });
  const settings = { ...pageSettings, site: { ...pageSettings.site, backendKey: anonKey, counting: true } };
  const counters = makeCounters();
  const counting = makeCounting({
    counters,
    variants: Object.keys(headlines),
    origins: [],
    limit: undefined,
  });
  const { app, log } = await makeIntake(database, {
    ...pageDependencies(await loadSite(settings, [experiment])),
    counting,
  });
  flushing = startFlushing(
    counters,
    makeResilientConnection(
      () => connect(database.intakeUrl, { max: 1 }),
      () => {},
    ),
    log,
    0,
  );
  server = makeHttpServer(app, {});
  await new Promise<void>((resolve) => server.listen(0, "localhost", resolve));
  address = `http://localhost:${(server.address() as AddressInfo).port}/`;
});
afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await flushing.stop();
});

const variantsOfPermissions = async (campaign: string) => {
  const rows = await database.owner`
    select p.variant from private.permissions p where p.utm ->> 'utm_campaign' = ${campaign}`;
  return rows.map(({ variant }) => variant);
};

/** What was counted of a campaign, by variant and step. */
async function countsOf(campaign: string) {
  await flushing.flush();
  const rows = await database.owner<{ counted: string; n: number }[]>`
    select variant || ' ' || step as counted, sum(n)::int as n
    from private.page_counts where campaign = ${campaign} group by 1 order by 1`;
  return Object.fromEntries(rows.map(({ counted, n }) => [counted, n]));
}

/** Loads the article until it shows the variant, and returns the campaign in the address of that load. Counts each load in `loaded`. */
async function loadUntilShown(
  page: Page,
  variant: Variant,
  visitor: string,
  loaded: Record<Variant, number> = { original: 0, "fewer-finger-sticks": 0 },
): Promise<string> {
  // Each load is a new throw of the coin; sixty of the same side come once in a billion billion times.
  for (let load = 0; load < 60; load++) {
    const campaign = `${visitor.replaceAll(" ", "-")}-${variant}-${load}`;
    const beacon = page.waitForRequest((request) => new URL(request.url()).pathname === "/c");
    await page.goto(`${address}?utm_source=facebook&utm_campaign=${campaign}`);
    await beacon;
    const headline = await page.getByRole("heading", { level: 1 }).textContent();
    loaded[headline === headlines.original ? "original" : "fewer-finger-sticks"] += 1;
    if (headline === headlines[variant]) return campaign;
  }
  throw new Error(`The variant ${variant} was not shown.`);
}

describe.each([
  ["with script", true],
  ["without script", false],
])("a visitor %s, during an experiment", (visitor, javaScriptEnabled) => {
  it.each(Object.entries(headlines) as [Variant, string][])(
    "who is shown the variant %s is shown it again after a mistake, is counted under it, and the lead remembers it",
    async (variant, headline) => {
      const page = await open(undefined, { javaScriptEnabled, userAgent: browsers.phone });
      const shown = () => page.getByRole("heading", { level: 1 }).textContent();
      const campaign = await loadUntilShown(page, variant, visitor);
      expect(await page.locator("[name=variant]").inputValue()).toBe(variant);
      await fillIn(page, aLead({ name: `Rosa, ${visitor}, ${variant}`, phone: "  " }));
      if (javaScriptEnabled) await formReady(page);
      await submit(page);
      await page.getByRole("alert").getByText("Please enter your phone number.").waitFor();
      expect(await shown()).toBe(headline);
      expect(await page.locator("[name=variant]").inputValue()).toBe(variant);
      await page.getByLabel("Phone Number *").fill("(305) 555-0142");
      await submit(page);
      await page.waitForURL(`${address}thank-you`);
      expect(await variantsOfPermissions(campaign)).toEqual([variant]);
      expect(await page.context().cookies()).toEqual([]);
      await expect
        .poll(() => countsOf(campaign))
        .toEqual({
          [`${variant} served`]: 1,
          [`${variant} view`]: 1,
          ...(javaScriptEnabled && {
            [`${variant} began`]: 1,
            [`${variant} form_seen`]: 1,
            [`${variant} half_read`]: 1,
          }),
          [`${variant} pressed`]: 1,
        });
    },
  );
});

/** Posts the form as a browser without script does. */
function postForm({ name, email, phone, zip_code, variant }: Lead & { variant: string }, campaign = "") {
  const body = new URLSearchParams({ name, email, phone, zip_code, variant });
  const headers = { referer: `${address}?utm_campaign=${campaign}`, "user-agent": browsers.phone };
  return fetch(address, { method: "POST", body, headers, redirect: "manual" });
}

describe("a plain post that names a variant which nobody listed", () => {
  it("is stored as any lead, without a variant", async () => {
    const answer = await postForm({ ...aLead({ name: "Forger" }), variant: "forged" }, "forged");
    expect(answer.status).toBe(303);
    expect(await variantsOfPermissions("forged")).toEqual([null]);
  });
});

describe("the results of the experiment", () => {
  it("show a manager and the operator how many page loads showed the original and the variant, and how many leads name each", async () => {
    await flushing.flush();
    await removeCounts(database.owner);
    await removeLeads(database.owner);
    const loaded: Record<Variant, number> = { original: 0, "fewer-finger-sticks": 0 };
    const page = await open(undefined, { userAgent: browsers.phone });
    await loadUntilShown(page, "original", "a reader", loaded);
    await loadUntilShown(page, "fewer-finger-sticks", "a reader", loaded);
    const stored = { original: 1, "fewer-finger-sticks": 2 };
    for (const [variant, count] of Object.entries(stored))
      for (let nth = 0; nth < count; nth += 1)
        expect((await postForm({ ...aLead({ name: `${variant} ${nth}` }), variant })).status).toBe(303);
    await expect
      .poll(async () => {
        await flushing.flush();
        const rows = await database.owner<{ variant: Variant; n: number }[]>`
          select variant, sum(n)::int as n from private.page_counts where step = 'view' group by 1`;
        return Object.fromEntries(rows.map(({ variant, n }) => [variant, n]));
      })
      .toEqual(loaded);
    const command = await leads(database.url, "experiments", "--json");
    const [result] = JSON.parse(command.stdout);
    expect(result).toMatchObject({
      original: { loads: loaded.original, stored: stored.original },
      changed: { loads: loaded["fewer-finger-sticks"], stored: stored["fewer-finger-sticks"] },
    });
    const inbox = await serveInbox(database);
    const manager = await inbox.member("Maria", "manager");
    const results = await openAs(browser(), inbox, manager, "/campaigns");
    const cells = results
      .getByRole("region", { name: `Experiment: ${experiment.variant}` })
      .locator("tbody tr");
    await cells.first().waitFor();
    const shown = await cells.evaluateAll((rows) =>
      rows.map((row) => [...row.children].slice(0, 3).map((cell) => cell.textContent)),
    );
    expect(shown).toEqual([
      ["The original", String(loaded.original), String(stored.original)],
      ["The variant", String(loaded["fewer-finger-sticks"]), String(stored["fewer-finger-sticks"])],
    ]);
  });
});
