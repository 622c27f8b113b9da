// The languages that the pages can be shown in. LANGUAGES says which are, the first one at `/` and each other at its code,
// such as `/es`.
//
// A new language is its folder here, which exports an object of the type `Language`, and its line in `languages` below. The compiler
// then asks for the rest: its entry in config/translation-settings.ts, the placeholder of the provider's hours (provider.ts), and in spec/
// what no voicemail may say, how easy reading is measured, and the placeholder of the hours (placeholders.spec.ts). spec/translations.spec.ts
// compares it with the English texts: their places, their claims and their numbers. It needs a chapter of its own for what is typed and
// read in it, as spec/spanish.spec.ts is one, and that one's line in spec/tiers.ts. `npm run env-example` writes its setting down.
// `npm run test:quick` asks for the letters that the fonts lack (decision 011). The transcripts of all languages change, because each page
// links to the others: remove spec/transcripts/, let spec/screen-reader.spec.ts write it anew, and read what is new. No check asks for
// what else names the languages: "Before it goes live" in the README, docs/deploy-supabase.md, docs/inbox-for-members.md, decision 016 and
// the changelog.
import { ContentError } from "./content-error.ts";
import { en } from "./en/language.ts";
import { es } from "./es/language.ts";
import type { Language } from "./language.ts";
import { refusalIn } from "./refusals.ts";

/** The languages by the code that LANGUAGES names, one line for each folder. */
const languages = { en, es } satisfies Record<string, Language>;

/** The code of a language: `en`. */
export type LanguageCode = keyof typeof languages;

/** The code of a translation, for which somebody who reads that language has to answer. */
export type Translation = Exclude<LanguageCode, "en">;

/** The codes of all languages that there are texts in, whichever are shown. */
export const languageCodes = Object.keys(languages) as LanguageCode[];

const isKnown = (code: string): code is LanguageCode => Object.hasOwn(languages, code);

/** The languages that are shown. @throws ContentError when a code has no folder here. */
export function shownLanguages(codes: readonly string[] = ["en"]): LanguageCode[] {
  const unknown = codes.filter((code) => !isKnown(code));
  if (unknown.length > 0) {
    const known = languageCodes.join(", ");
    throw new ContentError(`LANGUAGES names ${unknown.join(", ")}, and the pages are written in: ${known}.`);
  }
  return codes.length > 0 ? [...new Set(codes.filter(isKnown))] : ["en"];
}

/** The translations that are shown and for which nobody answers yet, as `reviewedBy` in the settings says. */
export const unreviewedLanguages = (site: {
  languages: readonly string[];
  reviewedBy: Record<Translation, string | undefined>;
}): Translation[] =>
  shownLanguages(site.languages).filter(
    (code): code is Translation => code !== "en" && !site.reviewedBy[code],
  );

/** What the pages say in a language. */
export const textsIn = (code: LanguageCode): Language => languages[code];

/** Where the pages of a language begin: "" for the first one, which is at `/`, and "/es" for another. */
export const pathOf = (code: LanguageCode, shown: readonly LanguageCode[]): string =>
  code === shown[0] ? "" : `/${code}`;

/** What the pages say in the language that a form names, or in English. */
export const textsNamed = (name: string | null | undefined): Language =>
  textsIn(isKnown(name ?? "") ? (name as LanguageCode) : "en");

/** A refusal as plain text, for answers without a page: the sentence, and the way back to what was typed. */
export function plainRefusal(name: string | null | undefined, sent: string): string {
  const texts = textsNamed(name);
  return `${refusalIn(texts, sent)}\n\n${texts.plain.back}\n`;
}

/** The path of the thank-you page in the language that a form names, or in the first one shown. */
export function thankYouPath(name: string | null | undefined, codes: readonly string[]): string {
  const shown = shownLanguages(codes);
  return `${pathOf(languageNamed(name, shown), shown)}/thank-you`;
}

/** The language that a form or an address names, or the first one shown. */
export const languageNamed = (
  name: string | null | undefined,
  shown: readonly LanguageCode[],
): LanguageCode => shown.find((code) => code === name) ?? (shown[0] as LanguageCode);
