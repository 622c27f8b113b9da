// Call 1, `POST /rest/v1/leads`: what the intake stores and what it answers, compared whole. (Specification 7, CONTRACT)
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { isBlank } from "../intake/store.ts";
import { aLead, makeDatabase, type TestDatabase } from "./support/database.ts";
import { insertRequest, makeIntake } from "./support/intake.ts";

let database: TestDatabase;
let app: Awaited<ReturnType<typeof makeIntake>>["app"];
beforeAll(async () => {
  database = await makeDatabase();
  ({ app } = await makeIntake(database));
});
beforeEach(() => database.owner`delete from leads`);

const stored = () => database.owner`
  select name, email, phone, zip_code, has_medicare, has_diabetes from leads order by created_at`;

/** What an answer says, all of it. */
const answerTo = async (request: Request) => {
  const answer = await app.fetch(request);
  const text = await answer.text();
  return {
    status: answer.status,
    type: answer.headers.get("content-type"),
    body: text ? JSON.parse(text) : text,
  };
};
const refusal = (
  status: number,
  code: string,
  message: string,
  more: { details?: unknown; hint?: unknown } = {},
) => ({
  status,
  type: "application/json; charset=utf-8",
  body: { code, message, details: null, hint: null, ...more },
});
const anything = expect.anything();

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

  it("gives each lead a greater id than those before it, so that every index grows at its end", async () => {
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

  it.each([
    ["name", "full name"],
    ["email", "email address"],
    ["phone", "phone number"],
    ["zip_code", "ZIP code"],
  ])(
    "refuses a lead without %s, blank or absurdly long, in words a visitor can use",
    async (field, label) => {
      const please = `Please enter your ${label}.`;
      const { [field as "name"]: _, ...rest } = aLead();
      const missing = refusal(400, "23502", please, { details: `The field ${field} is missing.` });
      expect(await answerTo(insertRequest(rest))).toEqual(missing);
      expect(await answerTo(insertRequest(aLead({ [field]: null })))).toEqual(missing);
      expect(await answerTo(insertRequest(aLead({ [field]: " \t\n" })))).toEqual(
        refusal(400, "23514", please, { details: `Refused by the table: ${field}_is_given.` }),
      );
      expect(await answerTo(insertRequest(aLead({ [field]: "x".repeat(501) })))).toEqual(
        refusal(400, "23514", `Your ${label} is too long. Please shorten it to 500 characters or fewer.`, {
          details: `Refused by the table: ${field}_has_at_most_500_characters.`,
        }),
      );
      expect(await stored()).toEqual([]);
    },
  );

  it("stores an honest lead that shares its commit with refused ones", async () => {
    const answers = await Promise.all(
      [aLead({ name: " " }), aLead({ name: "Honest" }), aLead({ phone: "" }), aLead({ name: "Too" })].map(
        (lead) => answerTo(insertRequest(lead)),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual([400, 201, 400, 201]);
    expect(await stored()).toHaveLength(2);
  });

  it.each([
    ["no key", { apikey: "" }, 401, "PGRST302"],
    ["an unknown key", { apikey: "sb_publishable_other" }, 401, "PGRST301"],
    ["another bearer token", { authorization: "Bearer other" }, 401, "PGRST301"],
    ["a bearer token that is empty", { authorization: "Bearer" }, 401, "PGRST301"],
    ["a bearer token that is two words", { authorization: "Bearer two words" }, 401, "PGRST301"],
  ])("refuses %s with 401", async (_, headers, status, code) => {
    const answer = await app.fetch(insertRequest(aLead(), { headers: headers as Record<string, string> }));
    expect(answer.status).toBe(status);
    expect(answer.headers.get("www-authenticate")).toBe("Bearer");
    expect(await answer.json()).toEqual({
      code,
      message: anything,
      details: null,
      hint: anything,
      ...(code === "PGRST301" && { details: anything }),
    });
    expect(await stored()).toEqual([]);
  });

  it.each([
    ["apikey alone", { authorization: "" }, ""],
    ["the key in the address", { apikey: "", authorization: "" }, "?apikey=sb_publishable_for_the_spec"],
  ])("takes %s, as the gateway does", async (_, changed, query) => {
    const request = insertRequest(aLead(), { query });
    for (const name of Object.keys(changed)) request.headers.delete(name);
    expect(await answerTo(request)).toMatchObject({ status: 201 });
  });

  const denied = refusal(401, "42501", "permission denied for table leads", { hint: anything });
  it.each(["GET", "HEAD", "PUT", "PATCH", "DELETE"])("refuses to let a visitor %s leads", async (method) => {
    const answer = await app.fetch(insertRequest({}, { method }));
    expect(answer.status).toBe(401);
    if (method !== "HEAD") expect(await answer.json()).toEqual(denied.body);
  });
  it.each([
    ["the stored row back", { prefer: "return=representation" }, ""],
    ["the stored row's address", { prefer: "return=headers-only" }, ""],
    ["an upsert", { prefer: "resolution=ignore-duplicates" }, ""],
    ["to choose the id", {}, "?columns=name,email,phone,zip_code,id"],
  ])("refuses a visitor who wants %s, and stores nothing", async (_, headers, query) => {
    const body = aLead({ id: "00000000-0000-0000-0000-000000000000" });
    const request = insertRequest(query ? body : aLead(), {
      headers: headers as Record<string, string>,
      query,
    });
    expect(await answerTo(request)).toEqual(denied);
    expect(await stored()).toEqual([]);
  });

  const columnsOf = (names: string) => `?columns=${encodeURIComponent(names)}`;
  it.each<[string, Request, ReturnType<typeof refusal>]>([
    ["broken JSON", insertRequest("{"), refusal(400, "PGRST102", "Empty or invalid json")],
    ["an empty body", insertRequest(""), refusal(400, "PGRST102", "Empty or invalid json")],
    [
      "bytes that are not UTF-8",
      insertRequest(new Uint8Array([0x7b, 0xff])),
      refusal(400, "PGRST102", "Empty or invalid json"),
    ],
    [
      "broken JSON with columns",
      insertRequest("{", { query: columnsOf("name") }),
      refusal(400, "22P02", "invalid input syntax for type json", { details: anything }),
    ],
    [
      "columns that name none",
      insertRequest(aLead(), { query: "?columns=" }),
      refusal(400, "PGRST100", '"failed to parse columns parameter ()" (line 1, column 1)'),
    ],
    [
      "an array of what is no object",
      insertRequest("[1]"),
      refusal(400, "PGRST102", "All object keys must match"),
    ],
    [
      "an array of what is no object, with columns",
      insertRequest("[1]", { query: columnsOf("name") }),
      refusal(400, "22023", "argument of json_to_recordset must be an array of objects"),
    ],
    [
      "an empty array",
      insertRequest([]),
      refusal(400, "PGRST102", "Send one lead: a JSON object, or an array of one.", { hint: anything }),
    ],
    [
      "two leads",
      insertRequest([aLead(), aLead()]),
      refusal(400, "PGRST102", "Send one lead: a JSON object, or an array of one.", { hint: anything }),
    ],
    [
      "a scalar",
      insertRequest("7"),
      refusal(400, "PGRST102", "Send one lead: a JSON object, or an array of one.", { hint: anything }),
    ],
    [
      "null",
      insertRequest("null"),
      refusal(400, "PGRST102", "Send one lead: a JSON object, or an array of one.", { hint: anything }),
    ],
    [
      "an unknown key",
      insertRequest(aLead({ insulin: true })),
      refusal(400, "PGRST204", "Could not find the 'insulin' column of 'leads' in the schema cache"),
    ],
    [
      "an unknown column",
      insertRequest(aLead(), { query: columnsOf('"name","insulin"') }),
      refusal(400, "PGRST204", "Could not find the 'insulin' column of 'leads' in the schema cache"),
    ],
    [
      "a prototype key",
      insertRequest('{"__proto__":{"name":"x"}}'),
      refusal(400, "PGRST204", "Could not find the '__proto__' column of 'leads' in the schema cache"),
    ],
    [
      "a box that is a word",
      insertRequest(aLead({ has_medicare: "yes" })),
      refusal(400, "22P02", 'invalid input syntax for type boolean: "has_medicare"', { details: anything }),
    ],
    [
      "a box that is null",
      insertRequest(aLead({ has_medicare: null })),
      refusal(
        400,
        "23502",
        'null value in column "has_medicare" of relation "leads" violates not-null constraint',
        { details: anything },
      ),
    ],
    [
      "a box in the columns but not in the body",
      insertRequest(
        { name: "R", email: "r", phone: "1", zip_code: "2" },
        { query: columnsOf("name,email,phone,zip_code,has_medicare") },
      ),
      refusal(
        400,
        "23502",
        'null value in column "has_medicare" of relation "leads" violates not-null constraint',
        { details: anything },
      ),
    ],
    [
      "a text that is a number",
      insertRequest(aLead({ zip_code: 33101 })),
      refusal(400, "22P02", "Please enter your ZIP code as text.", { details: anything }),
    ],
    [
      "a NUL",
      insertRequest(aLead({ name: "a\0b" })),
      refusal(400, "22P05", "Your full name has a character that we cannot keep. Please type it again.", {
        details: anything,
      }),
    ],
    [
      "half a surrogate pair",
      insertRequest('{"name":"\\ud83d"}'),
      refusal(400, "22P05", "Your full name has a character that we cannot keep. Please type it again.", {
        details: anything,
      }),
    ],
    [
      "text/plain",
      insertRequest(aLead(), { headers: { "content-type": "text/plain" } }),
      refusal(400, "PGRST102", "Content-Type not acceptable: text/plain"),
    ],
    [
      "a form",
      insertRequest("name=R", { headers: { "content-type": "application/x-www-form-urlencoded" } }),
      refusal(400, "PGRST102", "Content-Type not acceptable: application/x-www-form-urlencoded"),
    ],
    [
      "another charset",
      insertRequest(aLead(), { headers: { "content-type": "application/json; charset=utf-16" } }),
      refusal(400, "PGRST102", "Content-Type not acceptable: application/json; charset=utf-16"),
    ],
    [
      "an answer that is only HTML",
      insertRequest(aLead(), { headers: { accept: "text/html" } }),
      refusal(406, "PGRST107", "None of these media types are available: text/html"),
    ],
    [
      "another schema",
      insertRequest(aLead(), { headers: { "content-profile": "private" } }),
      refusal(406, "PGRST106", "Invalid schema: private", { hint: anything }),
    ],
    [
      "a filter",
      insertRequest(aLead(), { query: "?utm_source=mail" }),
      refusal(400, "PGRST100", '"failed to parse filter (mail)" (line 1, column 1)'),
    ],
    [
      "an unknown preference, strictly",
      insertRequest(aLead(), { headers: { prefer: "handling=strict, foo=bar" } }),
      refusal(400, "PGRST122", "Invalid preferences given with handling=strict", {
        details: "Invalid preferences: foo=bar",
      }),
    ],
    [
      "a body over 16 kB",
      insertRequest(aLead({ name: "x".repeat(17_000) })),
      refusal(413, "PGRST102", "What you typed is too long for this form. Please shorten it and try again.", {
        details: anything,
      }),
    ],
  ])("refuses %s", async (_, request, expected) => {
    expect(await answerTo(request)).toEqual(expected);
    expect(await stored()).toEqual([]);
  });

  it("ignores a key of the body that is not among the columns", async () => {
    const query = columnsOf('"name","email","phone","zip_code"');
    expect(await answerTo(insertRequest(aLead({ insulin: true }), { query }))).toMatchObject({ status: 201 });
    expect(await stored()).toEqual([aLead({ has_medicare: false })]);
  });

  it("honours the preferences that an insert can honour, and says which", async () => {
    const query = columnsOf("name,email,phone,zip_code,has_medicare,has_diabetes");
    const prefer = "return=minimal, count=exact, missing=default, tx=rollback";
    const { has_medicare: _, ...rest } = aLead();
    const answer = await app.fetch(insertRequest(rest, { query, headers: { prefer } }));
    expect(answer.status).toBe(201);
    expect(answer.headers.get("preference-applied")).toBe("return=minimal, count=exact, missing=default");
    expect(answer.headers.get("content-range")).toBe("*/1");
    expect(await stored()).toHaveLength(1);
  });

  it.each([
    ["/rest/v1/users", 404, "PGRST205", "Could not find the table 'public.users' in the schema cache"],
    ["/rest/v1/leads/", 404, "PGRST125", "Invalid path specified in request URL"],
    ["/rest/v1/leads/1", 404, "PGRST125", "Invalid path specified in request URL"],
    ["/rest/v1/", 404, "PGRST125", "Invalid path specified in request URL"],
  ])("answers %s with %i and a message", async (path, status, code, message) => {
    const request = new Request(`http://localhost${path}`, insertRequest());
    expect(await answerTo(request)).toEqual(refusal(status, code, message));
  });

  it("answers an unknown method with 405 and a message", async () => {
    expect(await answerTo(insertRequest({}, { method: "PROPFIND" }))).toEqual(
      refusal(405, "PGRST117", "Unsupported HTTP method: PROPFIND"),
    );
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

  it("is a new lead after 24 hours, or when a single value differs", async () => {
    await answerTo(insertRequest());
    await database.owner`update leads set created_at = now() - interval '24 hours 1 second'`;
    await answerTo(insertRequest());
    await answerTo(insertRequest(aLead({ has_diabetes: true })));
    await answerTo(insertRequest(aLead({ name: "Rosa Martinez " })));
    expect(await stored()).toHaveLength(4);
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
