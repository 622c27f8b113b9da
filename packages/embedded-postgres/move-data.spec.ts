// Moving the data of an embedded PostgreSQL to another folder: real servers on real folders and disks.
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { moveData } from "./move-data.ts";
import {
  copyTemplate,
  createKeptTable,
  dataDir,
  folders,
  isAlive,
  isRoot,
  kill,
  optionsOn,
  query,
  start,
  startInChild,
  useServers,
} from "./spec-servers.ts";

useServers();

describe("moving the data", () => {
  const otherDisk = ["/dev/shm", "/var/tmp"].find(
    (place) => existsSync(place) && statSync(place).dev !== statSync(tmpdir()).dev,
  );

  /** A new folder on another disk than the data's. */
  function elsewhere(): string {
    const other = mkdtempSync(join(otherDisk ?? "", "embedded-"));
    chmodSync(other, 0o755);
    folders.push(other);
    return other;
  }

  it("puts it into an empty folder, where it starts with everything that was in it", async () => {
    for (const name of ["old", "new"]) mkdirSync(join(dataDir, name));
    copyTemplate(join(dataDir, "old"));
    const first = await start(join(dataDir, "old"));
    await createKeptTable(first.url);
    await expect(moveData(optionsOn(join(dataDir, "old")), join(dataDir, "new"))).rejects.toThrow(
      "Another program has the data folder",
    );
    await first.stop();
    await moveData(optionsOn(join(dataDir, "old")), join(dataDir, "new"));
    expect(existsSync(join(dataDir, "old"))).toBe(false);
    expect(await query((await start(join(dataDir, "new"))).url, "table kept")).toEqual([[42]]);
  });

  it("goes from the folder to which a link leads, after the server that a killed process left there is stopped", async () => {
    const [real, link, to] = [join(dataDir, "real"), join(dataDir, "link"), join(dataDir, "new")];
    mkdirSync(real);
    symlinkSync(real, link);
    copyTemplate(real);
    const { child, answer } = startInChild({ folder: link });
    const orphan = await answer;
    await createKeptTable(orphan.url);
    await kill(child);
    await moveData(optionsOn(link), to);
    expect([isAlive(orphan.pid), existsSync(real)]).toEqual([false, false]);
    expect(await query((await start(to)).url, "table kept")).toEqual([[42]]);
  });

  it.skipIf(!otherDisk)("goes to another disk as well", async () => {
    const other = elsewhere();
    const from = join(dataDir, "old");
    mkdirSync(from);
    copyTemplate(from);
    const first = await start(from);
    await createKeptTable(first.url);
    await first.stop();
    await moveData(optionsOn(from), join(other, "new"));
    expect(existsSync(from)).toBe(false);
    const moved = await start(join(other, "new"));
    expect(await query(moved.url, "table kept")).toEqual([[42]]);
    await moved.stop();
  });

  it.skipIf(!otherDisk)(
    "leaves it where it is, and the folder that was made for it, when the copy does not reach the other disk",
    async () => {
      const other = elsewhere();
      const programs = join(dataDir, "programs");
      mkdirSync(programs);
      writeFileSync(join(programs, "sync"), "#!/bin/sh\nexit 1\n", { mode: 0o755 });
      vi.stubEnv("PATH", `${programs}:${process.env.PATH}`);
      onTestFinished(() => void vi.unstubAllEnvs());
      const from = join(dataDir, "old");
      for (const folder of [from, join(other, "new")]) mkdirSync(folder);
      copyTemplate(from);
      await expect(moveData(optionsOn(from), join(other, "new"))).rejects.toThrow("is there room, and");
      expect(readdirSync(other)).toEqual(["new"]);
      expect(await query((await start(from)).url, "select 1")).toEqual([[1]]);
    },
  );

  it("refuses a folder that holds something or lies in the data, a file, and data that is not there", async () => {
    for (const name of ["old", "used"]) mkdirSync(join(dataDir, name));
    copyTemplate(join(dataDir, "old"));
    const [file, within] = [join(dataDir, "used/diary.txt"), join(dataDir, "old/new/data")];
    writeFileSync(file, "");
    const moved = (to: string) => moveData(optionsOn(join(dataDir, "old")), to);
    await expect(moved(file)).rejects.toThrow(`${file} is a file: name a folder.`);
    await expect(moved(within)).rejects.toThrow(
      `${within} is in the folder of the data: name one elsewhere.`,
    );
    expect(existsSync(join(dataDir, "old/new"))).toBe(false);
    await expect(moveData(optionsOn(join(dataDir, "old")), join(dataDir, "used"))).rejects.toThrow(
      `The folder ${join(dataDir, "used")} is not empty: name another one.`,
    );
    await expect(moveData(optionsOn(join(dataDir, "none")), join(dataDir, "new"))).rejects.toThrow(
      `There is no data in ${join(dataDir, "none")}.`,
    );
  });

  it.runIf(isRoot)(
    "goes off the top of a disk, also into the folder in which that disk is mounted",
    async () => {
      const to = join(dataDir, "new");
      await withDisk(join(dataDir, "disk"), async (disk) => {
        copyTemplate(disk);
        await moveData(optionsOn(disk), to);
        expect(readdirSync(disk)).toEqual([]);
      });
      expect(await query((await start(to)).url, "select 1")).toEqual([[1]]);
    },
  );

  it("says so where no folder can be made for it", async () => {
    const from = join(dataDir, "old");
    mkdirSync(from);
    copyTemplate(from);
    await expect(moveData(optionsOn(from), "/proc/none/new")).rejects.toThrow(
      /^The data in .{1,300} cannot be moved to \/proc\/none\/new \(E[A-Z]{1,20}\)\.$/,
    );
  });

  it.runIf(isRoot)("refuses the top of a disk, and names a folder on it as the way", async () => {
    const from = join(dataDir, "old");
    mkdirSync(from);
    copyTemplate(from);
    await withDisk(join(dataDir, "disk"), async (disk) => {
      await expect(moveData(optionsOn(from), disk)).rejects.toThrow(
        `A disk is mounted at ${disk}: name a folder on it.`,
      );
      expect(await query((await start(from)).url, "select 1")).toEqual([[1]]);
    });
  });

  it.runIf(isRoot)("says that the data is moved when what is left of it cannot be removed", async () => {
    const from = join(dataDir, "old");
    mkdirSync(from);
    copyTemplate(from);
    await withDisk(join(dataDir, "disk"), async (disk) => {
      // The place where a disk is mounted cannot be removed.
      await withDisk(join(from, "kept"), async () => {
        await expect(moveData(optionsOn(from), join(disk, "new"))).rejects.toThrow(
          `The data is in ${join(disk, "new")} now, but what is left of it in ${from} cannot be removed (EBUSY). Remove it yourself.`,
        );
      });
      const { url, stop } = await start(join(disk, "new"));
      expect(await query(url, "select 1")).toEqual([[1]]);
      await stop();
    });
  });
});

/** Does something with an empty disk of its own, mounted at a new folder. */
async function withDisk(folder: string, act: (folder: string) => Promise<void>): Promise<void> {
  mkdirSync(folder);
  execFileSync("mount", ["-t", "tmpfs", "-o", "size=200m,mode=0755", "tmpfs", folder]);
  try {
    await act(folder);
  } finally {
    execFileSync("umount", ["--lazy", folder]);
  }
}
