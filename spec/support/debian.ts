// Installs the Debian packages that the tests need, so that `npm test` runs without further steps where it may.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";

/** Installs packages when this is Debian and we are root: all at once, or one after the other when one of them cannot be. */
export function install(names: string[]): void {
  if (names.length === 0 || process.getuid?.() !== 0 || !existsSync("/usr/bin/apt-get")) return;
  process.stderr.write(`The tests need ${names.join(", ")}; installing Debian's packages.\n`);
  apt("update");
  if (installNow(names)) return;
  for (const name of names) installNow([name]);
}

const installNow = (names: string[]) => apt("install", "--yes", "--no-install-recommends", ...names);

const apt = (...args: string[]) =>
  spawnSync("apt-get", ["-qq", ...args], {
    stdio: ["ignore", "ignore", "inherit"],
    env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
  }).status === 0;

/** Says what is missing and what to do. The set-up goes on and ends with status 1. */
export function reportMissing(sentence: string): void {
  process.stderr.write(`${sentence}\n`);
  process.exitCode = 1;
}
