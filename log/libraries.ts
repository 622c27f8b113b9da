// What libraries print with `console`: errors whose messages may quote what a visitor typed, and sentences that are no event of the log.
import { logBug } from "./bug.ts";
import type { Log } from "./log.ts";

/** From here on an error that a library prints is logged as the bug it is, without its message, and nothing else is printed. */
export function logWhatLibrariesPrint(log: Log): void {
  const printError = (...values: unknown[]) =>
    logBug(log, values.find((value) => value instanceof Error) ?? values[0]);
  Object.assign(console, {
    error: printError,
    warn: printError,
    log() {},
    info() {},
    debug() {},
    trace() {},
  });
}
