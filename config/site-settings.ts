// The settings of the site: where it is served, what its pages say about the provider, and the backend when that is another server.

import { addressWithoutPath, backendAddress, origins, proxies, webAddress } from "./addresses.ts";
import { optional, withDefault } from "./setting.ts";
import { hours, reviews, translationCodes } from "./translation-settings.ts";
import { languages, npi, oneOf, onOrOff, phoneNumber, text, token, wholeNumber } from "./values.ts";

export const web = {
  PORT: withDefault(wholeNumber(0, 65_535), "3000", "Where the site listens."),
  HOST: withDefault(
    text,
    "127.0.0.1",
    "Only this machine unless you say otherwise; 0.0.0.0 is every network it is on.",
  ),
  SITE_URL: optional(
    addressWithoutPath("https://www.example.com"),
    "The site's public address, without a path: for canonical links, the share card and HSTS, and so that its pages may always send leads.",
    "https://www.example.com",
  ),
  ANON_KEY: withDefault(
    token,
    "sb_publishable_anonymous_visitor",
    "The public anonymous key that the page presents and the intake knows. Not a secret.",
  ),
  ALLOWED_ORIGINS: withDefault(
    origins,
    "*",
    "The sites whose pages may send leads here (default: any; the key is public either way).",
    "https://www.example.com",
  ),
  TRUST_PROXY: withDefault(
    proxies,
    "",
    "The proxies in front that may say who a visitor is, as addresses or networks. Without it, all visitors behind a proxy\nshare one limit.",
    "loopback",
  ),
  RATE_LIMIT: withDefault(
    onOrOff,
    "on",
    'Sixty leads a minute from one address, then a kind "wait a minute"; and 600 counts of page loads. off is for tests.',
  ),
  LANGUAGES: withDefault(
    languages,
    "en",
    `The languages the pages are shown in, the first one at /: any of ${["en", ...translationCodes].join(", ")}.`,
    "en,es",
  ),
  ...reviews,
  COUNTING: withDefault(
    onOrOff,
    "on",
    "Counts page loads by campaign, without anything that tells one visitor from another. off counts nothing.",
  ),
  LOG_FORMAT: withDefault(
    oneOf("text", "json"),
    "text",
    "How the log is written: text for a person, json for a program that collects logs.",
  ),
};

export const supabase = {
  VITE_SUPABASE_URL: optional(
    backendAddress,
    "Where the pages send leads, when another server than this one takes them.",
    "https://project.supabase.co",
  ),
  VITE_SUPABASE_ANON_KEY: optional(token, "", "sb_publishable_..."),
  SUPABASE_SECRET_KEY: optional(
    token,
    "Only for `npm run doctor`: a project's secret or service key, with which it erases its test lead again.",
    "sb_secret_...",
  ),
  SUPABASE_SERVICE_ROLE_KEY: optional(token, "... under the name that older projects gave it.", ""),
};

export const provider = {
  PROVIDER_NAME: optional(
    text,
    "The provider, as the pages and messages name it. For a name, number, address, NPI or hours not set, they show a placeholder or another setting's value, and the log warns of it at the start.",
    "",
  ),
  PROVIDER_LEGAL_NAME: optional(text, "", ""),
  PROVIDER_PHONE: optional(phoneNumber, "", ""),
  PROVIDER_CALLS_FROM: optional(phoneNumber, "The number the provider's team calls from.", ""),
  PROVIDER_HOURS: optional(
    text,
    "When somebody answers PROVIDER_PHONE.",
    "Monday to Friday, 9 a.m. to 5 p.m. Eastern time",
  ),
  ...hours,
  PROVIDER_ADDRESS: optional(text, "", ""),
  PROVIDER_NPI: optional(
    npi,
    "Your National Provider Identifier, ten digits. The number that Medicare gave you as a supplier must not be published.",
    "",
  ),
  PROVIDER_SUPPLIER_ID: optional(text, "The earlier name of PROVIDER_NPI: shown when it holds an NPI.", ""),
  PROVIDER_ASSIGNMENT: optional(
    onOrOff,
    "Whether you accept Medicare's assignment. Unset, the page tells readers to ask.",
    "on",
  ),
  PROVIDER_PRIVACY_URL: optional(
    webAddress,
    "The provider's own page on health data, if a law asks for one; linked from the foot of every page.",
    "https://www.example.com/health-data",
  ),
  LANGUAGE_HELP_URL: optional(
    webAddress,
    "Your page about free language help (45 CFR 92.11), linked from the foot of every page ...",
    "https://www.example.com/language-help",
  ),
  LANGUAGE_HELP: optional(
    languages,
    "... and the languages in each of which a line at the foot says that such help is free: those listed for your state.",
    "es,zh,vi",
  ),
  NOTICE_FILE: optional(
    text,
    "A text file with your own permission notice, from your counsel, in UTF-8. It is checked for words that tell what 47 CFR 64.1200 and 42 CFR 424.57(c)(11) ask; counsel reads the rest. For Spanish, notice.es.txt beside it.\n{name}, {legalName}, {phone}, {callsFrom}, {address}, {npi} and {button} in it are filled in.",
    "./notice.txt",
  ),
};
