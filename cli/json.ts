// JSON as the commands print it: exact values, control characters escaped so that no terminal interprets them, and long arrays
// streamed with one element on each line (jsonArray). Names are in snake case, such as `created_at`; times are ISO 8601 in UTC.

/** JSON in which every control and format character is escaped as \u...., because a terminal may obey it. */
export const json = (value: unknown, indent?: number): string => escaped(JSON.stringify(value, null, indent));

/** The same for JSON text. Its line ends stay, because they are all between values: JSON itself escapes those in a value. */
function escaped(text: string): string {
  // Most texts have nothing but letters, digits and the usual signs, where there is nothing to escape.
  if (!/[^\n -~\u00a0-\u00ac\u00ae-\u05ff\u2010-\u2027\u3000-\ud7ff]/.test(text)) return text;
  return text.replaceAll(/(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (character) =>
    [...Array(character.length).keys()]
      .map((at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, "0")}`)
      .join(""),
  );
}

/** Writes one JSON array in pieces; `end` closes it, also when nothing was added. */
export function jsonArray(out: (text: string) => Promise<void>) {
  let separator = "[\n";
  return {
    async add(elements: readonly unknown[]): Promise<void> {
      if (elements.length === 0) return;
      // All elements are escaped in one text, because that takes a quarter of the time of escaping each by itself.
      await out(separator + escaped(elements.map((element) => JSON.stringify(element)).join(",\n")));
      separator = ",\n";
    },
    end: (): Promise<void> => out(separator === "[\n" ? "[]\n" : "\n]\n"),
  };
}
