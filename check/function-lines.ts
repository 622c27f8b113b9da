// Fails when a function of the repository has more than 60 lines, all of them counted: those of SQL and of JSX too, which the linter leaves
// out. `npm run check` runs it. The tests of a chapter are no functions in this sense: a `describe` is their list.
import { lineOf, readSources, visitNodes } from "./syntax-tree.ts";

const maxLines = 60;

/** Names the functions of a source that are too long, such as `team/a.ts:7 listLeads has 61 lines`. */
export function longFunctions(file: string, text: string): string[] {
  const found: string[] = [];
  visitNodes(file, text, ({ type, start, end, id }) => {
    if (!/^(Function(Declaration|Expression)|ArrowFunctionExpression)$/.test(type)) return;
    const first = lineOf(text, start);
    const lines = lineOf(text, end) - first + 1;
    if (lines > maxLines) found.push(`${file}:${first} ${id?.name ?? "a function"} has ${lines} lines`);
  });
  return found;
}

function main(): void {
  const sources = readSources().filter(({ file }) => !file.endsWith(".spec.ts"));
  const found = sources.flatMap(({ file, text }) => longFunctions(file, text));
  for (const one of found) console.error(`${one}, and at most ${maxLines} are read at once. Divide it.`);
  if (found.length > 0) process.exitCode = 1;
  else console.log(`Checked the functions of ${sources.length} files. None has more than ${maxLines} lines.`);
}

if (import.meta.main) main();
