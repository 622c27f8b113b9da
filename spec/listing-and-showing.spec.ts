// What the team sees with `leads list` and `leads show`.

import { createHash } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { reference } from "../lead/lead.ts";
import { aLead, makeDatabase, type TestDatabase } from "./support/database.ts";
import { leads, startOnTerminal, waitForExit } from "./support/leads-command.ts";

const wording =
  "By pressing the button I agree in writing that Example Supply may phone me about a continuous glucose monitor.";
const evil = "\x1b[2J\x9b\r\nEve\u202e";
const hoursAgo = { Rosa: 30, [evil]: 21, José: 10, "see www.example.com": 5, Reviewed: 3, Withdrawn: 40 };
/** As the table shows them, newest first after the one who withdrew. */
const newest = ["Withdrawn", "Reviewed", "see www.example.com", "José", evil, "Rosa"];

let database: TestDatabase;
let url: string;
const ids = new Map<string, string>();
const id = (name: string) => ids.get(name) as string;

beforeAll(async () => {
  database = await makeDatabase();
  url = database.url;
  const { owner } = database;
  await owner`insert into private.notices (hash, language, text) values (encode(sha256(${wording}), 'hex'), 'en', ${wording})`;
  await owner`update private.channels set enabled = true where name = 'webhook'`;
  const request_headers = owner.json({
    referer: "https://article.example/?utm_source=news&gclid=x",
    "x-forwarded-for": "192.0.2.7",
    "x-permission-notice": createHash("sha256").update(wording).digest("hex"),
    "user-agent": "Browser/1.0",
  });
  for (const [name, hours] of Object.entries(hoursAgo)) {
    await owner`insert into leads ${owner({ ...aLead({ name, email: `${hours}@example.com`, phone: `555-01${hours}` }), request_headers })}`;
    const [lead] = await owner<{ id: string }[]>`
      update leads set created_at = now() - make_interval(hours => ${hours}) where name = ${name} returning id`;
    ids.set(name, lead?.id as string);
  }
  await owner`select private.withdraw_permission(${id("Withdrawn")})`;
  await owner`insert into private.reviews (lead_id, outcome) values (${id("Reviewed")}, 'qualifies')`;
});

/** Labels instead of ids, dates and times, so that a whole answer can be compared. */
function steady(text: string): string {
  let normalized = text.replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\d/g, "YYYY-MM-DD hh:mm");
  for (const [nth, name] of newest.entries()) {
    normalized = normalized
      .replaceAll(id(name), `<id ${nth}>`)
      .replaceAll(reference(id(name)), `<lead ${nth}>`);
  }
  return normalized;
}

const names = (stdout: string) => JSON.parse(stdout).map(({ name }: { name: string }) => name);

describe("leads list", () => {
  it("shows a table with the newest first, and before them those who withdrew their permission", async () => {
    const { stdout, ...rest } = await leads(url, "list");
    expect(rest).toEqual({ status: 0, stderr: "" });
    expect(steady(stdout)).toBe(
      `
ID        CAME IN           REVIEW         NAME                     PHONE                 ZIP         MEDICARE  DIABETES
<lead 0>  YYYY-MM-DD hh:mm  WITHDRAWN      Withdrawn                DO NOT PHONE          33101       yes       no
<lead 1>  YYYY-MM-DD hh:mm  reviewed       Reviewed                 555-013               33101       yes       no
<lead 2>  YYYY-MM-DD hh:mm  18 h left      see www.example.com      555-015               33101       yes       no
          looks like spam: link in name
<lead 3>  YYYY-MM-DD hh:mm  13 h left      José                     555-0110              33101       yes       no
<lead 4>  YYYY-MM-DD hh:mm  2 h left       \\u{1b}[2J\\u{9b}\\r\\nEve…  555-0121              33101       yes       no
<lead 5>  YYYY-MM-DD hh:mm  6 h late       Rosa                     555-0130              33101       yes       no
`.trimStart(),
    );
  });

  it("shows a number with its country, and a lead that is ten days late, whole on a terminal of 80 characters", async () => {
    const { owner } = database;
    await owner`insert into leads ${owner(aLead({ name: "Old", phone: "+1 (305) 555-0142" }))}`;
    await owner`update leads set created_at = now() - interval '11 days 1 hour' where name = 'Old'`;
    await owner`select private.index_new_leads(look_back => '100 years')`;
    const { stdout } = await waitForExit(startOnTerminal(["list"], { DATABASE_URL: url }, { columns: 80 }));
    expect(stdout).toContain("  10 days late  Old           +1 (305) 555-0142  33101\r\n");
    await owner`delete from leads where name = 'Old'`;
  });

  it("prints a JSON array with --json, in the same order, and nothing that a terminal obeys", async () => {
    const { stdout, status } = await leads(url, "list", "--json");
    expect(status).toBe(0);
    expect(names(stdout)).toEqual(newest);
    expect(stdout).not.toMatch(/(?!\n)[\p{Cc}\p{Cf}]/u);
    expect(JSON.parse(stdout)[1]).toEqual({
      ...aLead({ name: "Reviewed", email: "3@example.com", phone: "555-013" }),
      id: id("Reviewed"),
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      withdrawn_at: null,
      reviewed_at: expect.stringMatching(/Z$/),
      outcome: "qualifies",
      marks: [],
    });
  });

  it.each([
    ["--since 4h", ["Reviewed"]],
    ["--since 700min --limit 2", ["Reviewed", "see www.example.com"]],
    ["--limit 1", ["Reviewed"]],
    ["--since 2d --limit 6", ["Withdrawn", "Reviewed", "see www.example.com", "José", evil, "Rosa"]],
    ["--due", ["Rosa", evil, "José", "see www.example.com"]],
    ["--suspect", ["see www.example.com"]],
    ["--since 1999-12-31", newest],
  ])("understands %s", async (words, expected) => {
    expect(names((await leads(url, "list", "--json", ...words.split(" "))).stdout)).toEqual(expected);
  });

  it("shows the newest in a table, and not an older one of somebody who withdrew in their place", async () => {
    const { owner } = database;
    const [first, second] = [id("Reviewed"), id("see www.example.com")];
    await owner`update private.lead_work set withdrawn_at = now(), stage = 'closed' where lead_id = ${second}`;
    const { stdout } = await leads(url, "list", "--limit", "1");
    await owner`update private.lead_work set withdrawn_at = null, stage = 'open' where lead_id = ${second}`;
    expect(stdout).toContain(reference(first));
    expect(stdout).not.toContain(reference(second));
  });

  it("says that there are more than a table shows, and that there are none", async () => {
    const { stdout, stderr } = await leads(url, "list", "--limit", "5");
    expect(stdout.trimEnd().split("\n")).toHaveLength(7);
    expect(stderr).toBe("There are more than these 5. To see more, add: --limit 50\n");
    expect(await leads(url, "list", "--since", "1min")).toEqual({
      status: 0,
      stdout: "",
      stderr: "No leads.\n",
    });
    expect(await leads(url, "list", "--since", "1min", "--json")).toMatchObject({
      stdout: "[]\n",
      stderr: "",
    });
  });
});

describe("leads show", () => {
  it("tells everything about a lead, found by its reference", async () => {
    const { stdout, ...rest } = await leads(url, "show", reference(id(evil)).toUpperCase());
    expect(rest).toEqual({ status: 0, stderr: "" });
    expect(steady(stdout)).toBe(
      `
Lead <lead 4>  (<id 4>)

  Full Name                            \\u{1b}[2J\\u{9b}\\r\\nEve\\u{202e}
  Email Address                        21@example.com
  Phone Number                         555-0121
  ZIP Code                             33101
  I have Medicare                      yes
  I have been diagnosed with diabetes  no

  Came in           YYYY-MM-DD hh:mm
  Review by         YYYY-MM-DD hh:mm (2 h left)

Permission
  Given             YYYY-MM-DD hh:mm
  Withdrawn         no
  Page              https://article.example/
  Address           192.0.2.7
  Browser           Browser/1.0
  Campaign          utm_source=news
  Wording shown     By pressing the button I agree in writing that Example Supply may phone me about
                    a continuous glucose monitor.
  Language          en
  SHA-256 of it     98f5792f864464cac435658da3c782e1deb2f4fb524899b4ad9b8dc0d4ef54c9

Deliveries
  webhook           lead.created pending, next try YYYY-MM-DD hh:mm (0 attempts so far)
`.trimStart(),
    );
  });

  it("says that a channel that is off tries nothing and a retired one sends nothing, and does not advise to send again on a retired one", async () => {
    const { owner } = database;
    const shown = async () => (await leads(url, "show", id("Rosa"))).stdout;
    expect(await shown()).toContain("lead.created pending, next try ");
    await owner`update private.channels set enabled = false`;
    expect(await shown()).toContain(
      "lead.created pending, until the channel is set up again (0 attempts so far)",
    );
    await owner.begin(async (tx) => {
      await tx`update private.channels set retired_at = now()`;
      await tx`update private.deliveries set failed_at = now() where lead_id = ${id("Rosa")}`;
    });
    const ofRetired = await shown();
    expect(ofRetired).toContain("lead.created not sent: the channel is retired (0 attempts)");
    expect(ofRetired).not.toContain("To send again");
    // Failed before the channel was retired.
    await owner`update private.deliveries set attempts = 2, last_error = 'refused' where lead_id = ${id("Rosa")}`;
    expect(await shown()).toMatch(/lead\.created FAILED [-:\d ]{16} \(2 attempts\): refused/);
    await owner`update private.deliveries set last_error = 'channel retired' where lead_id = ${id("Rosa")}`;
    expect(await shown()).toContain("lead.created not tried again: the channel is retired (2 attempts)");
    // It was to be tried anew.
    await owner`update private.deliveries set attempts = 0 where lead_id = ${id("Rosa")}`;
    expect(await shown()).toContain("lead.created not tried again: the channel is retired (0 attempts)");
    await owner`
      update private.deliveries set failed_at = null, attempts = 0, last_error = null where lead_id = ${id("Rosa")}`;
    await owner`update private.channels set retired_at = null, enabled = name = 'webhook'`;
  });

  it("takes a terminal that states no width for a wide one", async () => {
    const { stdout } = await waitForExit(startOnTerminal(["show", id("Rosa")], { DATABASE_URL: url }));
    expect(stdout).toContain("I agree in writing that Example Supply may phone me about\r\n");
  });

  it("finds a lead by the beginning of its id, by its end and by all of it", async () => {
    const odd = "dddd4444-0000-4000-8000-00000000eeee";
    await database.owner`insert into leads ${database.owner({ ...aLead({ name: "Odd" }), id: odd })}`;
    for (const part of ["dddd4444-0000", "eeee", odd, odd.toUpperCase()])
      expect((await leads(url, "show", part)).stdout).toContain(`Lead 0000eeee  (${odd})`);
    await database.owner`delete from leads where id = ${odd}`;
  });

  it("begins with the withdrawal when the permission was withdrawn", async () => {
    const { stdout } = await leads(url, "show", id("Withdrawn"));
    expect(steady(stdout).split("\n").slice(0, 3)).toEqual([
      "Lead <lead 0>  (<id 0>)",
      "PERMISSION WITHDRAWN YYYY-MM-DD hh:mm: DO NOT PHONE.",
      "",
    ]);
    expect(steady(stdout)).toContain("permission.withdrawn pending");
    expect(stdout).toContain("  Reviewed          no; the permission was withdrawn\n");
  });

  it.each([
    [{}, "  Wording           not stated by the page or program that sent the lead\n"],
    [
      { "x-permission-notice": "ab".repeat(32) },
      `  Wording           it is not known which was shown; the page stated one that this database does not hold
  SHA-256 of it     ${"ab".repeat(32)}\n`,
    ],
  ])("says so when the wording was not stated, or is not known: %j", async (headers, words) => {
    const { owner } = database;
    const lead = { ...aLead({ name: "Other road" }), request_headers: owner.json(headers) };
    await owner`insert into leads ${owner(lead)}`;
    const [{ id: other } = { id: "" }] = await owner<
      { id: string }[]
    >`select id from leads where name = 'Other road'`;
    expect((await leads(url, "show", other)).stdout).toContain(words);
    await owner`delete from leads where id = ${other}`;
  });

  it("prints the same as JSON with --json", async () => {
    const { stdout } = await leads(url, "show", id("Rosa"), "--json");
    expect(JSON.parse(stdout)).toMatchObject({
      lead: { id: id("Rosa"), name: "Rosa", withdrawn_at: null, marks: [] },
      permission: {
        wording: "shown",
        notice_text: wording,
        notice_language: "en",
        page_origin: "https://article.example",
        address: "192.0.2.7",
        utm: { utm_source: "news" },
        withdrawn_at: null,
      },
      deliveries: [
        { event: "lead.created", channel: "webhook", attempts: 0, delivered_at: null, failed_at: null },
      ],
    });
  });

  it("asks for more of the id when several leads begin alike", async () => {
    const twins = ["aaaa1111-0000-4000-8000-000000000000", "aaaa1111-0000-4000-9000-000000000000"];
    for (const [nth, twin] of twins.entries()) {
      await database.owner`insert into leads ${database.owner({ ...aLead({ name: `Twin ${nth}` }), id: twin })}`;
    }
    expect(await leads(url, "show", "aaaa1111")).toEqual({
      status: 1,
      stdout: "",
      stderr: `Several leads begin or end with aaaa1111, such as these. Type more of the id:\n  ${twins[0]}\n  ${twins[1]}\n`,
    });
    await database.owner`delete from leads where name like 'Twin %'`;
  });

  it("says so when no lead has the id, and when it was erased", async () => {
    await database.owner`
      insert into private.erasures (lead_id, erased_at, reason)
      values ('bbbb2222-0000-4000-8000-000000000000', '2026-01-31T10:00Z', 'asked')`;
    expect(await leads(url, "show", "cccc3333")).toEqual({
      status: 1,
      stdout: "",
      stderr: "No lead has an id that begins or ends with cccc3333.\nFind it with: npm run leads -- list\n",
    });
    expect(await leads(url, "show", "bbbb2222")).toEqual({
      status: 1,
      stdout: "",
      stderr: "The lead bbbb2222-0000-4000-8000-000000000000 was erased at 2026-01-31 10:00.\n",
    });
  });

  it("asks for more of the id when several erased leads, and no other, begin with it", async () => {
    const erased = ["eeee0001", "eeee0002"].map((beginning) => `${beginning}-0000-4000-8000-000000000000`);
    for (const lead_id of erased)
      await database.owner`insert into private.erasures ${database.owner({ lead_id, reason: "asked" })}`;
    expect((await leads(url, "show", "eeee00")).stderr).toBe(
      `Several leads begin or end with eeee00, such as these. Type more of the id:\n  ${erased.join("\n  ")}\n`,
    );
    expect((await leads(url, "show", "eeee0002")).stderr).toMatch(/^The lead eeee0002\S+ was erased at /);
    await database.owner`delete from private.erasures where lead_id = any (${erased})`;
  });
});
