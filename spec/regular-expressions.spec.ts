// The check of regular expressions: it finds each one in a source, and knows which of them a long text can hold up.
import { describe, expect, it } from "vitest";
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
    ["one that is made of a text from elsewhere", "new RegExp(process.argv[2])"],
  ])("fails on %s", (_, text) => {
    expect(problems(text)).toEqual([expect.stringMatching(/polynomial|exponential/)]);
  });

  it.each(["/^[a-z]+$/", "/a{2,3}b/", '/^"([^"]*)"$/', "/^whsec_[A-Za-z0-9]*={0,2}$/"])(
    "passes %s",
    (text) => {
      expect(problems(text)).toEqual([undefined]);
    },
  );
});
