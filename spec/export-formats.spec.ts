// What an export is written in: JSON that no terminal obeys, and CSV that no spreadsheet runs and that is exact again by one rule.
import { parse } from "csv-parse/sync";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { json, jsonArray } from "../cli/json.ts";
import { csvLine } from "../team/csv.ts";
import { makeCsvEncoder } from "../team/csv-encoder.ts";

/** The rule for whoever reads an export: a cell that begins with an apostrophe loses that one. */
const readCell = (cell: string): string => (cell.startsWith("'") ? cell.slice(1) : cell);

describe("JSON as the commands print it", () => {
  it("escapes controls, invisible characters, quotes and backslashes and nothing else, and is the same value when it is read", () => {
    const wrong: number[] = [];
    for (let code = 0; code <= 0x10ffff; code += 1) {
      if (code === 0xd800) code = 0xe000;
      const character = String.fromCodePoint(code);
      const text = json(character);
      const isEscaped = text.startsWith('"\\');
      const mustBeEscaped = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}"\\]/u.test(character);
      if (isEscaped !== mustBeEscaped || JSON.parse(text) !== character) wrong.push(code);
    }
    expect(wrong).toEqual([]);
  });

  it("is escaped the same where many elements are printed at once", async () => {
    let printed = "";
    const array = jsonArray(async (text) => void (printed += text));
    await array.add([{ name: "a\u200b\nb" }, { name: "José “田中”" }, { name: "\u202ec\u202c" }]);
    await array.add([]);
    await array.add([{ name: "\u{e0001}" }]);
    await array.end();
    expect(printed).toBe(
      '[\n{"name":"a\\u200b\\nb"},\n{"name":"José “田中”"},\n{"name":"\\u202ec\\u202c"},\n{"name":"\\udb40\\udc01"}\n]\n',
    );
  });
});

describe("a CSV cell", () => {
  /** Text that is mostly hard to carry in a cell: quotes, commas, line ends, blanks, and what starts a formula. */
  const hardText = fc.string({
    unit: fc.oneof(
      fc.constantFrom(..."=+-@'\",;\t\r\n \u00a0\u200b\u2212＝＋－＠﹦a1"),
      fc.string({ unit: "binary", minLength: 1, maxLength: 1 }),
    ),
    maxLength: 8,
  });

  it("is exact again, whatever was typed, when one leading apostrophe is taken off", () => {
    fc.assert(
      fc.property(fc.array(hardText, { minLength: 1, maxLength: 5 }), (cells) => {
        // A record of one empty cell is an empty line, which readers skip.
        const [back] = parse(csvLine(["id", ...cells])) as string[][];
        expect(back?.slice(1).map(readCell)).toEqual(cells);
      }),
      { numRuns: 2_000 },
    );
  });

  it("is the same in an export, where a long text of many records is encoded once", () => {
    const notices = fc
      .constantFrom(..."abcdefghijklmnopqrstuvwxyz")
      .map((letter) => `“${letter}, "é"\n`.repeat(100));
    const cells = fc.array(fc.oneof(hardText, notices, fc.boolean(), fc.constant(null)), { minLength: 1 });
    const encode = makeCsvEncoder();
    fc.assert(
      fc.property(fc.array(cells), (records) => {
        expect(encode(records).toString()).toBe(records.map(csvLine).join(""));
      }),
    );
  });

  it("never starts a formula, also not after blanks or in full-width signs", () => {
    fc.assert(
      fc.property(hardText, (typedText) => {
        const [[, cell = ""] = []] = parse(csvLine(["id", typedText])) as string[][];
        expect(cell.normalize("NFKC").replace(/^[\s\p{C}\p{Z}]+/u, "")).not.toMatch(/^[=+\-@\u2212]/);
        expect(cell).not.toMatch(/^[\t\r\n]/);
      }),
      { numRuns: 2_000 },
    );
  });

  it.each(["Rosa", "(305) 555-0142", "02134", "K1A 0B1", "a=b", "3-4", "Mary-Ann O'Neil"])(
    "leaves %s as it is",
    (harmless) => {
      expect(csvLine([harmless])).toBe(`${harmless}\r\n`);
    },
  );
});
