// The letters of the page's own fonts: a language whose letters they lack would be shown in letters of two typefaces.
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { experiments } from "../content/experiments.ts";
import { type LanguageCode, languageCodes, textsIn } from "../content/languages.ts";
import { charactersOf } from "./support/font.ts";

const fileOf = (font: string) => new URL(`../site/${font}`, import.meta.url);
const pageFonts = ["atkinson-400.woff2", "atkinson-700.woff2"];

/** Every text within a value. */
const stringsIn = (value: unknown): string[] =>
  typeof value === "string" ? [value] : Object.values(value ?? {}).flatMap(stringsIn);

/** What visitors may be shown in a language; the call scripts are for the team. */
function shownTexts(code: LanguageCode): string[] {
  const { callScripts: _, ...texts } = textsIn(code);
  const variants = experiments.filter(({ language }) => language === code);
  return stringsIn([
    texts,
    variants.flatMap(({ changes }) => Object.values(changes).map(({ shows }) => shows)),
  ]);
}

const lackingIn = (font: string, texts: string[]): string[] => {
  const known = charactersOf(fileOf(font));
  return [...new Set(texts.join(""))].filter((one) => !known.has(one) && one !== "\n");
};

describe("the page's own font", () => {
  it.each(languageCodes)("has every character of our own texts in %s", (code) => {
    for (const font of pageFonts) {
      const lacking = lackingIn(font, shownTexts(code)).join(" ");
      expect(lacking, `${font} lacks these. Decision 011 says how to cut it anew`).toBe("");
    }
  });

  it("has the characters that decision 011 cuts it to", () => {
    const decision = readFileSync(
      new URL("../docs/decisions/011-one-typeface-two-files.md", import.meta.url),
      "utf8",
    );
    const [, list = ""] = /--unicodes="(U\+20-[^"]+)"/.exec(decision) ?? [];
    const cut = list.split(",").flatMap((range) => {
      const [first = 0, last = first] = range
        .replace("U+", "")
        .split("-")
        .map((code) => Number.parseInt(code, 16));
      return Array.from({ length: last - first + 1 }, (_, after) => String.fromCodePoint(first + after));
    });
    for (const font of pageFonts) expect([...charactersOf(fileOf(font))].toSorted()).toEqual(cut.toSorted());
  });

  it("can fail: it lacks the letters of Polish", () => {
    expect(lackingIn("atkinson-400.woff2", ["Łódź"])).toEqual(["Ł", "ź"]);
  });
});

describe("the share card's font", () => {
  it.each(languageCodes)("has every character of the card's own texts in %s", (code) => {
    const { label, headline, paidFor } = textsIn(code).article;
    expect(lackingIn("share-card.ttf", [label, headline, paidFor])).toEqual([]);
  });
});
