// What the pages still lack before others read them: settings without a value, reviews that are due, translations that nobody answers for, their
// address. The server's start and a build warn of it.
import type { Config } from "../config/config.ts";
import { isThisMachine } from "../config/this-machine.ts";
import { reviewSetting, translationCodes } from "../config/translation-settings.ts";
import { sourcesToReview } from "./claims.ts";
import { type Translation, unreviewedLanguages } from "./languages.ts";
import { completeProvider } from "./provider.ts";

/** The warnings about the pages, each as the event to log and its facts. */
export function contentWarnings({ provider, site }: Pick<Config, "provider" | "site">) {
  return [
    ...completeProvider(provider).missing.map((setting) => ["setting-missing", { setting }] as const),
    ...sourcesToReview(new Date()).map(
      ({ source, reviewed }) => ["source-review-due", { source, reviewed }] as const,
    ),
    ...unreviewedLanguages(site).map(
      (language) => ["translation-not-reviewed", { language, setting: settingOf(language) }] as const,
    ),
    ...(isThisMachine(new URL(site.url).hostname) ? ([["address-missing", {}]] as const) : []),
  ];
}

/** The setting that says who answers for a translation. One that is just being added may have none yet, and its pages are built all the same. */
const settingOf = (code: Translation) => (translationCodes.includes(code) ? reviewSetting(code) : undefined);
