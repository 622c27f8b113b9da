// Call 1, `POST /rest/v1/leads`: what the intake stores and what it answers, compared whole. (Specification 7, Contract 3)
import { beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { connect } from "../database/connect.ts";
import { makeResilientConnection } from "../database/resilient-connection.ts";
import { isBlank, makeStore } from "../intake/store.ts";
import { shown } from "../lead/lead.ts";
import { codeOf } from "../log/log.ts";
import { aLead, makeDatabase, type TestDatabase } from "./support/database.ts";
import { answerOf, columnsQuery } from "./support/insert-answers.ts";
import { formRequest, insertRequest, makeIntake } from "./support/intake.ts";
import { until } from "./support/receiver.ts";

let database: TestDatabase;
let app: Awaited<ReturnType<typeof makeIntake>>["app"];
beforeAll(async () => {
  database = await makeDatabase();
  ({ app } = await makeIntake(database));
});
beforeEach(() => database.owner`delete from leads`);

const stored = () => database.owner`
  select name, email, phone, zip_code, has_medicare, has_diabetes from leads order by created_at`;
const answerTo = (request: Request) => answerOf(app, request);

describe("inserting a lead", () => {
  it("answers 201 with an empty body and no content type", async () => {
    const answer = await app.fetch(insertRequest());
    expect([answer.status, await answer.text()]).toEqual([201, ""]);
    expect(Object.fromEntries(answer.headers)).toEqual({
      "access-control-allow-origin": "*",
      "access-control-expose-headers": "content-range,preference-applied,retry-after",
      "cache-control": "no-store",
      "content-length": "0",
      "content-range": "*/*",
      "x-content-type-options": "nosniff",
    });
    expect(await stored()).toEqual([aLead()]);
  });

  it("takes an array of one with its columns, as supabase-js sends it", async () => {
    const columns = Object.keys(aLead())
      .map((name) => `"${name}"`)
      .join(",");
    const query = `?columns=${encodeURIComponent(columns)}`;
    expect(await answerTo(insertRequest([aLead()], { query }))).toEqual({
      status: 201,
      type: null,
      body: "",
    });
    expect(await stored()).toEqual([aLead()]);
  });

  it("gives each lead a greater id than those before it, so that the index of ids grows at its end", async () => {
    for (const name of ["Ana", "Ben", "Cleo", "Dov"]) await app.fetch(insertRequest(aLead({ name })));
    const byId = await database.owner`select name from leads order by id`;
    expect(byId.map(({ name }) => name)).toEqual(["Ana", "Ben", "Cleo", "Dov"]);
  });

  it("takes a missing box as false", async () => {
    const { has_medicare: _, has_diabetes: __, ...texts } = aLead();
    expect(await answerTo(insertRequest(texts))).toMatchObject({ status: 201 });
    expect(await stored()).toEqual([aLead({ has_medicare: false, has_diabetes: false })]);
  });

  it.each([
    ["a phone that is a sentence", { phone: "call me after 5pm" }],
    ["a Canadian postal code", { zip_code: "K1A 0B1" }],
    ["an e-mail address that is none", { email: "I have none" }],
    ["blanks around a name", { name: "  Rosa \t Martinez  " }],
    ["a name in other scripts, with emoji", { name: "Nguyễn 王小明 عبد الله 👵🏽 O’Brien-Łódź" }],
    ["quotes, backslashes and SQL", { name: `Robert'); drop table leads;-- "\\u0041"` }],
    ["a line break", { name: "Rosa\r\nMartinez" }],
    ["five hundred characters", { name: "é".repeat(500) }],
  ])("keeps %s exactly as typed", async (_, typed) => {
    expect(await answerTo(insertRequest(aLead(typed)))).toMatchObject({ status: 201 });
    expect(await stored()).toEqual([aLead(typed)]);
  });

  it("stores an honest lead that arrives together with refused ones", async () => {
    const answers = await Promise.all(
      [aLead({ name: " " }), aLead({ name: "Honest" }), aLead({ phone: "" }), aLead({ name: "Too" })].map(
        (lead) => answerTo(insertRequest(lead)),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual([400, 201, 400, 201]);
    expect(await stored()).toHaveLength(2);
  });

  it.each([
    ["apikey alone", { authorization: "" }, ""],
    ["the key in the address", { apikey: "", authorization: "" }, "?apikey=sb_publishable_for_the_spec"],
  ])("takes %s, as the gateway does", async (_, changed, query) => {
    const request = insertRequest(aLead(), { query });
    for (const name of Object.keys(changed)) request.headers.delete(name);
    expect(await answerTo(request)).toMatchObject({ status: 201 });
  });

  it("ignores a key of the body that is not among the columns", async () => {
    const query = columnsQuery('"name","email","phone","zip_code"');
    expect(await answerTo(insertRequest(aLead({ insulin: true }), { query }))).toMatchObject({ status: 201 });
    expect(await stored()).toEqual([aLead({ has_medicare: false })]);
  });

  it("honours the preferences that an insert can honour, and says which", async () => {
    const query = columnsQuery("name,email,phone,zip_code,has_medicare,has_diabetes");
    const prefer = "return=minimal, count=exact, missing=default, tx=rollback";
    const { has_medicare: _, ...rest } = aLead();
    const answer = await app.fetch(insertRequest(rest, { query, headers: { prefer } }));
    expect(answer.status).toBe(201);
    expect(answer.headers.get("preference-applied")).toBe("missing=default, return=minimal, count=exact");
    expect(answer.headers.get("content-range")).toBe("*/1");
    expect(await stored()).toHaveLength(1);
  });

  it.each([
    ["count=estimated", "count=estimated", "*/1"],
    ["count=planned, missing=null", "missing=null, count=planned", "*/*"],
    [
      "timezone=America/New_York, handling=strict, max-affected=x",
      "handling=strict, timezone=America/New_York",
      "*/*",
    ],
    ["timezone=Mars/Nowhere, return=minimal=x", null, "*/*"],
    ["timezone=Mars/Nowhere, timezone=UTC", null, "*/*"],
    ["return=representation; x=1", null, "*/*"],
  ])("applies preferences as PostgREST does: %s", async (prefer, applied, range) => {
    const { headers, status } = await app.fetch(insertRequest(aLead(), { headers: { prefer } }));
    expect([status, headers.get("preference-applied"), headers.get("content-range")]).toEqual([
      201,
      applied,
      range,
    ]);
  });

  it("answers a browser's preflight for the headers that supabase-js sends", async () => {
    const headers = "apikey,authorization,content-profile,content-type,x-client-info";
    const answer = await app.fetch(
      new Request("http://localhost/rest/v1/leads", {
        method: "OPTIONS",
        headers: {
          origin: "https://article.example",
          "access-control-request-method": "POST",
          "access-control-request-headers": headers,
        },
      }),
    );
    expect(answer.status).toBe(200);
    expect(answer.headers.get("access-control-allow-origin")).toBe("*");
    expect(answer.headers.get("access-control-allow-headers")).toBe(headers);
    expect(answer.headers.get("access-control-allow-methods")).toBe("GET,POST,PATCH,PUT,DELETE,OPTIONS,HEAD");
  });
});

describe("a form that a browser posts by itself", () => {
  const { has_medicare: _, has_diabetes: __, ...texts } = aLead();

  it("stores a box as ticked when the form sends it, unless a program sends it as false", async () => {
    const answer = await app.fetch(formRequest({ ...texts, has_medicare: "on", has_diabetes: "false" }));
    expect(answer.status).toBe(303);
    expect(await stored()).toEqual([{ ...texts, has_medicare: true, has_diabetes: false }]);
  });

  it("is refused without a name, and no word of ours stands in for it", async () => {
    const { name: ___, ...nameless } = texts;
    const answer = await app.fetch(formRequest(nameless));
    expect(answer.status).toBe(400);
    expect(await answer.text()).toContain("Please enter your full name.");
    expect(await stored()).toEqual([]);
  });
});

describe("a text of white space alone", () => {
  it("is blank for the intake where it is for PostgreSQL, for each character there is", async () => {
    const blank = await database.owner`
      select n from generate_series(1, 1114111) n
      where n not between 55296 and 57343 and chr(n) !~ '\\S'`;
    const all = Array.from({ length: 0x110000 }, (_, n) => n).filter(
      (n) => n > 0 && (n < 0xd800 || n > 0xdfff),
    );
    expect(all.filter((n) => isBlank(String.fromCodePoint(n)))).toEqual(blank.map(({ n }) => n));
    expect(blank.map(({ n }) => n)).toContain(0x85);
  });
});

describe("an invisible text", () => {
  it("is shown as “(no name)” by the commands exactly when the inbox shows it so, for each character there is", async () => {
    const unseen = await database.owner`
      select n from generate_series(1, 1114111) n
      where n not between 55296 and 57343 and private.shown(chr(n), '(no name)') = '(no name)'`;
    const all = Array.from({ length: 0x110000 }, (_, n) => n).filter(
      (n) => n > 0 && (n < 0xd800 || n > 0xdfff),
    );
    expect(all.filter((n) => shown("name", String.fromCodePoint(n)) === "(no name)")).toEqual(
      unseen.map(({ n }) => n),
    );
    expect(unseen.map(({ n }) => n)).toEqual(
      expect.arrayContaining([0x20, 0xad, 0x200b, 0x200c, 0x2800, 0x3164, 0xfeff]),
    );
  });
});

describe("the same lead sent again", () => {
  it("is answered word for word as the first time when a count is asked for, so that nobody learns of an earlier lead", async () => {
    const ask = async () => {
      const answer = await app.fetch(insertRequest(aLead(), { headers: { prefer: "count=exact" } }));
      return [answer.status, await answer.text(), [...answer.headers]];
    };
    const first = await ask();
    expect(first[2]).toContainEqual(["content-range", "*/1"]);
    expect(await ask()).toEqual(first);
    expect(await stored()).toEqual([aLead()]);
  });

  it("is answered 201 and stored once, however often and however close", async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => answerTo(insertRequest())));
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(201));
    expect(await answerTo(insertRequest())).toMatchObject({ status: 201 });
    expect(await stored()).toEqual([aLead()]);
  });

  it("is stored once even when two servers take it at the same moment", async () => {
    const { app: other } = await makeIntake(database);
    const statuses = await Promise.all(
      Array.from(
        { length: 40 },
        async (_, n) =>
          (await (n % 2 ? app : other).fetch(insertRequest(aLead({ name: `Rosa ${n >> 2}` })))).status,
      ),
    );
    expect(new Set(statuses)).toEqual(new Set([201]));
    expect(await stored()).toHaveLength(10);
  });

  it("causes no deadlock when two servers store the same two leads in opposite orders", async () => {
    const failures: string[] = [];
    const opening = Promise.withResolvers<void>();
    const send = (...names: string[]) => {
      const connection = makeResilientConnection(
        () => connect(database.intakeUrl, { max: 2 }),
        () => {},
      );
      onTestFinished(() => connection.end());
      const store = makeStore({
        ...connection,
        query: async (work, timeout) => {
          await opening.promise;
          return connection.query(work, timeout).catch((error) => {
            failures.push(codeOf(error));
            throw error;
          });
        },
      });
      return names.map((name) => store(aLead({ name }), {}));
    };
    let all: Promise<void>[] = [];
    await database.owner.begin(async (tx) => {
      for (const { name, email, phone, zip_code, has_medicare, has_diabetes } of [
        aLead({ name: "Ana" }),
        aLead({ name: "Ben" }),
      ])
        await tx`
          select pg_advisory_xact_lock(
            private.fingerprint(${name}, ${email}, ${phone}, ${zip_code}, ${has_medicare}, ${has_diabetes}))`;
      // Each store sends its first two leads in a statement each, and its last two in one.
      all = [...send("One", "Two", "Ana", "Ben"), ...send("Three", "Four", "Ben", "Ana")];
      opening.resolve();
      await until(async () => {
        const waiting = await database.owner`
          select from pg_locks l join pg_database d on d.oid = l.database
          where d.datname = current_database() and l.locktype = 'advisory' and not l.granted`;
        return waiting.length === 2;
      });
    });
    await Promise.all(all);
    expect(failures).toEqual([]);
    expect(await stored()).toHaveLength(6);
  });

  it("is a new lead after 24 hours, and not before", async () => {
    await answerTo(insertRequest());
    await database.owner`update leads set created_at = now() - interval '23 hours 59 minutes'`;
    await answerTo(insertRequest());
    expect(await stored()).toHaveLength(1);
    await database.owner`update leads set created_at = now() - interval '24 hours 1 second'`;
    await answerTo(insertRequest());
    expect(await stored()).toHaveLength(2);
  });

  it("is a new lead when a single value differs, whichever it is", async () => {
    const leads = [
      aLead(),
      aLead({ name: "Rosa Martinez " }),
      aLead({ email: "Rosa@example.com" }),
      aLead({ phone: "305-555-0142" }),
      aLead({ zip_code: "33102" }),
      aLead({ has_medicare: false }),
      aLead({ has_diabetes: true }),
    ];
    for (const lead of leads) await answerTo(insertRequest(lead));
    expect(await stored()).toEqual(leads);
  });
});

describe("a stored lead", () => {
  it("commits together with its permission and a delivery for each channel, or not at all", async () => {
    await database.owner`update private.channels set enabled = name in ('email', 'webhook')`;
    await answerTo(
      insertRequest(aLead(), {
        headers: {
          referer: "http://localhost/fall/offer?utm_source=mail&fbclid=x",
          "user-agent": "A browser",
        },
      }),
    );
    expect(
      await database.owner`
        select p.page_path, p.address, p.browser, p.utm, array(
          select d.channel || ' ' || d.event from private.deliveries d where d.lead_id = l.id order by 1
        ) as owed from leads l join private.permissions p on p.lead_id = l.id`,
    ).toEqual([
      {
        page_path: "/fall/offer",
        address: "203.0.113.7",
        browser: "A browser",
        utm: { utm_source: "mail" },
        owed: ["email lead.created", "webhook lead.created"],
      },
    ]);
    await database.owner`alter table private.deliveries add constraint broken check (channel <> 'webhook') not valid`;
    expect(await answerTo(insertRequest(aLead({ name: "Another" })))).toMatchObject({ status: 503 });
    await database.owner`alter table private.deliveries drop constraint broken`;
    expect(await stored()).toEqual([aLead()]);
  });
});
