// Writes CSV (RFC 4180) that a spreadsheet shows and never runs, and that a program reads back exactly by one rule:
// a cell that begins with an apostrophe loses that one apostrophe. docs/export.md tells the team the same.

export type Cell = string | boolean | Date | null;

/** One record, with its line end. Nothing is an empty cell; times are ISO 8601 in UTC. */
export const csvLine = (cells: readonly Cell[]): string => `${cells.map(csvCell).join(",")}\r\n`;

/** One cell, quoted where it must be. */
export const csvCell = (cell: Cell): string => quoted(text(cell));

function text(cell: Cell): string {
  if (cell === null) return "";
  if (cell instanceof Date) return cell.toISOString();
  return typeof cell === "string" ? disarmed(cell) : String(cell);
}

/** What spreadsheets drop or skip before they look for a formula: blanks of every kind, controls, invisible characters. */
const skipped = /^[\s\p{Z}\p{C}]+/u;

/**
 * Whether a spreadsheet might take the text for a formula: it starts one with = + - @, also full-width or small ones
 * (some turn them into plain ones), the long minus, or after blanks that are trimmed on import. A text that begins
 * with a tab or line end, or with an apostrophe, gets one too, so that what was added can be told from what was typed.
 */
const looksLikeFormula = (value: string): boolean =>
  // Almost every cell begins so, and such a one is no formula.
  !/^[0-9A-Za-z]/.test(value) &&
  (/^['\t\r\n]/.test(value) ||
    /^[=+\-@\u2212]/.test(value.replace(skipped, "").slice(0, 1).normalize("NFKC")));

const disarmed = (value: string) => (looksLikeFormula(value) ? `'${value}` : value);

// Searched for one character, a long text such as a notice takes a third of the time that an expression of all of them takes.
const quoted = (value: string) => {
  if (value.includes('"')) return `"${value.replaceAll('"', '""')}"`;
  return value.includes(",") || /[\r\n]|^\s|\s$/.test(value) ? `"${value}"` : value;
};
