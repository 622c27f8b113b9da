// The built site on a static host, with the backend on another origin, in a browser. A provider who runs no server has the site
// like this.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { useBrowser } from "./support/browser.ts";
import { browsers, countsOf } from "./support/counts.ts";
import { aLead, makeDatabase } from "./support/database.ts";
import { keys } from "./support/edge-function.ts";
import { type HostedProject, startHosted } from "./support/hosted.ts";
import { anonKey } from "./support/intake.ts";
import { untilBannerFocused } from "./support/lead-form.ts";
import { startServer } from "./support/server.ts";
import { buildSite, headersFor, type StaticHost, startStaticHost } from "./support/static-host.ts";
import { fillIn, formReady, submit } from "./support/visitor.ts";

/** Settings of the server, which may be in the same file as those of the build. No secret in them may get into the site's files. */
const secrets = {
  DATABASE_URL: "postgres://owner:secret-of-the-owner@database.example/leads",
  WEBHOOK_URL: "https://crm.example.com/leads",
  WEBHOOK_SECRET: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
};

let host: StaticHost;
let project: HostedProject;
beforeAll(async () => {
  host = await startStaticHost();
  project = await startHosted(host.url, { LANGUAGES: "en,es" });
  host.folder = await buildSite({
    SITE_URL: host.url,
    LANGUAGES: "en,es",
    VITE_SUPABASE_URL: project.url,
    VITE_SUPABASE_ANON_KEY: keys.publishable,
    ...secrets,
  });
});
beforeEach(async () => {
  await project.database.owner`delete from leads`;
  project.calls.length = 0;
  project.override = undefined;
  host.alter = (html) => html;
});
const { open } = useBrowser();

const stored = () =>
  project.database.owner`select name, email, phone, zip_code, has_medicare, has_diabetes from leads`;

/** The calls that the form made, without those that count page loads. */
const callsOfForm = () =>
  project.calls
    .map(({ method, path }) => `${method} ${path}`)
    .filter((call) => !call.endsWith("/functions/v1/submit-lead/c"));

describe.each([
  ["publishable", keys.publishable],
  ["long JWT", keys.jwt],
])("a visitor of the static site, whose key is the %s one", (_, key) => {
  it("has a lead stored by two calls across origins, and is thanked on the site itself", async () => {
    host.alter = (html) => html.replaceAll(keys.publishable, key);
    const page = await open(`${host.url}/?utm_source=news`);
    const complaints: string[] = [];
    page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
    await fillIn(page, aLead());
    await formReady(page);
    await submit(page);
    await page.waitForURL(`${host.url}/thank-you`);
    expect(await page.getByRole("heading", { level: 1 }).textContent()).toBe("Thank You for Your Interest");
    expect(await stored()).toEqual([aLead()]);
    // The page waits at most two seconds for the second call, which then goes on without the page.
    await expect
      .poll(callsOfForm)
      .toEqual([
        "OPTIONS /rest/v1/leads",
        "POST /rest/v1/leads",
        "OPTIONS /functions/v1/submit-lead",
        "POST /functions/v1/submit-lead",
      ]);
    expect(complaints).toEqual([]);
    const [permission] = await project.database.owner`select page_path, utm from private.permissions`;
    expect(permission).toEqual({ page_path: "/", utm: { utm_source: "news" } });
  });
});

describe("a page load of the static site", () => {
  it("is counted by the function, across origins, without a preflight", async () => {
    await open(`${host.url}/?utm_campaign=static`, { userAgent: browsers.phone });
    await expect.poll(() => countsOf(project.database.owner, "static")).toEqual({ "phone view": 1 });
    // The page of another test may still send its counts while it is closed. Its browser is no phone, so those calls are left out.
    const calls = project.calls.filter(({ headers }) => headers["user-agent"] === browsers.phone);
    expect(calls.map(({ method, path }) => `${method} ${path}`)).toEqual([
      "POST /functions/v1/submit-lead/c",
    ]);
  });
});

describe("a visitor of the static site without script", () => {
  it("has the lead stored by the function, and is thanked on the site itself", async () => {
    const page = await open(host.url, { javaScriptEnabled: false });
    await fillIn(page, aLead());
    await submit(page);
    await page.waitForURL(`${host.url}/thank-you`);
    expect(await stored()).toEqual([aLead()]);
    expect(callsOfForm()).toEqual(["POST /functions/v1/submit-lead"]);
  });

  it("reads what to correct, and finds everything typed after Back", async () => {
    const page = await open(host.url, { javaScriptEnabled: false });
    await fillIn(page, aLead({ phone: "  " }));
    await submit(page);
    await page.getByText("Please enter your phone number.").waitFor();
    await page.goBack({ waitUntil: "commit" });
    // The browser puts back what was typed a moment after the form is there.
    await expect.poll(() => page.getByLabel("Full Name *").inputValue()).toBe("Rosa Martinez");
    await page.getByLabel("Phone Number *").fill("(305) 555-0142");
    await submit(page);
    await page.waitForURL(`${host.url}/thank-you`);
    expect(await stored()).toEqual([aLead()]);
  });
});

describe("a visitor without script of a static site whose backend is our own server", () => {
  it("has the lead stored and is thanked, and gets the whole form again for what is to be corrected", async () => {
    const { url, owner } = await makeDatabase();
    const { address } = await startServer({ DATABASE_URL: url });
    const ours = await startStaticHost();
    ours.folder = await buildSite({
      SITE_URL: ours.url,
      VITE_SUPABASE_URL: address,
      VITE_SUPABASE_ANON_KEY: anonKey,
    });
    const page = await open(ours.url, { javaScriptEnabled: false });
    await fillIn(page, aLead({ phone: " " }));
    await submit(page);
    await page.getByRole("alert").getByText("Please enter your phone number.").waitFor();
    expect(await page.getByLabel("Full Name *").inputValue()).toBe("Rosa Martinez");
    await page.getByLabel("Phone Number *").fill("(305) 555-0142");
    await submit(page);
    await page.waitForURL("**/thank-you");
    expect(await page.getByRole("heading", { level: 1 }).textContent()).toBe("Thank You for Your Interest");
    expect(await owner`select name, phone from leads`).toEqual([
      { name: "Rosa Martinez", phone: "(305) 555-0142" },
    ]);
  }, 120_000);
});

describe("a visitor of the static site who reads Spanish", () => {
  const fillInSpanish = async (page: Page, phone: string) => {
    const { name, email, zip_code } = aLead();
    for (const [id, text] of Object.entries({ name, email, phone, zip_code }))
      await page.locator(`#${id}`).fill(text);
    await page.getByLabel("Tengo Medicare").check();
  };

  it.each([true, false])("is refused and thanked in Spanish, with script: %s", async (javaScriptEnabled) => {
    const page = await open(`${host.url}/es`, { javaScriptEnabled });
    await fillInSpanish(page, "  ");
    if (javaScriptEnabled) await formReady(page);
    await page.getByRole("button").click();
    await page.getByText("Por favor, escriba su número de teléfono.").first().waitFor();
    if (!javaScriptEnabled) {
      await page.getByText("Oprima el botón Atrás de su navegador.").waitFor();
      await page.goBack({ waitUntil: "commit" });
      // What the test types must come after what the browser puts back.
      await expect.poll(() => page.locator("#name").inputValue()).toBe("Rosa Martinez");
    }
    await page.getByLabel("Número de teléfono *").fill("(305) 555-0142");
    await page.getByRole("button").click();
    await page.waitForURL(`${host.url}/es/thank-you`);
    expect(await page.getByRole("heading", { level: 1 }).textContent()).toBe("Gracias por su interés");
    expect(await stored()).toEqual([aLead()]);
  });
});

describe("the static site when the backend fails", () => {
  it("reads a refusal without CORS headers as no network, says so in the banner, and keeps the form", async () => {
    project.override = ({ method, path }) =>
      method === "POST" && path.startsWith("/rest/")
        ? { status: 401, body: '{"message":"Invalid API key"}' }
        : undefined;
    const page = await open(host.url);
    await fillIn(page, aLead());
    await formReady(page);
    await submit(page);
    await page.getByRole("alert").getByText("We could not reach the server.").waitFor();
    await untilBannerFocused(page);
    expect(await page.getByLabel("Full Name *").inputValue()).toBe("Rosa Martinez");
    project.override = undefined;
    await submit(page);
    await page.waitForURL(`${host.url}/thank-you`);
    expect(await stored()).toEqual([aLead()]);
  });

  it("shows the refusal's own words when it may read them", async () => {
    project.override = ({ method, path }) =>
      method === "POST" && path.startsWith("/rest/")
        ? {
            status: 401,
            headers: { "access-control-allow-origin": "*", "content-type": "application/json" },
            body: '{"message":"Invalid API key","hint":"Double check your key."}',
          }
        : undefined;
    const page = await open(host.url);
    await fillIn(page, aLead());
    await formReady(page);
    await submit(page);
    await page.getByRole("alert").getByText("Invalid API key").waitFor();
    expect(await stored()).toEqual([]);
  });

  it.each([
    ["is not deployed (404 without CORS headers)", { status: 404, body: '{"code":"NOT_FOUND"}' }],
    ["is guarded by verify_jwt", { status: 401, body: '{"code":"UNAUTHORIZED_INVALID_JWT_FORMAT"}' }],
  ])("thanks the visitor all the same when the function %s", async (_, answer) => {
    project.override = ({ method, path }) =>
      method === "POST" && path.startsWith("/functions/") ? answer : undefined;
    const page = await open(host.url);
    await fillIn(page, aLead());
    await formReady(page);
    await submit(page);
    await page.waitForURL(`${host.url}/thank-you`);
    expect(await stored()).toEqual([aLead()]);
  });
});

describe("the static site's files", () => {
  it("send every page with the policy that lets it reach its own backend and no other", async () => {
    for (const [path, status] of [
      ["/", 200],
      ["/thank-you", 200],
      ["/es", 200],
      ["/es/thank-you", 200],
      ["/nothing-here", 404],
    ] as const) {
      const response = await fetch(`${host.url}${path}`);
      expect(response.status).toBe(status);
      expect(response.headers.get("content-security-policy")).toContain(`connect-src 'self' ${project.url};`);
      expect(response.headers.get("x-content-type-options")).toBe("nosniff");
    }
  });

  it("ask for the same headers in Netlify's words and in Vercel's", () => {
    const { headers: rules } = JSON.parse(readFileSync(join(host.folder, "vercel.json"), "utf8")) as {
      headers: { source: string; headers: { key: string; value: string }[] }[];
    };
    const vercel = (path: string) =>
      rules
        .filter(({ source }) => path.startsWith(source.replace(/\(\.\*\)$/, "")))
        .flatMap(({ headers }) => headers.map(({ key, value }) => [key, value]));
    for (const path of ["/", "/es/thank-you", "/assets/any.js"])
      expect([path, vercel(path)]).toEqual([path, headersFor(host.folder, path)]);
  });

  it("hold no key but the anonymous one", () => {
    const article = readFileSync(join(host.folder, "index.html"), "utf8");
    expect(article).toContain(keys.publishable);
    for (const entry of readdirSync(host.folder, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue;
      const text = readFileSync(join(entry.parentPath, entry.name), "latin1");
      expect(text, entry.name).not.toMatch(/sb_secret|service_role|postgres:\/\/|secret-of-the-owner|whsec_/);
    }
  });
});
