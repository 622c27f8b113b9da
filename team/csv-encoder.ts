// Encodes many records as CSV in UTF-8, where a long text that many of them share is encoded once.
import { type Cell, csvCell } from "./csv.ts";

/** Characters from which on a text counts as long. */
const long = 500;

/** How many long texts are held at once. An export of permissions has as many as there were notices. */
const heldTexts = 20;

/**
 * Makes a function that encodes a page of records as `csvLine` writes them. It keeps the long texts that it has encoded, because a notice
 * stands in the records of many people, and to encode it anew for each record would take half of the time of the export.
 */
export function makeCsvEncoder(): (page: readonly (readonly Cell[])[]) => Buffer {
  const held = new Map<string, Buffer>();
  const encoded = (text: string) => {
    const known = held.get(text);
    if (known) return known;
    if (held.size === heldTexts) held.clear();
    const bytes = Buffer.from(csvCell(text));
    held.set(text, bytes);
    return bytes;
  };
  return (page) => {
    const parts: Buffer[] = [];
    let text = "";
    for (const cells of page) {
      let separator = "";
      for (const cell of cells) {
        text += separator;
        separator = ",";
        if (typeof cell === "string" && cell.length >= long) {
          parts.push(Buffer.from(text), encoded(cell));
          text = "";
        } else text += csvCell(cell);
      }
      text += "\r\n";
    }
    parts.push(Buffer.from(text));
    return Buffer.concat(parts);
  };
}
