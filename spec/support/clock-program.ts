// A stand-in for the program `date +%s`, for scripts that give up after a time: it gives a later time at each call, so that no test has to
// wait.
import { readFileSync, writeFileSync } from "node:fs";

export interface ClockProgram {
  /** The time that it gave last, in seconds; it begins at 0. */
  seconds(): number;
}

/** Writes the program to a path, with its time beside it. Each call is `step` seconds after the one before. */
export function writeClockProgram(path: string, step: number): ClockProgram {
  const file = `${path}.seconds`;
  writeFileSync(file, "0");
  // The time is read before the file is opened for writing, which empties it.
  writeFileSync(
    path,
    `#!/bin/sh\nseconds=$(($(cat "${file}") + ${step}))\necho "$seconds" > "${file}"\necho "$seconds"\n`,
    { mode: 0o755 },
  );
  return { seconds: () => Number(readFileSync(file, "utf8")) };
}
