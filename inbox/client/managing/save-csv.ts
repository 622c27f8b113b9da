// Saves a table as a CSV file from the page itself. Spreadsheets show its cells and never run them, as with the export (team/csv.ts).
import { type Cell, csvLine } from "../../../team/csv.ts";

export function saveTable(name: string, lines: readonly (readonly (Cell | number)[])[]): void {
  const cellOf = (cell: Cell | number) => (typeof cell === "number" ? String(cell) : cell);
  saveCsv(name, lines.map((line) => csvLine(line.map(cellOf))).join(""));
}

/** Begins the file with a byte order mark, because spreadsheets then read it as UTF-8. */
export function saveCsv(name: string, csv: string): void {
  const byteOrderMark = csv.startsWith("\ufeff") ? "" : "\ufeff";
  const address = URL.createObjectURL(new Blob([byteOrderMark, csv], { type: "text/csv" }));
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}
