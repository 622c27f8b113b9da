// The settings of each language of the pages besides English: who answers for its pages, and when somebody answers the provider's phone.
// Another language is another entry in `translations`.
import { optional } from "./setting.ts";
import { text } from "./values.ts";

/** By the language's code: its English name, which the setting of the review begins with, and hours as an example. */
const translations = {
  es: { name: "Spanish", hours: "Lunes a viernes, de 9 a. m. a 5 p. m., hora del este" },
} as const;

type Code = keyof typeof translations;
type ReviewSetting = `${Uppercase<(typeof translations)[Code]["name"]>}_REVIEWED_BY`;
type HoursSetting = `PROVIDER_HOURS_${Uppercase<Code>}`;
type Entries<Name extends string> = Record<Name, ReturnType<typeof optional<typeof text>>>;

export const translationCodes = Object.keys(translations) as Code[];

/** The setting that says who answers for the pages of a language: SPANISH_REVIEWED_BY. */
export const reviewSetting = (code: Code) =>
  `${translations[code].name.toUpperCase()}_REVIEWED_BY` as ReviewSetting;

/** The setting of the hours as the pages of a language say them: PROVIDER_HOURS_ES. */
export const hoursSetting = (code: Code) => `PROVIDER_HOURS_${code.toUpperCase()}` as HoursSetting;

/** An object with what `make` returns for each language, by its code. */
export const byTranslation = <Made>(make: (code: Code) => Made) =>
  Object.fromEntries(translationCodes.map((code) => [code, make(code)])) as Record<Code, Made>;

export const reviews = Object.fromEntries(
  translationCodes.map((code) => [
    reviewSetting(code),
    optional(
      text,
      `Who has read the ${translations[code].name} pages and answers for them; until it is set, a start with ${code} warns.`,
      "",
    ),
  ]),
) as Entries<ReviewSetting>;

export const hours = Object.fromEntries(
  translationCodes.map((code) => [
    hoursSetting(code),
    optional(
      text,
      `The same for the ${translations[code].name} pages, which leave it out while this is not set.`,
      translations[code].hours,
    ),
  ]),
) as Entries<HoursSetting>;
