// Installs the Debian packages that the tests need, so that `npm test` runs without further steps where it may.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";

/** Installs a package, when this is Debian and we are root; returns whether it tried. */
export function install(name: string): boolean {
  if (process.getuid?.() !== 0 || !existsSync("/usr/bin/apt-get")) return false;
  process.stderr.write(`The tests need ${name}; installing Debian's package.\n`);
  apt("update");
  apt("install", "--yes", "--no-install-recommends", name);
  return true;
}

const apt = (...args: string[]) =>
  spawnSync("apt-get", ["-qq", ...args], {
    stdio: ["ignore", "ignore", "inherit"],
    env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
  });

/** Ends a set-up that lacks something, with a sentence that says what to do. */
export function refuse(sentence: string): void {
  process.stderr.write(`${sentence}\n`);
  process.exitCode = 1;
}
