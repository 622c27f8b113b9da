// The sources of the repository as syntax trees, for the checks that read them.
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseAst } from "vite";

/** A node of a tree, with what the checks read of one. */
export interface Node {
  type: string;
  start: number;
  end: number;
  id?: { name: string } | null;
  value?: unknown;
  regex?: { pattern: string; flags: string };
  callee?: Callee;
  arguments?: Node[];
  argument?: Node | null;
  quasis?: { value: { cooked: string } }[];
}

/** What is called: a function by its name, or a property of an object. */
interface Callee {
  name?: string;
  object?: Callee;
  property?: { name?: string };
}

/** Shows each node of a source. `file` tells whether it may hold JSX. */
export function visitNodes(file: string, text: string, see: (node: Node) => void): void {
  visit(parseAst(text, { lang: file.endsWith("x") ? "tsx" : "ts" }), see);
}

function visit(value: unknown, see: (node: Node) => void): void {
  if (typeof value !== "object" || value === null) return;
  if ("type" in value && "start" in value) see(value as Node);
  for (const child of Object.values(value)) visit(child, see);
}

/** The line, counted from 1, that a place of a text is on. */
export const lineOf = (text: string, at: number): number => text.slice(0, at).split("\n").length;

/** The folder of the repository. */
export const root = fileURLToPath(new URL("..", import.meta.url));

/** The repository's own sources, each with its path. */
export function readSources(): { file: string; text: string }[] {
  const exclude = ["node_modules", "dist", ".render", "data"];
  const files = globSync("**/*.{ts,tsx,mjs,cjs,js}", {
    cwd: root,
    exclude: (name) => exclude.includes(name),
  });
  return files.map((file) => ({ file, text: readFileSync(join(root, file), "utf8") }));
}
