// The time as the server has it, because a member's own clock may be wrong by hours and a lead's 24 hours are counted by the server's.
import { makeSharedValue, useSharedValue } from "./shared-value.ts";

/** Milliseconds that the server's clock is ahead of this machine's. */
let serverAhead = 0;

/** Takes the time from an answer's `date` header, which has whole seconds. */
export function readClock(date: string | null): void {
  const difference = date === null ? Number.NaN : Date.parse(date) - Date.now();
  if (Number.isNaN(difference)) return;
  serverAhead = Math.abs(difference) > 3_000 ? difference : 0;
}

export const serverNow = (): Date => new Date(Date.now() + serverAhead);

const tick = makeSharedValue(serverNow);
setInterval(() => tick.set(serverNow()), 15_000);

/** The time, updated every 15 seconds. */
export const useNow = (): Date => useSharedValue(tick);
