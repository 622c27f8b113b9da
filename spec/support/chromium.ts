// Finds the Chromium that the tests drive. Run by itself, as `npm test` does first: installs Debian's packages
// when there is none and it may, or says in one line what to install.
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { install, refuse } from "./debian.ts";

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

function find(programs: string[]): string | undefined {
  const folders = [...(process.env.PATH ?? "").split(delimiter), "/usr/bin"];
  return folders.flatMap((folder) => programs.map((name) => join(folder, name))).find(runs);
}

function runs(program: string): boolean {
  try {
    accessSync(program, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function main(): void {
  const { CHROMIUM_PATH } = process.env;
  if (CHROMIUM_PATH && !runs(CHROMIUM_PATH))
    return void refuse(`CHROMIUM_PATH is ${CHROMIUM_PATH}, which is no program.`);
  // Where the headless shell cannot be installed, the chapters that ask for it run in the whole browser.
  if (!CHROMIUM_PATH && !find([headlessShell])) install(headlessShell);
  if (findChromium()) return;
  if (!install("chromium")) {
    return void refuse(
      "The tests need Chromium. Install it (on Debian: `sudo apt-get install chromium`), or set CHROMIUM_PATH.",
    );
  }
  if (!findChromium())
    refuse("Debian's chromium could not be installed. Install a Chromium and set CHROMIUM_PATH.");
}

if (import.meta.main) main();
