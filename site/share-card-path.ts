// Where the share card of a language is. It names who pays, and pages that were built for one payer may be started for
// another. Then the server draws a card of its own, at a path of its own, because browsers keep the old one for a year.
import { createHash } from "node:crypto";
import type { LanguageCode } from "../content/languages.ts";
import { built } from "./built.ts";

export function shareCardPath(language: LanguageCode, payer: string): string {
  const { version, payer: known } = built.shareCard;
  const other = payer === known ? "" : `-${createHash("sha256").update(payer).digest("hex").slice(0, 8)}`;
  return `/assets/share-card-${language}-${version}${other}.png`;
}
