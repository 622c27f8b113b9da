// Text for a person's terminal. What a visitor typed is shown so that it can neither move the cursor nor pass for
// something else, and cut to the cells it has.

/** Text with everything that a terminal would obey, or not show, written out as \u{...}. */
export const printable = (text: string): string =>
  // All controls, line and paragraph separators, and formats (the bidirectional ones turn a line around). The two
  // joiners stay: they move nothing, and names in some scripts need them.
  text.replaceAll(
    /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}]|(?![\u200c\u200d])\p{Cf}/gu,
    (sign) => escapes[sign] ?? escaped(sign),
  );

const escapes: Record<string, string> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };
const escaped = (sign: string) => `\\u{${sign.codePointAt(0)?.toString(16)}}`;

/** Printable text in exactly so many cells: filled with spaces, or cut with an ellipsis. */
export function cell(text: string, cells: number): string {
  const shown = printable(text);
  const width = widthOf(shown);
  if (width <= cells) return shown + " ".repeat(cells - width);
  let cut = "";
  let used = 0;
  for (const { segment } of graphemes.segment(shown)) {
    if (used + cellsOf(segment) > cells - 1) break;
    cut += segment;
    used += cellsOf(segment);
  }
  return `${cut}…${" ".repeat(cells - 1 - used)}`;
}

/** Printable text broken between words into lines of at most so many letters. */
export function wrap(text: string, letters: number): string[] {
  const lines = [""];
  for (const word of printable(text).split(" ")) {
    const line = lines.at(-1) ?? "";
    if (line === "") lines[lines.length - 1] = word;
    else if (line.length + 1 + word.length <= letters) lines[lines.length - 1] = `${line} ${word}`;
    else lines.push(word);
  }
  return lines;
}

const graphemes = new Intl.Segmenter();

const widthOf = (text: string) =>
  [...graphemes.segment(text)].reduce((sum, { segment }) => sum + cellsOf(segment), 0);

// Chinese, Japanese, Korean and emoji take two cells; close enough for a table, and all a table needs.
const wide =
  /^(?:[\p{sc=Han}\p{sc=Hangul}\p{sc=Hiragana}\p{sc=Katakana}\uff01-\uff60\p{Emoji_Presentation}]|\p{Emoji}\ufe0f)/u;
const cellsOf = (grapheme: string) => (wide.test(grapheme) ? 2 : 1);
