// What libraries and Node print with console.error or console.warn: errors whose messages may quote what a visitor typed, and sentences
// that are no event of the log.
import { logBug } from "./bug.ts";
import type { Log } from "./log.ts";

/**
 * From here on an error that a library prints is logged as the bug it is, without its message, and nothing else is printed. Of warnings
 * the one about a leak of listeners is logged too; the others say nothing of what this program did wrong.
 */
export function logWhatLibrariesPrint(log: Log): void {
  const logErrors = (...values: unknown[]) => {
    for (const value of values) if (value instanceof Error) logBug(log, value);
  };
  const printNothing = () => {};
  Object.assign(console, { error: logErrors, warn: logErrors });
  for (const name of ["log", "info", "debug", "trace", "dir"] as const) console[name] = printNothing;
  // Node's own listener prints with the `console.error` that it found at its first warning.
  process.removeAllListeners("warning");
  process.on("warning", (warning) => {
    if (warning.name === "MaxListenersExceededWarning") logBug(log, warning);
  });
}
