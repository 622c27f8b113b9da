// What axe finds on a page by the rules of WCAG 2.2 and by its own best practices, without its experimental rules.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";

const source = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const levelAa = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

/**
 * The page's violations, each as the rule's name and the start of the element's HTML. At level AAA, an element whose contrast axe
 * cannot decide counts as a violation, too.
 */
export async function axeViolations(page: Page, level: "AA" | "AAA" = "AA"): Promise<string[]> {
  // Once for each document, because compiling axe takes as long as checking a small page.
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(source);
  const runOnly = level === "AAA" ? [...levelAa, "wcag2aaa"] : levelAa;
  return page.evaluate(
    async ([runOnly, level]) => {
      const { axe } = window as unknown as { axe: typeof import("axe-core") };
      const { violations, incomplete } = await axe.run(document, {
        runOnly,
        resultTypes: ["violations", "incomplete"],
      });
      const undecided = level === "AAA" ? incomplete.filter(({ id }) => id.startsWith("color-contrast")) : [];
      return [...violations, ...undecided].flatMap(({ id, nodes }) =>
        nodes.map(({ html }) => `${id}: ${html.slice(0, 160)}`),
      );
    },
    [runOnly, level] as const,
  );
}
