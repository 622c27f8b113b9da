// How long a function and a file may be, where the linter does not count all lines, and what would hide lines from the count.
import { describe, expect, it } from "vitest";
import { longFile, longFunctions, spreadLiterals } from "../check/lengths.ts";

describe("what is read as a whole", () => {
  it("is a function of at most 60 lines with its SQL, and a component with its JSX", () => {
    const query = (lines: number) => `const ask = (sql) => sql\`\n${"select\n".repeat(lines - 2)}\`;\n`;
    const component = (lines: number) =>
      `function Page() {\n  return (\n    <p>\n${"      a\n".repeat(lines - 6)}    </p>\n  );\n}\n`;
    expect(longFunctions("a.ts", query(60) + query(61))).toEqual(["a.ts:61 a function has 61 lines"]);
    expect(longFunctions("a.tsx", component(60) + component(61))).toEqual(["a.tsx:61 Page has 61 lines"]);
  });

  it.each([
    ["a.ts", 250],
    ["a.spec.ts", 400],
    ["a.sql", 350],
  ])("is a file like %s of at most %i lines, those of a text among them", (file, max) => {
    const text = (lines: number) => `const text = \`\n${"select\n".repeat(lines - 2)}\`;\n`;
    expect(longFile(file, text(max))).toEqual([]);
    expect(longFile(file, text(max + 1))).toEqual([`${file} has ${max + 1} lines`]);
  });

  it.each([
    ["a.ts", "f({\n  a,\n  ...{ b, c },\n});\n", ["a.ts:3"]],
    ["a.tsx", "<P\n  {...{ a, b }}\n/>;\n", ["a.tsx:2"]],
    ["a.ts", "const list = [\n  a,\n  ...[b, c],\n];\n", ["a.ts:3"]],
    ["a.tsx", "f({ ...rest, ...(b && { c }) }, [...d, ...[e].map(f)], <P {...props} />);\n", []],
  ])(
    "spreads no object and no list that it writes there, which would put several parts on a line: %s %j",
    (file, text, found) => {
      expect(spreadLiterals(file, text).map((one) => one.split(" ")[0])).toEqual(found);
    },
  );
});
