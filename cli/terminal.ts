// Text for a person's terminal. What a visitor typed is escaped, so that it can neither move the cursor nor look like something
// else, and is cut to the width of its column.
import stringWidth from "string-width";
import wrapAnsi from "wrap-ansi";

/** Text in which everything that a terminal would interpret, or not show, is escaped as \u{...}. */
export const printable = (text: string): string =>
  // All controls, line and paragraph separators, and formats (the bidirectional ones turn a line around). The two
  // joiners stay: they move nothing, and names in some scripts need them.
  text.replaceAll(
    /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}]|(?![\u200c\u200d])\p{Cf}/gu,
    (character) => escapes[character] ?? `\\u{${character.codePointAt(0)?.toString(16)}}`,
  );

const escapes: Record<string, string> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

/** Printable text that is exactly `cells` characters of the terminal wide: filled with spaces, or cut with an ellipsis. */
export function cell(text: string, cells: number): string {
  const shown = printable(text);
  const width = stringWidth(shown);
  if (width <= cells) return shown + " ".repeat(cells - width);
  let cut = "";
  let used = 0;
  for (const { segment } of graphemes.segment(shown)) {
    const next = used + stringWidth(segment);
    if (next > cells - 1) break;
    cut += segment;
    used = next;
  }
  return `${cut}…${" ".repeat(cells - 1 - used)}`;
}

const graphemes = new Intl.Segmenter();

/** Printable text broken between words into lines of at most `cells` characters of the terminal. */
export const wrap = (text: string, cells: number): string[] => wrapAnsi(printable(text), cells).split("\n");
