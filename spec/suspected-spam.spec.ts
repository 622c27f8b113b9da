// Which leads look like spam. They are stored and delivered like all others; the team sees a mark beside them.
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { aLead, makeDatabase, removeLeads, type TestDatabase } from "./support/database.ts";
import { formRequest, insertRequest, makeIntake } from "./support/intake.ts";
import { leads } from "./support/leads-command.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await makeDatabase();
});

beforeEach(() => removeLeads(database.owner));

/** Stores a lead, with headers as the intake passes them on. */
const store = (differences: Record<string, unknown>, headers: Record<string, string> = {}) =>
  database.owner`
    insert into leads ${database.owner({ ...aLead(differences), request_headers: database.owner.json(headers) })}`;

/** So many leads from one address, each a minute after the one before. */
async function storeMany(
  count: number,
  differing: (nth: number) => Record<string, unknown>,
  address = "192.0.2.1",
) {
  for (let nth = 0; nth < count; nth += 1) {
    const different = { name: `Name ${nth}`, email: `${nth}@example.com`, phone: `555-${nth}` };
    await store({ ...different, zip_code: `${nth}`, ...differing(nth) }, { "x-forwarded-for": address });
    await database.owner`
      update leads set created_at = '2026-01-31T10:00Z'::timestamptz + make_interval(mins => ${nth})
      where zip_code = ${String(nth)}`;
  }
}

const texts = { name: "Rosa", email: "rosa@mail.example", phone: "305", zip_code: "33101" };

const marks = async () => {
  await database.owner`select private.index_new_leads()`;
  return database.owner`
    select l.name, f.flag as mark from private.lead_work w join leads l on l.id = w.lead_id, unnest(w.flags) as f (flag)
    order by l.name, f.flag`;
};

describe("a lead is marked", () => {
  it("when a field that no person sees was filled in", async () => {
    await store({ name: "Robot" }, { "x-honeypot-filled": "1" });
    await store({ name: "Rosa" });
    expect(await marks()).toEqual([{ name: "Robot", mark: "honeypot filled" }]);
  });

  it.each([
    "https://x",
    "HTTP://x",
    "see www.x",
    "cheap-pills.ru",
    "buy at shop24.com now",
    "see bit.ly/abc",
    "t.me/cash",
    "t.me",
    "bit.ly",
    "pills.biz",
    "visit spam.io",
    "a.casino.site",
    "spam.co.uk",
    "mailto:x@y",
    "<a href=x>",
  ])("when its name has a link: %s", async (name) => {
    await store({ name });
    expect(await marks()).toEqual([{ name, mark: "link in name" }]);
  });

  it.each([
    "Dr. Com",
    "T.Ly",
    "J.Me Smith",
    "St.John",
    "J.R. Orgill",
    "Mary-Ann St. John",
    "T.Commons",
    "Ann Info",
    "J.R. Smith",
    "O'Neil, Jr.",
  ])("but not when its name only looks a little like one: %s", async (name) => {
    await store({ name });
    expect(await marks()).toEqual([]);
  });

  it.each([
    ["name", { name: "Same" }],
    ["e-mail address", { email: "same@example.com" }],
    ["phone", { phone: "555-0100" }],
  ])("when more than five from one address within ten minutes have the same %s", async (_, same) => {
    await storeMany(6, () => same);
    expect(await marks()).toHaveLength(6);
    expect((await marks())[0]?.mark).toBe("burst from one address");
  });

  it("but not for five, nor for many different ones from one address, such as a senior centre's", async () => {
    await storeMany(5, () => ({ name: "Same" }));
    await storeMany(25, (nth) => ({ zip_code: `9${nth}` }), "198.51.100.1");
    expect(await marks()).toEqual([]);
  });

  it("but not when the same come one by one through a day, or nobody knows from where", async () => {
    await storeMany(6, () => ({ name: "Same" }));
    const { owner } = database;
    await owner`
      update leads set created_at = '2026-01-31'::timestamptz + (created_at - '2026-01-31T10:00Z') * 11`;
    expect(await marks()).toEqual([]);
    await owner`truncate private.lead_work`;
    await owner`update leads set created_at = now()`;
    await owner`update private.permissions set address = null`;
    expect(await marks()).toEqual([]);
    await owner`truncate private.lead_work`;
    await owner`update private.permissions set address = '192.0.2.1'`;
    expect(await marks()).toHaveLength(6);
  });
});

describe("leads list --suspect", () => {
  it("shows the marked leads with their marks, and they are owed to the team as all others", async () => {
    await database.owner`update private.channels set enabled = name = 'webhook'`;
    await store({ name: "www.example.com" }, { "x-honeypot-filled": "1" });
    await store({ name: "Rosa" });
    const { stdout } = await leads(database.url, "list", "--suspect");
    expect(stdout.split("\n").slice(1)).toEqual([
      expect.stringContaining("www.example.com"),
      "          looks like spam: honeypot filled, link in name",
      "",
    ]);
    expect(await database.owner`select channel from private.deliveries`).toHaveLength(2);
  });
});

describe("whoever fills the trap, writes a link or comes in a burst", () => {
  it("is answered as all others are, and stored, so that nobody learns what is marked", async () => {
    const { app } = await makeIntake(database);
    const { headers, status } = await app.fetch(formRequest({ ...texts, name: "Honest" }));
    const trapped = await app.fetch(formRequest({ ...texts, name: "Robot", website: "https://x.example" }));
    expect([trapped.status, ...trapped.headers]).toEqual([status, ...headers]);
    expect(trapped.headers.get("location")).toBe("/thank-you");

    const honest = await app.fetch(insertRequest(aLead({ name: "Rosa", phone: "1" })));
    for (let n = 0; n < 6; n += 1) {
      const marked = await app.fetch(insertRequest(aLead({ name: "www.pills.shop", zip_code: `${n}` })));
      expect([marked.status, ...marked.headers]).toEqual([honest.status, ...honest.headers]);
    }
    expect(await database.owner`select from leads`).toHaveLength(9);
    const marked = new Set((await marks()).map(({ name, mark }) => `${name}: ${mark}`));
    expect(marked).toContain("Robot: honeypot filled");
    expect(marked).toContain("www.pills.shop: link in name");
    expect(marked).toContain("www.pills.shop: burst from one address");
    expect([...marked].filter((one) => one.startsWith("Honest"))).toEqual([]);
  });

  it("is not met by a visitor who leaves the trap as it is: empty", async () => {
    const { app } = await makeIntake(database);
    await app.fetch(formRequest({ ...texts, website: "" }));
    expect(await database.owner`select from leads`).toHaveLength(1);
    expect(await marks()).toEqual([]);
  });
});
