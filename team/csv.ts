// Writes CSV (RFC 4180) that a spreadsheet never runs when it splits cells at commas, and that a program reads back exactly by one rule:
// a cell that begins with an apostrophe loses that one apostrophe. docs/export.md tells the team the same.

export type Cell = string | boolean | Date | null;

/** One record, with its line end. Null is an empty cell; times are ISO 8601 in UTC. */
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
 * Whether an apostrophe is put before the text. A spreadsheet might take it for a formula when it begins with = + - @ or the minus
 * sign U+2212: also in full-width or small form, which some turn into the plain one, and after blanks, which some drop on import.
 * A text that begins with a tab or line end gets one too. So does one that begins with an apostrophe, because a program that reads
 * the cell takes one apostrophe away.
 */
const needsApostrophe = (value: string): boolean =>
  // Almost every cell begins with a letter or digit, and needs none.
  !/^[0-9A-Za-z]/.test(value) &&
  (/^['\t\r\n]/.test(value) ||
    /^[=+\-@\u2212]/.test(value.replace(skipped, "").slice(0, 1).normalize("NFKC")));

const disarmed = (value: string) => (needsApostrophe(value) ? `'${value}` : value);

// The quote and the comma are searched for first, each by itself: in a long text such as a notice that takes a third of the time.
const quoted = (value: string) => {
  if (value.includes('"')) return `"${value.replaceAll('"', '""')}"`;
  return value.includes(",") || /[\r\n]|^\s|\s$/.test(value) ? `"${value}"` : value;
};
