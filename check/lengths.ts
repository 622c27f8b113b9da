// Fails when a function of the repository has more than 60 lines, a file of TypeScript or JavaScript 250, a chapter of the specification
// 400, or a migration 350: all lines are counted, those of SQL, of JSX and of a text too, which the linter leaves out. `npm run check` runs it. Functions
// of chapters are left out, because a `describe` is a list of tests. Fails, too, where an object or a list that is written on the spot is spread,
// because that hides lines: the formatter would otherwise put each of its parts on a line of its own.
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { lineOf, readSources, root, visitNodes } from "./syntax-tree.ts";

const maxOfFunction = 60;
const maxOfFile = 250;
const maxOfChapter = 400;
const maxOfMigration = 350;

/** Names the functions of a source that are too long, such as `team/a.ts:7 listLeads has 61 lines`. */
export function longFunctions(file: string, text: string): string[] {
  const found: string[] = [];
  visitNodes(file, text, ({ type, start, end, id }) => {
    if (!/^(Function(Declaration|Expression)|ArrowFunctionExpression)$/.test(type)) return;
    const first = lineOf(text, start);
    const lines = lineOf(text, end) - first + 1;
    if (lines > maxOfFunction) found.push(`${file}:${first} ${id?.name ?? "a function"} has ${lines} lines`);
  });
  return found;
}

/** Names a file that is too long, such as `team/a.ts has 251 lines`. */
export function longFile(file: string, text: string): string[] {
  const max = file.endsWith(".sql") ? maxOfMigration : file.endsWith(".spec.ts") ? maxOfChapter : maxOfFile;
  const lines = lineOf(text, text.trimEnd().length);
  return lines > max ? [`${file} has ${lines} lines`] : [];
}

/** Names the spread literals of a source, such as `team/a.ts:7 spreads an object or a list that it writes there`. */
export function spreadLiterals(file: string, text: string): string[] {
  const found: string[] = [];
  visitNodes(file, text, ({ type, start, argument }) => {
    if (!/^(JSXSpreadAttribute|SpreadElement)$/.test(type)) return;
    if (/^(Object|Array)Expression$/.test(argument?.type ?? ""))
      found.push(`${file}:${lineOf(text, start)} spreads an object or a list that it writes there`);
  });
  return found;
}

function main(): void {
  const sources = readSources();
  const isChapter = (file: string) => file.endsWith(".spec.ts");
  const migrations = globSync("supabase/migrations/*.sql", { cwd: root });
  const found = [
    ...sources.flatMap(({ file, text }) => (isChapter(file) ? [] : longFunctions(file, text))),
    ...sources.flatMap(({ file, text }) => longFile(file, text)),
    ...migrations.flatMap((file) => longFile(file, readFileSync(join(root, file), "utf8"))),
  ];
  const spread = sources.flatMap(({ file, text }) => spreadLiterals(file, text));
  for (const one of found) console.error(`${one}. Divide it (docs/decisions/096-sizes-in-the-linter.md).`);
  for (const one of spread) console.error(`${one}. Write its parts as they are.`);
  if (found.length + spread.length > 0) process.exitCode = 1;
  else
    console.log(
      `Checked ${sources.length} files with their functions, and ${migrations.length} migrations. None is too long.`,
    );
}

if (import.meta.main) main();
