// What a translation has in common with the English texts: the same facts in the same places, with the same numbers, and nothing left in
// English. Whether it says the same is for a person to read who knows both (README, "Before it goes live").
import { describe, expect, it } from "vitest";
import { languageCodes, textsIn } from "../content/languages.ts";

const en = textsIn("en");
const translations = languageCodes
  .filter((code) => code !== "en")
  .map((code) => [code, textsIn(code)] as const);

/**
 * Each text of a language by where it stands, such as `article.headline`; a claim in the article by its name. How the words of a notice
 * begin is left out, because a language may need one word where another needs three.
 */
function textsOf(language: typeof en): Map<string, string> {
  const names = new Map<unknown, string>(
    Object.entries(language.claims).map(([name, claim]) => [claim, name]),
  );
  const found = new Map<string, string>();
  const visit = (value: unknown, path: string): void => {
    const name = path.startsWith("claims.") ? undefined : names.get(value);
    if (name !== undefined) found.set(path, `the claim ${name}`);
    else if (typeof value === "string") found.set(path, value);
    else if (typeof value === "object" && value !== null)
      for (const [key, part] of Object.entries(value)) visit(part, path === "" ? key : `${path}.${key}`);
  };
  visit({ ...language, noticeWords: {} }, "");
  return found;
}

/** The numbers in a text, however a language divides their digits: "1,600" and "1.600" are 1600. */
const numbersIn = (text: string): string[] =>
  (text.match(/\d+(?:[.,\s]\d+)*/g) ?? []).map((number) => number.replaceAll(/\D/g, "")).toSorted();

/** The places where a source stands by its name, which no language changes. */
const namesASource = /\.from\.\d+$|^sources\.\w+\.publisher$/;

/** Short texts that another language may word as English does. */
const alike: ReadonlySet<string> = new Set(["Error: ", "NPI", "NPI:", "TTY: 711"]);

describe.each(translations)("the texts in %s", (_, translation) => {
  const [english, translated] = [textsOf(en), textsOf(translation)];
  it("stand where the English ones stand, with the same claims there", () => {
    const placesOf = (texts: Map<string, string>) =>
      [...texts]
        .map(([path, text]) => (text.startsWith("the claim ") ? `${path}: ${text}` : path))
        .toSorted();
    expect(placesOf(translated)).toEqual(placesOf(english));
  });

  it("have the numbers of the English ones", () => {
    const withNumbers = (texts: Map<string, string>) =>
      Object.fromEntries([...texts].map(([path, text]) => [path, numbersIn(text)]));
    expect(withNumbers(translated)).toEqual(withNumbers(english));
  });

  it("are none of them in English", () => {
    const same = [...translated].filter(([path, text]) => english.get(path) === text);
    const isNamed = (path: string, text: string) => text.startsWith("the claim ") || namesASource.test(path);
    expect(same.filter(([path, text]) => !isNamed(path, text) && !alike.has(text))).toEqual([]);
  });
});
