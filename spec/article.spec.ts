// The article page, as section 2 of the specification orders it, and what it says of itself.
import { createHash } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { claims, sources } from "../content/claims.ts";
import { permissionNotice } from "../content/permission.ts";
import { completeProvider, dial } from "../content/provider.ts";
import { buildPhoto, photoIn } from "../site/photo.ts";
import { drawShareCard } from "../site/share-card.ts";
import { useBrowser } from "./support/browser.ts";
import { pageSettings, useSite } from "./support/site.ts";

const { open } = useBrowser();
const site = useSite();
const { provider, missing } = completeProvider({});

describe("the article page", () => {
  it("carries the sponsored label before anything else, with the sponsor and the reading time beside it", async () => {
    const page = await open(site.url());
    const text = await page.locator("body").innerText();
    expect(text.split("\n")[0]).toBe("Sponsored Content");
    const label = page.locator(".label");
    await expect(label.innerText()).resolves.toContain("Sponsored Content");
    await expect(label.innerText()).resolves.toContain(`Paid for by ${provider.name}`);
    await expect(label.innerText()).resolves.toContain("5 min read");
  });

  it("shows the headline, the picture, the five sections and the form mid-article, in this order", async () => {
    const page = await open(site.url());
    const headings = await page.getByRole("main").getByRole("heading", { level: 2 }).allInnerTexts();
    expect(headings).toEqual([
      "How It Works",
      "Key Benefits",
      "Perfect for Seniors Who Need Extra Support",
      "Find Out If You Qualify",
      "Medicare Coverage Available",
      "The Future of Diabetes Management Is Here",
      "Where our facts come from",
    ]);
    const order = await page.evaluate(() =>
      [...document.querySelectorAll("h1, .lead [role=img], h2, form, footer")].map((one) => one.localName),
    );
    expect(order).toEqual(["h1", "svg", "h2", "h2", "h2", "h2", "form", "h2", "h2", "h2", "footer", "h2"]);
    await expect(page.getByRole("heading", { level: 1 }).innerText()).resolves.toMatch(
      /device.+seniors.+blood sugar/i,
    );
    await expect(page.getByRole("img").first().getAttribute("aria-label")).resolves.toMatch(/sensor.+reader/);
  });

  it("gives the key benefits as a list and How It Works as three pictured steps", async () => {
    const page = await open(site.url());
    expect(await page.locator(".benefits > li").count()).toBeGreaterThanOrEqual(4);
    expect(await page.locator(".steps > li:has(svg):has(h3)").count()).toBe(3);
  });

  it("ends with the disclaimer that this is sponsored, no medical advice, and nobody's but the provider's", async () => {
    const page = await open(site.url());
    const footer = await page.getByRole("contentinfo").innerText();
    expect(footer).toContain("This is sponsored content.");
    expect(footer).toContain("It is not medical advice.");
    expect(footer).toContain("not connected with or endorsed by the US government or Medicare");
    expect(footer).toContain(provider.legalName);
  });

  it("shows the permission notice next to the button, with the provider's name, in full-size text", async () => {
    const page = await open(site.url());
    const { text } = permissionNotice(provider);
    const notice = page.getByText(text, { exact: true });
    expect(text).toContain(provider.name);
    const stated = await page.locator("form [name=notice]").inputValue();
    const shown = await page.locator(".notice").evaluate((one) => one.textContent);
    expect(stated, "the form states the hash of what it shows").toBe(
      createHash("sha256")
        .update(shown ?? "")
        .digest("hex"),
    );
    const gap = await notice.evaluate((one) => {
      const button = document.querySelector("button") as HTMLElement;
      return button.getBoundingClientRect().top - one.getBoundingClientRect().bottom;
    });
    expect(gap).toBeLessThan(40);
    expect(
      await notice.evaluate((one) => Number.parseFloat(getComputedStyle(one).fontSize)),
    ).toBeGreaterThanOrEqual(19);
  });

  it("lists the source of every claim with the day it was reviewed", async () => {
    const page = await open(site.url());
    const text = await page.getByRole("article").innerText();
    const list = page.locator(".sources li");
    expect(await list.count()).toBe(Object.keys(sources).length);
    for (const item of await list.allInnerTexts()) expect(item).toMatch(/Reviewed \w+ \d+, 20\d\d\./);
    const cited = new Set(
      Object.values(claims).flatMap(({ says, from }) => {
        expect(text, "a claim that the article does not make needs no source").toContain(says);
        return from;
      }),
    );
    expect([...cited].sort()).toEqual(Object.keys(sources).sort());
  });

  it("uses no words that promise what nobody can", async () => {
    for (const path of ["/", "/thank-you", "/nowhere"]) {
      const page = await open(site.url(path));
      const words = `${await page.title()} ${await page.locator("html").evaluate((html) => html.textContent)}`;
      for (const refused of refusedWords) expect(words).not.toMatch(refused);
    }
  });

  it("says that it is sponsored in its title, its share card and its data for search engines", async () => {
    const page = await open(site.url());
    expect(await page.title()).toMatch(/^Sponsored: /);
    const told = (name: string) => page.locator(`meta[property="og:${name}"]`).getAttribute("content");
    expect(await told("title")).toMatch(/^Sponsored Content: /);
    expect(await told("description")).toContain(`Paid for by ${provider.name}`);
    const data = JSON.parse((await page.locator('script[type="application/ld+json"]').textContent()) ?? "");
    expect(data).toMatchObject({ "@type": "AdvertiserContentArticle", sponsor: { name: provider.name } });
    expect(await page.locator('link[rel="canonical"]').getAttribute("href")).toBe("http://localhost/");
    const card = site.site().pages.get(new URL((await told("image")) ?? "").pathname);
    expect(await sharp(card?.forms[0]?.bytes).metadata()).toMatchObject({
      format: "png",
      width: 1200,
      height: 630,
    });
  });

  it("asks nothing of any other host", async () => {
    const page = await open();
    const hosts = new Set<string>();
    page.on("request", (request) => hosts.add(new URL(request.url()).host));
    await page.goto(site.url());
    await page.getByLabel("Full Name *").focus();
    await page.waitForRequest(/\/assets\/form-/).catch(() => {});
    expect([...hosts]).toEqual([new URL(site.url()).host]);
  });
});

describe("the provider", () => {
  it("is filled in with placeholders that nobody owns, and every missing setting is named", () => {
    expect(missing).toEqual([
      "PROVIDER_NAME",
      "PROVIDER_LEGAL_NAME",
      "PROVIDER_PHONE",
      "PROVIDER_CALLS_FROM",
      "PROVIDER_ADDRESS",
      "PROVIDER_SUPPLIER_ID",
    ]);
    expect(provider.phone).toMatch(/555-01\d\d$/);
  });

  it("calls from its own number when only one number is given", () => {
    expect(completeProvider({ phone: "(800) 555-0100" }).provider.callsFrom).toBe("(800) 555-0100");
  });
});

describe("the share card", () => {
  const other = useSite({ ...pageSettings, provider: { name: "Müller Supply" } });
  it("names who pays, also when the pages were built for another", async () => {
    const cardOf = async (address: string) => {
      const html = await (await fetch(address)).text();
      const path = /og:image" content="[^"]*?(\/assets\/[^"]*)"/.exec(html)?.[1] ?? "";
      const answer = await fetch(new URL(path, address));
      return {
        path,
        type: answer.headers.get("content-type"),
        bytes: Buffer.from(await answer.arrayBuffer()),
      };
    };
    const [usual, named] = await Promise.all([cardOf(site.url()), cardOf(other.url())]);
    expect([usual.type, named.type]).toEqual(["image/png", "image/png"]);
    expect(named.path).not.toBe(usual.path);
    expect(named.bytes).toEqual(await drawShareCard({ name: "Müller Supply" }, undefined));
    expect(named.bytes).not.toEqual(await drawShareCard({ name: "M?ller Supply" }, undefined));
    expect(usual.bytes).toEqual(await drawShareCard({}, undefined));
  });
});

describe("a phone number", () => {
  it.each([
    ["(800) 555-0142", "tel:8005550142"],
    ["+1 305.555.0142", "tel:+13055550142"],
    ["1-800-GO-MEDIC", "tel:18004663342"],
    ["1-800-555-0100 ext. 12", "tel:18005550100;ext=12"],
    ["1-800-555-0100 x12", "tel:18005550100;ext=12"],
    ["1-800-FOX-TEXT", "tel:18003698398"],
    ["1-800-BOX4YOU", "tel:18002694968"],
    ["Toll-free 1-800-555-0142", "tel:18005550142"],
    ["(800) 555-0142, Mon-Fri", "tel:8005550142"],
  ])("is dialled as it is written: %s", (phone, link) => {
    expect(dial(phone)).toBe(link);
  });
});

describe("an operator's photo", () => {
  const folder = mkdtempSync(join(tmpdir(), "photo-"));
  beforeAll(async () => {
    const plain = { width: 1000, height: 625, channels: 3, background: "#dce7d9" } as const;
    await sharp({ create: plain }).jpeg().toFile(join(folder, "photo.jpg"));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it("becomes AVIF, WebP and JPEG in several widths, never wider than the original, with its size told", async () => {
    const photo = await buildPhoto(folder, join(folder, "assets"));
    expect(photo).toMatchObject({ width: 1000, height: 625, fallback: expect.stringMatching(/\.jpg$/) });
    expect(photo?.sets.map(({ type }) => type)).toEqual(["image/avif", "image/webp"]);
    for (const { srcset } of photo?.sets ?? []) {
      expect(srcset.match(/\d+w/g)).toEqual(["480w", "800w", "1000w"]);
    }
  });

  it("of another shape is cut to the shape of its place, around what is to be seen in it", async () => {
    const portrait = mkdtempSync(join(tmpdir(), "portrait-"));
    const wall = { create: { width: 600, height: 1200, channels: 3, background: "#dce7d9" } } as const;
    const face = await sharp({ create: { width: 200, height: 200, channels: 3, background: "#c68a60" } })
      .png()
      .toBuffer();
    await sharp(wall)
      .composite([{ input: face, left: 200, top: 60 }])
      .png()
      .toFile(join(portrait, "photo.png"));
    const photo = await buildPhoto(portrait, join(portrait, "assets"));
    expect(photo).toMatchObject({ width: 600, height: 375 });
    const shown = sharp(join(portrait, photo?.fallback.replace(/^\//, "") ?? ""));
    const { channels } = await shown.stats();
    expect(Math.max(...channels.map(({ stdev }) => stdev)), "the face is in it").toBeGreaterThan(10);
    rmSync(portrait, { recursive: true });
  });

  it("takes the place of the drawing on the share card", async () => {
    const coloursOfTheRightHalf = async (photo: string | undefined) => {
      const half = await sharp(await drawShareCard({}, photo))
        .extract({ left: 600, top: 0, width: 600, height: 630 })
        .toBuffer();
      return (await sharp(half).stats()).channels.map(({ stdev }) => Math.round(stdev));
    };
    expect(await coloursOfTheRightHalf(photoIn(folder)), "one plain colour").toEqual([0, 0, 0]);
    expect(Math.min(...(await coloursOfTheRightHalf(undefined))), "a drawing").toBeGreaterThan(10);
  });
});

describe("the provider's page on health data", () => {
  const healthData = "https://www.example.com/health-data";
  const withIt = useSite({ ...pageSettings, provider: { privacyUrl: healthData } });
  const link = "Consumer Health Data Privacy Policy";

  it.each(["/", "/thank-you", "/nowhere"])(
    "is linked from the foot of %s when the settings name it",
    async (path) => {
      const named = await open(withIt.url(path));
      expect(
        await named.getByRole("contentinfo").getByRole("link", { name: link }).getAttribute("href"),
      ).toBe(healthData);
      const unnamed = await open(site.url(path));
      expect(await unnamed.getByRole("link", { name: link }).count()).toBe(0);
    },
  );
});

const refusedWords = [
  /\bfree\b/i,
  /no[- ]cost/i,
  /guarantee/i,
  /\bofficial/i,
  /all seniors/i,
  /no more finger/i,
  /medicare[- ]approved/i,
  /new medicare/i,
  /medicare program/i,
  /government benefit/i,
  /act now|hurry|limited time/i,
];
