// The kind of device that a User-Agent header names. Nothing else of the header is stored with a page load. Up to 1,000 headers are kept in
// memory, without anything else of their requests.
import { isbot } from "isbot";
import type { Device } from "./steps.ts";

/** Characters of a User-Agent that are looked at, because to match a longer one costs more. */
const maxLength = 500;

/** A cache of User-Agents and their devices, because matching the patterns of bots costs as much as answering with a page. */
const seen = new Map<string, Device>();
const maxSeen = 1_000;

/** The device; "unknown" without a User-Agent. */
export function deviceOf(header: string | null | undefined): Device {
  const userAgent = (header ?? "").slice(0, maxLength);
  const known = seen.get(userAgent);
  if (known) return known;
  const device = isbot(userAgent) ? "bot" : kindOf(userAgent);
  if (seen.size >= maxSeen) seen.clear();
  seen.set(userAgent, device);
  return device;
}

// The same rule stands in SQL (private.device_of), for leads whose device our server did not state.
function kindOf(userAgent: string): Device {
  const names = (...words: string[]) => words.some((word) => userAgent.includes(word));
  if (userAgent === "") return "unknown";
  if (names("iPad", "Tablet", "Silk") || (names("Android") && !names("Mobile"))) return "tablet";
  if (names("Mobi", "iPhone", "iPod")) return "phone";
  return "computer";
}
