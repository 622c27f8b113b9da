// Property tests on the inbox: whatever is written on its socket, and whatever the page of a member sends, within the schemas or beside
// them, is answered plainly and meets no bug.
import fc from "fast-check";
import * as v from "valibot";
import { describe, expect, it } from "vitest";
import { type CallName, calls } from "../inbox/api.ts";
import { signIn as signInRequests } from "../inbox/api-sign-in.ts";
import { anyRequest } from "./support/any-request.ts";
import { makeDatabase } from "./support/database.ts";
import { addLead, addPlaces, noonZip, post, serveInbox, type TestMember } from "./support/inbox.ts";
import { expectAPlainAnswer } from "./support/plain-answer.ts";
import { sendBytes } from "./support/wire.ts";

const database = await makeDatabase();
await addPlaces(database);
const logged: string[] = [];
const inbox = await serveInbox(database, {}, { logged });

/** Texts of each kind that some field takes, and some that none does. */
const texts = [
  "",
  " ",
  "a",
  "Rosa Martinez",
  "rosa@example.com",
  "(305) 555-0142",
  "1EG4-TE5-MK72",
  "%_\\'\"",
  "\u0000",
  "\ud800",
  "\u202e",
  "x".repeat(200),
  "é".repeat(2_000),
  "👩‍👩‍👧‍👦".repeat(30),
  "-infinity",
  "infinity",
  "now",
  "null",
  "{}",
  "__proto__",
  "VT",
  "ZZ",
  "2026-11-22",
  "2026-02-30",
  "0000-01-01",
  "0001-01-01",
  "9999-12-31",
  "2024-02-29",
  "1900-01-01",
  "2026-11-23T09:30",
  "2026-03-08T02:30",
  "2026-11-01T01:30",
  "0000-01-01T00:00",
  "9999-12-31T23:59",
  "2026-11-23T24:00",
  "America/New_York",
  "UTC",
  "Etc/GMT+5",
  "EST5EDT",
  "Pacific/Apia",
  "GMT+0",
  "america/new_york",
  "day,campaign,cost\n2026-11-01,a,1",
  "day,source,medium,campaign,cost\n2026-11-01,a,b,c,1.50\n",
  'a,b\n"',
  "id",
  "name",
  "2026-11-22T00:00:00Z|00000000-0000-0000-0000-000000000000",
  "1|2",
  "|",
  "1|00000000-0000-0000-0000-000000000000|x",
];
const numbers = [0, 1, 2, -1, 1.5, 200, 2_147_483_647, 2_147_483_648, 2 ** 53, 1e21, -0, 5e-324];
const ids: string[] = ["00000000-0000-0000-0000-000000000000"];

type Schema = v.GenericSchema & Record<string, unknown>;

/** Values of a field: nearly always some that its schema takes. */
function valuesOf(schema: Schema): fc.Arbitrary<unknown> {
  const inner = () => valuesOf(schema.wrapped as Schema);
  switch (schema.type) {
    case "optional":
      return fc.option(inner(), { nil: undefined });
    case "nullable":
      return fc.option(inner());
    case "picklist":
      return fc.constantFrom(...(schema.options as string[]));
    case "union":
      return fc.oneof(...(schema.options as Schema[]).map(valuesOf));
    case "literal":
      return fc.constant(schema.literal);
    case "boolean":
      return fc.boolean();
    case "number":
      return mostlyTaken(schema, numbers, fc.double());
    case "string":
      return mostlyTaken(schema, [...ids, ...texts], fc.string({ unit: "binary" }));
    case "array":
      return fc.array(valuesOf(schema.item as Schema), { maxLength: 5 });
    case "strict_object":
      return fc.record(
        Object.fromEntries(
          Object.entries(schema.entries as Record<string, Schema>).map(([name, field]) => [
            name,
            valuesOf(field),
          ]),
        ),
      );
    case "loose_object":
      return fc.dictionary(fc.string(), fc.jsonValue());
  }
  throw new Error(`No values are known for ${schema.type}.`);
}

/** The known values that a schema takes, and seldom another one. */
function mostlyTaken<Value>(schema: Schema, known: Value[], other: fc.Arbitrary<Value>): fc.Arbitrary<Value> {
  const taken = known.filter((value) => v.is(schema, value));
  return fc.oneof({ weight: 20, arbitrary: fc.constantFrom(...taken) }, { weight: 1, arbitrary: other });
}

/** Addresses of every kind. The stream of events is left out, because it does not end. */
const addresses = [
  "/",
  "/nothing",
  "/leads",
  "/healthz",
  "/metrics",
  "/alertz",
  "/sign-in",
  "/join",
  "/api",
  "/api/",
  "/api/none",
  "/api/__proto__",
  "/oidc/callback",
  "/oidc/callback?state=x&code=y",
  "/api/downloads/leads?entry=1",
  "/api/downloads/none?entry=1",
  ...Object.keys(signInRequests).map((name) => `/${name}`),
  "/api/me",
  "/api/queue",
  "/api/open",
  "/api/erase",
  "/api/lock",
  "/api/sign-out",
];

/** The calls that end or lock the session of the member who makes them. */
const endingCalls: CallName[] = ["sign-out", "lock"];

describe("the inbox", () => {
  it("answers plainly whatever a page could send, and logs no bug", async () => {
    for (let count = 0; count < 6; count += 1)
      ids.push(await addLead(database, { zip_code: noonZip, name: `Rosa ${count}` }, count * 9));
    const other = await inbox.member("Noor");
    ids.push(other.id);
    let ended = 0;
    let member: TestMember = await inbox.member("Dana", "manager");
    const names = (Object.keys(calls) as CallName[]).filter((name) => !endingCalls.includes(name));
    for (const name of names) {
      const request = fc.oneof(
        { weight: 30, arbitrary: valuesOf(calls[name].request as unknown as Schema) },
        { weight: 1, arbitrary: fc.jsonValue() },
      );
      const answersPlainly = fc.asyncProperty(request, async (value) => {
        const { status, text } = await post(inbox.url, `api/${name}`, value, member.cookie);
        if (status === 401 && text === "") member = await inbox.member(`Dana ${(ended += 1)}`, "manager");
        expect([name, status, text]).toEqual([
          name,
          expect.toBeOneOf([200, 400, 401, 403, 404, 409, 429]),
          expect.any(String),
        ]);
      });
      await fc.assert(answersPlainly, { numRuns: 12 });
    }
    expect(logged).not.toContain("bug");
  });

  it("answers any request plainly, with a session and without one, and logs no bug", async () => {
    const { cookie } = await inbox.member("Robin", "manager");
    const request = anyRequest(addresses, {
      known: [`cookie: ${cookie}`, `origin: ${inbox.url}`, "content-type: application/json"],
      values: `${cookie} session= state=x ${inbox.url} application/json same-origin none text/csv gzip 127.0.0.1`,
    });
    const answersPlainly = fc.asyncProperty(request, async ({ bytes }) => {
      const answers = await sendBytes(inbox.url, bytes);
      expect(answers).toHaveLength(1);
      expectAPlainAnswer(answers[0], false);
    });
    await fc.assert(answersPlainly, { numRuns: 400 });
    expect(logged).not.toContain("bug");
  });
});
