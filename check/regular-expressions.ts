// Fails when a regular expression of the repository takes more than linear time on some text, because one request with a long
// header would then block all others. `npm run check` runs it. An expression that has passed is not checked again until it changes.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import recheck from "recheck/lib/browser.js";
import { isPlainlyLinear } from "./plainly-linear.ts";
import { lineOf, type Node, readSources, root, visitNodes } from "./syntax-tree.ts";

/** A regular expression in a source file. */
export interface Expression {
  file: string;
  line: number;
  source: string;
  flags: string;
}

/** Finds the expressions of a source: literals, and what `RegExp` is called with. */
export function expressionsIn(file: string, text: string): Expression[] {
  const found: Expression[] = [];
  visitNodes(file, text, (node) => {
    const expression = literal(node) ?? construction(node);
    if (expression) found.push({ file, line: lineOf(text, node.start), ...expression });
  });
  return found;
}

/** Why an expression is not linear, such as "2nd degree polynomial", or undefined when it is. */
export function problemWith({ source, flags }: Pick<Expression, "source" | "flags">): string | undefined {
  if (source === unknownText) return madeElsewhere;
  // Without an unbounded repetition, the work at each character is bounded.
  if (!/[*+]|\{\d+,\}/.test(source)) return undefined;
  if (flags === unknownText) return madeElsewhere;
  if (isPlainlyLinear(source, flags)) return undefined;
  const verdict = recheck.checkSync(source, flags, { timeout: judgingLimit, checker: "automaton" });
  if (verdict.status === "safe") return undefined;
  return verdict.status === "vulnerable"
    ? verdict.complexity.summary
    : "more than can be judged: write it simpler";
}

/**
 * In milliseconds. The slowest proof takes 2 s, and many times as long while the machine does other work. More than that would be felt
 * by everybody who runs the check.
 */
const judgingLimit = 30_000;

const literal = ({ regex }: Node) => regex && { source: regex.pattern, flags: regex.flags };

function construction({ type, callee, arguments: given = [] }: Node) {
  if (!/^(New|Call)Expression$/.test(type) || callee?.name !== "RegExp") return undefined;
  return { source: textOf(given[0]), flags: textOf(given[1]) };
}

// A value that is inserted into a template counts as a plain word. A text that is made elsewhere cannot be checked.
function textOf(node: Node | undefined): string {
  if (node === undefined) return "";
  if (node.quasis) return node.quasis.map(({ value }) => value.cooked).join("x");
  return typeof node.value === "string" ? node.value : unknownText;
}

const madeElsewhere = "made of a text that cannot be checked: write it here";

/** Stands for a text that is made elsewhere. */
const unknownText = "(made elsewhere)";

const verdicts = join(root, "node_modules/.cache/regular-expressions.json");

function main(): void {
  const expressions = readSources().flatMap(({ file, text }) => expressionsIn(file, text));
  const known = knownVerdicts();
  const judged = Object.fromEntries(
    expressions.map((one) => {
      const key = `/${one.source}/${one.flags}`;
      return [key, (known[key] ??= problemWith(one) ?? "")];
    }),
  );
  mkdirSync(dirname(verdicts), { recursive: true });
  // Only passes are cached: a check that failed may have timed out because the machine was busy.
  writeFileSync(
    verdicts,
    JSON.stringify(Object.fromEntries(Object.entries(judged).filter(([, problem]) => !problem))),
  );
  for (const { file, line, source, flags } of expressions) {
    const problem = judged[`/${source}/${flags}`];
    if (!problem) continue;
    process.exitCode = 1;
    console.error(`${file}:${line} /${source}/${flags} is ${problem}.`);
  }
  if (!process.exitCode) console.log(`Checked ${expressions.length} regular expressions. All are linear.`);
}

function knownVerdicts(): Record<string, string> {
  try {
    return JSON.parse(readFileSync(verdicts, "utf8"));
  } catch {
    return {};
  }
}

if (import.meta.main) main();
