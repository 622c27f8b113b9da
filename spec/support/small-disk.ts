// A disk that can be full: a file system in memory, of a size of its own. Only root may mount one.
import { execFileSync } from "node:child_process";
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { refuseInQuickTier } from "./quick-tier.ts";

export interface SmallDisk {
  folder: string;
  /** Fills the disk to its last block. */
  fill(): void;
  /** Takes away what `fill` wrote. */
  makeRoom(): void;
  remove(): void;
}

export function mountSmallDisk(megabytes: number): SmallDisk {
  refuseInQuickTier("root");
  const folder = mkdtempSync(join(tmpdir(), "leads-disk-"));
  execFileSync("mount", ["-t", "tmpfs", "-o", `size=${megabytes}m,mode=0755`, "tmpfs", folder]);
  const filler = join(folder, "filler");
  return {
    folder,
    fill: () => {
      const file = openSync(filler, "w");
      try {
        for (;;) writeSync(file, Buffer.alloc(4096, 1));
      } catch (error) {
        if ((error as { code?: string }).code !== "ENOSPC") throw error;
      } finally {
        closeSync(file);
      }
    },
    makeRoom: () => rmSync(filler),
    remove: () => {
      execFileSync("umount", ["--lazy", folder]);
      rmSync(folder, { recursive: true });
    },
  };
}
