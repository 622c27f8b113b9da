// The clock by which a worker pauses and knows when a job is due. It never goes back, because a machine's clock that was ahead and is set
// right would otherwise end a pause of seconds only when that time has come again.

/** Returns milliseconds. */
export type Clock = () => number;

/** Makes the clock; `now` is a test's own time. */
export const makeClock =
  (now: (() => Date) | undefined): Clock =>
  () =>
    now?.().getTime() ?? performance.now();
