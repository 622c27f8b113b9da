// Which leads look like spam. They are stored and delivered like all others; the team sees a flag beside them.
import { syncBuiltinESMExports } from "node:module";
import timers from "node:timers/promises";
import { beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { connect, type Sql } from "../database/connect.ts";
import { claim } from "../delivery/claim.ts";
import { syncChannels } from "../delivery/outbox.ts";
import {
  aLead,
  makeDatabase,
  removeLeads,
  sessionsWaitingForLocks,
  type TestDatabase,
} from "./support/database.ts";
import { formRequest, insertRequest, makeIntake } from "./support/intake.ts";
import { leads } from "./support/leads-command.ts";
import { until } from "./support/receiver.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await makeDatabase();
});

beforeEach(() => removeLeads(database.owner));

/** Stores a lead, with headers as the intake passes them on. */
const store = (differences: Record<string, unknown>, headers: Record<string, string> = {}) =>
  database.owner<{ id: string }[]>`
    insert into leads ${database.owner({ ...aLead(differences), request_headers: database.owner.json(headers) })} returning id`;

/** Stores leads from one address, a minute apart; `before` is how many are stored already. */
async function storeMany(
  count: number,
  differing: (nth: number) => Record<string, unknown>,
  address = "192.0.2.1",
  before = 0,
) {
  for (let nth = before; nth < before + count; nth += 1) {
    const different = { name: `Name ${nth}`, email: `${nth}@example.com`, phone: `555-${nth}` };
    const [lead] = await store(
      { ...different, zip_code: `${nth}`, ...differing(nth) },
      { "x-forwarded-for": address },
    );
    await database.owner`
      update leads set created_at = '2026-01-31T10:00Z'::timestamptz + make_interval(mins => ${nth})
      where id = ${lead?.id ?? ""}`;
  }
}

const texts = { name: "Rosa", email: "rosa@mail.example", phone: "305", zip_code: "33101" };

const flags = async () => {
  await database.owner`select private.index_new_leads()`;
  return database.owner`
    select l.name, f.flag from private.lead_work w join leads l on l.id = w.lead_id, unnest(w.flags) as f (flag)
    order by l.name, f.flag`;
};

describe("a lead gets a spam flag", () => {
  it("when a field that no person sees was filled in", async () => {
    await store({ name: "Robot" }, { "x-honeypot-filled": "1" });
    await store({ name: "Rosa" });
    expect(await flags()).toEqual([{ name: "Robot", flag: "honeypot filled" }]);
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
    "ｗｗｗ．ｘ",
    "pills\u200b.biz",
    "t.co/abc12",
    "j.mp/x",
    "<a href=x>",
  ])("when its name has a link: %s", async (name) => {
    await store({ name });
    expect(await flags()).toEqual([{ name, flag: "link in name" }]);
  });

  it.each([
    "Dr. Com",
    "T.Ly",
    "Mr.Link",
    "Mr.Diaz/Mrs.Diaz",
    "J.Smith/M.Smith",
    "Dr.Dev Patel",
    "J.Me Smith",
    "St.John",
    "J.R. Orgill",
    "Mary-Ann St. John",
    "T.Commons",
    "Ann Info",
    "J.R. Smith",
    "O'Neil, Jr.",
  ])("but not when its name only looks a little like a link: %s", async (name) => {
    await store({ name });
    expect(await flags()).toEqual([]);
  });

  it.each([
    ["name", { name: "Same" }],
    ["e-mail address", { email: "same@example.com" }],
    ["phone", { phone: "555-0100" }],
  ])("when more than five from one address within ten minutes have the same %s", async (_, same) => {
    await storeMany(6, () => same);
    expect(await flags()).toHaveLength(6);
    expect((await flags())[0]?.flag).toBe("burst from one address");
  });

  it("when the first of six such came ten minutes before the others, but not a second earlier", async () => {
    const { owner } = database;
    const flagsAt = async (seconds: number) => {
      await owner`
        update leads set created_at = '2026-01-31T10:00Z'::timestamptz - make_interval(secs => ${seconds})
        where phone = '555-0'`;
      await owner`truncate private.lead_work`;
      return (await flags()).map(({ flag }) => flag);
    };
    await storeMany(6, () => ({ name: "Same" }));
    await owner`update leads set created_at = '2026-01-31T10:00Z'`;
    expect(await flagsAt(601)).toEqual([]);
    expect(await flagsAt(600)).toEqual(Array(6).fill("burst from one address"));
  });

  it("also when it is one of the first five of these, and was indexed before the sixth came", async () => {
    await storeMany(5, () => ({ name: "Same" }));
    expect(await flags()).toEqual([]);
    await storeMany(1, () => ({ name: "Same" }), "192.0.2.1", 5);
    expect(await flags()).toHaveLength(6);
  });

  it("also when one statement stored them, with others after them, so that all have the same time", async () => {
    const rows = Array.from({ length: 20 }, (_, nth) => ({
      ...aLead({ email: `${nth}@example.com`, phone: `555-${nth}`, name: nth < 8 ? "Ann" : `Name ${nth}` }),
      request_headers: database.owner.json({ "x-forwarded-for": "192.0.2.1" }),
    }));
    await database.owner`insert into leads ${database.owner(rows)}`;
    expect((await flags()).map(({ name }) => name)).toEqual(Array(8).fill("Ann"));
  });

  it("but not for five, nor for many different ones from one address, such as a senior centre's", async () => {
    await storeMany(5, () => ({ name: "Same" }));
    await storeMany(25, (nth) => ({ zip_code: `9${nth}` }), "198.51.100.1");
    expect(await flags()).toEqual([]);
  });

  it("but not when the same ones are spread over a day, or have no known address", async () => {
    await storeMany(6, () => ({ name: "Same" }));
    const { owner } = database;
    await owner`
      update leads set created_at = '2026-01-31'::timestamptz + (created_at - '2026-01-31T10:00Z') * 200`;
    expect(await flags()).toEqual([]);
    await owner`truncate private.lead_work`;
    await owner`update leads set created_at = now()`;
    await owner`update private.permissions set address = null`;
    expect(await flags()).toEqual([]);
    await owner`truncate private.lead_work`;
    await owner`update private.permissions set address = '192.0.2.1'`;
    expect(await flags()).toHaveLength(6);
  });
});

describe("leads list --suspect", () => {
  it("shows the flagged leads with their flags, and they are owed to the team like all others", async () => {
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

describe("a lead with a filled honeypot, with a link or of a burst", () => {
  it("is answered as all others are, and stored, so that its sender does not learn what is flagged", async () => {
    const { app } = await makeIntake(database);
    const answerTo = async (request: Request) => {
      const answer = await app.fetch(request);
      return [answer.status, ...answer.headers, await answer.text()];
    };
    const robot = await answerTo(formRequest({ ...texts, name: "Robot", website: "https://x.example" }));
    expect(robot).toEqual(await answerTo(formRequest({ ...texts, name: "Honest" })));
    expect(robot).toContainEqual(["location", "/thank-you"]);

    const honest = await answerTo(insertRequest(aLead({ name: "Rosa", phone: "1" })));
    for (let n = 0; n < 6; n += 1) {
      expect(await answerTo(insertRequest(aLead({ name: "www.pills.shop", zip_code: `${n}` })))).toEqual(
        honest,
      );
    }
    expect(await database.owner`select from leads`).toHaveLength(9);
    const found = new Set((await flags()).map(({ name, flag }) => `${name}: ${flag}`));
    expect(found).toContain("Robot: honeypot filled");
    expect(found).toContain("www.pills.shop: link in name");
    expect(found).toContain("www.pills.shop: burst from one address");
    expect([...found].filter((one) => one.startsWith("Honest"))).toEqual([]);
  });

  it("is not one whose honeypot came empty, as a visitor leaves it", async () => {
    const { app } = await makeIntake(database);
    await app.fetch(formRequest({ ...texts, website: "" }));
    expect(await database.owner`select from leads`).toHaveLength(1);
    expect(await flags()).toEqual([]);
  });
});

describe("messages about leads whose flags take longer than 3 seconds", () => {
  const hold = { max: 1, lease: 60 };

  it("leave a connection to other queries, so that none of these waits for the flags", async () => {
    const { owner, url } = database;
    const pool = connect(url, { max: 2 });
    onTestFinished(() => pool.end());
    await syncChannels(owner, ["webhook"]);
    await store({ name: "Rosa" });
    await owner.begin(async (busy) => {
      await busy`select private.index_new_leads()`;
      const claimed = claim(pool, "webhook", hold).then((deliveries) => deliveries.length);
      await until(async () => (await sessionsWaitingForLocks(owner)).length === 1);
      // More than there are connections.
      let answered = 0;
      for (let nth = 0; nth < 10; nth += 1) pool`select 1`.then(() => (answered += 1));
      await expect.poll(() => answered).toBe(10);
      expect(await claimed).toBe(1);
    });
  });

  it("wait for them these 3 seconds, and no longer", async () => {
    const { owner } = database;
    await syncChannels(owner, ["webhook"]);
    await store({ name: "Rosa" });
    const waits = vi.spyOn(timers, "setTimeout").mockResolvedValue(undefined);
    // For modules that import it by name.
    syncBuiltinESMExports();
    onTestFinished(() => {
      waits.mockRestore();
      syncBuiltinESMExports();
    });
    await owner.begin(async (busy) => {
      await busy`select private.index_new_leads()`;
      expect(await claim(owner, "webhook", hold)).toMatchObject([{ flags: [] }]);
    });
    expect(waits.mock.calls.map(([milliseconds]) => milliseconds)).toEqual([3_000]);
  });

  it("go out without flags, however many they are, and the flags are not decided once for each of them", async () => {
    const { owner } = database;
    await syncChannels(owner, ["webhook"]);
    const asked: string[] = [];
    const watched = new Proxy(owner, {
      apply(sql, _, [parts, ...values]) {
        asked.push(parts.join(""));
        return sql(parts, ...values);
      },
      get: (sql, name) =>
        name === "begin"
          ? (kind: string, work: (tx: Sql) => Promise<unknown>) => {
              asked.push("begin");
              return sql.begin(kind, (tx) => work(tx as unknown as Sql));
            }
          : Reflect.get(sql, name),
    });
    for (let nth = 0; nth < 10; nth += 1) await store({ name: `Name ${nth}` });
    await owner.begin(async (busy) => {
      await busy`select private.index_new_leads()`;
      // Deciding the flags waits for the rows that the busy transaction has not committed.
      const claimed = await Promise.all(Array.from({ length: 10 }, () => claim(watched, "webhook", hold)));
      expect(claimed.flat().map(({ flags }) => flags)).toEqual(Array(10).fill([]));
    });
    await store({ name: "The last" }, { "x-honeypot-filled": "1" });
    expect(await claim(watched, "webhook", hold)).toMatchObject([{ flags: ["honeypot filled"] }]);
    // Three indexings, each of which may begin a second transaction that finds no further lead: the one that waited, the one that the other
    // claims shared after it, and the one for the last lead.
    expect(asked.filter((query) => query === "begin").length).toBeLessThanOrEqual(6);
  });
});
