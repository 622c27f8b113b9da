// A finding as text: one line, and for a failure its fix under it.
import type { Finding } from "./finding.ts";

export function lineOf(finding: Finding): string {
  const says = withoutControls(finding.says);
  if (finding.is === "pass") return `  pass   ${says}\n`;
  if (finding.is === "not examined") return `  ?      ${says}\n`;
  return `  FAIL   ${says}\n         ${withoutControls(finding.fix)}\n`;
}

/** Text without what a terminal would interpret, because a finding may quote a page or an answer, which may hold anything. */
const withoutControls = (text: string): string => text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, "?");

/** The last line for what was found. */
export function lastLine(findings: readonly Finding[]): string {
  if (findings.some(({ is }) => is === "fail")) return "\nSomething failed. Fix it, and run this again.\n";
  const isWhole = findings.every(({ is }) => is === "pass");
  return isWhole ? "\nEverything passed.\n" : "\nNothing failed. The lines with a ? were not examined.\n";
}
