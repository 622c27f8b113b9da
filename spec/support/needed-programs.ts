// The programs that the tests use and npm does not install. `npm test` runs this file first: as root on Debian it installs the missing
// packages, in one step where that works. Then it says what to do about each program that is still missing and that the tests need.
import { spawnSync } from "node:child_process";
import { findChromium, hasHeadlessShell, misnamedChromium } from "./chromium.ts";
import { install, reportMissing } from "./debian.ts";
import { bringDeno } from "./deno.ts";
import { firefox } from "./firefox.ts";
import { hasPgBouncer } from "./pgbouncer.ts";
import { findPrograms } from "./postgresql-programs.ts";
import { webkit } from "./webkit.ts";

interface Need {
  /** Debian's packages. */
  packages: string[];
  isThere(): boolean;
  /** What to do when the program is still missing. Unset where most tests run without the program. */
  refusal?: string;
}

const needs: Need[] = [
  // Without the headless shell, the chapters that use it run in the whole browser.
  { packages: ["chromium-headless-shell"], isThere: hasHeadlessShell },
  {
    packages: ["chromium"],
    isThere: () => Boolean(findChromium()),
    refusal:
      "The tests need Chromium. Install it (on Debian: `sudo apt-get install chromium`), or set CHROMIUM_PATH.",
  },
  // Without one of these browsers, the run reports that browser's tests as skipped.
  ...[firefox, webkit].map(({ missingPackages }) => ({
    packages: missingPackages?.split(" ") ?? [],
    isThere: () => !missingPackages,
  })),
  {
    packages: ["fonts-liberation"],
    isThere: hasFontLikeArial,
    refusal:
      "The chapter of the budgets needs a font with Arial's widths, or it sees the page shift. Install one (on Debian: `sudo apt-get install fonts-liberation`).",
  },
  {
    packages: ["postgresql"],
    isThere: () => Boolean(findPrograms()),
    refusal:
      "The tests need PostgreSQL's programs. Install them (on Debian: `sudo apt-get install postgresql`), or set POSTGRESQL_BIN to their folder.",
  },
  {
    packages: ["pgbouncer"],
    isThere: hasPgBouncer,
    refusal:
      "The tests need PgBouncer. Install it (on Debian: `sudo apt-get install pgbouncer`), or set PGBOUNCER to the program.",
  },
];

function hasFontLikeArial(): boolean {
  return /Liberation|Arial/.test(spawnSync("fc-list", { encoding: "utf8" }).stdout ?? "");
}

function bringPrograms(): void {
  const missing = needs.filter(({ isThere }) => !isThere());
  const hadPgBouncer = hasPgBouncer();
  install(missing.flatMap(({ packages }) => packages));
  // Debian's package starts a pooler of its own, which the tests do not use.
  if (!hadPgBouncer && hasPgBouncer()) spawnSync("service", ["pgbouncer", "stop"], { stdio: "ignore" });
  for (const { isThere, refusal } of missing) if (refusal && !isThere()) reportMissing(refusal);
}

function fetchDeno(): void {
  try {
    bringDeno();
  } catch (error) {
    reportMissing(`The chapters of the hosted function need Deno: ${(error as Error).message}`);
  }
}

const path = misnamedChromium();
if (path) {
  reportMissing(`CHROMIUM_PATH is ${path}, which is no program.`);
} else {
  bringPrograms();
  fetchDeno();
}
