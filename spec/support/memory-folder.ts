// A folder in memory for what the chapters write, because PostgreSQL creates hundreds of files for each of their databases, which takes
// several times as long on a disk. No chapter tests a loss of power, so no chapter needs a disk.
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, statfsSync } from "node:fs";
import { join } from "node:path";

const mountPoint = "/dev/shm";
/** In bytes: several times what a whole run takes. */
const enough = 4e9;

/**
 * Has this process, and all that it starts, keep temporary files in memory. Changes nothing where TMPDIR is set, where the system has no
 * memory to spare, or where it runs no program from there.
 */
export function writeToMemory(): void {
  if (process.env.TMPDIR || !isThere()) return;
  // First, because they take up room.
  removeLeftovers();
  if (!hasRoom()) return;
  const folder = join(mountPoint, `spec-${process.pid}`);
  mkdirSync(folder, { recursive: true });
  // Servers that do not run as root write there as well.
  chmodSync(folder, 0o1777);
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  process.env.TMPDIR = folder;
}

/** Whether there is a folder in memory that takes files and programs. */
function isThere(): boolean {
  if (process.platform !== "linux") return false;
  const [, , type, options = ""] = mounts().findLast(([, where]) => where === mountPoint) ?? [];
  return type === "tmpfs" && !options.split(",").some((option) => option === "noexec" || option === "ro");
}

function hasRoom(): boolean {
  const { bavail, bsize } = statfsSync(mountPoint);
  const available = /^MemAvailable: +(\d+) kB$/m.exec(readFileSync("/proc/meminfo", "utf8"))?.[1];
  return bavail * bsize >= enough && Number(available) * 1024 >= 2 * enough;
}

/** Removes the folders of runs that were killed. For one that cannot be removed, such as another user's, it only prints a warning. */
function removeLeftovers(): void {
  for (const name of readdirSync(mountPoint)) {
    const pid = /^spec-(\d+)$/.exec(name)?.[1];
    if (!pid || isRunning(Number(pid))) continue;
    try {
      unmountIn(join(mountPoint, name));
      rmSync(join(mountPoint, name), { recursive: true, force: true });
    } catch (error) {
      console.warn(
        `The folder ${name} of an earlier run stays in ${mountPoint}: ${(error as Error).message}`,
      );
    }
  }
}

/** Unmounts the small disks of a run that was killed (small-disk.ts). */
function unmountIn(folder: string): void {
  const disks = mounts().filter(([, where]) => where?.startsWith(`${folder}/`));
  for (const [, disk = ""] of disks) execFileSync("umount", ["--lazy", disk]);
}

/** What is mounted: the device, where, the type and the options. */
const mounts = () =>
  readFileSync("/proc/mounts", "utf8")
    .split("\n")
    .map((line) => line.split(" "));

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as { code?: string }).code !== "ESRCH";
  }
}
