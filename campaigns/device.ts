// The kind of device that a browser's own statement (User-Agent) names. Nothing else of the statement is counted or kept.
import { isbot } from "isbot";
import type { Device } from "./steps.ts";

/** What the list of bots is asked about at most: its patterns are read anew for each text, and long ones cost more. */
const longest = 500;

/** Statements seen lately, with their devices, because asking the list of bots costs as much as answering with a page. */
const seen = new Map<string, Device>();
const mostSeen = 1_000;

/** The device. Without a statement it is not known. */
export function deviceOf(browser: string | null | undefined): Device {
  const statement = (browser ?? "").slice(0, longest);
  const known = seen.get(statement);
  if (known) return known;
  const device = isbot(statement) ? "bot" : kindOf(statement);
  if (seen.size >= mostSeen) seen.clear();
  seen.set(statement, device);
  return device;
}

// The rule of private.device_of, which tells the devices of leads that came by no server of ours.
function kindOf(statement: string): Device {
  const names = (...words: string[]) => words.some((word) => statement.includes(word));
  if (statement === "") return "unknown";
  if (names("iPad", "Tablet", "Silk") || (names("Android") && !names("Mobile"))) return "tablet";
  if (names("Mobi", "iPhone", "iPod")) return "phone";
  return "computer";
}
