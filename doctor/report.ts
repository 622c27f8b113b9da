// A finding as text: one line, and for a failure its fix under it.
import type { Finding } from "./finding.ts";

export function lineOf(finding: Finding): string {
  if (finding.is === "pass") return `  pass   ${finding.says}\n`;
  if (finding.is === "not examined") return `  ?      ${finding.says}\n`;
  return `  FAIL   ${finding.says}\n         ${finding.fix}\n`;
}

export const lastLine = (hasFailed: boolean): string =>
  hasFailed ? "\nSomething failed. Fix it, and run this again.\n" : "\nEverything passed.\n";
