// A finding as text: one line, and for a failure its fix under it.
import type { Finding } from "./finding.ts";

export function lineOf(finding: Finding): string {
  if (finding.is === "pass") return `  pass   ${finding.says}\n`;
  if (finding.is === "not examined") return `  ?      ${finding.says}\n`;
  return `  FAIL   ${finding.says}\n         ${finding.fix}\n`;
}

/** The last line for what was found. */
export function lastLine(findings: readonly Finding[]): string {
  if (findings.some(({ is }) => is === "fail")) return "\nSomething failed. Fix it, and run this again.\n";
  const isWhole = findings.every(({ is }) => is === "pass");
  return isWhole ? "\nEverything passed.\n" : "\nNothing failed. The lines with a ? were not examined.\n";
}
