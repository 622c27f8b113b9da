// Keeps PostgreSQL's log from growing without end. The server holds the file open, so the file is copied and emptied
// rather than renamed; a line that is written in between is lost.
import { copyFileSync, statSync, truncateSync } from "node:fs";
import { codeOf } from "./error.ts";

/**
 * Moves the log to `LOG.1` when it is larger than `maxBytes`; an older `LOG.1` goes. The server appends, so it may go on. Where the log
 * cannot be changed, as on a read-only disk, it stays as it is.
 */
export function rotateLog(log: string, maxBytes: number): void {
  try {
    const size = statSync(log, { throwIfNoEntry: false })?.size ?? 0;
    if (size > maxBytes) moveAside(log);
  } catch {
    // Nothing depends on the log's size, and this runs in a timer, where an error would end the program.
  }
}

function moveAside(log: string): void {
  try {
    copyFileSync(log, `${log}.1`);
  } catch (error) {
    // On a full disk the older lines go, so that the log does not fill it further.
    if (!["ENOSPC", "EDQUOT"].includes(codeOf(error))) throw error;
  }
  truncateSync(log);
}
