// What a page is made of: the texts of its language, the provider, and where the pages of each language are.

import { type ShownVariant, type VariantPicture, withChanges } from "../content/experiment.ts";
import type { Language, Text } from "../content/language.ts";
import { type LanguageCode, pathOf, shownLanguages, textsIn } from "../content/languages.ts";
import { type PermissionNotice, permissionNotices } from "../content/permission.ts";
import { completeProvider, type Provider, type ProviderSettings, withProvider } from "../content/provider.ts";

/** The settings that the pages show. */
export interface PageSettings {
  site: {
    url: string;
    backendUrl: string;
    backendKey: string;
    languages?: readonly string[];
    /** Whether page loads are counted (default: not). */
    counting?: boolean;
  };
  provider: ProviderSettings;
  /** The languages whose share card cannot be drawn (default: none). */
  withoutShareCard?: readonly LanguageCode[];
}

export interface PageContent {
  code: LanguageCode;
  texts: Language;
  /** Which variant of the article this is; undefined while no experiment runs. */
  variant: string | undefined;
  /** The variant's own picture. */
  picture: VariantPicture | undefined;
  provider: Provider;
  notice: PermissionNotice;
  /** The site's public address, without a slash at its end. */
  siteUrl: string;
  backend: { url: string; key: string };
  hasShareCard: boolean;
  /** Whether loads of this page are counted. */
  counting: boolean;
  /** Where the pages of this language begin: "" or "/es". */
  path: string;
  /** The languages shown, with this one among them. The language whose pages are at `/` comes first. */
  languages: { code: LanguageCode; tag: string; link: string; path: string }[];
  /** Puts the facts of the provider into a text, such as its name for {name}. */
  fill: (text: string) => string;
}

/** Gathers what the pages of one language are made of, with the changes of a variant. @throws ContentError */
export function pageContent(settings: PageSettings, code: LanguageCode, variant?: ShownVariant): PageContent {
  const { site } = settings;
  const { provider } = completeProvider(settings.provider);
  const shown = shownLanguages(site.languages);
  const notice = permissionNotices(settings).find(({ language }) => language === code) as PermissionNotice;
  const texts = textsIn(code);
  return {
    code,
    texts: variant ? { ...texts, article: withChanges(texts.article, variant.changes) } : texts,
    variant: variant?.name,
    picture: variant?.changes.picture?.shows,
    provider,
    notice,
    siteUrl: site.url,
    backend: { url: site.backendUrl, key: site.backendKey },
    hasShareCard: !settings.withoutShareCard?.includes(code),
    counting: site.counting === true,
    path: pathOf(code, shown),
    languages: shown.map((one) => ({ ...textsIn(one), code: one, path: pathOf(one, shown) })),
    fill: (text) => withProvider(text, provider),
  };
}

/** A paragraph's sentences, in one line. */
export const sentences = (text: Text): string =>
  text.map((sentence) => (typeof sentence === "string" ? sentence : sentence.says)).join(" ");
