// A PostgreSQL started by root, which does not run as root: who owns the data, and where it is when only root may enter its folder.
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  cpSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { findRunning } from "./embedded-postgres.ts";
import type { PostgresEvent } from "./options.ts";
import {
  copyInstallation,
  copyTemplate,
  createKeptTable,
  dataDir,
  isRoot,
  kill,
  modeOf,
  newFolder,
  optionsOn,
  query,
  socketsOf,
  start,
  startInChild,
  systemDir,
  useServers,
} from "./spec-servers.ts";

useServers();

describe.runIf(isRoot)("a PostgreSQL started by root", () => {
  it("runs as the user that owns the database's files and sockets, and nothing else in the data folder", async () => {
    const { pid } = await start();
    const owner = statSync(join(dataDir, "postgresql")).uid;
    expect(owner).not.toBe(0);
    expect(statSync(`/proc/${pid}`).uid).toBe(owner);
    const own = readdirSync(dataDir).filter((name) => statSync(join(dataDir, name)).uid === owner);
    expect(own.sort()).toEqual(["postgresql", "sockets"]);
  });

  it("takes back a data folder that root restored from a backup", async () => {
    copyTemplate();
    const { url, stop } = await start();
    await createKeptTable(url);
    await stop();
    const restored = newFolder();
    cpSync(dataDir, restored, { recursive: true });
    expect(await query((await start(restored)).url, "table kept")).toEqual([[42]]);
  });

  it("lets PostgreSQL's user pass through an empty folder that was made for the data, and through no other", async () => {
    const [empty, used] = [join(dataDir, "empty"), join(dataDir, "used")];
    for (const folder of [empty, used]) mkdirSync(folder, { mode: 0o700 });
    writeFileSync(join(used, "diary.txt"), "");
    expect(await query((await start(empty)).url, "select 1")).toEqual([[1]]);
    expect(modeOf(empty)).toBe("711");
    expect((await start(used)).dataDir).not.toBe(used);
    expect(modeOf(used)).toBe("700");
  });

  it("keeps the data in a folder of the system when only root may enter the chosen folder, says so, and finds the data again", async () => {
    const inside = join(dataDir, "private", "data");
    mkdirSync(dirname(inside), { mode: 0o700 });
    const startings: boolean[] = [];
    const onEvent = (event: PostgresEvent) =>
      void (event.name === "starting" && startings.push(event.isInSystemDir));
    const first = await start(inside, { onEvent });
    expect(first.dataDir).toMatch(new RegExp(`^${systemDir}/[0-9a-f]{12}/data$`));
    expect(startings).toEqual([true]);
    await createKeptTable(first.url);
    expect(await findRunning(optionsOn(inside))).toBe(first.url);
    await first.stop();
    expect(await query((await start(inside)).url, "table kept")).toEqual([[42]]);
    expect(modeOf(dirname(inside))).toBe("700");
  });

  it("keeps the data there also when the chosen folder is a link into a folder that only root may enter", async () => {
    const [inside, link] = [join(dataDir, "private", "data"), join(dataDir, "link")];
    mkdirSync(dirname(inside), { mode: 0o700 });
    mkdirSync(inside, { mode: 0o700 });
    symlinkSync(inside, link);
    expect((await start(link)).dataDir).toMatch(new RegExp(`^${systemDir}/[0-9a-f]{12}/data$`));
    expect(modeOf(inside)).toBe("700");
  });

  it("refuses to start, and makes no second database, when a folder above its data has become one that only root may enter", async () => {
    const parent = join(dataDir, "shared");
    const inside = join(parent, "data");
    mkdirSync(parent, { mode: 0o755 });
    const first = await start(inside);
    await createKeptTable(first.url);
    await first.stop();
    chmodSync(parent, 0o700);
    await expect(start(inside)).rejects.toThrow(
      `The data folder ${inside} cannot be used: PostgreSQL does not run as root, and the user`,
    );
    chmodSync(parent, 0o755);
    expect(await query((await start(inside)).url, "table kept")).toEqual([[42]]);
  });

  it("uses none of two places that hold data for one folder, and names both", async () => {
    const inside = join(dataDir, "private", "data");
    mkdirSync(dirname(inside), { mode: 0o700 });
    const { dataDir: elsewhere, stop } = await start(inside);
    await stop();
    mkdirSync(inside);
    copyTemplate(inside);
    await expect(start(inside)).rejects.toThrow(`There is data in ${inside} and in ${elsewhere}.`);
  });

  it("works with programs that a symbolic link in a folder of root alone names", async () => {
    copyTemplate();
    const folder = newFolder();
    chmodSync(folder, 0o700);
    const name = `@embedded-postgres/${process.platform}-${process.arch}`;
    const programs = join(folder, "programs");
    symlinkSync(join(dirname(createRequire(import.meta.url).resolve(name)), "../native"), programs);
    expect(await query((await start(dataDir, { programs })).url, "select 1")).toEqual([[1]]);
  });

  it("works from an installation that only root may enter, with its programs in a folder of the system", async () => {
    const { installation, from } = copyInstallation(0o700);
    const { child, answer } = startInChild({ folder: join(installation, "data"), from });
    const { url, dataDir: systemData } = await answer;
    expect(systemData).toMatch(new RegExp(`^${systemDir}/[0-9a-f]{12}/data$`));
    expect(readdirSync(systemDir).filter((name) => name.startsWith("programs-"))).toHaveLength(1);
    expect(await query(url, "select 1")).toEqual([[1]]);
    await kill(child, "SIGTERM");
  });

  it("is started by another user, too, in a folder above which that user may only pass", async () => {
    const { from, node } = copyInstallation(0o755);
    const uid = Number(execFileSync("id", ["-u", "nobody"], { encoding: "utf8" }));
    const folder = join(dataDir, "data");
    mkdirSync(folder, { mode: 0o700 });
    chownSync(folder, uid, uid);
    chmodSync(dataDir, 0o711);
    const { answer } = startInChild({ folder, from, node, as: { uid, gid: uid } });
    expect((await answer).url).toContain("postgres://owner:");
  });

  it("is started by another user, too, where the environment names a folder for temporary files in which that user may make nothing", async () => {
    const { from, node } = copyInstallation(0o755);
    const uid = Number(execFileSync("id", ["-u", "nobody"], { encoding: "utf8" }));
    const [folder, ofRoot] = [join(dataDir, "d".repeat(100)), join(dataDir, "tmp")];
    mkdirSync(folder, { mode: 0o700 });
    chownSync(folder, uid, uid);
    mkdirSync(ofRoot, { mode: 0o755 });
    for (const TMPDIR of [ofRoot, process.execPath]) {
      const as = { uid, gid: uid, env: { ...process.env, TMPDIR } };
      const { child, answer } = startInChild({ folder, from, node, as });
      const { url, refused } = await answer;
      expect(refused).toBeUndefined();
      expect(dirname(socketsOf(url))).toBe("/tmp");
      await kill(child, "SIGTERM");
      rmSync(socketsOf(url), { recursive: true });
    }
  });

  it("names to another user both places that are to be handed over where a part of the data lies elsewhere", async () => {
    const { from, node } = copyInstallation(0o755);
    const uid = Number(execFileSync("id", ["-u", "nobody"], { encoding: "utf8" }));
    const [folder, disk] = [join(dataDir, "data"), join(dataDir, "disk")];
    for (const one of [folder, disk]) mkdirSync(one, { mode: 0o700 });
    symlinkSync(disk, join(folder, "postgresql"));
    writeFileSync(join(disk, "PG_VERSION"), "");
    chownSync(folder, uid, uid);
    const { answer } = startInChild({ folder, from, node, as: { uid, gid: uid } });
    expect((await answer).refused).toContain(`sudo chown -R nobody ${folder} ${disk}"`);
  });

  it("says to another user what root left in the way, and what to type", async () => {
    copyTemplate();
    await (await start()).stop();
    const uid = Number(execFileSync("id", ["-u", "nobody"], { encoding: "utf8" }));
    // The checkout may be in a folder that only root may enter.
    const { from, node } = copyInstallation(0o755);
    const startAsNobody = () => startInChild({ from, node, as: { uid, gid: uid } }).answer;
    expect((await startAsNobody()).refused).toBe(
      `The data folder ${dataDir} cannot be written. ${dataDir} belongs to root, as after a start as that user. Start as root, hand it over once with "sudo chown -R nobody ${dataDir}", or name another folder in dataDir.`,
    );
    // The advice works.
    for (const path of [".", ...readdirSync(dataDir, { recursive: true })])
      chownSync(join(dataDir, String(path)), uid, uid);
    expect((await startAsNobody()).url).toContain("postgres://owner:");
  });
});
