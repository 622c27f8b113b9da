// When the intake refuses call 1, and in which words. (Specification 7, Contract 0 and 3)
import { beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { readPreferences } from "../intake/read-preferences.ts";
import { aLead, makeDatabase, type TestDatabase } from "./support/database.ts";
import { answerOf, columnsQuery, refusal } from "./support/insert-answers.ts";
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
const answerTo = (request: Request) => answerOf(app, request);
const anything = expect.anything();

describe("inserting a lead", () => {
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
      insertRequest("{", { query: columnsQuery("name") }),
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
      insertRequest("[1]", { query: columnsQuery("name") }),
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
      insertRequest(aLead(), { query: columnsQuery('"name","insulin"') }),
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
        { query: columnsQuery("name,email,phone,zip_code,has_medicare") },
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

  it("makes one object for a time zone, however many a request names, because each takes as long as a lead", () => {
    const made = vi.spyOn(Intl, "DateTimeFormat");
    onTestFinished(() => void vi.restoreAllMocks());
    expect(readPreferences("timezone=UTC,".repeat(1_000)).applied).toEqual(["timezone=UTC"]);
    expect(readPreferences("timezone=Mars/Nowhere,".repeat(700)).applied).toEqual([]);
    expect(made).toHaveBeenCalledTimes(2);
  });

  it.each(["timezone=Mars/Nowhere", "return=minimal=x", "return=minimal; x=1"])(
    "refuses a preference whose value is not known, strictly: %s",
    async (preference) => {
      const headers = { prefer: `handling=strict, ${preference}` };
      const details = `Invalid preferences: ${preference}`;
      expect(await answerTo(insertRequest(aLead(), { headers }))).toEqual(
        refusal(400, "PGRST122", "Invalid preferences given with handling=strict", { details }),
      );
    },
  );

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
});
