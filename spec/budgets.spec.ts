// The page's budgets: how many bytes it may take, so that it fits the first TCP flight, and that its layout never shifts.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { answer, type Page as BuiltPage } from "../web/page.ts";
import { intercept, useBrowser } from "./support/browser.ts";
import { articlePaths, inEveryLanguage, useSite } from "./support/site.ts";
import { formReady } from "./support/visitor.ts";

const { open } = useBrowser();
const site = useSite(inEveryLanguage);

describe("the article's document", () => {
  it.each(articlePaths)(
    "fits the first TCP flight: at most 14,600 bytes, compressed, with its headers: %s",
    (path) => {
      expect(weight(path)).toBeLessThanOrEqual(14_600);
    },
  );

  it("arrives in at most 30 kB with its fonts, and loads nothing else but its icon and its manifest", async () => {
    const page = await open();
    const landed: string[] = [];
    page.on("requestfinished", (request) => landed.push(new URL(request.url()).pathname));
    await page.setViewportSize({ width: 390, height: 844 });
    await page.goto(site.url());
    // On a slow machine the layout begins after the network was idle, and only the layout asks for the fonts.
    await page.evaluate(() => document.fonts.ready);
    await page.waitForLoadState("networkidle");
    const kinds = () => landed.map((path) => path.replace(/-[\w-]{8}\./, "."));
    await expect
      .poll(() =>
        kinds()
          .filter((kind) => kind !== "/favicon.svg" && kind !== "/site.webmanifest")
          .sort(),
      )
      .toEqual(["/", "/assets/atkinson-400.woff2", "/assets/atkinson-700.woff2"]);
    expect(landed.reduce((sum, path) => sum + weight(path), 0)).toBeLessThanOrEqual(30_000);
  });

  it("draws its picture in at most 2,969 characters, not counting the words for readers who do not see it", () => {
    const html = identity("/");
    const begin = html.indexOf('<svg viewBox="0 0 960 600"');
    const drawing = html.slice(begin, html.indexOf("</svg>", begin) + "</svg>".length);
    const withoutWords = drawing.replace(/aria-label="[^"]*"/, 'aria-label=""');
    expect(withoutWords.length).toBeGreaterThan(1_000);
    expect(withoutWords.length).toBeLessThanOrEqual(2_969);
  });

  it("has all styles in itself, and nothing in its head that blocks the first paint", () => {
    const html = identity("/");
    const head = html.slice(0, html.indexOf("</head>"));
    expect(head).not.toMatch(/rel="stylesheet"|<script(?! type="application\/ld.json")/);
    expect(html.match(/<script>/g)).toHaveLength(1);
    expect(html.indexOf("<script>")).toBeGreaterThan(html.indexOf("</footer>"));
  });
});

describe("the form's script", () => {
  it("is one file of at most 62 kB, brotli-compressed", () => {
    const scripts = [...site.site().pages.keys()].filter((path) => path.endsWith(".js"));
    expect(scripts).toHaveLength(1);
    expect(weight(scripts[0] ?? "")).toBeLessThanOrEqual(62_000);
  });
});

describe("the scripts of the article", () => {
  it("have no syntax that is newer than 2020, at which an older browser would drop the whole script", () => {
    const scripts = [...site.site().pages.keys()].filter((path) => path.endsWith(".js"));
    for (const code of [identity("/").split("<script>")[1] ?? "", ...scripts.map(identity)]) {
      expect(code.length).toBeGreaterThan(500);
      expect(code.match(/\?\?=|\|\|=|&&=|\bstatic ?\{/)).toBeNull();
    }
  });
});

describe("the page, while it loads", () => {
  const { open } = useBrowser("whole browser");
  it.each([
    ...articlePaths.map((path) => ["a phone", 390, 844, path] as const),
    ...articlePaths.map((path) => ["a desktop", 1280, 900, path] as const),
    ["a tablet", 768, 1024, "/"] as const,
  ])(
    "shifts nothing on %s of %i × %i pixels at %s, even when the fonts come late and the form is hydrated",
    async (_, width, height, path) => {
      const page = await open();
      const release = Promise.withResolvers<void>();
      await intercept(page, /\.woff2$/, async (route) => {
        await release.promise;
        await route.continue().catch(() => {});
      });
      await watchShifts(page);
      await page.setViewportSize({ width, height });
      await page.goto(site.url(path), { waitUntil: "domcontentloaded" });
      await painted(page);
      release.resolve();
      await page.evaluate(() => document.fonts.ready);
      await painted(page);
      expect(await page.evaluate(() => document.fonts.check("20px Atkinson"))).toBe(true);
      expect(await page.evaluate(() => Reflect.get(window, "shifted"))).toEqual([]);
      await page.locator("#name").focus();
      await formReady(page);
      await painted(page);
      expect(await page.evaluate(() => Reflect.get(window, "shifted"))).toEqual([]);
    },
  );
});

describe("what the site sends", () => {
  it("keeps hashed files in browsers for a year, others for an hour, has documents asked for again, and tags each encoding", () => {
    for (const [path, { headers, encodings }] of site.site().pages) {
      const kept = path.startsWith("/assets/") ? "public, max-age=31536000, immutable" : undefined;
      expect(headers["cache-control"], path).toBe(
        kept ?? (path.includes(".") ? "public, max-age=3600" : "no-cache"),
      );
      expect(new Set(encodings.map(({ etag }) => etag)).size, path).toBe(encodings.length);
    }
  });

  it("compresses a page once, and not for each request", () => {
    const read = () =>
      site
        .site()
        .pages.get("/")
        ?.encodings.map(({ bytes }) => bytes) ?? [];
    const first = read();
    expect(read().map((bytes, at) => bytes === first[at])).toEqual([true, true, true]);
  });

  it("answers 304 to a browser that has the page already, and sends the smallest encoding that it takes", async () => {
    const page = site.site().pages.get("/") as BuiltPage;
    const ask = (headers: Record<string, string>) =>
      answer(page, new Request("http://localhost/", { headers }));
    const first = ask({ "accept-encoding": "gzip, deflate, br, zstd" });
    expect(first.headers.get("content-encoding")).toBe("br");
    const again = ask({
      "accept-encoding": "gzip, deflate, br, zstd",
      "if-none-match": first.headers.get("etag") ?? "",
    });
    expect([again.status, await again.text()]).toEqual([304, ""]);
    expect(ask({ "accept-encoding": "gzip" }).headers.get("content-encoding")).toBe("gzip");
    expect(ask({ "accept-encoding": "br;q=0, gzip;q=0" }).headers.get("content-encoding")).toBe(null);
    expect(ask({}).headers.get("content-encoding")).toBe(null);
  });

  it("lets the article and the thank-you page run their own styles and scripts, and allows no unsafe source and no wildcard", () => {
    for (const path of ["/", "/thank-you"]) {
      const policy = site.site().pages.get(path)?.headers["content-security-policy"] ?? "";
      expect(policy).toMatch(/^default-src 'none';/);
      expect(policy).not.toMatch(/unsafe|\*/);
      const html = identity(path);
      for (const kind of ["style", "script"]) {
        const allowed = policy.split("; ").find((directive) => directive.startsWith(`${kind}-src `));
        for (const part of html.split(`<${kind}>`).slice(1)) {
          const [text = ""] = part.split(`</${kind}>`);
          expect(allowed).toContain(`'sha256-${createHash("sha256").update(text).digest("base64")}'`);
        }
      }
    }
  });

  it("breaks no rule of its own policy: the browser's console stays quiet", async () => {
    const page = await open();
    const said: string[] = [];
    page.on(
      "console",
      (message) => ["error", "warning"].includes(message.type()) && said.push(message.text()),
    );
    page.on("pageerror", (error) => said.push(String(error)));
    await page.goto(site.url());
    await page.getByLabel("Full Name *").focus();
    await formReady(page);
    await page.goto(site.url("/thank-you"));
    expect(said).toEqual([]);
  });

  it("gives one policy for all pages to static hosts, the same in both of their files", () => {
    const headers = readFileSync(new URL("../dist/_headers", import.meta.url), "utf8");
    const vercel = JSON.parse(readFileSync(new URL("../dist/vercel.json", import.meta.url), "utf8"));
    const policy = /content-security-policy: (.*)/.exec(headers)?.[1] ?? "";
    expect(policy).toMatch(/^default-src 'none'; style-src 'sha256-/);
    expect(policy.split("; ")).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^script-src 'self' 'sha256-/),
        expect.stringMatching(/^frame-ancestors 'none'/),
      ]),
    );
    expect(vercel.headers[0].headers).toContainEqual({ key: "content-security-policy", value: policy });
    expect(vercel).toMatchObject({ cleanUrls: true });
  });
});

const identity = (path: string) => site.site().pages.get(path)?.encodings.at(-1)?.bytes.toString() ?? "";

/** The bytes of a page's answer: its smallest body, and its headers as HTTP/1.1 writes them, because later versions compress headers. */
function weight(path: string): number {
  const answered = answer(
    site.site().pages.get(path) as BuiltPage,
    new Request("http://localhost/", { headers: { "accept-encoding": "br" } }),
  );
  const date = "date: Sat, 21 Nov 2026 00:00:00 GMT\r\nconnection: keep-alive\r\nkeep-alive: timeout=5\r\n";
  const lines = [...answered.headers].map(([name, value]) => `${name}: ${value}\r\n`).join("");
  return `HTTP/1.1 200 OK\r\n${lines}${date}\r\n`.length + Number(answered.headers.get("content-length"));
}

/** Records every layout shift, also those that follow a press, because these may not move anything either. */
const watchShifts = (page: Page) =>
  page.addInitScript(() => {
    const shifted: unknown[] = [];
    Object.assign(window, { shifted });
    new PerformanceObserver((list) => {
      type Shift = PerformanceEntry & { value: number; sources: { node?: Node }[] };
      for (const { value, sources } of list.getEntries() as Shift[]) {
        shifted.push({ value, moved: sources.map(({ node }) => node?.textContent?.slice(0, 40)) });
      }
    }).observe({ type: "layout-shift", buffered: true });
  });

/** Two frames and a task later, observers have got what was painted. */
const painted = (page: Page) =>
  page.evaluate(
    () =>
      new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(resolve)))),
  );
