// JSON as this command prints it: the values exact, yet nothing in it that a terminal would obey; and arrays written as
// their elements come, one a line.

/** JSON in which every character that a terminal obeys or does not show is written as \u.... */
export const json = (value: unknown, indent?: number): string =>
  // JSON itself escapes the controls below the space only. The line ends in here are its own.
  JSON.stringify(value, null, indent).replaceAll(/(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (character) =>
    [...Array(character.length).keys()]
      .map((at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, "0")}`)
      .join(""),
  );

/** Writes one JSON array in pieces; `end` closes it, also when nothing was added. */
export function jsonArray(out: (text: string) => Promise<void>) {
  let before = "[\n";
  return {
    async add(elements: readonly unknown[]): Promise<void> {
      const lines = elements.map((element) => json(element)).join(",\n");
      if (!lines) return;
      await out(before + lines);
      before = ",\n";
    },
    end: (): Promise<void> => out(before === "[\n" ? "[]\n" : "\n]\n"),
  };
}
