// Fails when a chapter has a line that makes it fail by chance, such as once in a hundred runs. `npm run check` runs it.
import { lineOf, type Node, readSources, visitNodes } from "./syntax-tree.ts";

/** Names what makes a chapter fail by chance, such as `spec/a.spec.ts:7 expects no 555: ...`. */
export function failingByChance(file: string, text: string): string[] {
  const found: string[] = [];
  visitNodes(file, text, (node) => {
    const place = `${file}:${lineOf(text, node.start)}`;
    for (const word of refusedWords(node))
      if (/^[0-9a-f]{1,5}$/i.test(word) && /\d/.test(word))
        found.push(
          `${place} expects no ${word}: an id or a count holds that by chance. Name the whole number.`,
        );
    if (isRouteOfPage(node))
      found.push(`${place} calls page.route: a key pressed at once may come before it. Use intercept.`);
  });
  return found;
}

/** The words that a call of `.not.toMatch` or `.not.toContain` refuses. */
function refusedWords({ type, callee, arguments: given = [] }: Node): string[] {
  if (type !== "CallExpression" || callee?.object?.property?.name !== "not") return [];
  const [expected] = given;
  if (callee.property?.name === "toMatch" && expected?.regex)
    return expected.regex.pattern.split(/[|()]/).map((word) => word.replaceAll("\\b", ""));
  const isText =
    /^to(Match|Contain)$/.test(callee.property?.name ?? "") && typeof expected?.value === "string";
  return isText ? [expected.value as string] : [];
}

/** Whether a node is a call of Playwright's `route`. A `route` with one argument is a test's own function. */
const isRouteOfPage = ({ type, callee, arguments: given = [] }: Node): boolean =>
  type === "CallExpression" && callee?.property?.name === "route" && given.length > 1;

function main(): void {
  const found = readSources()
    .filter(({ file }) => /^spec\/|\.spec\.ts$/.test(file) && file !== "spec/support/browser.ts")
    .flatMap(({ file, text }) => failingByChance(file, text));
  for (const one of found) console.error(one);
  if (found.length > 0) process.exitCode = 1;
  else console.log("No chapter is known to fail by chance.");
}

if (import.meta.main) main();
