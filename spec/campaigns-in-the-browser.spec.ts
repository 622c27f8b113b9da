// What is counted of a reader in a browser: the steps they reached, each once a page load, and nothing that identifies them. The
// server runs with COUNTING as it is by default, and without inbox, delivery and rate limit.
import { once } from "node:events";
import { request as ask, createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { brotliCompressSync, gzipSync } from "node:zlib";
import type { Page, Request as PageRequest } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { answer, type Page as BuiltPage } from "../web/page.ts";
import { loadSite, type Site } from "../web/pages.ts";
import { intercept, useBrowser } from "./support/browser.ts";
import { browsers, countsOf } from "./support/counts.ts";
import { makeDatabase } from "./support/database.ts";
import { startServer } from "./support/server.ts";
import { articlePaths, inEveryLanguage } from "./support/site.ts";
import { formReady } from "./support/visitor.ts";

const { open } = useBrowser();
const database = await makeDatabase();
const server = await startServer({ DATABASE_URL: database.url, DELIVERY: "off" });

const phone = { userAgent: browsers.phone, viewport: { width: 390, height: 844 } };
const article = (campaign: string, from = server.address) =>
  `${from}/?utm_source=facebook&utm_campaign=${campaign}&fbclid=IwAR0${campaign}`;
/** Waits until the campaign's counts are exactly these. */
const countsBecome = (campaign: string, counts: Record<string, number>) =>
  expect.poll(() => countsOf(database.owner, campaign)).toEqual(counts);
/** Opens the article and waits until its beacon is sent. */
async function read(
  campaign: string,
  options: Parameters<typeof open>[1] = phone,
  openPage = open,
  from = server.address,
): Promise<Page> {
  const page = await openPage(undefined, options);
  const beacon = page.waitForRequest((request) => request.url().endsWith("/c"));
  await page.goto(article(campaign, from));
  await beacon;
  return page;
}
// Observers report what came into view once it is painted: two frames and a task later.
const painted = (page: Page) =>
  page.evaluate(
    () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done)))),
  );
/** Scrolls to a part of the page, from 0 to 1. */
async function scrollDown(page: Page, part: number) {
  await page.evaluate(
    (to) => window.scrollTo({ top: document.documentElement.scrollHeight * to, behavior: "instant" }),
    part,
  );
  await painted(page);
}
async function scrollToForm(page: Page) {
  await page.locator("#name").scrollIntoViewIfNeeded();
  await painted(page);
}

describe("a reader", () => {
  it("who opens the article is one document served and one view", async () => {
    await read("opens");
    await countsBecome("opens", { "phone served": 1, "phone view": 1 });
  });

  it("who scrolls to the end has read half and seen the form, once, however they scroll", async () => {
    const page = await read("scrolls");
    await scrollToForm(page);
    for (const part of [0.1, 0.5, 1, 0, 0.6, 1]) await scrollDown(page, part);
    await countsBecome("scrolls", {
      "phone form_seen": 1,
      "phone half_read": 1,
      "phone served": 1,
      "phone view": 1,
    });
  });

  it("who takes the link to the form has seen it, and has not read half", async () => {
    const page = await read("jumps");
    await page.locator('a[href="#check"]').first().click();
    await scrollToForm(page);
    // As a refusal's link to its field does.
    await page.evaluate(() => location.assign("#zip_code"));
    await painted(page);
    await countsBecome("jumps", { "phone form_seen": 1, "phone served": 1, "phone view": 1 });
  });

  it("whose ad has a fragment of its own in its link has read half all the same", async () => {
    const page = await open(undefined, phone);
    const beacon = page.waitForRequest((request) => request.url().endsWith("/c"));
    await page.goto(`${article("fragment")}#tblciGiABCDEF`);
    await beacon;
    await scrollDown(page, 1);
    await countsBecome("fragment", { "phone half_read": 1, "phone served": 1, "phone view": 1 });
  });

  it("who types counts as “began”, who presses the button as “pressed”, and the stored lead counts in the same row", async () => {
    const page = await read("sends");
    await page.getByLabel("Full Name *").focus();
    await formReady(page);
    await page.getByLabel("Full Name *").pressSequentially("Rosa");
    await page.getByLabel("Email Address *").fill("rosa@example.com");
    await page.getByLabel("Phone Number *").fill("(305) 555-0142");
    await page.getByLabel("ZIP Code *").fill("33101");
    await page.getByRole("button").click();
    await page.waitForURL("**/thank-you");
    await countsBecome("sends", {
      "phone began": 1,
      "phone form_seen": 1,
      "phone half_read": 1,
      "phone pressed": 1,
      "phone served": 1,
      "phone view": 1,
    });
    const rows = await database.owner`
      select source, campaign, device, views::int, pressed::int, stored::int
      from private.campaign_rows('-infinity', 'infinity', '-infinity', 'infinity') where campaign = 'sends'`;
    expect(rows).toEqual([
      { source: "facebook", campaign: "sends", device: "phone", views: 1, pressed: 1, stored: 1 },
    ]);
  });

  it("who reloads is a reload and no second view; what they had reached is not reached again", async () => {
    const page = await read("reloads");
    await scrollToForm(page);
    await scrollDown(page, 1);
    const reached = { "phone form_seen": 1, "phone half_read": 1, "phone view": 1 };
    await countsBecome("reloads", { ...reached, "phone served": 1 });
    await page.reload();
    await countsBecome("reloads", { ...reached, "phone served": 2, "phone reload": 1 });
    await scrollToForm(page);
    await scrollDown(page, 1);
    // A step that they had not reached, so that its count comes after whatever the scrolling has sent.
    await page.getByLabel("Full Name *").pressSequentially("R");
    await countsBecome("reloads", { ...reached, "phone began": 1, "phone served": 2, "phone reload": 1 });
  });

  it("without script is a view and a press of the device “no-script”", async () => {
    const page = await open(undefined, { ...phone, javaScriptEnabled: false });
    await page.goto(article("no-script"));
    await page.getByLabel("Full Name *").fill("Rosa");
    await page.getByLabel("Email Address *").fill("no-script@example.com");
    await page.getByLabel("Phone Number *").fill("(305) 555-0143");
    await page.getByLabel("ZIP Code *").fill("33101");
    await page.getByRole("button").click();
    await page.waitForURL("**/thank-you");
    await countsBecome("no-script", { "no-script pressed": 1, "no-script view": 1, "phone served": 1 });
    const rows = await database.owner`
      select device, stored::int from private.campaign_rows('-infinity', 'infinity', '-infinity', 'infinity')
      where campaign = 'no-script' and stored > 0`;
    expect(rows).toEqual([{ device: "no-script", stored: 1 }]);
  });

  it("that is a bot is counted, apart", async () => {
    await read("bot", { userAgent: browsers.googlebot });
    await countsBecome("bot", { "bot served": 1, "bot view": 1 });
  });

  it("whose link has each of the ad's words several times, some long, is counted by the last of each", async () => {
    const page = await open(undefined, phone);
    const long = `utm_source=${"x".repeat(190)}&utm_medium=${"y".repeat(190)}&utm_campaign=first&`;
    await page.goto(
      `${server.address}/?${long.repeat(5)}utm_source=facebook&utm_medium=paid&utm_campaign=many`,
    );
    await countsBecome("many", { "phone served": 1, "phone view": 1 });
    const names = await database.owner`
      select source, medium, campaign from private.campaign_names where campaign in ('first', 'many')`;
    expect(names).toEqual([{ source: "facebook", medium: "paid", campaign: "many" }]);
  });

  it("in Facebook's own browser is a reader", async () => {
    await read("in-app", { userAgent: browsers.facebookOnAndroid });
    await countsBecome("in-app", { "phone served": 1, "phone view": 1 });
  });

  it("whose browser knows nothing of the navigation, as iPhones before iOS 15.1, is a view", async () => {
    const withoutEntries = async (...options: Parameters<typeof open>) => {
      const page = await open(...options);
      await page.addInitScript(() => Object.assign(Performance.prototype, { getEntriesByType: () => [] }));
      return page;
    };
    await read("no-navigation", phone, withoutEntries);
    await countsBecome("no-navigation", { "phone served": 1, "phone view": 1 });
  });
});

describe("a reader in a whole browser", () => {
  const { open } = useBrowser("whole browser");

  it("who goes on and comes back is a return and no second view, whichever way the browser restores the page", async () => {
    const page = await read("returns", phone, open);
    await page.goto(`${server.address}/thank-you`);
    await page.goBack({ waitUntil: "commit" });
    await expect.poll(async () => (await countsOf(database.owner, "returns"))["phone return"]).toBe(1);
    expect((await countsOf(database.owner, "returns"))["phone view"]).toBe(1);
  });

  it("whose page loaded well or badly is one in a bucket of each web vital", async () => {
    // A server of its own, because pages of other tests send their web vitals when they are closed.
    const { owner, url } = await makeDatabase();
    const { address } = await startServer({ DATABASE_URL: url, DELIVERY: "off" });
    // Of every device: while a page is left, a browser sends its own name, not that of the phone it imitates.
    const vitals = async () => {
      const rows = await owner<{ vital: string; n: number }[]>`
        select vital, sum(n)::int as n from private.vital_counts group by vital`;
      return Object.fromEntries(rows.map(({ vital, n }) => [vital, n]));
    };
    const page = await read("vitals", phone, open, address);
    await page.getByLabel("Full Name *").focus();
    await formReady(page);
    // The browser reports no interaction that it answers within 16 ms.
    await page.evaluate(() => {
      const takeLonger = () => {
        const end = Date.now() + 30;
        while (Date.now() < end);
      };
      addEventListener("keydown", takeLonger, { once: true });
    });
    await page.keyboard.type("Rosa");
    await expect
      .poll(() => countsOf(owner, "vitals"))
      .toEqual({
        "phone began": 1,
        "phone form_seen": 1,
        "phone half_read": 1,
        "phone served": 1,
        "phone view": 1,
      });
    expect(await vitals()).toEqual({});
    // Told when the page is left.
    await page.goto(`${address}/thank-you`);
    await expect.poll(vitals).toEqual({ cls: 1, inp: 1, lcp: 1 });
  });
});

describe("a page that a browser prerenders", () => {
  let start: Server;
  afterAll(() => {
    start?.closeAllConnections();
    start?.close();
  });

  it("is a view when it is shown, and none before", async () => {
    // The article on the origin of a page that asks the browser to prerender it, as a search engine's or an app's page does.
    start = createServer((incoming, outgoing) => {
      if (incoming.url === "/start") {
        const rules = {
          prerender: [{ source: "list", urls: ["/?utm_campaign=prerendered"], eagerness: "immediate" }],
        };
        outgoing.setHeader("content-type", "text/html");
        return outgoing.end(`<title>Start</title><a href="/?utm_campaign=prerendered">Read</a>
          <script type="speculationrules">${JSON.stringify(rules)}</script>`);
      }
      const { method, headers, url } = incoming;
      const onward = ask(`${server.address}${url}`, { method: method as string, headers }, (answered) => {
        outgoing.writeHead(answered.statusCode ?? 500, answered.headers);
        answered.pipe(outgoing);
      });
      return incoming.pipe(onward);
    }).listen(0, "localhost");
    await once(start, "listening");
    const page = await open(undefined, phone);
    await page.goto(`http://localhost:${(start.address() as AddressInfo).port}/start`);
    await countsBecome("prerendered", { "phone prefetched": 1 });
    await page.getByRole("link", { name: "Read" }).click();
    await countsBecome("prerendered", { "phone prefetched": 1, "phone view": 1 });
  });
});

describe("what is sent and kept of two visitors", () => {
  /** Everything that the counting of a reader's visit sends. */
  async function sentBy(clickId: string) {
    const page = await open(undefined, phone);
    // Stands for what other pages of this site have set. Only the beacon's address has it, because a browser sends cookies with scripts.
    const cookie = { name: "elsewhere", value: clickId, domain: "localhost", path: "/c" };
    await page.context().addCookies([cookie]);
    const requests: PageRequest[] = [];
    page.on("request", (request) => /\/c$|\/count-/.test(request.url()) && requests.push(request));
    const beacon = page.waitForRequest((request) => request.url().endsWith("/c"));
    await page.goto(
      `${server.address}/?utm_campaign=two&utm_content=${clickId};utm_medium=odd&fbclid=${clickId}&gclid=${clickId}#${clickId}`,
    );
    await beacon;
    const kept = await page.evaluate(async () => ({
      cookies: document.cookie,
      local: localStorage.length,
      session: sessionStorage.length,
      databases: (await indexedDB.databases()).length,
      caches: (await caches.keys()).length,
      windowName: window.name,
      state: history.state,
    }));
    const cookies = (await page.context().cookies()).filter(({ name }) => name !== cookie.name);
    await expect.poll(() => requests.length).toBe(2);
    // The headers are asked for only after both requests, because a page that is closed meanwhile has none.
    const sent = await Promise.all(
      requests.map(async (request) => ({
        url: request.url(),
        body: request.postData(),
        headers: await request.allHeaders(),
      })),
    );
    return { sent, kept, cookies };
  }

  it("is the same, to the letter: no cookie, no storage, no id, no click id, no referrer", async () => {
    const [one, another] = [await sentBy("IwAR0Rosa"), await sentBy("IwAR0Juan")];
    expect(one.sent).toEqual(another.sent);
    expect(JSON.stringify(one.sent.map(({ body }) => body))).not.toMatch(/IwAR0|content|clid/);
    for (const { headers } of one.sent) expect(Object.keys(headers)).not.toContain("referer");
    expect(one.sent.at(-1)?.body).toBe("steps=view?utm_campaign=two");
    const none = { cookies: "", local: 0, session: 0, databases: 0, caches: 0, windowName: "", state: null };
    expect(one.kept).toEqual(none);
    expect(one.cookies).toEqual([]);
    await expect.poll(async () => (await countsOf(database.owner, "two"))["phone view"]).toBe(2);
    const everything = await database.owner<{ text: string }[]>`
      select c::text as text from private.page_counts c union all select v::text from private.vital_counts v
      union all select n::text from private.campaign_names n`;
    expect(everything.map(({ text }) => text).join("\n")).not.toMatch(/IwAR0|clid|Mozilla|127\.0\.0\.1|::1/);
    expect(server.output()).not.toMatch(/IwAR0|Mozilla/);
  });
});

describe("what counting costs the reader", () => {
  let counting: Site;
  let off: Site;
  beforeAll(async () => {
    counting = await loadSite({ ...inEveryLanguage, site: { ...inEveryLanguage.site, counting: true } });
    off = await loadSite({ ...inEveryLanguage, site: { ...inEveryLanguage.site, counting: false } });
  });
  const identity = (site: Site, path: string) =>
    site.pages.get(path)?.encodings.at(-1)?.bytes.toString() ?? "";
  /** Bytes of a page's answer, compressed. 150 of them are the status line and the headers that Node adds. */
  const weight = (site: Site, path: string) => {
    const request = new Request("http://localhost/", { headers: { "accept-encoding": "br" } });
    const { headers } = answer(site.pages.get(path) as BuiltPage, request);
    const lines = [...headers].map(([name, value]) => `${name}: ${value}\r\n`).join("");
    return lines.length + Number(headers.get("content-length")) + 150;
  };
  const script = () => [...counting.pages.keys()].filter((path) => path.startsWith("/assets/count-"));

  it.each(articlePaths)(
    "is at most 150 bytes of the document, which still fits the first TCP flight: %s",
    (path) => {
      expect(weight(counting, path)).toBeLessThanOrEqual(14_600);
      expect(weight(counting, path) - weight(off, path)).toBeLessThan(150);
    },
  );

  it("is one script of less than 1 kB, compressed by either method", () => {
    expect(script()).toHaveLength(1);
    const code = identity(counting, script()[0] ?? "");
    expect(brotliCompressSync(code).length).toBeLessThan(1_000);
    expect(gzipSync(code, { level: 9 }).length).toBeLessThan(1_000);
  });

  it("begins when the page is painted and everything else has come", async () => {
    const page = await open(undefined, phone);
    const asked: string[] = [];
    page.on("request", (request) => asked.push(new URL(request.url()).pathname.replace(/-[\w-]{8}\./, ".")));
    const release = Promise.withResolvers<void>();
    await intercept(page, /\.woff2$/, async (route) => {
      await release.promise;
      await route.continue().catch(() => {});
    });
    await page.goto(article("late"), { waitUntil: "domcontentloaded" });
    await painted(page);
    // Its fonts are still on their way.
    expect(asked).not.toContain("/assets/count.js");
    const counted = page.waitForRequest((request) => request.url().endsWith("/c"));
    release.resolve();
    await counted;
    expect(asked.slice(-4)).toEqual(expect.arrayContaining(["/assets/count.js", "/c"]));
  });

  it("is nothing with COUNTING=off: no script, no image, no attribute, no field, and /c leads nowhere", async () => {
    expect([...off.pages.keys()].filter((path) => path.includes("count"))).toEqual([]);
    expect(identity(off, "/")).not.toMatch(/data-count|data-beacon|noscript|name="script"|"\/c"/);
    const silent = await startServer({ DATABASE_URL: database.url, DELIVERY: "off", COUNTING: "off" });
    expect(await (await fetch(silent.address)).text()).not.toContain("data-count");
    expect((await fetch(`${silent.address}/c`, { method: "POST", body: "steps=view" })).status).toBe(404);
    expect((await fetch(`${silent.address}/c`)).status).toBe(404);
  });

  it("goes to the backend where the page is served by a static host", async () => {
    const elsewhere = await loadSite({
      ...inEveryLanguage,
      site: { ...inEveryLanguage.site, counting: true, backendUrl: "https://project.example" },
    });
    const address = "https://project.example/functions/v1/submit-lead/c";
    expect(identity(elsewhere, "/")).toContain(`data-beacon="${address}"`);
    expect(identity(elsewhere, "/")).toContain(`<noscript><img src="${address}"`);
    const policy = elsewhere.pages.get("/")?.headers["content-security-policy"] ?? "";
    expect(policy).toContain("img-src 'self' https://project.example;");
    expect(policy).toContain("connect-src 'self' https://project.example;");
  });
});
