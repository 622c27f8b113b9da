// How long a delivery waits before it is tried again: seconds at first, hours at last, about three days in all.
// After that it has failed, and only the team can have it tried again.

const minute = 60;
const hour = 60 * minute;

/** The waits in seconds, after the first try, the second, and so on: together 72 hours. */
const waits = [
  ...[5, 15, minute, 5 * minute, 15 * minute, 30 * minute, hour, 2 * hour],
  ...Array.from({ length: 17 }, () => 4 * hour),
];

/** How often a delivery is tried before it has failed. */
export const mostAttempts = waits.length + 1;

/** The longest wait a receiver may ask for, in seconds: a lead does not wait for a typing error in a header. */
const longestAskedWait = 6 * hour;

/**
 * Seconds to wait after the given try, or undefined when it was the last one. A receiver may ask for a longer wait,
 * not for a shorter one, or a receiver that is always "back in a second" would use up three days in a minute.
 * `random` spreads tries by a tenth, so that those which failed together do not come back together.
 */
export function waitAfter(
  attempt: number,
  asked = 0,
  random: () => number = Math.random,
): number | undefined {
  const wait = waits[attempt - 1];
  if (wait === undefined) return undefined;
  return Math.max(wait * (0.95 + 0.1 * random()), Math.min(asked, longestAskedWait));
}
