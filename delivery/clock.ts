// The clock by which a worker pauses and knows when a job is due. It never goes back. The machine's clock goes back when it was ahead and
// is corrected, and a pause of seconds would then last until the earlier time is reached again.

/** Returns milliseconds. */
export type Clock = () => number;

/** Makes the clock; `now` is a test's own time. */
export const makeClock =
  (now: (() => Date) | undefined): Clock =>
  () =>
    now?.().getTime() ?? performance.now();
