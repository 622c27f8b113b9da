// Text for a person's terminal. What a visitor typed is escaped, so that it can neither move the cursor nor look like something
// else, and is cut to the width of its column.
import { createRequire } from "node:module";

// The libraries are loaded by the first text that needs them, because to load them takes a tenth of the start of a command.
const require = createRequire(import.meta.url);

/** How many characters of the terminal a text takes. Most texts are ASCII, and need no library. */
function widthOf(text: string): number {
  if (/^[ -~]*$/.test(text)) return text.length;
  const { default: stringWidth } = require("string-width") as typeof import("string-width");
  return stringWidth(text);
}

/** Text in which the characters that a terminal would interpret, and invisible format characters, are escaped, as \n or \u{...}. */
export const printable = (text: string): string =>
  // All controls, line and paragraph separators, lone surrogates, and formats (the bidirectional ones turn a line around).
  // The two joiners stay: they move nothing, and names in some scripts need them.
  text.replaceAll(
    /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}]|(?![\u200c\u200d])\p{Cf}/gu,
    (character) => escapes[character] ?? `\\u{${character.codePointAt(0)?.toString(16)}}`,
  );

const escapes: Record<string, string> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

/** Printable text that is exactly `cells` characters of the terminal wide: filled with spaces, or cut with an ellipsis. */
export function cell(text: string, cells: number): string {
  const shown = printable(text);
  const width = widthOf(shown);
  if (width <= cells) return shown + " ".repeat(cells - width);
  let cut = "";
  let used = 0;
  for (const { segment } of new Intl.Segmenter().segment(shown)) {
    const next = used + widthOf(segment);
    if (next > cells - 1) break;
    cut += segment;
    used = next;
  }
  return `${cut}…${" ".repeat(cells - 1 - used)}`;
}

/** Printable text broken between words, and in a word that is longer, into lines of at most `cells` characters of the terminal. */
export function wrap(text: string, cells: number): string[] {
  const { default: wrapAnsi } = require("wrap-ansi") as typeof import("wrap-ansi");
  return wrapAnsi(printable(text), cells, { hard: true }).split("\n");
}
