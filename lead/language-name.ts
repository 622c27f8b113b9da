// The English name of the language that a person reads, as the team is told it: "es" is "Spanish".
const names = new Intl.DisplayNames("en", { type: "language" });

/** `tag` is a BCP 47 tag; one that names no language is returned as it is. */
export function languageName(tag: string): string {
  try {
    return names.of(tag) ?? tag;
  } catch {
    return tag;
  }
}
