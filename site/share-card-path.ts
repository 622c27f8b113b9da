// The path of a language's share card. The card names the provider, who pays for the article. A server may start with another provider
// than its pages were built for. Then it draws another card, at another path, because browsers keep the old card for a year.
import { createHash } from "node:crypto";
import type { LanguageCode } from "../content/languages.ts";
import { built } from "./built.ts";

export function shareCardPath(language: LanguageCode, providerName: string): string {
  const { version, providerName: builtFor } = built.shareCard;
  const other =
    providerName === builtFor
      ? ""
      : `-${createHash("sha256").update(providerName).digest("hex").slice(0, 8)}`;
  return `/assets/share-card-${language}-${version}${other}.png`;
}
