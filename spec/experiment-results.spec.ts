// What an experiment has brought: counted by the database, judged by the statistics, and printed by `leads experiments`.
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type CountedExperiment, resultOf, type Side } from "../campaigns/experiment-results.ts";
import { syncSettings } from "../database/sync-settings.ts";
import { askAsOperator } from "../team/ask.ts";
import { experiments } from "../team/experiments.ts";
import { anExperiment } from "./support/an-experiment.ts";
import { makeDatabase, removeLeads, type TestDatabase } from "./support/database.ts";
import { addLead } from "./support/inbox.ts";
import { leads } from "./support/leads-command.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await makeDatabase();
});
beforeEach(async () => {
  await removeLeads(database.owner);
  await database.owner`truncate private.page_counts, private.campaign_names, private.experiments`;
});

const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);
const startExperiment = (differences = {}) =>
  syncSettings(database.owner, {
    notices: [],
    keepAddress: true,
    experiments: [anExperiment({ variant: "garden", startedOn: daysAgo(5), ...differences })],
  });

/** Counts page loads as the web process does. */
const countLoads = (variant: string, n: number, more: object = {}) => {
  const words = { source: "facebook", medium: "", campaign: "spring", device: "phone", step: "view" };
  return database.intake`
    select private.add_counts(${JSON.stringify([{ ...words, variant, n, ...more }])}::text::json, '[]')`;
};
/** Stores a lead that came from a page with this variant. */
const leadFrom = (variant: string, headers = {}) =>
  addLead(database, { request_headers: { "x-variant": variant, ...headers } });
const readResults = () => experiments(askAsOperator(database.owner));

it("an experiment is written by a start that finds it new or changed in the list, and by no other", async () => {
  const written = () => database.owner`select xmin::text, ended_on::text from private.experiments`;
  await startExperiment();
  const before = await written();
  await startExperiment();
  expect(await written()).toEqual(before);
  await startExperiment({ endedOn: daysAgo(1) });
  expect(await written()).toMatchObject([{ ended_on: daysAgo(1) }]);
});

describe("the results of an experiment", () => {
  it("count, for the original and the variant, the loads that readers saw and the leads with what came of them", async () => {
    await startExperiment();
    await countLoads("original", 300);
    await countLoads("garden", 310);
    const id = await leadFrom("garden");
    await leadFrom("garden");
    await leadFrom("original");
    await database.owner`insert into private.reviews (lead_id, outcome) values (${id}, 'likely_qualifies')`;
    await database.owner`update private.lead_work set outcome = 'likely_qualifies' where lead_id = ${id}`;
    expect(await readResults()).toMatchObject([
      {
        variant: "garden",
        language: "en",
        started_on: daysAgo(5),
        ended_on: null,
        original: { loads: 300, stored: 1, reviewed: 0, qualified: 0 },
        changed: { loads: 310, stored: 2, reviewed: 1, qualified: 1 },
        verdict: "not yet",
      },
    ]);
  });

  it("leave out bots, what a bot filled in, documents that were only served, and other variants", async () => {
    await startExperiment();
    await countLoads("garden", 50, { device: "bot" });
    await countLoads("garden", 70, { step: "served" });
    await countLoads("elsewhere", 90);
    await leadFrom("garden", { "x-device": "bot" });
    const id = await leadFrom("garden", { "x-honeypot-filled": "yes" });
    await database.owner`insert into private.reviews (lead_id, outcome) values (${id}, 'likely_qualifies')`;
    await database.owner`update private.lead_work set outcome = 'likely_qualifies' where lead_id = ${id}`;
    const nothing = { loads: 0, stored: 0, reviewed: 0, qualified: 0 };
    expect(await readResults()).toMatchObject([{ original: nothing, changed: nothing, verdict: "no loads" }]);
  });

  it("leave out what the original brought before the start and after the end, and begin with the newest experiment", async () => {
    await startExperiment({ startedOn: daysAgo(5), endedOn: daysAgo(2) });
    await database.owner`
      insert into private.experiments (variant, language, started_on, ended_on, planned_rate, planned_lift)
      values ('a-former-one', 'en', ${daysAgo(30)}, ${daysAgo(20)}, 0.02, 0.3)`;
    await countLoads("original", 40);
    await leadFrom("original");
    await database.owner`
      insert into private.page_counts (day, hour, source, medium, campaign, variant, device, step, n)
      values (${daysAgo(6)}, -1, '', '', '', 'original', 'phone', 'view', 1000),
        (${daysAgo(5)}, -1, '', '', '', 'original', 'phone', 'view', 10),
        (${daysAgo(3)}, 4, '', '', '', 'original', 'phone', 'view', 20),
        (${daysAgo(2)}, -1, '', '', '', 'original', 'phone', 'view', 2000)`;
    const [result] = await readResults();
    expect(result).toMatchObject({ original: { loads: 30, stored: 0 }, ended_on: daysAgo(2) });
    expect(result?.days).toBeCloseTo(3);
  });

  it("are read by the operator, with an entry in the audit log, and not with the login of the intake", async () => {
    await readResults();
    const [entry] = await database.owner`select who, action from private.audit_log order by id desc limit 1`;
    expect(entry).toEqual({ who: "operator", action: "read experiments" });
    await expect(database.intake`select team.experiments()`).rejects.toMatchObject({ code: "42501" });
  });
});

describe("the verdict on an experiment", () => {
  const side = (loads: number, stored: number, qualified = 0): Side => ({
    loads,
    stored,
    reviewed: qualified,
    qualified,
  });
  const judged = (original: Side, changed: Side) => {
    const counted: CountedExperiment = {
      variant: "garden",
      language: "en",
      started_on: "2026-11-01",
      ended_on: null,
      plan: { rate: 0.02, lift: 0.3 },
      days: 10,
      original,
      changed,
    };
    return resultOf(counted);
  };

  it.each([
    ["more leads, once the whole range is above zero", side(18_000, 360), side(18_100, 520), "more"],
    ["fewer leads, once the whole range is below zero", side(18_000, 520), side(18_100, 360), "fewer"],
    ["no difference so far", side(4_000, 80), side(4_050, 95), "not yet"],
    [
      "none found, once both sides have the loads they need",
      side(18_753, 380),
      side(18_900, 390),
      "none found",
    ],
    [
      "no difference so far, while one side is one load short",
      side(18_752, 380),
      side(18_900, 390),
      "not yet",
    ],
    ["still judged, where the split is uneven by chance", side(10_000, 200), side(10_465, 210), "not yet"],
    ["a broken split, where chance hardly explains it", side(10_000, 200), side(10_475, 210), "split broken"],
    ["nothing, before there are loads", side(0, 0), side(0, 0), "no loads"],
  ])("is %s", (_, original, changed, verdict) => {
    expect(judged(original, changed).verdict).toBe(verdict);
  });

  it("comes without ranges and days left while the loads are not split evenly, however large the difference", () => {
    const result = judged(side(18_000, 360), side(16_000, 900));
    expect(result).toMatchObject({
      verdict: "split broken",
      stored: null,
      qualified: null,
      days_left: null,
    });
    expect(result.split_chi_square).toBeGreaterThan(10.83);
  });

  it("shows beside the stored leads whether those that likely qualify are more or fewer", () => {
    const { stored, qualified } = judged(side(18_000, 360, 200), side(18_100, 520, 110));
    expect(stored?.low).toBeGreaterThan(0);
    expect(qualified?.high).toBeLessThan(0);
  });

  it("says how many loads each side needs, and in how many days both will have them", () => {
    expect(judged(side(9_000, 180), side(9_100, 190))).toMatchObject({ size_needed: 18_753, days_left: 11 });
  });
});

describe("leads experiments", () => {
  it("prints the counts, the ranges, the split and what is left, for a person", async () => {
    await startExperiment();
    await countLoads("original", 2_000);
    await countLoads("garden", 2_040);
    for (const variant of ["original", "garden", "garden"]) await leadFrom(variant);
    const { status, stdout } = await leads(database.url, "experiments");
    expect(status).toBe(0);
    expect(stdout.split("\n")).toEqual([
      `garden (en), from ${daysAgo(5)}`,
      expect.stringMatching(/^ +loads +leads +of 100 +reviewed +likely qualify +of 100$/),
      expect.stringMatching(/^ {2}original +2,000 +1 +0\.05 +0 +0 +0\.00$/),
      expect.stringMatching(/^ {2}garden +2,040 +2 +0\.10 +0 +0 +0\.00$/),
      "No difference can be told so far.",
      expect.stringMatching(/^Leads: between \d\.\d\d fewer and \d\.\d\d more of 100 loads\.$/),
      expect.stringMatching(/^Likely qualify: between \d\.\d\d fewer and \d\.\d\d more of 100 loads\.$/),
      "The split: chi-square 0.40; above 10.83 it is broken.",
      expect.stringMatching(/^It needs 18,753 loads of each to find \+30%: about \d\d more days\.$/),
      "",
    ]);
  });

  it("asks neither for more days nor for a decision once it is told whether the variant brings more", async () => {
    await startExperiment({ plan: { rate: 0.3, lift: 0.8 } });
    const countBoth = async (n: number) => {
      await countLoads("original", n);
      await countLoads("garden", n);
    };
    await countBoth(60);
    for (let nth = 0; nth < 40; nth += 1) await leadFrom("garden");
    const daysLeft = [];
    for (const more of [0, 140]) {
      if (more > 0) await countBoth(more);
      daysLeft.push((await readResults())[0]?.days_left);
      const { stdout } = await leads(database.url, "experiments");
      expect(stdout).toContain("\nThe variant brings more leads.\n");
      expect(stdout).toMatch(
        /\nIt needs \d{3} loads of each to find \+80%\. The answer above holds already\.\n$/,
      );
    }
    expect(daysLeft).toEqual([expect.toSatisfy((days) => days > 0), 0]);
  });

  it("advises no decision while the loads are not split evenly, although each side has as many as it needs", async () => {
    await startExperiment();
    await countLoads("original", 22_000);
    await countLoads("garden", 19_000);
    const { stdout } = await leads(database.url, "experiments");
    expect(stdout).toContain("\nNO RESULT: the loads are not split evenly");
    expect(stdout).toMatch(/\nIt needs 18,753 loads of each to find \+30%\.\n$/);
  });

  it("prints JSON for a program, and says that there is no experiment where none is listed", async () => {
    const none = await leads(database.url, "experiments");
    expect([none.status, none.stdout]).toEqual([0, ""]);
    expect(none.stderr).toContain("There is no experiment.");
    await startExperiment();
    const { stdout } = await leads(database.url, "experiments", "--json");
    expect(JSON.parse(stdout)).toMatchObject([{ variant: "garden", verdict: "no loads", days_left: null }]);
  });
});
