// The style sheets of the article and of the inbox, held beside the elements for which they are written.
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("..", import.meta.url));
const readAll = (pattern: string) =>
  globSync(pattern, { cwd: root })
    .map((path) => readFileSync(join(root, path), "utf8"))
    .join("\n");

/** The classes that a style sheet's selectors name. */
function classesOf(css: string): string[] {
  const [first = "", ...commented] = css.split("/*");
  const uncommented = [first, ...commented.map((part) => part.slice(part.indexOf("*/") + 2))].join("");
  const selectors = uncommented
    .split("{")
    .map((part) => part.slice(Math.max(part.lastIndexOf("}"), part.lastIndexOf(";")) + 1));
  return selectors.flatMap((selector) =>
    [...selector.matchAll(/\.([a-z][\w-]*)/gi)].map(([, name = ""]) => name),
  );
}

/** The words of a source's texts in quotes, among which are the classes of its elements. A `shade-${n}` becomes `shade-*`. */
function wordsOf(source: string): Set<string> {
  const texts = [...(source.match(/"[^"\n]*"/g) ?? []), ...(source.match(/`[^`]*`/g) ?? [])];
  return new Set(
    texts.flatMap((text) =>
      text
        .slice(1, -1)
        .replace(/\$\{[^{}]*\}/g, "*")
        .split(/\s+/),
    ),
  );
}

const isGiven = (name: string, words: Set<string>) =>
  words.has(name) || words.has(`${/^[a-z]+-/.exec(name)?.[0]}*`);

describe.each([
  { pages: "the article's pages", sheets: "site/*.css", sources: "{site/**/*.tsx,lead/lead.ts}" },
  {
    pages: "the inbox's pages",
    sheets: "inbox/client/styles/*.css",
    sources: "inbox/{client/**/*.{ts,tsx},bundle-client.ts}",
  },
])("the style sheets of $pages", ({ sheets, sources }) => {
  it("name no class that no element has", () => {
    const names = new Set(classesOf(readAll(sheets)));
    expect(names.size).toBeGreaterThan(30);
    const words = wordsOf(readAll(sources));
    expect([...names].filter((name) => !isGiven(name, words))).toEqual([]);
  });
});

describe("the style that the article's pages hold", () => {
  const html = readFileSync(join(root, "dist/index.html"), "utf8");
  const style = html.slice(html.indexOf("<style>"), html.indexOf("</style>"));

  it("asks for a browser's width in words that browsers of 2020 know, so that they show the wide page, too", () => {
    const queries = style.match(/@media[^{]*/g) ?? [];
    expect(queries).toContain("@media (min-width:60rem)");
    expect(queries.filter((query) => /[<>=]/.test(query))).toEqual([]);
  });

  it("keeps its letters as large on an iPhone that is turned, in the word that iPhones know", () => {
    expect(style).toContain("-webkit-text-size-adjust:100%");
  });
});
