// The English name of the language that a person reads, as the team is told it: "es" is "Spanish".
let names: Intl.DisplayNames | undefined;

/** `tag` is a BCP 47 tag; what is no tag is returned as it is. */
export function languageName(tag: string): string {
  // Made only when it is needed, because on a slow machine making it takes as long as showing a hundred rows of the inbox.
  names ??= new Intl.DisplayNames("en", { type: "language" });
  try {
    return names.of(tag) ?? tag;
  } catch {
    return tag;
  }
}
