// The signals that stop a program. A program that npm has started gets each signal twice: once from the terminal (Ctrl-C) or from whoever
// ends the whole group of processes, and once from npm, which passes the signal on.

/** A second signal within so many milliseconds counts as the first one, passed on by npm. */
const passedOnWithin = 1_000;

/**
 * Calls `onFirst` once, at the first signal. A later Ctrl-C ends the program at once; every other later signal is ignored.
 * Returns a function to call when the program stops by itself: after that, the first Ctrl-C counts as a later one.
 */
export function onStopSignals(onFirst: () => void): () => void {
  let firstAt: number | undefined;
  const stop = (signal: NodeJS.Signals) => {
    if (firstAt === undefined) {
      firstAt = performance.now();
      onFirst();
    } else if (signal === "SIGINT" && performance.now() - firstAt > passedOnWithin) process.exit(130);
  };
  // A terminal that is closed may send SIGHUP twice, and a session that ends sends it after SIGTERM.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, stop);
  return () => {
    firstAt ??= Number.NEGATIVE_INFINITY;
  };
}
