// Whether people whose eyes and hands are old can read the pages and fill in the form: contrast, sizes, targets, order,
// zoom and plain language, measured on the rendered pages.
import type { Page } from "playwright-core";
import { beforeEach, describe, expect, it } from "vitest";
import { type LanguageCode, languageCodes } from "../content/languages.ts";
import { axeViolations } from "./support/axe.ts";
import { brokenWords, strayMarks } from "./support/broken-words.ts";
import { useBrowser } from "./support/browser.ts";
import { contrast, focusRing } from "./support/contrast.ts";
import { inflesz, readingGrade, sentencesOf, wordsOf } from "./support/reading.ts";
import { articlePaths, inEveryLanguage, thankYouPaths, useSite } from "./support/site.ts";
import { formReady } from "./support/visitor.ts";

const { open } = useBrowser();
const site = useSite(inEveryLanguage);

const unknownPaths = articlePaths.map((path) => `${path === "/" ? "" : path}/nowhere`);
/** Each page that a visitor reads, in every language, because words may be longer in another one. */
const paths = [...articlePaths, ...thankYouPaths, ...unknownPaths];

beforeEach(() => site.reset());

interface Look {
  width: number;
  height: number;
  colorScheme?: "dark";
  forcedColors?: "active";
}

const looks: Record<string, Look> = {
  "a small phone": { width: 320, height: 640 },
  "a phone in the dark": { width: 390, height: 844, colorScheme: "dark" },
  "a desktop": { width: 1280, height: 900 },
  "a desktop in the dark": { width: 1280, height: 900, colorScheme: "dark" },
  "a desktop in forced colours": { width: 1280, height: 900, forcedColors: "active" },
  "a phone in dark forced colours": {
    width: 390,
    height: 844,
    forcedColors: "active",
    colorScheme: "dark",
  },
};

/** What readers set for themselves: text spacing (WCAG 1.4.12), and larger text in the browser, up to twice the size. */
const readersOwn = {
  "as it is": "",
  "text spaced":
    "* { line-height: 1.5 !important; letter-spacing: .12em !important; word-spacing: .16em !important } p { margin-bottom: 2em !important }",
  "large text": "html { font-size: 20px }",
  "very large text": "html { font-size: 24px }",
  "text twice the size": "html { font-size: 32px }",
};

describe("on the visitor's pages", () => {
  it.each(paths)(
    "axe finds nothing at levels A, AA, AAA and best practice on a phone or a desktop, in the dark or in forced colours: %s",
    async (path) => {
      const page = await open(site.url(path));
      for (const look of Object.keys(looks)) {
        await show(page, look);
        expect(await axeViolations(page, "AAA"), look).toEqual([]);
      }
    },
  );

  it("axe finds nothing on the article with the banner shown, on a phone in the dark and on a desktop", async () => {
    const page = await open(site.url());
    await causeRefusal(page);
    for (const look of ["a phone in the dark", "a desktop"]) {
      await show(page, look);
      expect(await axeViolations(page, "AAA"), look).toEqual([]);
    }
  });

  it.each(paths)("no page scrolls sideways at 320 to 1280 px, with larger text too: %s", async (path) => {
    const page = await open(site.url(path));
    for (const width of [320, 390, 640, 1280]) {
      await page.setViewportSize({ width, height: 640 });
      for (const [by, css] of Object.entries(readersOwn)) {
        await addStyles(page, css);
        expect(await overflow(page), `${width} px, ${by}`).toEqual([]);
      }
    }
  });

  it("no word is broken, and no full stop stands apart, at 320 px with text of twice the size, in any language", async () => {
    for (const path of paths) {
      const page = await open(site.url(path), { viewport: { width: 320, height: 640 } });
      await addStyles(page, "html { font-size: 32px }");
      expect(await brokenWords(page), path).toEqual([]);
      expect(await strayMarks(page), path).toEqual([]);
    }
  });

  it("text has 20 px and nowhere less than 19 px, and grows with the text size that the browser is set to", async () => {
    for (const path of paths) {
      const page = await open(site.url(path), { viewport: { width: 390, height: 844 } });
      const sizes = await page.evaluate(() => {
        const size = (one: Element) => Number.parseFloat(getComputedStyle(one).fontSize);
        const small = [...document.body.querySelectorAll("*")]
          .filter((one) => size(one) < 19)
          .map((one) => one.outerHTML.slice(0, 80));
        return { small, body: size(document.body) };
      });
      expect(sizes).toEqual({ small: [], body: 20 });
      await addStyles(page, "html { font-size: 24px }");
      expect(
        await page
          .locator("main p")
          .first()
          .evaluate((one) => Number.parseFloat(getComputedStyle(one).fontSize)),
      ).toBeGreaterThan(28);
    }
  });

  it.each([768, 1024, 1280])(
    "the lines of the article's paragraphs have 60 to 70 characters in the median and at most 76, on a screen of %i px",
    async (width) => {
      const page = await open(site.url(), { viewport: { width, height: 900 } });
      await page.evaluate(() => document.fonts.ready);
      const lines = await page.evaluate(() => {
        const paragraphs = [...document.querySelectorAll("section:not(.check) > p, .first > p, .notice")];
        return paragraphs.flatMap((paragraph) => {
          const range = document.createRange();
          const node = paragraph.firstChild as Text;
          const starts: number[] = [];
          let top = Number.NEGATIVE_INFINITY;
          for (let index = 0; index < node.length; index++) {
            range.setStart(node, index);
            range.setEnd(node, index + 1);
            const box = range.getBoundingClientRect();
            if (box.top > top + 12) starts.push(index);
            top = Math.max(top, box.top);
          }
          // The last line of a paragraph is as short as it happens to be.
          return starts.slice(1).map((start, line) => start - (starts[line] ?? 0));
        });
      });
      const median = lines.sort((a, b) => a - b)[Math.floor(lines.length / 2)];
      expect(lines.length).toBeGreaterThan(10);
      expect(median).toBeGreaterThanOrEqual(60);
      expect(median).toBeLessThanOrEqual(70);
      expect(lines.at(-1)).toBeLessThanOrEqual(76);
    },
  );

  it("what is pressed on the article is at least 48 px high, and a press at the end of a label ticks its box", async () => {
    const page = await open(site.url(), { viewport: { width: 390, height: 844 } });
    const heights = await page
      .locator(
        "form input:not([type=checkbox], [type=hidden], [name=website]), form label:has(input), form button, a",
      )
      .evaluateAll((targets) => targets.map((target) => target.getBoundingClientRect().height));
    // Each other language has one link.
    expect(heights).toHaveLength(20 + languageCodes.length - 1);
    for (const height of heights) expect(height).toBeGreaterThanOrEqual(48);
    const label = page.locator("label", { hasText: "I have Medicare" });
    const box = await label.boundingBox();
    await label.click({ position: { x: (box?.width ?? 0) - 5, y: 5 } });
    expect(await page.getByLabel("I have Medicare").isChecked()).toBe(true);
  });

  it("the Tab key reaches the fields of the form in their order, each with a focus ring of 4 px", async () => {
    const page = await open(site.url());
    await page.getByLabel("Full Name *").focus();
    const reached: string[] = [];
    for (let step = 0; step < 7; step++) {
      const { name, ring } = await page.evaluate(() => {
        const one = document.activeElement as HTMLInputElement;
        return { name: one.name || one.textContent || "", ring: getComputedStyle(one).outlineWidth };
      });
      expect(ring, name).toBe("4px");
      reached.push(name);
      await page.keyboard.press("Tab");
    }
    expect(reached).toEqual([
      "name",
      "email",
      "phone",
      "zip_code",
      "has_medicare",
      "has_diabetes",
      "Check Your Eligibility Now",
    ]);
  });

  it.each(["light", "dark"] as const)(
    "the focus ring of each field of the form has a contrast of at least 3:1 to the page and to its own glow, in %s colours",
    async (colorScheme) => {
      const page = await open(site.url(), { colorScheme });
      await page.getByLabel("Full Name *").focus();
      for (let step = 0; step < 7; step++) {
        const { name, ring, behind } = await focusRing(page);
        // The colours of what lies around the form and of the glow between the ring and the field.
        expect(behind.length, name).toBe(2);
        for (const colour of behind)
          expect(contrast(ring, colour), `${name}: ${ring} on ${colour}`).toBeGreaterThanOrEqual(3);
        await page.keyboard.press("Tab");
      }
    },
  );

  it("the form tells browsers and keyboards what each text field is for, and each takes what is pasted", async () => {
    const page = await open(site.url());
    const hints = await page
      .locator("form input[required]")
      .evaluateAll((inputs) =>
        (inputs as HTMLInputElement[]).map((input) => [
          input.autocomplete,
          input.inputMode,
          input.enterKeyHint,
          input.placeholder,
        ]),
      );
    expect(hints).toEqual([
      ["name", "", "next", ""],
      ["email", "email", "next", ""],
      ["tel", "tel", "next", ""],
      ["postal-code", "numeric", "done", ""],
    ]);
    await page.getByLabel("Full Name *").focus();
    await formReady(page);
    for (const [label, text] of [
      ["Full Name *", "Ann Lee"],
      ["Email Address *", "ann@example.org"],
      ["Phone Number *", "(305) 555-0142"],
      ["ZIP Code *", "33101-1234"],
    ] as const) {
      const field = page.getByLabel(label);
      await field.fill(text);
      // Cut, so that the text is in the clipboard and no longer in the field.
      for (const key of ["a", "x"]) await field.press(`ControlOrMeta+${key}`);
      expect(await field.inputValue(), label).toBe("");
      await field.press("ControlOrMeta+v");
      expect(await field.inputValue(), label).toBe(text);
    }
  });

  it("links of the article are underlined, nothing moves or stays in place while it scrolls, also with a refusal's banner", async () => {
    const page = await open(site.url());
    expect(await plainLinksAndMoving(page)).toEqual([]);
    await causeRefusal(page);
    expect(await plainLinksAndMoving(page)).toEqual([]);
  });

  it("the form's text fields, boxes and button and the label Sponsored Content have a border in forced colours", async () => {
    const page = await open(site.url(), { forcedColors: "active" });
    const borders = await page
      .locator("form input[required], form label:has(input), form button, .label strong")
      .evaluateAll((ones) => ones.map((one) => getComputedStyle(one).borderTopStyle));
    expect(new Set(borders)).toEqual(new Set(["solid"]));
  });

  it.each(["light", "dark"] as const)(
    "a box looks like a text field, and like the button when it is ticked, in %s colours",
    async (colorScheme) => {
      const page = await open(site.url(), { colorScheme });
      const look = (selector: string) =>
        page.locator(selector).evaluate((one) => {
          const { borderTopColor, borderTopWidth, backgroundColor } = getComputedStyle(one);
          return { edge: `${borderTopWidth} ${borderTopColor}`, fill: backgroundColor };
        });
      const line = await look("#name");
      expect(await look("input[name=has_medicare]")).toEqual(line);
      await page.getByLabel("I have Medicare").check();
      const button = await look("form button");
      expect(await look("input[name=has_medicare]"), "ticked, it has the button's colour").toEqual(button);
    },
  );

  it("the browser draws the boxes in its own way in forced colours", async () => {
    const page = await open(site.url(), { forcedColors: "active" });
    const drawn = page.locator(".box input").first();
    expect(await drawn.evaluate((one) => getComputedStyle(one).appearance)).toBe("auto");
  });

  it("the printed article shows the label and the sponsor, and not the form", async () => {
    const page = await open(site.url());
    await page.emulateMedia({ media: "print" });
    expect(await page.getByText("Sponsored Content", { exact: true }).isVisible()).toBe(true);
    expect(
      await page
        .getByText(/^Paid for by/)
        .first()
        .isVisible(),
    ).toBe(true);
    expect(await page.locator("form").isVisible()).toBe(false);
  });
});

describe("the contrast of two colours", () => {
  it("is measured as WCAG defines it", () => {
    expect(contrast("rgb(0, 0, 0)", "rgb(255, 255, 255)")).toBe(21);
    expect(contrast("rgb(255, 255, 255)", "rgb(119, 119, 119)")).toBeCloseTo(4.478, 3);
    expect(contrast("rgb(200, 0, 0)", "rgb(200, 0, 0)")).toBe(1);
  });
});

/** Expects a text to be easy, by the measure of its language: US grade 6 or below, or at least 70 ("rather easy") on the INFLESZ scale. */
const isEasy: Record<LanguageCode, (blocks: readonly string[]) => void> = {
  en: (blocks) => expect(readingGrade(blocks)).toBeLessThanOrEqual(6),
  es: (blocks) => expect(inflesz(blocks)).toBeGreaterThanOrEqual(70),
};

describe("the language", () => {
  it.each(languageCodes.map((code, nth) => [code, articlePaths[nth], thankYouPaths[nth]] as const))(
    "in %s is easy to read, in sentences mostly under 20 words: %s and %s",
    async (code, ...pathsThere) => {
      expect(isEasy, `Add how one measures in ${code} whether a text is easy`).toHaveProperty(code);
      for (const path of pathsThere) {
        const page = await open(site.url(path));
        const blocks = await page
          .locator(
            "h1, h2, h3, main p, main li:not(:has(p)), main figcaption, main label, main legend, footer p",
          )
          .evaluateAll((ones) => ones.map((one) => (one.textContent ?? "").replace(/\s+/g, " ").trim()));
        isEasy[code](blocks);
        const lengths = sentencesOf(blocks).map((sentence) => wordsOf(sentence).length);
        expect(lengths.filter((length) => length < 20).length / lengths.length).toBeGreaterThan(0.9);
      }
    },
  );

  it("of a text that is known to be hard is measured as hard", () => {
    const hard =
      "Eligibility determinations necessitate comprehensive documentation regarding hypoglycemic episodes, prescribed pharmaceuticals, and contemporaneous physician consultations.";
    expect(readingGrade([hard])).toBeGreaterThan(12);
    expect(readingGrade(["The cat sat on the mat. The dog ran."])).toBeLessThan(2);
    // The full stop of an abbreviation does not end a sentence.
    expect(
      sentencesOf(["Dr. Smith of the U.S. agency calls before 5 p.m. each day. Thank you."]),
    ).toHaveLength(2);
    expect(sentencesOf(["Un asesor le llamará. Usted decide."])).toHaveLength(2);
  });

  it("explains the abbreviation CGM once, where it first stands", async () => {
    const page = await open(site.url());
    const text = await page.getByRole("article").innerText();
    expect(text.match(/continuous glucose monitor, or CGM for short/gi)).toHaveLength(1);
    expect(text.search(/CGM/)).toBe(text.search(/CGM for short/));
  });

  it("gives about five minutes of reading, at the pace of a slow reader, the form and the sources aside", async () => {
    const page = await open(site.url());
    await page.evaluate(() => {
      for (const one of document.querySelectorAll("#check, .sources")) one.remove();
    });
    const words = wordsOf(await page.getByRole("article").innerText()).length;
    expect(words / 200).toBeGreaterThan(4);
    expect(words / 200).toBeLessThan(6);
  });
});

/** Shows the page on another screen and in other colours. */
async function show(page: Page, look: string): Promise<void> {
  const { width = 0, height = 0, colorScheme = "light", forcedColors = "none" } = looks[look] ?? {};
  await page.setViewportSize({ width, height });
  await page.emulateMedia({ colorScheme, forcedColors });
}

/** Adds what a reader sets for themselves, in place of what was added before. */
const addStyles = (page: Page, css: string) =>
  page.evaluate((css) => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(css);
    document.adoptedStyleSheets = [sheet];
  }, css);

/** Fills in the form and sends it to a backend that refuses it, so that the banner is shown. */
async function causeRefusal(page: Page): Promise<void> {
  site.reply("/rest/v1/leads", { status: 503, body: '{"message":"Please try again in a minute."}' });
  for (const label of ["Full Name *", "Phone Number *", "ZIP Code *"]) await page.getByLabel(label).fill("x");
  await page.getByLabel("Email Address *").fill("x@example.org");
  await formReady(page);
  await page.getByRole("button").click();
  await page.getByRole("alert").waitFor();
}

/** Links without a line below them, and what moves or stays in place while the page scrolls. */
const plainLinksAndMoving = (page: Page): Promise<string[]> =>
  page.evaluate(() =>
    [...document.body.querySelectorAll("*")].flatMap((one) => {
      const style = getComputedStyle(one);
      const plain = one.localName === "a" && !style.textDecorationLine.includes("underline");
      const stuck = ["fixed", "sticky"].includes(style.position);
      const moves = style.animationName !== "none" || style.transitionDuration !== "0s";
      return plain || stuck || moves ? [one.outerHTML.slice(0, 80)] : [];
    }),
  );

/** What reaches beyond the right edge of the screen. */
const overflow = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const wide = document.documentElement.clientWidth + 1;
    if (document.documentElement.scrollWidth <= wide) return [];
    const found = [...document.body.querySelectorAll("*")]
      .filter((one) => one.getBoundingClientRect().right > wide)
      .map((one) => one.outerHTML.slice(0, 80));
    return found.length > 0 ? found : ["text that is wider than its box"];
  });
