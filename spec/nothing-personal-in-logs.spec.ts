// Nothing that a visitor types or sends may stand in any log: not in ours, and not in the embedded PostgreSQL's. Canaries
// go down every path, in good health and with the database broken underneath; then everything written is searched.
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { connect, type Sql } from "../database/connect.ts";
import { findRunning } from "../database/embedded.ts";
import { makeDatabase } from "./support/database.ts";
import { anonKey } from "./support/intake.ts";
import { until } from "./support/receiver.ts";
import { type RunningServer, startServer } from "./support/server.ts";
import { sendBytes } from "./support/wire.ts";

/** The words that were sent. Each stands nowhere else, and names where it was sent. */
const canaries: string[] = [];
const canary = (where: string) => {
  const word = `canary${canaries.length}${where.replaceAll(/\W/g, "")}`;
  canaries.push(word);
  return word;
};

/** A lead that is all canaries. */
const lead = (differences: Record<string, unknown> = {}) => ({
  name: canary("name"),
  email: `${canary("email")}@example.com`,
  phone: canary("phone"),
  zip_code: canary("zip"),
  has_medicare: true,
  ...differences,
});

const headers = () => ({
  "content-type": "application/json",
  apikey: anonKey,
  referer: `http://localhost/${canary("page")}?utm_source=${canary("utm")}`,
  "user-agent": canary("browser"),
  cookie: `c=${canary("cookie")}`,
  "x-forwarded-for": canary("address"),
});

const insert = (address: string, body: unknown, { query = "", more = {} } = {}) =>
  fetch(`${address}/rest/v1/leads${query}`, {
    method: "POST",
    headers: { ...headers(), ...more },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
const postForm = (address: string, fields: Record<string, unknown>) =>
  fetch(`${address}/`, {
    method: "POST",
    redirect: "manual",
    headers: { referer: `http://localhost/?${canary("formreferer")}` },
    body: new URLSearchParams(fields as Record<string, string>),
  });

/** Every way in, and what it answers while the database is well. */
const ways: [string, (address: string) => Promise<{ status: number }>, number][] = [
  ["an insert", (at) => insert(at, lead()), 201],
  [
    "an insert in an array",
    (at) => insert(at, [lead()], { query: "?columns=name,email,phone,zip_code" }),
    201,
  ],
  ["a form", (at) => postForm(at, lead({ website: canary("honeypot") })), 303],
  [
    "a form at submit-lead's address",
    (at) =>
      fetch(`${at}/functions/v1/submit-lead`, {
        method: "POST",
        redirect: "manual",
        body: new URLSearchParams(Object.entries(lead()).map(([name, value]) => [name, String(value)])),
      }),
    303,
  ],
  [
    "an article's address",
    (at) => fetch(`${at}/?utm_source=${canary("load-utm")}&fbclid=${canary("click")}`),
    200,
  ],
  [
    "a count",
    (at) => fetch(`${at}/c`, { method: "POST", body: `steps=view&utm_source=${canary("count-utm")}` }),
    204,
  ],
  [
    "a count that is refused",
    (at) => fetch(`${at}/c`, { method: "POST", body: `${canary("count")}=1` }),
    400,
  ],
  [
    "the image of a browser without script",
    (at) => fetch(`${at}/c`, { headers: { referer: `${at}/?utm_source=${canary("image-utm")}` } }),
    204,
  ],
  ["a blank field", (at) => insert(at, lead({ email: " " })), 400],
  ["a form's blank field", (at) => postForm(at, lead({ phone: "" })), 400],
  ["a field too long", (at) => insert(at, lead({ name: canary("long").repeat(60) })), 400],
  ["a form's field too long", (at) => postForm(at, lead({ name: canary("formlong").repeat(60) })), 400],
  ["a field of another type", (at) => insert(at, lead({ phone: { number: canary("object") } })), 400],
  ["a box that is a word", (at) => insert(at, lead({ has_medicare: canary("box") })), 400],
  ["a NUL", (at) => insert(at, lead({ name: `${canary("nul")}\0` })), 400],
  ["JSON that is broken", (at) => insert(at, `{"name":"${canary("broken")}`), 400],
  ["an unknown field", (at) => insert(at, lead({ [canary("field")]: canary("value") })), 400],
  ["a filter", (at) => insert(at, lead(), { query: `?name=eq.${canary("filter")}` }), 400],
  ["a body over 16 kB", (at) => insert(at, lead({ name: canary("large").repeat(2_000) })), 413],
  [
    "another content type",
    (at) => insert(at, canary("text"), { more: { "content-type": canary("type") } }),
    400,
  ],
  ["another key", (at) => insert(at, lead(), { more: { apikey: canary("key") } }), 401],
  [
    "another token",
    (at) => insert(at, lead(), { more: { authorization: `Bearer ${canary("token")}` } }),
    401,
  ],
  ["another table", (at) => fetch(`${at}/rest/v1/${canary("table")}?apikey=${anonKey}`), 404],
  ["a page's address", (at) => fetch(`${at}/${canary("path")}?email=${canary("query")}`), 404],
  ["an unknown function", (at) => fetch(`${at}/functions/v1/${canary("function")}`, { method: "POST" }), 404],
];

/** Expects that a lead was refused as JSON and as a page, in words of our own alone. */
async function expectRefused([asJson, asPage]: readonly [Response, Response]): Promise<void> {
  expect([asJson.status, asPage.status]).toEqual([503, 503]);
  for (const words of [await asJson.text(), bannerOf(await asPage.text())]) {
    expect(words).toContain(sentence);
    expect(words).not.toMatch(sentOrOfPostgresql);
  }
}

const callSubmitLead = (address: string) =>
  fetch(`${address}/functions/v1/submit-lead`, {
    method: "POST",
    headers: { ...headers(), authorization: `Bearer ${anonKey}` },
    body: JSON.stringify(lead()),
  });

/** The red banner of the page that answers a form; without what was typed, which stands in the form. */
const bannerOf = (page: string) => page.split('<div role="alert"')[1]?.split("</div>")[0];
/** What the visitor reads and a program gets, when the database fails. */
const sentence = "We could not save your answers just now.";
/** A word that was sent, or a word of PostgreSQL's own messages. */
const sentOrOfPostgresql =
  /canary|violates|uuid|Failing row|permission denied|division by zero|canceling|terminating/i;

/** SQL that has these statements run for each new lead. */
const trigger = (statements: string) => `
  create or replace function public.broken() returns trigger language plpgsql as $$ begin ${statements} end $$;
  create trigger broken before insert on leads for each row execute function broken()`;

describe("with the embedded PostgreSQL", () => {
  const dataDir = mkdtempSync(join(tmpdir(), "canaries-"));
  let server: RunningServer;
  let owner: Sql;
  // A receiver that refuses each lead and repeats it in its answer, and a mail server that is not there.
  const receiver = createServer((request, response) => void request.pipe(response.writeHead(500)));
  beforeAll(async () => {
    await once(receiver.listen(0, "127.0.0.1"), "listening");
    server = await startServer({
      DATA_DIR: dataDir,
      WEBHOOK_URL: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`,
      WEBHOOK_SECRET: `whsec_${Buffer.alloc(24, "s").toString("base64")}`,
      NOTIFY_EMAIL: "team@example.com",
      MAIL_FROM: "leads@example.com",
      MAIL_DETAILS: "full",
      SMTP_URL: "smtp://127.0.0.1:1",
    });
    owner = connect((await findRunning({ dataDir })) ?? "");
    // The intake holds a lead for some seconds until the tables are there, and a slow machine may take longer to make them.
    await until(async () => (await fetch(`${server.address}/readyz`)).ok);
  });
  afterAll(async () => {
    await owner.end();
    await server.end();
    receiver.close();
    rmSync(dataDir, { recursive: true });
  });

  const storedCount = async () => (await owner`select count(*)::int as n from leads`)[0]?.n;
  const sendBothWays = () =>
    Promise.all([insert(server.address, lead()), postForm(server.address, lead())] as const);
  const log = () => readFileSync(join(dataDir, "log/postgresql.log"), "utf8");

  it.each(ways)("%s is answered", async (_, send, status) => {
    expect((await send(server.address)).status).toBe(status);
  });

  it("the call of submit-lead is answered, and so are bytes that are no request", async () => {
    expect((await callSubmitLead(server.address)).status).toBeLessThan(300);
    for (const bytes of [
      `GET /${canary("nonsense")} nonsense\r\n\r\n`,
      `GET / HTTP/1.1\r\nhost: ${canary("host")} b\r\nconnection: close\r\n\r\n`,
      `GET / HTTP/1.1\r\nx: ${canary("header").repeat(2_000)}\r\n\r\n`,
    ])
      expect((await sendBytes(server.address, bytes))[0]?.status).toBeGreaterThanOrEqual(400);
  });

  it.each([
    [
      "a trigger repeats the lead in its error",
      trigger(`raise exception 'A lead: %', new using detail = new.name;`),
      "drop trigger broken on leads",
    ],
    [
      "a trigger warns of each lead and then fails",
      trigger(`raise warning 'A lead: %', new; perform 1 / 0; return new;`),
      "drop trigger broken on leads",
    ],
    [
      "a check of the table fails, which quotes the row",
      "alter table leads add constraint no_lead check (zip_code = 'none') not valid",
      "alter table leads drop constraint no_lead",
    ],
    [
      "a trigger reads the name as an id, which fails and quotes the name",
      trigger(`perform new.name::uuid; return new;`),
      "drop trigger broken on leads",
    ],
    ["the right to insert is gone", "revoke insert on leads from anon", "grant insert on leads to anon"],
  ])(
    "a lead is refused and not stored while %s, and neither the JSON nor the page's banner repeats any of it",
    async (_, damage, repair) => {
      const before = await storedCount();
      await owner.unsafe(damage);
      const answers = await sendBothWays();
      await owner.unsafe(repair);
      await expectRefused(answers);
      expect(await storedCount()).toBe(before);
    },
  );

  it("a lead is refused and not stored while the table is locked, its session is killed and its statements take too long", async () => {
    const before = await storedCount();
    await owner.unsafe("alter role leads_intake set statement_timeout = '500ms'");
    await owner.begin(async (tx) => {
      await tx`lock table leads`;
      const answers = sendBothWays();
      // The killed session is followed by one that knows the new timeout.
      await tx.unsafe(`do $$ begin
        for tries in 1..500 loop
          exit when exists (select from pg_locks where not granted);
          perform pg_sleep(0.01);
        end loop;
        perform pg_terminate_backend(pid) from pg_stat_activity where usename = 'leads_intake';
      end $$`);
      await expectRefused(await answers);
      // An answer to the visitor does not cancel the last try: the timeout ends it while the table is locked. On a busy machine it may not
      // have come to the lock yet, so every statement of the intake is waited for.
      const statements = () => owner`
        select pid from pg_stat_activity where application_name = 'leads intake' and state <> 'idle'`;
      await expect.poll(statements).toEqual([]);
    });
    expect(await storedCount()).toBe(before);
  });

  it("a lead that no channel can deliver leaves only a reason of our own behind", async () => {
    await expect
      .poll(() => owner`select distinct channel from private.deliveries where last_error is not null`)
      .toHaveLength(2);
    const errors =
      await owner`select distinct last_error from private.deliveries where last_error is not null`;
    expect(errors.map(({ last_error }) => last_error).join()).not.toMatch(/canary/);
  });

  it("nothing that was sent stands in our log, which tells of the refusals and failures", () => {
    expect(server.output()).toMatch(/insert-refused/);
    expect(server.output()).toMatch(/insert-failed/);
    expect(canaries.filter((word) => server.output().includes(word))).toEqual([]);
    expect(server.output()).not.toContain("canary");
  });

  it("nothing that was sent stands in PostgreSQL's log, nor in any file beside the database itself", () => {
    expect(log()).toMatch(/terminating connection/);
    const files = readdirSync(dataDir, { recursive: true, withFileTypes: true })
      .filter((file) => file.isFile())
      .map((file) => join(file.parentPath, file.name))
      .filter((path) => !path.startsWith(join(dataDir, "postgresql/")));
    expect(files).toContain(join(dataDir, "log/postgresql.log"));
    expect(files.filter((path) => readFileSync(path).includes("canary"))).toEqual([]);
  });
});

describe("a bug that nothing catches", () => {
  it("ends the server, and the log has its class and not its message", async () => {
    const { url } = await makeDatabase();
    // Planted from outside: on a signal, an exception that quotes a lead is thrown where nothing catches it.
    const planted = 'process.on("SIGUSR2",()=>{throw(new(RangeError)("canaryofabug"))})';
    const server = await startServer({
      DATABASE_URL: url,
      NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(planted)}`,
    });
    expect(await server.end("SIGUSR2")).toEqual({ code: 1, signal: null });
    expect(server.output()).toMatch(/ error bug: .{0,300} class=RangeError/);
    expect(server.output()).toMatch(/ info stopped: /);
    expect(server.output()).not.toContain("canaryofabug");
  });
});

describe("with a PostgreSQL that cannot be reached", () => {
  it("every way in is answered, and the log holds nothing that was sent, nor the database's password", async () => {
    const server = await startServer({ DATABASE_URL: "postgres://owner:secretofowner@127.0.0.1:1/leads" });
    const answers = await Promise.all(ways.map(([, send]) => send(server.address)));
    for (const [n, { status }] of answers.entries()) expect([ways[n]?.[2], 503]).toContain(status);
    expect(answers[0]?.status).toBe(503);
    expect(server.output()).toMatch(/insert-failed/);
    expect(server.output()).not.toMatch(/canary|secretofowner/);
  });
});
