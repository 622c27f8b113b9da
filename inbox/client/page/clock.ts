// The time as the server has it, because a member's own clock may be wrong by hours and a lead's 24 hours are counted by the server's.
import { makeSharedValue, useSharedValue } from "./shared-value.ts";

/** Milliseconds that the server's clock is ahead of this machine's. */
let serverAhead = 0;

/** Differences of up to so many milliseconds are not corrected. */
const tolerance = 3_000;

/**
 * Takes the time from an answer's `date` header, which has whole seconds. The server may have written the header at any moment of the
 * `took` milliseconds before the answer arrived, so the header gives only the least and the most that the server's clock can be ahead.
 * `serverAhead` changes only when it is outside this range, because a late answer does not mean that the server's clock is behind.
 */
export function readClock(date: string | null, took: number): void {
  const least = date === null ? Number.NaN : Date.parse(date) - Date.now();
  if (Number.isNaN(least)) return;
  const most = least + 1_000 + took;
  if (least <= serverAhead && serverAhead <= most) return;
  if (least <= tolerance && most >= -tolerance) serverAhead = 0;
  else serverAhead = Math.min(Math.max(serverAhead, least), most);
  sharedNow.set(serverNow());
}

export const serverNow = (): Date => new Date(Date.now() + serverAhead);

/** The time, updated every 15 seconds, and at once when the member's clock is found to be wrong. */
export const sharedNow = makeSharedValue(serverNow);
setInterval(() => sharedNow.set(serverNow()), 15_000);

export const useNow = (): Date => useSharedValue(sharedNow);
