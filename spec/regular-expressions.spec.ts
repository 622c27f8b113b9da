// The check of regular expressions: it finds the literals and the calls of `RegExp` in a source, and knows which of them may take too long on a long text.
import { assert, constantFrom, array as listOf, property } from "fast-check";
import recheck from "recheck/lib/browser.js";
import { describe, expect, it } from "vitest";
import { isPlainlyLinear } from "../check/plainly-linear.ts";
import { expressionsIn, problemWith } from "../check/regular-expressions.ts";

const found = (text: string) => expressionsIn("planted.ts", text);
const problems = (text: string) => found(text).map(problemWith);

describe("the check of regular expressions", () => {
  it("finds literals and constructed ones, with their line", () => {
    const template = ["a", "{a}b"].join("$");
    const text = `const a: number = 1;\n/x+/gi.exec("");\nnew RegExp(\`${template}\`, "u");\nRegExp("c");\n`;
    expect(found(text)).toEqual([
      { file: "planted.ts", line: 2, source: "x+", flags: "gi" },
      { file: "planted.ts", line: 3, source: "axb", flags: "u" },
      { file: "planted.ts", line: 4, source: "c", flags: "" },
    ]);
  });

  it.each([
    ["a cubic one over a content type", '/^\\s*charset\\s*=\\s*"?([^"]*)"?\\s*$/i'],
    ["a quadratic one over a list", "/\\s*;\\s*/"],
    ["an exponential one", "/^(a+)+$/"],
    ["one that searches a line for a second word", "/ listening: .* address=/"],
  ])("fails on %s", (_, text) => {
    expect(problems(text)).toEqual([expect.stringMatching(/polynomial|exponential/)]);
  });

  it.each([
    ["new RegExp(process.argv[2])", /^made of a text that cannot be checked/],
    ['new RegExp("^[^]*b", process.argv[2])', /^made of a text that cannot be checked/],
    ['new RegExp("[a+")', /./],
  ])("fails on what it cannot judge: %s", (text, says) => {
    expect(problems(text)).toEqual([expect.stringMatching(says)]);
  });

  it.each(["/^[a-z]+$/", "/a{2,3}b/", '/^"([^"]*)"$/', "/^whsec_[A-Za-z0-9]*={0,2}$/"])(
    "passes %s",
    (text) => {
      expect(problems(text)).toEqual([undefined]);
    },
  );
});

describe("the proof for plain repetitions", () => {
  it.each([
    ["/Reference: \\w+;/g", "a blank stands before the word"],
    ["/^postgres:.*@(?:host)$/", "it begins at the start of the text"],
    ["/^[a-z]+$/m", "it begins at the start of a line, and its class holds no line break"],
    ["/x|\\s+/g", "nothing follows the repetition"],
    ["/[+*]{0,40}y/", "nothing in it is unbounded"],
    ["/^ +loads +leads +of 100$/", "a letter stands before and after each blank"],
    ["/\\n {2}\\S+ \\S+ {2}Dana/", "a blank stands before and after each word"],
    ["/drop \\S+ type|alter \\S+ type/", "each alternative is plain"],
    ["/a: +x kB: *$/m", "anything bounded may follow the last one"],
  ])("holds for %s, because %s", (text) => {
    expect(found(text).map(({ source, flags }) => isPlainlyLinear(source, flags))).toEqual([true]);
  });

  it.each([
    "/\\d+w/",
    "/^[^x]*y/m",
    "/^(?:x|\\d*)*y/",
    "/x?\\w+y/",
    "/: +x? +y/",
    "/: +(\\d+) kB/",
    "/a +b\\w+y/",
    "/a +b|\\w+y/",
    "/a{0,2} +b +c/",
    "/(?:^|x)\\w*y/",
    "/^(a)\\1*y/",
    "/(?<=x)a*y/",
    // Braces without numbers are characters, so each star repeats a brace.
    "/a{b}*[}]*y/",
    "/x{}*}*y/",
  ])("is not given for %s", (text) => {
    expect(found(text).map(({ source, flags }) => isPlainlyLinear(source, flags))).toEqual([false]);
  });

  it("holds for no expression that the full proof refuses", async () => {
    const words = [
      "a",
      "b",
      ".",
      "[ab]",
      "[^a]",
      "\\s",
      "\\n",
      "^",
      "$",
      "(",
      "(?:",
      ")",
      "|",
      "*",
      "+",
      "+?",
      "?",
      "{2}",
      "{2,}",
    ];
    const sources = listOf(constantFrom(...words), { minLength: 2, maxLength: 9 }).map((chosen) =>
      chosen.join(""),
    );
    await assert(
      property(sources, constantFrom("", "m", "s", "i"), (source, flags) => {
        if (!isRegExp(source, flags) || !isPlainlyLinear(source, flags)) return;
        const { status } = recheck.checkSync(source, flags, { timeout: 15_000, checker: "automaton" });
        expect(status, source).not.toBe("vulnerable");
      }),
      { numRuns: 500 },
    );
  });
});

function isRegExp(source: string, flags: string): boolean {
  try {
    return Boolean(new RegExp(`^${source}`, flags));
  } catch {
    return false;
  }
}
