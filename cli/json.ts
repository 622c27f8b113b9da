// JSON as the commands print it: exact values, control characters escaped so that no terminal interprets them, and arrays
// streamed with one element on each line.

/** JSON in which every control character and invisible character is escaped as \u.... */
export function json(value: unknown, indent?: number): string {
  const text = JSON.stringify(value, null, indent);
  // Almost every lead is plain ASCII, where there is nothing to escape.
  if (!/[^ -~\n]/.test(text)) return text;
  // JSON itself escapes only the controls below the space. The line ends are those of the indentation, so they stay.
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
      const lines = elements.map((element) => json(element)).join(",\n");
      if (!lines) return;
      await out(separator + lines);
      separator = ",\n";
    },
    end: (): Promise<void> => out(separator === "[\n" ? "[]\n" : "\n]\n"),
  };
}
