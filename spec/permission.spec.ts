// The permission that a lead gives: the wording that was shown, its circumstances, and who may send it from where.
import { createHash } from "node:crypto";
import { beforeEach, describe, expect, it } from "vitest";
import { type SyncedSettings, syncSettings } from "../database/sync-settings.ts";
import { aLead, makeDatabase, removeLeads, sessionsWaitingForLocks } from "./support/database.ts";

const { owner: sql, intake } = await makeDatabase();
const hashOf = (text: string) => createHash("sha256").update(text).digest("hex");
const experiment = {
  variant: "b",
  language: "en",
  startedOn: "2026-11-01",
  plan: { rate: 0.02, lift: 0.3 },
};
const english = (text: string) => ({ language: "en", text });
const sync = (settings: Partial<SyncedSettings> = {}) =>
  syncSettings(sql, { notices: [english("You may call me.")], keepAddress: true, ...settings });

beforeEach(async () => {
  await removeLeads(sql);
  await sql`delete from private.notices`;
  await sql`delete from private.experiments`;
  await sync();
});

const request_headers = {
  referer: "https://site.example/offer?utm_source=news&utm_medium=email&gclid=secret&fbclid=secret#top",
  "user-agent": "A browser",
  "x-forwarded-for": "192.0.2.7, 10.0.0.1",
};
const insert = (differences = {}, headers = {}) =>
  intake`insert into public.leads ${intake(aLead({ request_headers: { ...request_headers, ...headers }, ...differences }))}`;
const permissions = () => sql`
  select n.text as notice, n.language, private.wording_of(p.notice_hash) as wording, p.notice_hash, p.withdrawn_at,
    p.page_origin, p.is_foreign_page, p.page_path, p.address, p.browser, p.utm, p.variant
  from private.permissions p left join private.notices n on n.hash = p.notice_hash order by p.given_at`;

describe("the permission of a lead", () => {
  it("keeps the wording that was shown, the page, the address, the browser and utm, and no click id", async () => {
    await sync({ notices: [english("You may call me. ¿Sí?")], experiments: [experiment] });
    await insert({}, { "x-permission-notice": hashOf("You may call me. ¿Sí?"), "x-variant": "b" });
    expect(await permissions()).toEqual([
      {
        notice: "You may call me. ¿Sí?",
        language: "en",
        wording: "shown",
        notice_hash: hashOf("You may call me. ¿Sí?"),
        withdrawn_at: null,
        page_origin: "https://site.example",
        is_foreign_page: false,
        page_path: "/offer",
        address: "192.0.2.7",
        browser: "A browser",
        utm: { utm_source: "news", utm_medium: "email" },
        variant: "b",
      },
    ]);
  });

  it.each([
    ["the variant that runs", "b", "b"],
    ["the original while an experiment runs", "original", "original"],
    ["no variant that the pages never listed", "c", null],
    ["no variant whose name is not valid", "B'; drop table leads", null],
  ])("remembers %s", async (_, named, remembered) => {
    await sync({ experiments: [experiment] });
    await insert({}, { "x-variant": named });
    expect(await permissions()).toMatchObject([{ variant: remembered }]);
  });

  it("remembers the variant of an experiment that ended while the page was open, and no variant of one that never ran", async () => {
    await insert({}, { "x-variant": "original" });
    await sync({ experiments: [{ ...experiment, endedOn: "2026-11-20" }] });
    await insert({ phone: "305 555 0199" }, { "x-variant": "b" });
    expect((await permissions()).map(({ variant }) => variant)).toEqual([null, "b"]);
  });

  it("stands under the wording that the page showed, also when a newer one is in force by then", async () => {
    await sync({ notices: [english("First.")] });
    await sync({ notices: [english("Second.")] });
    await insert({}, { "x-permission-notice": hashOf("First.") });
    expect(await permissions()).toMatchObject([{ notice: "First.", wording: "shown" }]);
  });

  it("says that it is not known which wording was shown, when the page names one that nobody knows", async () => {
    await insert({}, { "x-permission-notice": hashOf("Somebody else's words.") });
    expect(await permissions()).toMatchObject([{ notice: null, wording: "not known" }]);
  });

  it("is completed when the wording becomes known later, as from a page that was built elsewhere", async () => {
    await insert({}, { "x-permission-notice": hashOf("Built elsewhere.") });
    await sync({ notices: [english("Built elsewhere.")] });
    expect(await permissions()).toMatchObject([{ notice: "Built elsewhere.", wording: "shown" }]);
  });

  it.each([
    {},
    { "x-permission-notice": "x".repeat(2000) },
    { "x-permission-notice": hashOf("A").toUpperCase() },
  ])(
    "says that the wording was not stated, when the client names none or nothing like one: %j",
    async (headers) => {
      await insert({}, headers);
      expect(await permissions()).toMatchObject([{ notice_hash: null, wording: "not stated" }]);
    },
  );

  it("keeps wordings by language, so that the evidence is in the language that was read", async () => {
    await sync({ notices: [english("You may call me."), { language: "es", text: "Puede llamarme." }] });
    await insert({}, { "x-permission-notice": hashOf("Puede llamarme.") });
    expect(await permissions()).toMatchObject([{ notice: "Puede llamarme.", language: "es" }]);
  });

  it("has its wording stored once, also when several processes sync it at once", async () => {
    await Promise.all([1, 2, 3].map(() => sync({ notices: [english("Together.")] })));
    expect(await sql`select text from private.notices where text = 'Together.'`).toHaveLength(1);
  });

  it("keeps no address when that is turned off", async () => {
    await sync({ keepAddress: false });
    await insert();
    expect(await permissions()).toMatchObject([{ address: null, browser: "A browser" }]);
  });
});

describe("a form on a page of somebody else", () => {
  const foreign = { referer: "https://evil.example/", origin: "https://evil.example", host: "site.example" };
  const allowedOrigins = ["https://site.example", "https://partner.example"];

  it("is recorded with the origin of that page, and flagged, when no list says who may send", async () => {
    await sync({ siteOrigin: "https://site.example" });
    await insert({}, foreign);
    await sql`select private.index_new_leads()`;
    expect(await permissions()).toMatchObject([
      { page_origin: "https://evil.example", page_path: "/", is_foreign_page: true },
    ]);
    expect(await sql`select flags from private.lead_work`).toEqual([{ flags: ["page elsewhere"] }]);
  });

  it("is refused in words when a list says who may send, and nothing is stored", async () => {
    await sync({ siteOrigin: "https://site.example", allowedOrigins });
    await expect(insert({}, foreign)).rejects.toMatchObject({
      code: "PT403",
      message: expect.stringMatching(/^This form is not on our own page/),
    });
    for (const host of [foreign.host, "", undefined])
      await expect(insert({}, { ...foreign, origin: "null", host })).rejects.toMatchObject({ code: "PT403" });
    expect(await permissions()).toEqual([]);
  });

  it.each([
    ["the site's own page", { origin: "https://site.example" }],
    ["a page on the list", { origin: "https://partner.example" }],
    [
      "the page of the server itself, under another name",
      { origin: "http://127.0.0.1:3000", host: "127.0.0.1:3000" },
    ],
    ["a program that is no browser", {}],
  ])("is not %s", async (_, headers) => {
    await sync({ siteOrigin: "https://site.example", allowedOrigins });
    await insert({}, { referer: undefined, ...headers });
    expect(await permissions()).toMatchObject([{ is_foreign_page: false }]);
  });
});

describe("the same lead sent again", () => {
  const stored = async () => (await sql`select from public.leads`).length;

  it("is stored once within 24 hours", async () => {
    await insert();
    await insert();
    expect(await stored()).toBe(1);
  });

  it.each([
    ["stored once, where the first one came a minute less than 24 hours ago", "-23 hours -59 minutes", 1],
    ["a new lead after 24 hours", "-24 hours -1 minute", 2],
    ["stored once, where the first one came by a clock that was a little ahead", "59 minutes", 1],
    ["a new lead, where the first one came by a clock that was a year ahead and is set right", "1 year", 2],
  ])("is %s", async (_, ahead, count) => {
    await insert();
    await sql`update public.leads set created_at = now() + ${ahead}::text::interval`;
    await insert();
    expect(await stored()).toBe(count);
  });

  it("is a new lead when the first one's permission was withdrawn, because the person wants to be called again", async () => {
    await insert();
    await sql`select private.withdraw_permission(id) from public.leads`;
    await insert();
    await insert();
    expect(await stored()).toBe(2);
    expect(await permissions()).toMatchObject([{ withdrawn_at: expect.any(Date) }, { withdrawn_at: null }]);
  });
});

describe("a withdrawn permission", () => {
  const named = (name: string, phone: string) => insert({ name, phone });
  const withdraw = (name: string) =>
    sql`select private.withdraw_permission(id) from public.leads where name = ${name}`;
  const withdrawn = async () =>
    (
      await sql`
        select l.name from private.permissions p join public.leads l on l.id = p.lead_id
        where p.withdrawn_at is not null order by l.name`
    ).map(({ name }) => name);

  it("stops every lead with that number, however it was typed, and no other", async () => {
    await named("Rosa", "(305) 555-0142");
    await named("Rosa again", "+1 305 555 0142");
    await named("Ana", "305-555-0143");
    expect(await withdraw("Rosa")).toHaveLength(2);
    expect(await withdrawn()).toEqual(["Rosa", "Rosa again"]);
  });

  it("stops one lead alone when what was typed is no number", async () => {
    await named("Rosa", "ask my son");
    await named("Ana", "ask my son");
    expect(await withdraw("Rosa")).toHaveLength(1);
    expect(await withdrawn()).toEqual(["Rosa"]);
  });

  it("is owed, due at once, to the channels that were told of the lead and to those that are set up now", async () => {
    await sql`update private.channels set enabled = name = 'webhook'`;
    await named("Rosa", "305-555-0142");
    await sql`update private.deliveries set attempts = 1, delivered_at = now()`;
    await sql`update private.channels set enabled = name = 'email'`;
    await withdraw("Rosa");
    expect(
      await sql`
        select channel, due_at <= now() as is_due from private.deliveries
        where event = 'permission.withdrawn' order by channel`,
    ).toEqual([
      { channel: "email", is_due: true },
      { channel: "webhook", is_due: true },
    ]);
    await sql`update private.channels set enabled = false`;
  });
});

describe("erasing", () => {
  it("owes word of it to a channel whose dispatcher is claiming the lead at that very moment", async () => {
    await sql`update private.channels set enabled = name = 'webhook'`;
    await insert();
    const claimed = Promise.withResolvers<void>();
    const goOn = Promise.withResolvers<void>();
    const claiming = sql.begin(async (tx) => {
      await tx`update private.deliveries set attempts = attempts + 1`;
      claimed.resolve();
      await goOn.promise;
    });
    await claimed.promise;
    const erasing = sql`select private.erase_leads(array(select id from public.leads), 'asked')`.execute();
    await expect.poll(() => sessionsWaitingForLocks(sql)).toHaveLength(1);
    goOn.resolve();
    await Promise.all([claiming, erasing]);
    expect(await sql`select event, channel from private.deliveries`).toEqual([
      { event: "lead.erased", channel: "webhook" },
    ]);
    await sql`update private.channels set enabled = false`;
  });

  it("of a lead that is not in the lists yet lets a stop at that moment end the permissions of other leads", async () => {
    await insert({ name: "Erased" });
    await insert({ name: "Stopped", phone: "111-555-0142" });
    const { stopping } = await sql.begin(async (tx) => {
      await tx`select private.erase_leads(array(select id from public.leads where name = 'Erased'), 'asked')`;
      const stopping = sql`select private.stop_numbers(array['1115550142'])`.execute();
      await expect.poll(() => sessionsWaitingForLocks(sql)).toHaveLength(1);
      return { stopping };
    });
    await stopping;
    expect(await sql`select name from public.leads`).toEqual([{ name: "Stopped" }]);
    expect(await permissions()).toMatchObject([{ withdrawn_at: expect.any(Date) }]);
  });
});
