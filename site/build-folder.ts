// Where the build puts what it makes. Each build fills a folder of its own in `.render/`. `dist/`, for static hosts, is a copy of the
// folder's `dist/`. `.render/current.json` names the current build and is replaced last, by one rename: a build that fails before leaves the
// last one in force, and the next start builds anew.
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";

/** What a person has to correct before a build can succeed. The message is for the person at the terminal. */
export class BuildError extends Error {
  override name = "BuildError";
}

/** The current build: its folder, and the hash of its sources and settings. */
export interface CurrentBuild {
  folder: string;
  madeOf: string;
}

export const projectRoot = fileURLToPath(new URL("..", import.meta.url));

/** The current build, or undefined when there is none. */
export function currentBuild(root = projectRoot): CurrentBuild | undefined {
  const file = join(root, ".render/current.json");
  if (!existsSync(file)) return undefined;
  try {
    const { name, madeOf } = JSON.parse(readFileSync(file, "utf8"));
    const folder = join(root, ".render", name);
    return existsSync(join(folder, "render.js")) ? { folder, madeOf } : undefined;
  } catch {
    // A power cut can leave the file empty. Without a current build the next one is made.
    return undefined;
  }
}

/** Makes an empty folder for a build. @throws BuildError when this user may not write into the project's folders. */
export function newBuildFolder(root: string): string {
  return explained(root, () => {
    mkdirSync(join(root, ".render"), { recursive: true });
    removeOld(root);
    const folder = mkdtempSync(join(root, ".render/build-"));
    // The server may run as another user than the build.
    chmodSync(folder, 0o755);
    return folder;
  });
}

/**
 * Makes a complete build the current one. The one before is kept for a server that has just started from it.
 * @throws BuildError when this user may not write into the project's folders.
 */
export function makeCurrent(root: string, folder: string, madeOf: string): void {
  explained(root, () => {
    const named = join(folder, "current.json");
    writeFileSync(named, JSON.stringify({ name: basename(folder), madeOf }));
    // The copy is made first, because it may fail on a full disk, and current.json may name only a complete build.
    const copy = join(folder, "dist-copy");
    cpSync(join(folder, "dist"), copy, { recursive: true });
    replaceDist(root, folder, copy);
    tryRename(join(folder, "notices.sql"), join(root, ".render/notices.sql"), ["ENOENT"]);
    renameSync(named, join(root, ".render/current.json"));
  });
}

/**
 * A folder cannot be renamed over another that has files, so the old `dist/` is renamed first. Tries again when another build has put
 * its own `dist/` there in between.
 */
function replaceDist(root: string, folder: string, copy: string): void {
  const [dist, aside] = [join(root, "dist"), join(folder, "dist-before")];
  for (;;) {
    tryRename(dist, aside, ["ENOENT"]);
    const isReplaced = tryRename(copy, dist, ["ENOTEMPTY", "EEXIST"]);
    rmSync(aside, { recursive: true, force: true });
    if (isReplaced) return;
  }
}

/** False when it fails with one of these codes. */
function tryRename(from: string, to: string, expected: string[]): boolean {
  try {
    renameSync(from, to);
    return true;
  } catch (error) {
    if (!expected.includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
    return false;
  }
}

/** Removes the folders of old and of killed builds. A folder that is less than an hour old may belong to a build or a start under way. */
function removeOld(root: string): void {
  const anHourAgo = Date.now() - 3_600_000;
  const currentFolder = currentBuild(root)?.folder;
  for (const name of readdirSync(join(root, ".render"))) {
    const path = join(root, ".render", name);
    if (path === currentFolder || name.includes(".")) continue;
    // Another build may have removed it meanwhile.
    const found = statSync(path, { throwIfNoEntry: false });
    if (found && found.mtimeMs < anHourAgo) rmSync(path, { recursive: true, force: true });
  }
}

/** Turns the one failure that a person has to correct into a sentence: folders of another user, usually root. */
function explained<Result>(root: string, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    if (!["EACCES", "EPERM"].includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
    const left = [".render", "dist"].map((name) => join(root, name)).filter((path) => existsSync(path));
    if (left.length === 0)
      throw new BuildError(
        `The build may not write into ${root}: ${(error as Error).message}\nLet this user own that folder, then start again.`,
        { cause: error },
      );
    throw new BuildError(
      `The build may not write into ${root}: ${(error as Error).message}\n` +
        "An earlier build probably ran as another user, such as root. Remove what it left, then start again:\n" +
        `  sudo rm -rf ${left.map((path) => `"${path}"`).join(" ")}`,
      { cause: error },
    );
  }
}
