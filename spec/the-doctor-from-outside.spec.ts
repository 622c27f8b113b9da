// Most tests break one thing of a backend or a site that shows from outside: the doctor names it, with its fix. A few break nothing.
// And what the doctor does and says about its test lead when the backend may not have stored the lead.
import { createHash } from "node:crypto";
import { describe, expect, it, vi } from "vitest";
import { examine } from "../doctor/examine.ts";
import type { Finding } from "../doctor/finding.ts";
import { examinePages } from "../doctor/pages.ts";
import { examineSubmitLead } from "../doctor/submit-lead.ts";
import { makeDatabase } from "./support/database.ts";
import { keys } from "./support/edge-function.ts";
import { provider, startDeployment } from "./support/examined-deployment.ts";
import type { HostedProject } from "./support/hosted.ts";

const serviceClaims = Buffer.from(JSON.stringify({ role: "service_role" })).toString("base64url");

const { host, project, examineProject, expectFailure } = await startDeployment();

const json = (status: number, body: object, headers: Record<string, string> = {}) => ({
  status,
  headers: { "content-type": "application/json", "access-control-allow-origin": "*", ...headers },
  body: JSON.stringify(body),
});

type Call = Parameters<NonNullable<HostedProject["override"]>>[0];
const reading = ({ method, path }: Call) => method === "GET" && path.startsWith("/rest/");
const inserting = ({ method, path }: Call) => method === "POST" && path.startsWith("/rest/");
const postingToFunction = ({ method, path }: Call) => method === "POST" && path.startsWith("/functions/");

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
      "does not say whether anybody may delete leads",
      /Whether the public key lets anybody delete leads is not known \(503/,
      ({ method }: Call) => method === "DELETE",
      { status: 503 },
    ],
    [
      "does not say, because of its limit, whether anybody may change leads",
      /Whether the public key lets anybody change leads is not known \(429/,
      ({ method }: Call) => method === "PATCH",
      { status: 429 },
    ],
    [
      "forbids the site's calls",
      /cannot send a lead to \/rest\/v1\/leads: the preflight does not allow this origin/,
      ({ method }: Call) => method === "OPTIONS",
      { status: 200, headers: { "access-control-allow-origin": "https://elsewhere.example" } },
    ],
    [
      "forbids a header of submit-lead",
      /cannot call submit-lead: the preflight does not allow the header authorization/,
      ({ method, path }: Call) => method === "OPTIONS" && path.startsWith("/functions/"),
      {
        status: 200,
        headers: { "access-control-allow-origin": "*", "access-control-allow-headers": "content-type" },
      },
    ],
    [
      "has no submit-lead",
      /submit-lead is not deployed/,
      postingToFunction,
      json(404, { code: "NOT_FOUND" }),
    ],
    [
      "checks JWTs in front of submit-lead",
      /verify_jwt is on/,
      postingToFunction,
      json(
        401,
        { code: "UNAUTHORIZED_INVALID_JWT_FORMAT", message: "Invalid JWT" },
        { "sb-error-code": "x" },
      ),
    ],
    [
      "has a submit-lead with a wrong setting",
      /setting of submit-lead is wrong/,
      postingToFunction,
      json(500, { code: "NOT_SET_UP" }),
    ],
    [
      "has a submit-lead that does not start",
      /submit-lead fails \(503 BOOT_ERROR\)/,
      postingToFunction,
      json(503, { code: "BOOT_ERROR" }),
    ],
    [
      "has a submit-lead that fails with the page's key",
      /submit-lead fails \(500/,
      (call: Call) => postingToFunction(call) && call.headers.authorization === `Bearer ${keys.publishable}`,
      json(500, {}),
    ],
    ["has another submit-lead", /takes any key/, postingToFunction, json(200, {})],
    [
      "has a firewall before submit-lead",
      /never gives this answer \(403\)/,
      postingToFunction,
      json(403, {}),
    ],
    [
      "has a submit-lead whose refusals cannot be read",
      /no CORS headers/,
      postingToFunction,
      { status: 401, body: "{}" },
    ],
    [
      "has a submit-lead of another project",
      /does not know the page's key/,
      postingToFunction,
      json(401, { code: "UNAUTHORIZED", message: "Invalid API key" }),
    ],
    [
      "does not take the post of a form without script",
      /does not work without script/,
      postingToFunction,
      json(401, { code: "UNAUTHORIZED" }),
    ],
    [
      "answers the post of a form without script with an article that says nothing, and has the sentence only for its script",
      /does not work without script \(400\)/,
      postingToFunction,
      { status: 400, body: `<main data-texts="Please enter your phone number."></main>` },
    ],
    [
      "is too busy for the post of a form without script",
      /Whether the form works without script is not known \(503\)/,
      postingToFunction,
      json(503, {}),
    ],
  ] as const)("%s", async (_, says, which, answer) => {
    project.override = (call) => (which(call) ? answer : undefined);
    await expectFailure(says);
  });

  it.each([404, 502, 200, 401])("answers %i for submit-lead, with a fix for each backend", async (status) => {
    project.override = (call) => (postingToFunction(call) ? json(status, {}) : undefined);
    const findings = await examineSubmitLead({ url: project.url, key: keys.publishable, site: host.url });
    const fix = expect.stringMatching(/^On Supabase, .{20,200}\. On our own server, .{20,200}\.$/);
    expect(findings).toContainEqual({ is: "fail", says: expect.any(String), fix });
  });

  it.each([
    ["ENOTFOUND", /does not exist. It may be paused/],
    ["CERT_HAS_EXPIRED", /certificate is not good/],
    ["UNABLE_TO_VERIFY_LEAF_SIGNATURE", /certificate is not good/],
    ["ERR_SSL_WRONG_VERSION_NUMBER", /does not answer/],
    ["ECONNREFUSED", /does not answer \(ECONNREFUSED\)/],
  ])("cannot be reached (%s)", async (code, says) => {
    vi.spyOn(globalThis, "fetch").mockRejectedValue(
      new TypeError("fetch failed", { cause: Object.assign(new Error(), { code }) }),
    );
    const findings: Finding[] = [];
    await examine({ url: "http://abc.supabase.co", key: keys.publishable, site: undefined }, {}, (finding) =>
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

describe("the doctor, when the backend", () => {
  const tooMany = json(429, { message: "Too many requests" });
  const noRight = json(401, { code: "42501", message: "permission denied for table leads" });
  const refusals = [
    ["takes no more leads (429)", tooMany],
    ["does not let visitors add leads", noRight],
  ] as const;
  const aboutTheLead = /test lead/i;
  const saidAfter = async (answer: typeof tooMany, access?: Parameters<typeof examineProject>[0]) => {
    project.override = (call) => (inserting(call) ? answer : undefined);
    const { findings } = await examineProject(access);
    return findings.map(({ says }) => says);
  };

  it.each(refusals)("%s, concludes nothing from the absence of its test lead", async (_, answer) => {
    const said = await saidAfter(answer, { sql: true });
    expect(said).toContainEqual(expect.stringMatching(/^No lead is taken/));
    expect(said.filter((says) => aboutTheLead.test(says))).toEqual([]);
  });

  it.each(refusals)("%s, neither erases its test lead nor mentions it", async (_, answer) => {
    const said = await saidAfter(answer);
    expect(said.filter((says) => aboutTheLead.test(says))).toEqual([]);
    expect(said.at(-1)).toBe("The database from inside: give DATABASE_URL.");
    project.calls.length = 0;
    const withKey = await saidAfter(answer, { secretKey: "sb_secret_of_the_spec" });
    expect(withKey.filter((says) => aboutTheLead.test(says))).toEqual([]);
    expect(project.calls.filter(({ headers }) => headers.apikey === "sb_secret_of_the_spec")).toEqual([]);
  });

  it("is paused and gets no test lead, still says that the database was not examined from inside", async () => {
    project.override = (call) => (reading(call) ? { status: 540 } : undefined);
    for (const access of [{}, { secretKey: "sb_secret_of_the_spec" }]) {
      const { findings } = await examineProject(access);
      expect(findings.map(({ says }) => says).filter((says) => /from inside/.test(says))).toEqual([
        "The database from inside: give DATABASE_URL.",
      ]);
    }
  });

  it("may have stored the test lead before it failed, looks for the lead, or says that it may be there", async () => {
    const failed = json(504, {});
    expect((await saidAfter(failed, { sql: true })).at(-1)).toMatch(
      /^Whether the test lead was stored: it is not in/,
    );
    expect((await saidAfter(failed)).at(-1)).toMatch(/the test lead may have been stored/);
  });

  it("stores the test lead in another database than the named one, says how to erase the lead", async () => {
    const other = await makeDatabase();
    const findings: Finding[] = [];
    const deployment = { url: project.url, key: keys.publishable, site: host.url };
    await examine(deployment, { sql: other.owner }, (finding) => findings.push(finding));
    expect(findings.at(-1)).toEqual({
      is: "fail",
      says: "The test lead is not in the database that was examined.",
      fix: expect.stringMatching(/Compare the two.{0,100}erase --email doctor@test\.invalid/),
    });
  });
});

describe("the doctor, on a site that", () => {
  const answering = (path: string, status: number) => () => {
    host.override = (asked) =>
      asked === path ? { status, type: "text/html", body: "something else" } : undefined;
  };
  const altered = (from: string | RegExp, to: string) => () => {
    host.alter = (html) => html.replaceAll(from, to);
  };
  it.each([
    ["is not the article", /The article is not at/, answering("/", 200)],
    ["has no thank-you page", /thank-you page is not there \(404\)/, answering("/thank-you", 404)],
    [
      "answers every address",
      /does not exist is not answered 404 \(200\)/,
      answering("/there-is-no-such-page", 200),
    ],
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
    [
      "sends leads to what is no address",
      /sends leads to https:\/\/\[, not to/,
      altered(/data-backend-url="[^"]*"/g, 'data-backend-url="https://["'),
    ],
    ["presents another key", /presents another key/, altered(keys.publishable, "sb_publishable_another")],
    [
      "holds a secret key",
      /secret key stands in the page/,
      altered("</main>", "<!-- sb_secret_x --></main>"),
    ],
    [
      "holds the long key that opens everything",
      /secret key stands in the page/,
      altered("</main>", `<!-- eyJhbGciOiJIUzI1NiJ9.${serviceClaims}.c2lnbmF0dXJl --></main>`),
    ],
    ["states no notice", /page \/ does not state which/, altered('name="notice"', 'name="no"')],
    [
      "shows another notice",
      /page \/ shows another permission notice/,
      altered(/<p class="notice"[^<>]*>/g, "$&Please. "),
    ],
    ["shows no notice", /page \/ shows no permission notice/, altered(/<p class="notice"/g, "<p")],
    ["still has placeholders", /provider that does not exist/, altered("(305) 555-0100", "(800) 555-0142")],
    [
      "still has a made-up address",
      /provider that does not exist/,
      altered("1 Spec Street", "48 Maple Lane, Suite 200, Fairview, OH 44999"),
    ],
    ["names no script", /names no script of the form/, altered("/assets/form-", "/assets/other-")],
    [
      "serves no script",
      /script is not served \(200\)/,
      () => {
        host.override = (path) =>
          path.startsWith("/assets/form-") ? { status: 200, type: "text/html", body: "<p>" } : undefined;
      },
    ],
  ])("%s, names the fault and its fix", async (_, says, breakIt) => {
    breakIt();
    await expectFailure(says);
  });

  it("writes a character of the right key in its HTML form, accepts the key", async () => {
    altered(keys.publishable, "a&amp;b")();
    const deployment = { url: project.url, key: "a&b", site: host.url };
    expect((await examinePages(deployment)).map(({ says }) => says)).toContain(
      "The form knows its backend and the key.",
    );
  });

  it("shows the article's label in Spanish, names no fault", async () => {
    host.alter = (html) => html.replaceAll("Sponsored Content", "Contenido patrocinado");
    expect((await examineProject()).hasFailed).toBe(false);
  });

  it("shows a permission notice that the database does not know, names the fault and its fix", async () => {
    const [notice] = await project.database.owner<{ text: string; hash: string }[]>`
      select text, hash from private.notices where strpos(text, ${provider.PROVIDER_PHONE}) > 0`;
    if (!notice) throw new Error("The function has synced no notice.");
    const hash = createHash("sha256").update(notice.text.replaceAll("(305)", "(786)")).digest("hex");
    host.alter = (html) => html.replaceAll("(305)", "(786)").replaceAll(notice.hash, hash);
    await expectFailure(/does not know the permission notice on the page \/:/, { sql: true });
  });

  it("states another address than its own, names the fault, but not where both addresses mean this machine", async () => {
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
    expect(await says(host.url.replace("localhost", "127.0.0.1"))).toContain(
      "not examined: Whether the article knows its public address: give it as --url.",
    );
    vi.restoreAllMocks();
  });

  it("forbids its own pages to reach the backend, names the fault", async () => {
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
