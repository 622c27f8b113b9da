// A finding as a person reads it: what is well in a line, what is wrong with its mend under it.
import type { Finding } from "./finding.ts";

export function lineOf(finding: Finding): string {
  if (finding.is === "well") return `  well   ${finding.says}\n`;
  if (finding.is === "not examined") return `  ?      ${finding.says}\n`;
  return `  WRONG  ${finding.says}\n         ${finding.mend}\n`;
}

export const lastLine = (isWrong: boolean): string =>
  isWrong ? "\nSomething is wrong. Mend it, and run this again.\n" : "\nAll is well.\n";
