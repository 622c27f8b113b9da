// Fails when a function of the repository has more than 60 lines, all of them counted: those of SQL and of JSX too, which the linter leaves
// out; or a migration more than 350. `npm run check` runs it. Chapters
// are left out, because a `describe` is a list of tests.
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { lineOf, readSources, root, visitNodes } from "./syntax-tree.ts";

const maxOfFunction = 60;
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

/** Names a migration that is too long. */
export function longMigration(file: string, text: string): string[] {
  const lines = lineOf(text, text.trimEnd().length);
  return lines > maxOfMigration ? [`${file} has ${lines} lines`] : [];
}

function main(): void {
  const sources = readSources().filter(({ file }) => !file.endsWith(".spec.ts"));
  const migrations = globSync("supabase/migrations/*.sql", { cwd: root });
  const found = [
    ...sources.flatMap(({ file, text }) => longFunctions(file, text)),
    ...migrations.flatMap((file) => longMigration(file, readFileSync(join(root, file), "utf8"))),
  ];
  for (const one of found) console.error(`${one}. Divide it (docs/decisions/096-sizes-in-the-linter.md).`);
  if (found.length > 0) process.exitCode = 1;
  else
    console.log(
      `Checked the functions of ${sources.length} files, and ${migrations.length} migrations. None is too long.`,
    );
}

if (import.meta.main) main();
