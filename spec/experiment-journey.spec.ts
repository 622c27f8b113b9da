// A visitor during an experiment, in a browser against the running product: the same variant from the first look to the stored lead.
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { syncSettings } from "../database/sync-settings.ts";
import { loadSite, show } from "../web/pages.ts";
import { makeHttpServer } from "../web/server.ts";
import { anExperiment } from "./support/an-experiment.ts";
import { useBrowser } from "./support/browser.ts";
import { aLead, makeDatabase, type TestDatabase } from "./support/database.ts";
import { anonKey, makeIntake } from "./support/intake.ts";
import { pageSettings } from "./support/site.ts";
import { fillIn, formReady, submit } from "./support/visitor.ts";

const { open } = useBrowser("whole browser");
const experiment = anExperiment();
const headlines = {
  original: "A New Device Is Changing How Seniors Manage Blood Sugar",
  "fewer-finger-sticks": "Fewer Finger-Sticks for Seniors",
};

let database: TestDatabase;
let server: Server;
let address: string;
beforeAll(async () => {
  database = await makeDatabase();
  await syncSettings(database.owner, { notices: [], keepAddress: true, experiments: [experiment] });
  const settings = { ...pageSettings, site: { ...pageSettings.site, backendKey: anonKey } };
  const { app } = await makeIntake(database, show(await loadSite(settings, [experiment])));
  server = makeHttpServer(app, {});
  await new Promise<void>((resolve) => server.listen(0, "localhost", resolve));
  address = `http://localhost:${(server.address() as AddressInfo).port}/`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});
beforeEach(() => database.owner`delete from leads`);

const remembered = async () => {
  const rows = await database.owner`select variant from private.permissions`;
  return rows.map(({ variant }) => variant);
};

describe.each([
  ["with script", true],
  ["without script", false],
])("a visitor %s, during an experiment", (_, javaScriptEnabled) => {
  it.each(Object.entries(headlines))(
    "who is shown the variant %s is shown it again after a mistake, and the lead remembers it",
    async (variant, headline) => {
      const page = await open(undefined, { javaScriptEnabled });
      const shown = () => page.getByRole("heading", { level: 1 }).textContent();
      // Each load is a new throw of the coin; sixty of the same side come once in a billion billion times.
      for (let load = 0; load < 60; load++) {
        await page.goto(address);
        if ((await shown()) === headline) break;
      }
      expect(await page.locator("[name=variant]").inputValue()).toBe(variant);
      await fillIn(page, aLead({ phone: "  " }));
      if (javaScriptEnabled) await formReady(page);
      await submit(page);
      await page.getByRole("alert").getByText("Please enter your phone number.").waitFor();
      expect(await shown()).toBe(headline);
      expect(await page.locator("[name=variant]").inputValue()).toBe(variant);
      await page.getByLabel("Phone Number *").fill("(305) 555-0142");
      await submit(page);
      await page.waitForURL(`${address}thank-you`);
      expect(await remembered()).toEqual([variant]);
      expect(await page.context().cookies()).toEqual([]);
    },
  );
});

describe("a plain post that names a variant which nobody listed", () => {
  it("is stored as any lead, without a variant", async () => {
    const { name, email, phone, zip_code } = aLead();
    const body = new URLSearchParams({ name, email, phone, zip_code, variant: "forged" });
    const answer = await fetch(address, { method: "POST", body, redirect: "manual" });
    expect(answer.status).toBe(303);
    expect(await remembered()).toEqual([null]);
  });
});
