// The signals that stop a program. One that npm has started gets each of them twice: from the terminal (Ctrl-C), or from whoever ends the
// whole group of processes, and from npm, which passes it on.

/** Milliseconds within which a second signal is the first one that npm passes on. */
const passedOnWithin = 1_000;

/**
 * Calls `onFirst` once, at the first signal. Ctrl-C that is pressed again later ends the program at once; no other signal cuts it short.
 * Returns what to call when the program stops by itself, so that the first Ctrl-C is such a later one.
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
