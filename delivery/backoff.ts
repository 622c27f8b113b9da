// How long a delivery waits before it is tried again: seconds at first, hours at last, about three days in all, or six where the
// receiver always asks for longer. After that it has failed, and only the team can have it tried again.

const minute = 60;
const hour = 60 * minute;

/** The waits in seconds, after the first attempt, the second, and so on: together 71 hours and 51 minutes. */
const waits = [
  5,
  15,
  minute,
  5 * minute,
  15 * minute,
  30 * minute,
  hour,
  2 * hour,
  ...Array.from({ length: 17 }, () => 4 * hour),
];

/** Milliseconds until work that failed because of a bug is tried again. Without the pause each sweep would try it. */
export const pauseAfterBug = 60_000;

/** The number of attempts after which a delivery may have failed. */
export const maxAttempts = waits.length + 1;

/** Seconds that a delivery is owed at least before it has failed: all the waits, when each is the shortest. */
const minOwed = 0.95 * waits.reduce((sum, wait) => sum + wait);

/** The longest wait a receiver may ask for, in seconds: a lead does not wait for a typing error in a header. */
const maxAskedWait = 6 * hour;

/**
 * Whether an attempt was the last one. It needs both the count and the time: a program that starts again and again retries
 * at each start, and must not use up three days' attempts in some minutes. `owedFor` is the seconds since the delivery was enqueued. A
 * retry by the team does not reset it, so the count alone decides after three days.
 */
export const isLastAttempt = (attempt: number, owedFor: number): boolean =>
  attempt >= maxAttempts && owedFor >= minOwed;

export interface Wait {
  seconds: number;
  /** Whether the wait is longer because the receiver asked. */
  isAsked: boolean;
}

/**
 * The wait after the given attempt. A receiver may ask for a longer wait, not for a shorter one, because a receiver
 * that always asks for a second would use up all attempts in a minute. `random` spreads waits by a tenth, so that deliveries
 * which failed together do not come back together.
 */
export function waitAfter(attempt: number, asked = 0, random: () => number = Math.random): Wait {
  const backoff = (waits[attempt - 1] ?? 4 * hour) * (0.95 + 0.1 * random());
  const askedWait = Math.min(asked, maxAskedWait);
  return { seconds: Math.max(backoff, askedWait), isAsked: askedWait > backoff };
}
