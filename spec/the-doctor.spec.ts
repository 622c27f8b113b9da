// The doctor, on a complete deployment and on one where each thing is broken in turn: it names what fails, with its fix.
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { examineClaims } from "../doctor/claims.ts";
import { examine } from "../doctor/examine.ts";
import type { Finding } from "../doctor/finding.ts";
import { examineKey } from "../doctor/key.ts";
import { examinePages } from "../doctor/pages.ts";
import { makeTestLead } from "../doctor/test-lead.ts";
import { examineVisitorAddress } from "../doctor/visitor-address.ts";
import { atTheEnd } from "./support/at-the-end.ts";
import { makeDatabase, type TestDatabase } from "./support/database.ts";
import { keys } from "./support/edge-function.ts";
import { type HostedProject, startHosted } from "./support/hosted.ts";
import { anonKey } from "./support/intake.ts";
import { startServer } from "./support/server.ts";
import { buildSite, type StaticHost, startStaticHost } from "./support/static-host.ts";
import { extensionStubs } from "./support/supabase-like.ts";

const provider = {
  PROVIDER_NAME: "Provider of the spec",
  PROVIDER_LEGAL_NAME: "Provider of the spec, Inc.",
  PROVIDER_PHONE: "(305) 555-0100",
  PROVIDER_CALLS_FROM: "(305) 555-0101",
  PROVIDER_ADDRESS: "1 Spec Street",
  PROVIDER_SUPPLIER_ID: "1234567890",
};
const secret = `whsec_${Buffer.from("a secret of thirty-two bytes....").toString("base64")}`;
const json = (status: number, body: object, headers: Record<string, string> = {}) => ({
  status,
  headers: { "content-type": "application/json", "access-control-allow-origin": "*", ...headers },
  body: JSON.stringify(body),
});

let host: StaticHost;
let project: HostedProject;
let other: TestDatabase;
beforeAll(async () => {
  const receiver = createServer((request, response) => {
    request.resume();
    response.writeHead(204).end();
  }).listen(0, "127.0.0.1");
  await once(receiver, "listening");
  atTheEnd(() => receiver.close());
  host = await startStaticHost();
  const WEBHOOK_URL = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
  [project, other] = await Promise.all([
    startHosted(host.url, { WEBHOOK_URL, WEBHOOK_SECRET: secret, ...provider }),
    makeDatabase(),
  ]);
  await project.database.platform.unsafe(extensionStubs);
  host.folder = await buildSite({
    SITE_URL: host.url,
    VITE_SUPABASE_URL: project.url,
    VITE_SUPABASE_ANON_KEY: keys.publishable,
    ...provider,
  });
  await examineProject({ sql: true });
});
afterEach(async () => {
  project.override = undefined;
  Object.assign(host, { override: undefined, withoutHeaders: false, alter: (html: string) => html });
  await project.database.owner`delete from leads`;
});

/** What the doctor asks while no lead has come on a weekend. */
const aboutSundays = {
  is: "not examined",
  says: expect.stringMatching(/^Does somebody review leads on Sundays/),
};

/** Runs the doctor. Returns its findings, and whether it says that something failed. */
async function examineProject({ sql = false, secretKey }: { sql?: boolean; secretKey?: string } = {}) {
  const findings: Finding[] = [];
  const hasFailed = await examine(
    { url: project.url, key: keys.publishable, site: host.url },
    { sql: sql ? project.database.owner : undefined, secretKey },
    (finding) => findings.push(finding),
  );
  return { hasFailed, findings };
}

async function expectFailure(says: RegExp, options?: { sql?: boolean; secretKey?: string }) {
  const { hasFailed, findings } = await examineProject(options);
  const failures = findings.flatMap((finding) => (finding.is === "fail" ? [finding] : []));
  expect(failures.map((finding) => finding.says)).toContainEqual(expect.stringMatching(says));
  expect(failures.every(({ fix }) => fix.length > 10)).toBe(true);
  expect(hasFailed).toBe(true);
}

describe("the doctor", () => {
  it("passes a complete deployment, sees that the team was told, and leaves nothing behind", async () => {
    const { hasFailed, findings } = await examineProject({ sql: true });
    expect(findings.filter(({ is }) => is !== "pass")).toEqual([aboutSundays]);
    expect(hasFailed).toBe(false);
    expect(findings.map(({ says }) => says)).toEqual(
      expect.arrayContaining([
        "The database knows the permission notice on the page /.",
        "The team was told of the test lead by webhook.",
        "The database calls submit-lead each minute.",
        "The test lead is erased again.",
      ]),
    );
    expect(await project.database.owner`select from leads`).toHaveLength(0);
  });

  it("says from outside what it could not examine, and that its test lead stays", async () => {
    const { hasFailed, findings } = await examineProject();
    expect(hasFailed).toBe(false);
    expect(findings.filter(({ is }) => is !== "pass")).toEqual([
      { is: "not examined", says: expect.stringContaining("--email doctor@test.invalid") },
    ]);
    expect(await project.database.owner`select name from leads`).toEqual([
      { name: expect.stringMatching(/^TEST of npm run doctor at 20/) },
    ]);
  });

  it("erases its test lead with the secret key, and nothing else", async () => {
    const deletions: string[] = [];
    project.override = ({ method, path, headers }) => {
      if (method !== "DELETE" || headers.apikey !== "sb_secret_of_the_spec") return undefined;
      deletions.push(decodeURIComponent(path));
      return { status: 204 };
    };
    const { findings } = await examineProject({ secretKey: "sb_secret_of_the_spec" });
    expect(findings.at(-1)).toEqual({ is: "pass", says: "The test lead is erased again." });
    expect(deletions).toEqual([
      expect.stringContaining("email=eq.doctor@test.invalid&name=like.TEST+of+npm+run+doctor*"),
    ]);
    await expectFailure(/could not be erased \(401\)/, { secretKey: "sb_secret_of_another_project" });
  });

  it("judges its newest test lead, and erases those of earlier runs whose deliveries failed", async () => {
    const { owner } = project.database;
    await examineProject();
    await owner`
      update private.deliveries set delivered_at = null, failed_at = now(), last_error = 'refused'
      where lead_id in (select id from leads)`;
    const { findings } = await examineProject({ sql: true });
    expect(findings.map(({ says }) => says)).toContain("The team was told of the test lead by webhook.");
    expect(await owner`select from leads`).toHaveLength(0);
    expect((await examineProject({ sql: true })).hasFailed).toBe(false);
  });

  it("sees from an address of the proxy's network in place of the visitor's that TRUST_PROXY is missing", async () => {
    const { owner } = project.database;
    const testLead = makeTestLead(new Date());
    const seenAt = async (url: string, address: string | null) => {
      await owner`delete from leads`;
      const lead = await owner`insert into leads ${owner(testLead)} returning id`;
      await owner`update private.permissions set address = ${address} where lead_id = ${lead[0]?.id}`;
      return examineVisitorAddress(owner, { url, key: "", site: url }, testLead);
    };
    const site = "https://www.example.com";
    for (const address of ["127.0.0.1", "::1", "172.18.0.2", "::ffff:10.0.0.3", "fd00::2"])
      expect(await seenAt(site, address)).toEqual([
        { is: "fail", says: expect.stringContaining(`takes ${address} for`), fix: expect.any(String) },
      ]);
    for (const address of ["203.0.113.7", "2001:db8::1"])
      expect(await seenAt(site, address)).toMatchObject([{ is: "pass" }]);
    expect(await seenAt(site, null)).toEqual([]);
    for (const url of ["http://localhost:3000", "http://10.0.0.5", "http://[::1]:3000"])
      expect(await seenAt(url, "127.0.0.1")).toEqual([]);
  });

  it("finds each source of a claim that nobody has read for 90 days", () => {
    expect(examineClaims(new Date("2026-11-30"))).toMatchObject({ is: "pass" });
    expect(examineClaims(new Date("2027-06-01"))).toMatchObject({
      is: "fail",
      says: expect.stringMatching(/medicare\.gov.{0,300}\(2026-/),
      fix: expect.stringContaining("content/claims.ts"),
    });
  });

  it("asks whether somebody works on Sundays, until the reviews of the last weekends show it", async () => {
    const { owner } = project.database;
    const saturdays = owner`
      select date_trunc('week', now() at time zone 'America/New_York') at time zone 'America/New_York'
        - interval '7 days' * week - interval '1 day' as at from generate_series(1, 2) week`;
    for (const { at } of await saturdays) {
      const [lead] = await owner`
        insert into leads ${owner(makeTestLead(at))} returning id`;
      await owner`update leads set created_at = ${at} where id = ${lead?.id}`;
    }
    await expectFailure(/Of 2 leads that came on the last five weekends, 2 were not reviewed/, { sql: true });
  });
});

type Call = Parameters<NonNullable<HostedProject["override"]>>[0];
const reading = ({ method, path }: Call) => method === "GET" && path.startsWith("/rest/");
const inserting = ({ method, path }: Call) => method === "POST" && path.startsWith("/rest/");
const calling = ({ method, path }: Call) => method === "POST" && path.startsWith("/functions/");

describe("the doctor names a backend that", () => {
  it.each([
    ["is paused", /project is paused/, reading, { status: 540 }],
    ["is stopped for its bill", /quota or an unpaid bill/, reading, { status: 402 }],
    ["does not know the key", /does not know the key/, reading, json(401, { message: "Invalid API key" })],
    [
      "has no table",
      /no table of leads/,
      reading,
      json(404, { code: "PGRST205", message: "Could not find" }),
    ],
    ["has no data path", /no data path/, reading, { status: 404, body: "<h1>Not found</h1>" }],
    ["cannot reach its database", /cannot reach its database/, reading, json(503, { code: "PGRST002" })],
    ["lets anybody read leads", /Anybody can read the leads/, reading, json(200, [{ id: "1" }])],
    ["lets anybody ask for leads", /only row-level security hides/, reading, json(200, [])],
    [
      "has no right to insert for visitors",
      /role anon has no right to insert/,
      inserting,
      json(401, { code: "42501", message: "permission denied for table leads" }),
    ],
    [
      "has no policy to insert",
      /policy that lets a visitor add one is missing/,
      inserting,
      json(401, { code: "42501", message: 'new row violates row-level security policy for table "leads"' }),
    ],
    [
      "lacks a field",
      /lacks one of the six fields/,
      inserting,
      json(400, { code: "PGRST204", message: "x" }),
    ],
    ["fails at an insert", /No lead is taken \(500/, inserting, { status: 500 }],
    ["takes a blank field", /blank phone is not refused/, inserting, { status: 201 }],
    ["lets a visitor say when a lead was created", /set when a lead was created/, inserting, { status: 201 }],
    ["gives a lead back", /read the lead just sent/, inserting, { status: 201 }],
    [
      "lets anybody change leads",
      /anybody change leads/,
      ({ method }: Call) => method === "PATCH",
      { status: 204 },
    ],
    [
      "lets anybody delete leads",
      /anybody delete leads/,
      ({ method }: Call) => method === "DELETE",
      { status: 204 },
    ],
    [
      "forbids the site's calls",
      /cannot make call 1: the preflight does not allow this origin/,
      ({ method }: Call) => method === "OPTIONS",
      { status: 200, headers: { "access-control-allow-origin": "https://elsewhere.example" } },
    ],
    [
      "forbids a header of call 2",
      /cannot make call 2: the preflight does not allow the header authorization/,
      ({ method, path }: Call) => method === "OPTIONS" && path.startsWith("/functions/"),
      {
        status: 200,
        headers: { "access-control-allow-origin": "*", "access-control-allow-headers": "content-type" },
      },
    ],
    ["has no submit-lead", /submit-lead is not deployed/, calling, json(404, { code: "NOT_FOUND" })],
    [
      "checks JWTs in front of submit-lead",
      /verify_jwt is on/,
      calling,
      json(
        401,
        { code: "UNAUTHORIZED_INVALID_JWT_FORMAT", message: "Invalid JWT" },
        { "sb-error-code": "x" },
      ),
    ],
    [
      "has a submit-lead with a wrong setting",
      /setting of submit-lead is wrong/,
      calling,
      json(500, { code: "NOT_SET_UP" }),
    ],
    [
      "has a submit-lead that does not start",
      /submit-lead fails \(503 BOOT_ERROR\)/,
      calling,
      json(503, { code: "BOOT_ERROR" }),
    ],
    ["has another submit-lead", /takes any key/, calling, json(200, {})],
    [
      "has a submit-lead whose refusals cannot be read",
      /no CORS headers/,
      calling,
      { status: 401, body: "{}" },
    ],
    [
      "has a submit-lead of another project",
      /does not know the page's key/,
      calling,
      json(401, { code: "UNAUTHORIZED", message: "Invalid API key" }),
    ],
    [
      "leaves the form without script alone",
      /does not work without script/,
      calling,
      json(401, { code: "UNAUTHORIZED" }),
    ],
  ] as const)("%s", async (_, says, which, answer) => {
    project.override = (call) => (which(call) ? answer : undefined);
    await expectFailure(says);
  });

  it.each([
    ["ENOTFOUND", /does not exist. It may be paused/],
    ["CERT_HAS_EXPIRED", /certificate is not good/],
    ["ECONNREFUSED", /does not answer \(ECONNREFUSED\)/],
  ])("cannot be reached (%s)", async (code, says) => {
    vi.spyOn(globalThis, "fetch").mockRejectedValue(
      new TypeError("fetch failed", { cause: Object.assign(new Error(), { code }) }),
    );
    const findings: Finding[] = [];
    await examine({ url: "https://abc.supabase.co", key: keys.publishable, site: undefined }, {}, (finding) =>
      findings.push(finding),
    );
    vi.restoreAllMocks();
    expect(findings).toContainEqual({
      is: "fail",
      says: expect.stringMatching(says),
      fix: expect.any(String),
    });
  });
});

describe("the doctor names a site that", () => {
  const pageOf = (path: string, status: number) => () => {
    host.override = (asked) =>
      asked === path ? { status, type: "text/html", body: "something else" } : undefined;
  };
  const altered = (from: string | RegExp, to: string) => () => {
    host.alter = (html) => html.replaceAll(from, to);
  };
  it.each([
    ["is not the article", /The article is not at/, pageOf("/", 200)],
    ["has no thank-you page", /thank-you page is not there \(404\)/, pageOf("/thank-you", 404)],
    ["answers every address", /does not exist is answered 200/, pageOf("/there-is-no-such-page", 200)],
    [
      "sends no headers",
      /come without content-security-policy, x-content-type-options, referrer-policy/,
      () => {
        host.withoutHeaders = true;
      },
    ],
    ["has no form", /no lead form/, altered(/data-backend-url="[^"]*"/g, "")],
    [
      "sends leads elsewhere",
      /sends leads to https:\/\/elsewhere\.example/,
      altered(/data-backend-url="[^"]*"/g, 'data-backend-url="https://elsewhere.example"'),
    ],
    ["presents another key", /presents another key/, altered(keys.publishable, "sb_publishable_another")],
    [
      "holds a secret key",
      /secret key stands in the page/,
      altered("</main>", "<!-- sb_secret_x --></main>"),
    ],
    ["states no notice", /page \/ does not state which/, altered('name="notice"', 'name="no"')],
    [
      "shows another notice",
      /page \/ shows another permission notice/,
      altered(/<p class="notice"[^<>]*>/g, "$&Please. "),
    ],
    ["still has placeholders", /provider that does not exist/, altered("(305) 555-0100", "(800) 555-0142")],
    [
      "serves no script",
      /script is not served \(200\)/,
      () => {
        host.override = (path) =>
          path.startsWith("/assets/form-") ? { status: 200, type: "text/html", body: "<p>" } : undefined;
      },
    ],
  ])("%s", async (_, says, breakIt) => {
    breakIt();
    await expectFailure(says);
  });

  it("shows a permission notice that the database does not know", async () => {
    const [notice] = await project.database.owner<{ text: string; hash: string }[]>`
      select text, hash from private.notices where strpos(text, ${provider.PROVIDER_PHONE}) > 0`;
    if (!notice) throw new Error("The function has synced no notice.");
    const hash = createHash("sha256").update(notice.text.replaceAll("(305)", "(786)")).digest("hex");
    host.alter = (html) => html.replaceAll("(305)", "(786)").replaceAll(notice.hash, hash);
    await expectFailure(/does not know the permission notice on the page \/:/, { sql: true });
  });

  it("names another address as its own, unless the doctor runs on the same machine", async () => {
    const site = "https://www.example.com";
    const ask = globalThis.fetch;
    vi.spyOn(globalThis, "fetch").mockImplementation((url, options) =>
      ask(String(url).replace(site, host.url), options),
    );
    const says = async (site: string) =>
      (await examinePages({ url: project.url, key: keys.publishable, site })).map(
        ({ is, says }) => `${is}: ${says}`,
      );
    expect(await says(site)).toContain(
      `fail: The article tells search engines that its address is ${host.url}.`,
    );
    expect(await says(host.url)).toContain("pass: The article knows its own address.");
    vi.restoreAllMocks();
  });

  it("may not reach its backend by its own policy", async () => {
    const findings: Finding[] = [];
    const elsewhere = {
      url: project.url.replace("127.0.0.1", "localhost"),
      key: keys.publishable,
      site: host.url,
    };
    await examine(elsewhere, {}, (finding) => findings.push(finding));
    expect(findings.map(({ says }) => says)).toContainEqual(
      expect.stringMatching(/policy does not let them reach .{0,300} \(connect-src, form-action\)/),
    );
  });
});

describe("the doctor names a database where", () => {
  it.each([
    [
      "row-level security is off",
      /Row-level security is off/,
      "alter table leads disable row level security",
      "alter table leads enable row level security",
    ],
    [
      "a policy lets leads be read",
      /allows more than adding one: "Open to all"/,
      `create policy "Open to all" on leads for select to anon using (true)`,
      `drop policy "Open to all" on leads`,
    ],
    [
      "the policy is missing",
      /No policy lets a visitor add/,
      `drop policy "A visitor may add a lead" on leads`,
      `create policy "A visitor may add a lead" on leads for insert to anon with check (true)`,
    ],
    [
      "visitors may read",
      /more rights .{0,300}: anon \(select\)/,
      "grant select on leads to anon",
      "revoke select on leads from anon",
    ],
    [
      "who is signed in may empty the table",
      /more rights .{0,300}: authenticated \(truncate\)/,
      "grant truncate on leads to authenticated",
      "revoke truncate on leads from authenticated",
    ],
    [
      "a failed delivery waits for the team",
      /1 deliveries by email have failed/,
      "insert into private.deliveries (lead_id, channel, failed_at) values (gen_random_uuid(), 'email', now())",
      "delete from private.deliveries where channel = 'email'",
    ],
    [
      "a delivery has waited long",
      /oldest email delivery has waited 20 minutes/,
      "insert into private.deliveries (lead_id, channel, created_at, due_at) values (gen_random_uuid(), 'email', now() - interval '20 minutes', now())",
      "delete from private.deliveries where channel = 'email'",
    ],
    [
      "a delivery has failed for a reason",
      /email have failed. The last attempt failed: the certificate is not trusted\.$/,
      `insert into private.deliveries (lead_id, channel, failed_at, last_error) values (gen_random_uuid(), 'email', now(), 'of an earlier attempt');
       update private.channels set last_failure = 'the certificate is not trusted.' where name = 'email'`,
      "delete from private.deliveries where channel = 'email'; update private.channels set last_failure = null",
    ],
    [
      "leads came from a page with another notice",
      /1 leads of the last 30 days came from a page whose permission notice/,
      "insert into private.permissions (lead_id, notice_hash) values (gen_random_uuid(), repeat('a', 64))",
      "delete from private.permissions where notice_hash = repeat('a', 64)",
    ],
    [
      "nobody calls submit-lead",
      /not scheduled/,
      "update cron.job set active = false",
      "update cron.job set active = true",
    ],
    [
      "the tables are old",
      /tables are of version 20261121000001/,
      "update supabase_migrations.schema_migrations set version = '0' || version where version > '20261121000001'",
      "update supabase_migrations.schema_migrations set version = ltrim(version, '0')",
    ],
  ])("%s", async (_, says, damage, repair) => {
    await project.database.owner.unsafe(damage);
    try {
      await expectFailure(says, { sql: true });
    } finally {
      await project.database.owner.unsafe(repair);
    }
  });

  it("no channel is set up, no notice is known, and the backend is another one", async () => {
    const findings: Finding[] = [];
    await examine(
      { url: project.url, key: keys.publishable, site: host.url },
      { sql: other.owner },
      (finding) => findings.push(finding),
    );
    expect(findings.filter(({ is }) => is === "fail").map(({ says }) => says)).toEqual([
      "The database does not know the permission notice on the page /: its leads come without evidence of the wording.",
      "The team hears of no lead: no channel is set up.",
      "The test lead is not in the database that was examined.",
    ]);
  });
});

describe("the doctor names a key that", () => {
  const jwt = (claims: object) =>
    `eyJhbGciOiJIUzI1NiJ9.${Buffer.from(JSON.stringify(claims)).toString("base64url")}.c2ln`;
  const now = new Date("2026-11-21T00:00:00Z");
  const lookAt = (key: string) =>
    examineKey({ url: "https://abc.supabase.co", key, site: undefined }, now)[0];
  it.each([
    ["is secret", "sb_secret_x", /secret key/],
    ["is the service key", jwt({ role: "service_role", ref: "abc" }), /service key/],
    ["belongs to another project", jwt({ role: "anon", ref: "xyz" }), /another project/],
    ["has expired", jwt({ role: "anon", ref: "abc", exp: 1_700_000_000 }), /expired/],
    ["is of another role", jwt({ role: "authenticated", ref: "abc" }), /not one of the role anon/],
    ["is none", "abc", /neither/],
  ])("%s", (_, key, says) => {
    expect(lookAt(key)).toMatchObject({ is: "fail", says: expect.stringMatching(says) });
  });

  it.each([["sb_publishable_x"], [jwt({ role: "anon", ref: "abc", exp: 2_000_000_000 })]])(
    "is valid, with the finding `pass` (%s)",
    (key) => {
      expect(lookAt(key)).toMatchObject({ is: "pass" });
    },
  );
});

describe("npm run doctor", () => {
  async function doctor(args: string[], settings: Record<string, string> = {}) {
    const { PATH = "", HOME = "" } = process.env;
    const child = spawn(process.execPath, ["bin/doctor.ts", ...args], { env: { PATH, HOME, ...settings } });
    let output = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (text) => (output += text));
    const [status] = await once(child, "close");
    return { status, output };
  }

  it("passes our own server with its address alone, except for the channel that is not set up", async () => {
    const database = await makeDatabase();
    const { address } = await startServer({ DATABASE_URL: database.url, ...provider });
    const { status, output } = await doctor(["--url", address, "--key", anonKey], {
      DATABASE_URL: database.url,
    });
    expect(output.match(/ {2}FAIL .*/g)).toEqual([
      "  FAIL   The team hears of no lead: no channel is set up.",
    ]);
    expect(output).toContain("The form also works without script.");
    expect(output).toContain("The test lead is erased again.");
    expect(status).toBe(1);
  });

  it("looks at the deliveries of the embedded database of a server on this machine", async () => {
    const folder = mkdtempSync(join(tmpdir(), "leads-doctor-"));
    chmodSync(folder, 0o711);
    const DATA_DIR = join(folder, "data");
    const server = await startServer({ DATA_DIR, ...provider });
    const words = ["--url", server.address, "--key", anonKey];
    const { output } = await doctor(words, { DATA_DIR });
    expect(output).toContain("FAIL   The team hears of no lead: no channel is set up.");
    expect(output).toContain("The test lead is erased again.");
    expect((await doctor(["--url", project.url, "--key", keys.publishable], {})).output).toContain(
      "test lead stays",
    );
    await server.end();
    rmSync(folder, { recursive: true, maxRetries: 20 });
  }, 60_000);

  it("exits with 0 when everything passes", async () => {
    const { status, output } = await doctor([
      "--url",
      project.url,
      "--key",
      keys.publishable,
      "--site",
      host.url,
    ]);
    expect(output).toMatch(/Everything passed\.\n$/);
    expect(status).toBe(0);
  });

  it("prints no error when its output is closed early, and still exits with 1 when something fails", async () => {
    const { PATH = "", HOME = "" } = process.env;
    const words = ["--url", project.url, "--key", "wrong", "--site", host.url];
    const child = spawn(process.execPath, ["bin/doctor.ts", ...words], { env: { PATH, HOME } });
    child.stdout.destroy();
    let errors = "";
    child.stderr.on("data", (text) => (errors += text));
    const [status] = await once(child, "close");
    expect([status, errors]).toEqual([1, ""]);
  });

  it.each([
    [["--adress", "x"], /Unknown option '--adress'/],
    [["--url", "abc"], /--url takes a web address/],
    [["--url", "https://supabase.com/dashboard/project/abc"], /dashboard's address/],
  ])("exits with 2 when it does not understand %j", async (words, says) => {
    const { status, output } = await doctor(words);
    expect(output).toMatch(says);
    expect(status).toBe(2);
  });

  it("prints its usage", async () => {
    expect(await doctor(["--help"])).toEqual({
      status: 0,
      output: expect.stringMatching(/^Usage: npm run doctor -- --url/),
    });
  });
});
