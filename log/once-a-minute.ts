// Limits the log entries about what may happen a thousand times a second: one at the first time, then one a minute with the count.

const minute = 60_000;

/** Makes a function to call at each occurrence. `report` gets the number of occurrences since the report before. */
export function onceAMinute(report: (count: number) => void): () => void {
  let count = 0;
  let isIdle = true;
  const reportCount = () => {
    isIdle = count === 0;
    if (isIdle) return;
    report(count);
    count = 0;
    setTimeout(reportCount, minute).unref();
  };
  return () => {
    count += 1;
    if (isIdle) reportCount();
  };
}
