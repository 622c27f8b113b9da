// Where the share card is. It names who pays, and pages that were built for one payer may be started for another: then the
// server draws a card of its own, at a path of its own, because whoever has the old one keeps it for a year.
import { createHash } from "node:crypto";
import { built } from "./built.ts";

export function shareCardPath(payer: string): string {
  const { path, payer: known } = built.shareCard;
  if (payer === known) return path;
  return path.replace(/\.png$/, `-${createHash("sha256").update(payer).digest("hex").slice(0, 8)}.png`);
}
