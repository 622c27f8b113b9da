// The provider: who pays for the article, who calls, and how to reach them. A fact of `placeholders` without a
// setting gets another setting's value, or a placeholder that looks real and belongs to no one, and the start warns of it (not of an NPI
// that PROVIDER_SUPPLIER_ID gives).
import type { ProviderSettings as GivenSettings } from "../config/config.ts";
import { isNpi } from "../config/npi.ts";
import { ContentError } from "./content-error.ts";
import { fillIn } from "./fill-in.ts";
import type { LanguageCode } from "./languages.ts";

/** The provider as the settings name it. */
export type ProviderSettings = GivenSettings;

export type Provider = Record<keyof typeof placeholders, string> & {
  /** The hours in which somebody answers the phone, worded for each language. The pages of one without a wording leave them out. */
  hours: Hours;
  /** Whether the provider takes what Medicare approves as full pay; undefined while the settings do not say. */
  acceptsAssignment?: boolean;
  /** The provider's own page on health data, linked from every footer; none is made up (RCW 19.373.020). */
  privacyUrl?: string;
  /** The provider's page about language help, and the languages of the lines that say so (45 CFR 92.11). */
  languageHelpUrl?: string;
  languageHelp: readonly string[];
};

type Hours = Readonly<Record<LanguageCode, string | undefined>>;

/** These belong to nobody: 555-01xx numbers are reserved for fiction, and no NPI starts with 0. */
const placeholders = {
  name: { setting: "PROVIDER_NAME", text: "Maple Lane Medical Supply" },
  legalName: { setting: "PROVIDER_LEGAL_NAME", text: "Maple Lane Medical Supply, Inc." },
  phone: { setting: "PROVIDER_PHONE", text: "(800) 555-0142" },
  callsFrom: { setting: "PROVIDER_CALLS_FROM", text: "(800) 555-0143" },
  address: { setting: "PROVIDER_ADDRESS", text: "48 Maple Lane, Suite 200, Fairview, OH 44999" },
  npi: { setting: "PROVIDER_NPI", text: "0123456789" },
} as const;

const placeholderHours: Hours = {
  en: "Monday to Friday, 9 a.m. to 5 p.m. Eastern time",
  es: "Lunes a viernes, de 9 a. m. a 5 p. m., hora del este",
};

/** The settings without a value, found by their placeholders in a page. Not the hours, because a provider may really have these hours. */
export const settingsWithPlaceholderIn = (html: string): string[] =>
  Object.values(placeholders)
    .filter(({ text }) => html.includes(text))
    .map(({ setting }) => setting);

/** Fills in the provider. `missing` names the settings of which the start warns. */
export function completeProvider(settings: ProviderSettings): { provider: Provider; missing: string[] } {
  // Where no number is set from which the provider calls, it is the provider's phone, because a placeholder would be nobody's number.
  const given = {
    callsFrom: settings.phone,
    legalName: settings.name,
    npi: isNpi(settings.supplierId) ? settings.supplierId : undefined,
    ...settings,
  };
  const filled = Object.fromEntries(factNames.map((key) => [key, given[key] ?? placeholders[key].text]));
  const { acceptsAssignment, privacyUrl, languageHelpUrl, languageHelp = [] } = given;
  const missing: string[] = factNames
    .filter((key) => !settings[key] && !(key === "npi" && given.npi))
    .map((key) => placeholders[key].setting);
  const hours = settings.hours && Object.values(settings.hours).some(Boolean) ? settings.hours : undefined;
  if (!hours) missing.push("PROVIDER_HOURS");
  return {
    provider: {
      ...(filled as Record<keyof typeof placeholders, string>),
      hours: hours ?? placeholderHours,
      ...(acceptsAssignment !== undefined && { acceptsAssignment }),
      ...(privacyUrl && { privacyUrl }),
      ...(languageHelpUrl && { languageHelpUrl }),
      languageHelp,
    },
    missing,
  };
}

/** The names of the provider's facts that `withProvider` puts into a text. */
export const factNames = Object.keys(placeholders) as Fact[];
type Fact = keyof typeof placeholders;

/** The placeholders in a text, or in all texts of an object, such as "{phone}"; and a phrase for a text with a lone brace. */
export const placeholdersOf = (texts: unknown): string[] =>
  typeof texts === "string"
    ? [...(texts.match(/\{[^{}]*\}/g) ?? []), ...loneBraceIn(texts)]
    : Object.values(texts ?? {}).flatMap(placeholdersOf);

/** "{phone" or "{{phone}}". */
const loneBraceIn = (text: string): string[] =>
  /[{}]/.test(text.replaceAll(/\{[^{}]*\}/g, "")) ? ["a brace without its other one"] : [];

/**
 * Puts the provider's facts into a text: {name}, {legalName}, {phone}, {callsFrom}, {address}, {npi}.
 * @throws ContentError for a placeholder that nothing fills, such as a mistyped one, because readers would see it as it stands.
 */
export function withProvider(text: string, provider: Pick<Provider, Fact>): string {
  const known = factNames.map((key) => `{${key}}`);
  const unknown = placeholdersOf(text).filter((one) => !known.includes(one));
  if (unknown.length > 0)
    throw new ContentError(
      `A text in content/ has ${unknown.join(", ")}, which nothing fills: “${text}” There are: ${known.join(", ")}.`,
    );
  return fillIn(text, (key) => provider[key as Fact]);
}
