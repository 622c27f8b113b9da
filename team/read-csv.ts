// Reads CSV files as spreadsheets and ad networks write them.

export interface CsvRecord {
  /** The line that it begins on, from 1. */
  line: number;
  cells: string[];
}

/**
 * The records of a CSV file (RFC 4180), without those whose cells are all blank. `openQuote` is the line of a quotation mark that is
 * never closed; everything after that mark is in one cell.
 */
export function readCsv(text: string): { records: CsvRecord[]; openQuote: number | undefined } {
  const records: CsvRecord[] = [];
  let quotedAt = 0;
  let cells: string[] = [];
  let cell = "";
  let isQuoted = false;
  let line = 1;
  let startedAt = 1;
  const end = () => {
    cells.push(cell);
    if (cells.some((one) => one.trim() !== "")) records.push({ line: startedAt, cells });
    cells = [];
    cell = "";
    startedAt = line;
  };
  for (let at = 0; at < text.length; at += 1) {
    // Excel for Mac ends a line by a carriage return alone.
    const character = text[at] === "\r" && text[at + 1] !== "\n" ? "\n" : (text[at] as string);
    if (character === "\n") line += 1;
    if (character === '"' && isQuoted && text[at + 1] === '"') {
      cell += '"';
      at += 1;
    } else if (character === '"' && (isQuoted || cell === "")) {
      isQuoted = !isQuoted;
      quotedAt = line;
    } else if (isQuoted) cell += character;
    else if (character === ",") {
      cells.push(cell);
      cell = "";
    } else if (character === "\n") end();
    else if (character !== "\r") cell += character;
  }
  end();
  return { records, openQuote: isQuoted ? quotedAt : undefined };
}
