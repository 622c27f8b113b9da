// The article page, as section 2 of the specification orders it, and what it says of itself.
import { createHash } from "node:crypto";
import sharp from "sharp";
import { describe, expect, it } from "vitest";
import { readConfig } from "../config/config.ts";
import { isDialable, telAddress } from "../config/phone-number.ts";
import { sources, sourcesToReview } from "../content/claims.ts";
import { claims } from "../content/en/claims.ts";
import { textsIn } from "../content/languages.ts";
import { permissionNotices } from "../content/permission.ts";
import { completeProvider } from "../content/provider.ts";
import { loadSite } from "../web/pages.ts";
import { useBrowser } from "./support/browser.ts";
import { pageSettings, useSite } from "./support/site.ts";

const { open } = useBrowser();
const site = useSite();
const { provider, missing } = completeProvider({});
const [notice] = permissionNotices(pageSettings);

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
      [...document.querySelectorAll("h1, .opening-picture [role=img], h2, form, footer")].map(
        (one) => one.localName,
      ),
    );
    expect(order).toEqual(["h1", "svg", "h2", "h2", "h2", "h2", "form", "h2", "h2", "h2", "footer", "h2"]);
    await expect(page.getByRole("heading", { level: 1 }).innerText()).resolves.toMatch(
      /device.{1,200}seniors.{1,200}blood sugar/i,
    );
    await expect(page.getByRole("img").first().getAttribute("aria-label")).resolves.toMatch(
      /sensor.{1,200}reader/,
    );
  });

  it("gives the key benefits as a list and How It Works as three pictured steps", async () => {
    const page = await open(site.url());
    expect(await page.locator(".benefits > li").count()).toBeGreaterThanOrEqual(4);
    expect(await page.locator(".steps > li:has(svg):has(h3)").count()).toBe(3);
  });

  it("ends with the disclaimer that this is sponsored, no medical advice, and the provider's alone", async () => {
    const page = await open(site.url());
    const footer = await page.getByRole("contentinfo").innerText();
    expect(footer).toContain("This is sponsored content.");
    expect(footer).toContain("It is not medical advice.");
    expect(footer).toContain("not connected with or endorsed by the US government or Medicare");
    expect(footer).toContain(provider.legalName);
  });

  it("shows the permission notice next to the button, with the provider's legal name, in full-size text", async () => {
    const page = await open(site.url());
    const shownNotice = page.locator(".notice");
    expect(await shownNotice.evaluate((one) => one.textContent)).toBe(notice?.text);
    expect(notice?.text).toContain(provider.legalName);
    const stated = await page.locator("form [name=notice]").inputValue();
    expect(stated, "the form states the hash of what it shows").toBe(
      createHash("sha256")
        .update(notice?.text ?? "")
        .digest("hex"),
    );
    const gap = await shownNotice.evaluate((one) => {
      const button = document.querySelector("form button[type=submit]") as HTMLElement;
      return button.getBoundingClientRect().top - one.getBoundingClientRect().bottom;
    });
    expect(gap).toBeGreaterThanOrEqual(0);
    expect(gap).toBeLessThan(40);
    expect(
      await shownNotice.evaluate((one) => Number.parseFloat(getComputedStyle(one).fontSize)),
    ).toBeGreaterThanOrEqual(19);
  });

  it("lists the source of every claim with the day it was reviewed", async () => {
    const page = await open(site.url());
    const text = await page.getByRole("article").innerText();
    const list = await page
      .locator(".sources li")
      .evaluateAll((items) => items.map((item) => [item.querySelector("a")?.href, item.textContent]));
    const { sources: titles } = textsIn("en");
    const expected = Object.entries(sources).map(([name, { url, reviewed }]) => {
      const { title, publisher } = titles[name as keyof typeof titles];
      const day = new Date(reviewed).toLocaleDateString("en-US", { dateStyle: "long", timeZone: "UTC" });
      return [url, `${title} ${publisher}. Reviewed ${day}.`];
    });
    expect(list).toEqual(expected);
    const cited = new Set(
      Object.entries(claims).flatMap(([name, { says, from }]) => {
        const isMade = !["shareAccepted", "shareNotAccepted"].includes(name);
        if (isMade) expect(text, "a claim that the article does not make needs no source").toContain(says);
        return from;
      }),
    );
    expect([...cited].sort()).toEqual(Object.keys(sources).sort());
  });

  it("says what the reader pays as the provider's settings say it, and else that one has to ask", async () => {
    for (const [acceptsAssignment, claim] of [
      [undefined, claims.shareUnknown],
      [true, claims.shareAccepted],
      [false, claims.shareNotAccepted],
    ] as const) {
      const settings = {
        ...pageSettings,
        provider: acceptsAssignment === undefined ? {} : { acceptsAssignment },
      };
      const html = (await loadSite(settings)).pages.get("/")?.encodings.at(-1)?.bytes.toString() ?? "";
      const shares = [claims.shareUnknown, claims.shareAccepted, claims.shareNotAccepted];
      expect(shares.filter(({ says }) => html.includes(says))).toEqual([claim]);
    }
  });

  it("leads to the form and to the phone before the picture, and says who we are where Medicare is first named", async () => {
    const page = await open(site.url());
    const opening = await page.locator(".opening").innerText();
    const first = opening.indexOf("Medicare");
    const who = opening.indexOf(
      "We are a private company. We are not Medicare, and we do not sell insurance.",
    );
    expect(who).toBeGreaterThan(-1);
    expect(who - first).toBeLessThan(60);
    expect(await page.locator('.opening a[href="#check"]').innerText()).toBe("Go to the form");
    const call = page.locator(`.opening a[href="${telAddress(provider.phone)}"]`);
    expect(await call.innerText()).toBe(`Call ${provider.phone}`);
    for (const link of await page.locator(".opening a").all())
      expect(
        await link.evaluate((one) => {
          const picture = document.querySelector(".opening-picture") as Element;
          return Boolean(one.compareDocumentPosition(picture) & Node.DOCUMENT_POSITION_FOLLOWING);
        }),
      ).toBe(true);
    expect(opening).toContain("Monday to Friday, 9 a.m. to 5 p.m. Eastern time. TTY: 711");
  });

  it("says above the fields what Medicare usually asks, and what to do for somebody else", async () => {
    const page = await open(site.url());
    const section = await page.locator("#check").innerText();
    const above = section.slice(0, section.indexOf("Full Name *"));
    expect(above).toContain(claims.usualNeeds.says);
    expect(above).toContain(
      "Helping someone? Give your own name and number. We call you first, and them only once they agree.",
    );
  });

  it("uses no words that promise more than anyone can", async () => {
    for (const path of ["/", "/thank-you", "/nowhere"]) {
      const page = await open(site.url(path));
      // With what a screen reader says of a picture, and what a search engine shows.
      const inAttributes = await page
        .locator("[alt], [aria-label], [title], meta[content]")
        .evaluateAll((ones) =>
          ones.flatMap((one) =>
            ["alt", "aria-label", "title", "content"].map((name) => one.getAttribute(name) ?? ""),
          ),
        );
      const text = await page.locator("html").evaluate((html) => html.textContent);
      const words = [await page.title(), ...inAttributes, text].join(" ");
      for (const refused of refusedWords) expect(words).not.toMatch(refused);
    }
  });

  it("says that it is sponsored in its title, its share card and its data for search engines", async () => {
    const page = await open(site.url());
    expect(await page.title()).toMatch(/^Sponsored: /);
    const openGraph = (name: string) => page.locator(`meta[property="og:${name}"]`).getAttribute("content");
    expect(await openGraph("title")).toMatch(/^Sponsored Content: /);
    expect(await openGraph("description")).toContain(`Paid for by ${provider.name}`);
    const data = JSON.parse((await page.locator('script[type="application/ld+json"]').textContent()) ?? "");
    expect(data).toMatchObject({ "@type": "AdvertiserContentArticle", sponsor: { name: provider.name } });
    expect(await page.locator('link[rel="canonical"]').getAttribute("href")).toBe("http://localhost/");
    const card = site.site().pages.get(new URL((await openGraph("image")) ?? "").pathname);
    expect(await sharp(card?.encodings[0]?.bytes).metadata()).toMatchObject({
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
    await page.locator("#lead-form[data-ready]").waitFor({ state: "attached" });
    expect([...hosts]).toEqual([new URL(site.url()).host]);
  });
});

describe("the provider", () => {
  it("is filled in with placeholders that belong to no one, and every missing setting is named", () => {
    expect(missing).toEqual([
      "PROVIDER_NAME",
      "PROVIDER_LEGAL_NAME",
      "PROVIDER_PHONE",
      "PROVIDER_CALLS_FROM",
      "PROVIDER_ADDRESS",
      "PROVIDER_NPI",
      "PROVIDER_HOURS",
    ]);
    for (const number of [provider.phone, provider.callsFrom]) expect(number).toMatch(/555-01\d\d$/);
    // Those that are given out begin with 1 or 2.
    expect(provider.npi).toMatch(/^[03-9]\d{9}$/);
  });

  it("answers in the hours that are set for a language, and says none for another that has none", () => {
    const withSettings = (env: Record<string, string>) => completeProvider(readConfig(env).provider);
    const { provider, missing } = withSettings({ PROVIDER_HOURS_ES: "Lunes a viernes" });
    expect(provider.hours).toEqual({ es: "Lunes a viernes" });
    expect(missing).not.toContain("PROVIDER_HOURS");
    expect(withSettings({ PROVIDER_HOURS: "Monday" }).provider.hours).toEqual({ en: "Monday" });
  });

  it("calls from its own number when only one number is given", () => {
    expect(completeProvider({ phone: "(800) 555-0100" }).provider.callsFrom).toBe("(800) 555-0100");
  });
});

describe("the provider's number", () => {
  it("is the NPI and nothing else, because the number that Medicare gives a supplier must not be published", () => {
    const npiOf = (settings: { npi?: string; supplierId?: string }) =>
      completeProvider(settings).provider.npi;
    expect(npiOf({ npi: "1234567893" })).toBe("1234567893");
    expect(npiOf({ supplierId: "1234567893" })).toBe("1234567893");
    for (const supplierId of ["0123450001", "1234560001"]) expect(npiOf({ supplierId })).toBe(npiOf({}));
  });

  it("stands above the form and in the footer, and is called NPI", async () => {
    const page = await open(site.url());
    const section = await page.locator("#check").innerText();
    expect(section.slice(0, section.indexOf("Full Name *"))).toContain(`NPI ${provider.npi}`);
    await expect(page.getByRole("contentinfo").innerText()).resolves.toContain(`NPI: ${provider.npi}.`);
    expect(await page.locator("body").innerText()).not.toMatch(/supplier number/i);
  });
});

describe("a source", () => {
  it("is to be read again when it was last read more than 90 days ago", () => {
    const read = Date.parse(sources.niddk.reviewed);
    const inDays = (days: number) => new Date(read + days * 86_400_000);
    expect(sourcesToReview(inDays(90)).map(({ source }) => source)).not.toContain("niddk");
    expect(sourcesToReview(inDays(91))).toContainEqual({ source: "niddk", ...sources.niddk });
  });
});

describe("help with language", () => {
  const settings = { languageHelpUrl: "https://www.example.com/help", languageHelp: ["es", "zh", "ar"] };
  const withIt = useSite({ ...pageSettings, provider: settings });

  it.each(["/", "/thank-you", "/nowhere"])(
    "is offered at the foot of %s when the settings say so",
    async (path) => {
      const page = await open(withIt.url(path));
      const footer = page.getByRole("contentinfo");
      const link = footer.getByRole("link", { name: "Language help and other aids, at no charge to you" });
      expect(await link.getAttribute("href")).toBe("https://www.example.com/help");
      const lines = footer.locator("p[lang]");
      expect(
        await lines.evaluateAll((ones) => (ones as HTMLElement[]).map(({ lang, dir }) => [lang, dir])),
      ).toEqual([
        ["es", "ltr"],
        ["zh", "ltr"],
        ["ar", "rtl"],
      ]);
      for (const line of await lines.allInnerTexts()) expect(line).toContain(provider.phone);
      // From left to right on the screen, also in a line from right to left.
      const places = await lines.evaluateAll(
        (ones, phone) =>
          ones.map((line) => {
            const [text] = line.childNodes;
            const begin = (text?.textContent ?? "").indexOf(phone);
            return Array.from(phone, (_, nth) => {
              const range = document.createRange();
              range.setStart(text as Node, begin + nth);
              range.setEnd(text as Node, begin + nth + 1);
              return range.getBoundingClientRect().left;
            });
          }),
        provider.phone,
      );
      for (const place of places) expect(place).toEqual(place.toSorted((a, b) => a - b));
    },
  );

  it("is not offered otherwise, and a language without a line is refused in words", async () => {
    const page = await open(site.url());
    expect(await page.locator("footer p[lang]").count()).toBe(0);
    expect(await page.getByRole("contentinfo").innerText()).not.toContain("Language help");
    const odd = { ...pageSettings, provider: { languageHelp: ["xx"] } };
    await expect(loadSite(odd)).rejects.toThrow("LANGUAGE_HELP names xx; there are lines in: ar, de,");
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
    ["(800) 555-0142 (TTY: 711)", "tel:8005550142"],
    ["(800)\u00a0555\u20130142 (TTY: 711)", "tel:8005550142"],
    ["1-800-MEDICARE (1-800-633-4227)", "tel:18006334227"],
    ["Toll-free 1-800-FLOWERS", "tel:18003569377"],
    ["1-800-FLOWERS (TTY: 711)", "tel:18003569377"],
    ["1-800-FLOWERS (TTY: 1-800-555-0199)", "tel:18003569377"],
    ["TTY 711, 800-555-0142", "tel:8005550142"],
    ["711 (TTY) or 1-800-555-0142", "tel:18005550142"],
    ["711 (TTY users), 800-555-0142", "tel:8005550142"],
    ["711 for TTY or (800) 555-0142", "tel:8005550142"],
    ["711 (TTY/TDD) or (800) 555-0142", "tel:8005550142"],
    ["Dial 711 for TTY, then (800) 555-0142", "tel:8005550142"],
    ["1-800-555-HELP (4357) TTY 711", "tel:18005554357"],
    ["(800) 555-0142 (English), (800) 555-0143 (Spanish) ext 4", "tel:8005550142"],
    ["(800) 555-0142,ext 5", "tel:8005550142;ext=5"],
    ["(800) 555-0142, ext: 5", "tel:8005550142;ext=5"],
    ["(800) 555-0142, fax 5", "tel:8005550142"],
    ["(800) 555-0142 - ext 5", "tel:8005550142;ext=5"],
    ["1-800-MEDICARE ext. 5", "tel:18006334227;ext=5"],
    ["Open 365 days a year: (800) 555-0142", "tel:8005550142"],
    ["1 800 4 MY CGMS (TTY: 800-555-0199)", "tel:18004692467"],
    ["1-800-GET-CGMSx12", "tel:18004382467;ext=12"],
    ["1-800-MEDICAREx12", "tel:18006334227;ext=12"],
    ["1-800-GET-CGMSENSORS ext 5", "tel:18004382467;ext=5"],
    ["OPEN 365 DAYS A YEAR: (800) 555-0142", "tel:8005550142"],
    ["1-800-GET-CGMSext. 5", "tel:18004382467;ext=5"],
    ["+44 20 7946 0958 (UK) ext 7", "tel:+442079460958;ext=7"],
    ["+442079460958", "tel:+442079460958"],
    ["+525512345678 x12", "tel:+525512345678;ext=12"],
  ])("is dialled as it is written: %s", (phone, link) => {
    expect(telAddress(phone)).toBe(link);
    expect(isDialable(phone)).toBe(true);
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
