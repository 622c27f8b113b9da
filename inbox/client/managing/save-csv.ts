// Saves a table as a CSV file from the page itself, or a file that the server sends. Spreadsheets show its cells and never run them, as
// with the export (team/csv.ts).
import { type Cell, csvLine } from "../../../team/csv.ts";

/** Begins the file with a byte order mark, because spreadsheets then read it as UTF-8. */
export function saveTable(name: string, lines: readonly (readonly (Cell | number)[])[]): void {
  const cellOf = (cell: Cell | number) => (typeof cell === "number" ? String(cell) : cell);
  const csv = lines.map((line) => csvLine(line.map(cellOf))).join("");
  const address = URL.createObjectURL(new Blob(["\ufeff", csv], { type: "text/csv" }));
  saveFile({ name, address });
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}

/** Has the browser save what is at the address, without holding it in memory. */
export function saveFile({ name, address }: { name: string; address: string }): void {
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
}
