// Finds the Chromium that the tests drive.
import { accessSync, constants, statSync } from "node:fs";
import { delimiter, join } from "node:path";

const names = ["chromium", "chromium-browser", "google-chrome-stable", "google-chrome"];
const headlessShell = "chromium-headless-shell";

/** The browser's program: `CHROMIUM_PATH` when that is set, else the first one on the PATH. */
export function findChromium(): string | undefined {
  return process.env.CHROMIUM_PATH || find(names);
}

/**
 * Chromium's headless shell, or the whole browser where there is none: the same engine without windows, menus and the
 * back/forward cache, at two thirds of the processor time.
 */
export function findHeadlessShell(): string | undefined {
  return process.env.CHROMIUM_PATH || find([headlessShell]) || find(names);
}

/** Whether the headless shell is there, or another program is named in its place. */
export const hasHeadlessShell = (): boolean => Boolean(process.env.CHROMIUM_PATH || find([headlessShell]));

function find(programs: string[]): string | undefined {
  const folders = [...(process.env.PATH ?? "").split(delimiter), "/usr/bin"];
  return folders.flatMap((folder) => programs.map((name) => join(folder, name))).find(runs);
}

function runs(program: string): boolean {
  try {
    accessSync(program, constants.X_OK);
    // The right to run is the right to enter, of a folder.
    return statSync(program).isFile();
  } catch {
    return false;
  }
}

/** The value of `CHROMIUM_PATH` when it names no program. */
export function misnamedChromium(): string | undefined {
  const { CHROMIUM_PATH } = process.env;
  return CHROMIUM_PATH && !runs(CHROMIUM_PATH) ? CHROMIUM_PATH : undefined;
}
