// Data of an older major version, brought over with real servers of both. It needs an older PostgreSQL on this machine, as
// Debian's packages bring it.
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import connect from "postgres";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { findRunning, startPostgres } from "./embedded-postgres.ts";
import { moveData } from "./move-data.ts";
import { findInstalled } from "./old-programs.ts";
import { upgradeData } from "./upgrade-data.ts";

const older = [17, 16, 15, 14].find(findInstalled) ?? 0;
const oldPrograms = findInstalled(older)?.folder ?? "";

// Each test starts servers, on a machine that may be busy.
vi.setConfig({ testTimeout: 120_000 });

function newFolder() {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "embedded-upgrade-")));
  chmodSync(folder, 0o755);
  return folder;
}

let dataDir: string;
beforeEach(() => void (dataDir = newFolder()));
afterEach(() => rmSync(dataDir, { recursive: true, force: true, maxRetries: 20 }));

const ask = async (url: string, query: string) => {
  const [, login = "", sockets = "", port = "5432", database = ""] =
    /^postgres:\/\/([^@]*)@([^/:]*):?(\d{0,5})\/(\w+)$/.exec(url) ?? [];
  const path = `${decodeURIComponent(sockets)}/.s.PGSQL.${port || "5432"}`;
  const sql = connect(`postgres://${login}@localhost/${database}`, { path, max: 1 });
  try {
    return (await sql.unsafe(query).values()).flat() as unknown[];
  } finally {
    await sql.end({ timeout: 0 });
  }
};

/** Data that the older programs made, once. Each test upgrades a copy, because to make it takes ten times as long. */
let oldData: string;

async function makeOldData() {
  oldData = newFolder();
  const old = await startPostgres({ dataDir: oldData, programs: oldPrograms });
  await ask(old.url, "create table kept as select 42 as answer");
  await old.stop();
}

const copy = async (from: string, to: string) => {
  const [answer] = await ask(from, "table kept");
  await ask(to, `create table kept as select ${answer} as answer`);
};
const findPrograms = async () => oldPrograms;

/** What the data answers with the newest programs, and the major version that answers. */
async function askNew() {
  const postgres = await startPostgres({ dataDir });
  try {
    const [answer] = await ask(postgres.url, "table kept");
    const [version] = await ask(postgres.url, "show server_version_num");
    return [answer, Math.floor(Number(version) / 10_000)];
  } finally {
    await postgres.stop();
  }
}

describe.runIf(older > 0)(`data of PostgreSQL ${older}`, () => {
  beforeAll(makeOldData);
  beforeEach(() => void execFileSync("cp", ["-a", `${oldData}/.`, dataDir]));
  afterAll(() => rmSync(oldData, { recursive: true }));

  it("is refused by newer programs, in words, and stays as it is", async () => {
    await expect(startPostgres({ dataDir, retry: true })).rejects.toThrow(
      `The data folder ${dataDir} holds data of PostgreSQL ${older}, and this program brings PostgreSQL`,
    );
    const old = await startPostgres({ dataDir, programs: oldPrograms });
    expect(await ask(old.url, "table kept")).toEqual([42]);
    await old.stop();
  });

  it("is brought over with everything in it, and kept beside", async () => {
    const { from, to, kept } = await upgradeData({ dataDir }, { findPrograms, copy });
    expect([from, kept]).toEqual([older, join(dataDir, `postgresql-${older}`)]);
    expect(readFileSync(join(kept, "PG_VERSION"), "utf8").trim()).toBe(String(older));
    expect(await askNew()).toEqual([42, to]);
    await expect(upgradeData({ dataDir }, { findPrograms, copy })).rejects.toThrow(
      `PostgreSQL ${to}'s, and this program brings PostgreSQL ${to}: there is nothing to upgrade.`,
    );
  });

  it("is refused, and nothing is changed, where an interrupted copy left its version empty", async () => {
    writeFileSync(join(dataDir, "postgresql/PG_VERSION"), "");
    const before = readdirSync(dataDir, { recursive: true }).sort();
    await expect(upgradeData({ dataDir }, { findPrograms, copy })).rejects.toThrow(
      "PG_VERSION is empty, so nobody knows of which PostgreSQL the data is.",
    );
    expect(readdirSync(dataDir, { recursive: true }).sort()).toEqual(before);
  });

  it("stays in use, with nothing left beside it, when the copy fails", async () => {
    const before = readdirSync(dataDir).sort();
    const failing = () => Promise.reject(new Error("The copy failed."));
    await expect(upgradeData({ dataDir }, { findPrograms, copy: failing })).rejects.toThrow(
      "The copy failed.",
    );
    expect(readdirSync(dataDir).sort()).toEqual(before);
    const old = await startPostgres({ dataDir, programs: oldPrograms });
    expect(await ask(old.url, "table kept")).toEqual([42]);
    await old.stop();
  });

  it("is not found by other programs while it is copied, because what they write then would be lost", async () => {
    const found: unknown[] = [];
    const watched = async (from: string, to: string) => {
      await copy(from, to);
      found.push(await findRunning({ dataDir }));
    };
    await upgradeData({ dataDir }, { findPrograms, copy: watched });
    expect(found).toEqual([undefined]);
  });

  it.each(["before both", "between the two"])("is upgraded after a crash %s renames", async (moment) => {
    const { to, kept } = await upgradeData({ dataDir }, { findPrograms, copy });
    // As the crash leaves it: the finished copy waits beside its place.
    renameSync(join(dataDir, "postgresql"), join(dataDir, "postgresql.upgraded"));
    if (moment === "before both") renameSync(kept, join(dataDir, "postgresql"));
    expect(await askNew()).toEqual([42, to]);
    expect(existsSync(kept)).toBe(true);
  });

  it.each(["before both", "between the two"])(
    "is upgraded, and its renames are finished, when it is upgraded again or moved after a crash %s renames",
    async (moment) => {
      const crash = () => {
        renameSync(join(dataDir, "postgresql"), join(dataDir, "postgresql.upgraded"));
        if (moment === "before both") renameSync(kept, join(dataDir, "postgresql"));
      };
      const { to, kept } = await upgradeData({ dataDir }, { findPrograms, copy });
      crash();
      await expect(upgradeData({ dataDir }, { findPrograms, copy })).rejects.toThrow(
        `The data in ${dataDir} is PostgreSQL ${to}'s, and this program brings PostgreSQL ${to}: there is nothing`,
      );
      expect(await askNew()).toEqual([42, to]);
      crash();
      const moved = join(dataDir, "../", `${basename(dataDir)}-moved`);
      await moveData({ dataDir }, moved);
      renameSync(moved, dataDir);
      expect(readdirSync(dataDir)).not.toContain("postgresql.upgraded");
      expect(await askNew()).toEqual([42, to]);
    },
  );

  it("keeps the file of its password as it is, because a crash while it is written would empty it", async () => {
    const before = statSync(join(dataDir, "owner-password"));
    await upgradeData({ dataDir }, { findPrograms, copy });
    const after = statSync(join(dataDir, "owner-password"));
    expect([after.ino, after.mtimeMs]).toEqual([before.ino, before.mtimeMs]);
  });

  it("stays in use when the new server does not end as it should, because then the copy may not be on disk", async () => {
    const killed = async (from: string, to: string) => {
      await copy(from, to);
      const [pid] = readFileSync(join(dataDir, "postgresql.new-upgrade/postmaster.pid"), "utf8").split("\n");
      process.kill(Number(pid), "SIGKILL");
    };
    await expect(upgradeData({ dataDir }, { findPrograms, copy: killed })).rejects.toThrow(
      "The new PostgreSQL did not shut down as it should, so the old data stays in use.",
    );
    const old = await startPostgres({ dataDir, programs: oldPrograms });
    expect(await ask(old.url, "table kept")).toEqual([42]);
    await old.stop();
  });

  it("is not upgraded where a file of the folder cannot be used, which is said in words", async () => {
    const log = join(dataDir, "log/postgresql.log");
    rmSync(log);
    mkdirSync(log);
    await expect(upgradeData({ dataDir }, { findPrograms, copy })).rejects.toThrow(
      `The data folder ${dataDir} cannot be used (EISDIR).`,
    );
  });

  it("makes no folder where the data folder's name is mistyped", async () => {
    const mistyped = join(dataDir, "mistyped");
    await expect(upgradeData({ dataDir: mistyped }, { findPrograms, copy })).rejects.toThrow(
      `There is no data in ${mistyped}.`,
    );
    expect(existsSync(mistyped)).toBe(false);
  });

  it("is not upgraded without its password, which the copy needs", async () => {
    const password = join(dataDir, "owner-password");
    const kept = readFileSync(password, "utf8");
    rmSync(password);
    await expect(upgradeData({ dataDir }, { findPrograms, copy })).rejects.toThrow(
      `The password of the database is missing: put ${password} back from a backup.`,
    );
    writeFileSync(password, kept);
    expect(await upgradeData({ dataDir }, { findPrograms, copy })).toMatchObject({ from: older });
  });

  it("is not upgraded with programs of another version, nor while a server runs on it", async () => {
    const wrong = { findPrograms: async () => "/nowhere", copy };
    await expect(upgradeData({ dataDir }, wrong)).rejects.toThrow();
    const old = await startPostgres({ dataDir, programs: oldPrograms });
    await expect(upgradeData({ dataDir }, { findPrograms, copy })).rejects.toThrow(
      "Another program has the data folder",
    );
    await old.stop();
    writeFileSync(join(dataDir, "postgresql/PG_VERSION"), "9\n");
    await expect(upgradeData({ dataDir }, { findPrograms, copy })).rejects.toThrow(
      `The programs in ${join(oldPrograms, "bin")} are PostgreSQL ${older}, and the data in ${dataDir} needs PostgreSQL 9.`,
    );
  });

  it("is upgraded after an earlier upgrade was killed, whose servers it ends", async () => {
    const script = `
      import { upgradeData } from ${JSON.stringify(join(import.meta.dirname, "upgrade-data.ts"))};
      await upgradeData({ dataDir: ${JSON.stringify(dataDir)} }, {
        findPrograms: async () => ${JSON.stringify(oldPrograms)},
        copy: async () => process.kill(process.pid, "SIGKILL"),
      });`;
    expect(() => execFileSync(process.execPath, ["--input-type=module", "-e", script])).toThrow();
    const { to } = await upgradeData({ dataDir }, { findPrograms, copy });
    expect(await askNew()).toEqual([42, to]);
  });
});
