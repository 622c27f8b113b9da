// Fails when a chapter expects that a text does not have a few digits alone, such as 555, because an id or a count holds them by chance
// and the chapter then fails once in a hundred runs. `npm run check` runs it.
import { lineOf, type Node, readSources, visitNodes } from "./syntax-tree.ts";

/** Names the expectations of a chapter that fail by chance, such as `spec/a.spec.ts:7 expects no 555`. */
export function digitsByChance(file: string, text: string): string[] {
  const found: string[] = [];
  visitNodes(file, text, (node) => {
    for (const word of refusedWords(node))
      if (/^[0-9a-f]{1,5}$/i.test(word) && /\d/.test(word))
        found.push(`${file}:${lineOf(text, node.start)} expects no ${word}`);
  });
  return found;
}

/** The words that a call of `.not.toMatch` or `.not.toContain` refuses. */
function refusedWords({ type, callee, arguments: given = [] }: Node): string[] {
  if (type !== "CallExpression" || callee?.object?.property?.name !== "not") return [];
  const [expected] = given;
  if (callee.property?.name === "toMatch" && expected?.regex)
    return expected.regex.pattern.split("|").map((word) => word.replaceAll("\\b", ""));
  return callee.property?.name === "toContain" && typeof expected?.value === "string" ? [expected.value] : [];
}

function main(): void {
  const found = readSources()
    .filter(({ file }) => file.endsWith(".spec.ts"))
    .flatMap(({ file, text }) => digitsByChance(file, text));
  for (const one of found)
    console.error(`${one}: an id or a count holds that by chance. Name the whole number.`);
  if (found.length > 0) process.exitCode = 1;
  else console.log("No chapter refuses digits that come by chance.");
}

if (import.meta.main) main();
