// Tells the log of what may happen a thousand times a second: at once the first time, and then once a minute with the count.

const minute = 60_000;

/** Makes a counter. `tell` is given how often it happened since it was last called. */
export function onceAMinute(tell: (count: number) => void): () => void {
  let count = 0;
  let isQuiet = true;
  const speak = () => {
    isQuiet = count === 0;
    if (isQuiet) return;
    tell(count);
    count = 0;
    setTimeout(speak, minute).unref();
  };
  return () => {
    count += 1;
    if (isQuiet) speak();
  };
}
