// The headers that keep a visitor's browser safe, on every kind of answer of the site's server, and how far pages
// of other sites may call it.
import { createHash } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { aLead, makeDatabase } from "./support/database.ts";
import { anonKey } from "./support/intake.ts";
import { type RunningServer, startServer } from "./support/server.ts";
import { sendBytes, type WireAnswer } from "./support/wire.ts";

const site = "https://article.example";
let server: RunningServer;
let asset: string;
beforeAll(async () => {
  const { url } = await makeDatabase();
  server = await startServer({
    DATABASE_URL: url,
    RATE_LIMIT: "on",
    SITE_URL: site,
    ALLOWED_ORIGINS: `${site} https://other.example`,
    LANGUAGES: "en,es",
  });
  const html = await (await fetch(server.address)).text();
  asset = /\/assets\/[\w.-]+\.js/.exec(html)?.[0] ?? "";
});

/** Bytes of a request with these header lines and this body; the connection is closed after it. */
const bytes = (line: string, lines: readonly string[] = [], body = "") => {
  const all = [
    `${line} HTTP/1.1`,
    "host: x",
    "connection: close",
    ...lines,
    ...(body && [`content-length: ${body.length}`]),
  ];
  return `${all.join("\r\n")}\r\n\r\n${body}`;
};
const insert = (lines: readonly string[], lead: unknown = aLead()) =>
  bytes("POST /rest/v1/leads", [`apikey: ${anonKey}`, ...lines], JSON.stringify(lead));

/** Answers of the pages, the intake and the HTTP server: how each is asked for, its status, and what a cache may do with it. */
const answers: [string, () => string, number, string][] = [
  ["the article", () => bytes("GET /"), 200, "no-cache"],
  ["the article's head alone", () => bytes("HEAD /"), 200, "no-cache"],
  ["the thank-you page", () => bytes("GET /thank-you"), 200, "no-cache"],
  ["an article with a slash at its end", () => bytes("GET /es/?utm_source=x"), 308, "no-cache"],
  ["a page that is not there", () => bytes("GET /wp-login.php"), 404, "no-cache"],
  [
    "a file with its hash in its name",
    () => bytes(`GET ${asset}`),
    200,
    "public, max-age=31536000, immutable",
  ],
  ["an article that the browser has", () => bytes("GET /", ["if-none-match: *"]), 304, "no-cache"],
  ["a small file", () => bytes("GET /robots.txt"), 200, "public, max-age=3600"],
  ["the health check", () => bytes("GET /healthz"), 200, "no-store"],
  ["the readiness check", () => bytes("GET /readyz"), 200, "no-store"],
  ["a stored lead", () => insert([]), 201, "no-store"],
  ["a refused lead", () => insert([], {}), 400, "no-store"],
  ["a lead over 16 kB", () => insert([], " ".repeat(20_000)), 413, "no-store"],
  [
    "a form sent without script",
    () => bytes("POST /", form, "name=R&email=r&phone=1&zip_code=2"),
    303,
    "no-store",
  ],
  ["a form refused", () => bytes("POST /", form, "name="), 400, "no-store"],
  ["a form over 16 kB", () => bytes("POST /", form, "x".repeat(20_000)), 413, "no-store"],
  ["a form of another type", () => bytes("POST /", ["content-type: text/plain"], "x"), 400, "no-store"],
  ["a missing key", () => bytes("POST /rest/v1/leads"), 401, "no-store"],
  ["an unknown table", () => bytes("GET /rest/v1/x", [`apikey: ${anonKey}`]), 404, "no-store"],
  ["an unknown function", () => bytes("POST /functions/v1/x"), 404, "no-store"],
  ["a method that a page has not", () => bytes("DELETE /"), 405, "no-store"],
  ["a preflight", () => bytes("OPTIONS /rest/v1/leads", [`origin: ${site}`]), 200, "no-store"],
  ["bytes that are no HTTP request", () => "nonsense\r\n\r\n", 400, "no-store"],
  ["a bad host", () => bytes("GET /").replace("host: x", "host: a b"), 400, "no-store"],
  ["CONNECT", () => bytes("CONNECT x:443"), 405, "no-store"],
  ["absurd headers", () => bytes("GET /", [`x: ${"a".repeat(20_000)}`]), 431, "no-store"],
];
const form = ["content-type: application/x-www-form-urlencoded"];

const everywhere = {
  "strict-transport-security": "max-age=63072000",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "strict-origin-when-cross-origin",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "permissions-policy": expect.stringMatching(/camera=\(\), microphone=\(\), geolocation=\(\)/),
};

const policyOf = ({ headers }: WireAnswer): Map<string, string[]> =>
  new Map(
    (headers["content-security-policy"] ?? "").split(";").map((directive) => {
      const [name = "", ...sources] = directive.trim().split(" ");
      return [name, sources];
    }),
  );

describe("every answer", () => {
  it.each(answers)("carries every security header: %s", async (_, request, status, cacheControl) => {
    const [answer] = (await sendBytes(server.address, request())) as [WireAnswer];
    expect(answer.status).toBe(status);
    expect(answer.headers).toMatchObject({ ...everywhere, "cache-control": cacheControl });
    for (const banner of ["server", "x-powered-by", "via", "set-cookie"]) {
      expect(answer.headers).not.toHaveProperty(banner);
    }
    const policy = policyOf(answer);
    expect(policy.get("default-src")).toEqual(["'none'"]);
    expect(policy.get("frame-ancestors")).toEqual(["'none'"]);
    expect(policy.get("base-uri")).toEqual(["'none'"]);
    expect(answer.headers["content-security-policy"]).not.toMatch(/unsafe|\*|data:|blob:|https?:(?!\/\/)/);
  });

  it("has no HSTS when the site's address is without TLS", async () => {
    const { url } = await makeDatabase();
    const plain = await startServer({ DATABASE_URL: url, SITE_URL: "http://article.example" });
    const { headers } = await fetch(plain.address);
    expect(headers.has("strict-transport-security")).toBe(false);
  });

  it("carries them also when the rate limit refuses", async () => {
    const requests = Array.from({ length: 61 }, () => sendBytes(server.address, insert([`origin: ${site}`])));
    const late = (await Promise.all(requests)).flat().find(({ status }) => status === 429);
    expect(late?.headers).toMatchObject({
      ...everywhere,
      "cache-control": "no-store",
      "access-control-allow-origin": site,
      "access-control-expose-headers": expect.stringContaining("retry-after"),
    });
  });
});

describe("a document", () => {
  it.each(["/", "/thank-you", "/nothing"])("runs only what it was built with: %s", async (path) => {
    const [answer] = (await sendBytes(server.address, bytes(`GET ${path}`))) as [WireAnswer];
    const policy = policyOf(answer);
    const hash = (text = "") => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
    const inline = (tag: string) =>
      answer.body
        .split(`<${tag}>`)
        .slice(1)
        .map((part) => hash(part.split(`</${tag}>`)[0]));
    expect(policy.get("script-src")?.toSorted()).toEqual(["'self'", ...inline("script")].toSorted());
    expect(policy.get("style-src")?.toSorted()).toEqual(inline("style").toSorted());
    expect(policy.get("form-action")).toEqual(["'self'"]);
    expect(policy.get("connect-src")).toEqual(["'self'"]);
    expect(answer.body).not.toMatch(/<[^<>]+\s(on\w{1,30}|style)=|javascript:/i);
    expect(answer.body).not.toMatch(
      /(src|href|action)="(https?:)?\/\/(?!article\.example)[^"]{0,300}\.(js|css|woff2|png)/,
    );
  });
});

describe("a page of another site", () => {
  const asked: [string, (origin: string) => string][] = [
    ["a preflight", (origin) => bytes("OPTIONS /rest/v1/leads", [`origin: ${origin}`])],
    ["a missing key", (origin) => bytes("POST /rest/v1/leads", [`origin: ${origin}`])],
    ["a body over 16 kB", (origin) => insert([`origin: ${origin}`], " ".repeat(20_000))],
    ["a lead", (origin) => insert([`origin: ${origin}`])],
    ["an unknown table", (origin) => bytes("GET /rest/v1/x", [`origin: ${origin}`])],
    ["call 2 without a key", (origin) => bytes("POST /functions/v1/submit-lead", [`origin: ${origin}`])],
    ["call 2 by another method", (origin) => bytes("GET /functions/v1/submit-lead", [`origin: ${origin}`])],
  ];

  it.each(asked)("may read the answer to %s when ALLOWED_ORIGINS names it", async (_, request) => {
    for (const origin of [site, "https://other.example"]) {
      const [answer] = await sendBytes(server.address, request(origin));
      expect(answer?.headers["access-control-allow-origin"]).toBe(origin);
      expect(answer?.headers.vary?.toLowerCase()).toMatch(/\borigin\b/);
      expect(answer?.headers).not.toHaveProperty("access-control-allow-credentials");
    }
  });

  it.each(asked)("may not read the answer to %s otherwise", async (_, request) => {
    for (const origin of ["https://evil.example", "http://article.example", `${site}.evil.example`, "null"]) {
      const [answer] = await sendBytes(server.address, request(origin));
      expect(answer?.headers).not.toHaveProperty("access-control-allow-origin");
      expect(answer?.headers.vary?.toLowerCase()).toMatch(/\borigin\b/);
    }
  });

  it("may never read the pages", async () => {
    const [answer] = await sendBytes(server.address, bytes("GET /", [`origin: ${site}`]));
    expect(answer?.headers).not.toHaveProperty("access-control-allow-origin");
  });

  it("may call when ALLOWED_ORIGINS is not set, as on Supabase", async () => {
    const { url } = await makeDatabase();
    const open = await startServer({ DATABASE_URL: url });
    const [answer] = await sendBytes(open.address, insert(["origin: https://any.example"]));
    expect(answer?.status).toBe(201);
    expect(answer?.headers["access-control-allow-origin"]).toBe("*");
    // The HTTP server's own refusals have the header too, because a page that cannot read them says that there is no network.
    const [refusal] = await sendBytes(open.address, bytes("GET /", [`x: ${"a".repeat(20_000)}`]));
    expect([refusal?.status, refusal?.headers["access-control-allow-origin"]]).toEqual([431, "*"]);
  });
});

describe("the address of an article with a slash at its end, as it is easily written into an ad,", () => {
  it.each([
    ["/es/", "/es"],
    ["/es/?utm_source=facebook&utm_campaign=a%20b/", "/es?utm_source=facebook&utm_campaign=a%20b/"],
  ])("leads to the article with all that follows: %s", async (address, location) => {
    const [answer] = await sendBytes(server.address, bytes(`GET ${address}`));
    expect([answer?.status, answer?.headers.location]).toEqual([308, location]);
  });

  it.each(["//es/", "/es//", "//", "//other.example/", "/thank-you/"])(
    "leads nowhere else: %s",
    async (address) => {
      const [answer] = await sendBytes(server.address, bytes(`GET ${address}`));
      expect([answer?.status, answer?.headers.location]).toEqual([404, undefined]);
    },
  );
});
