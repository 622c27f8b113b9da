// Says why this program cannot use a folder, and what to type: the folder, or an entry directly in it, belongs to another user, such as one
// that an earlier run as root left. Entries further down are not looked at. Where none of these does, or rights are not the reason, the
// advice is to look at the permissions and the disk.
import { spawnSync } from "node:child_process";
import { readdirSync, realpathSync, statSync } from "node:fs";
import { join } from "node:path";
import { environment } from "./account.ts";

/**
 * Who owns what is in the way in this folder, and the command that hands it over; the sentence is left open at its end. `code`: the system's
 * error. On a full disk, or one that is mounted read-only, another owner would not help.
 */
export function ownerAdvice(folder: string, code: string | undefined): string {
  const isRight = code === "EACCES" || code === "EPERM";
  const [path, uid] = (isRight && foreignEntry(folder)) || [];
  if (path === undefined || uid === undefined)
    return "See whether this user may write there, and whether its disk takes writes and has room";
  const own = process.getuid?.() ?? 0;
  const owner = nameOf(uid) ?? `user ${uid}`;
  return `${path} belongs to ${owner}, as after a start as that user. Start as ${owner}, hand it over once with "sudo chown -R ${nameOf(own) ?? own} ${realPaths(folder, path).map(quoted).join(" ")}"`;
}

/** The folder, and what a link in it leads to, because `chown -R` does not go through links. */
function realPaths(folder: string, path: string): string[] {
  const [real, found] = [realpathSync(folder), realpathSync(path)];
  return found === real || found.startsWith(`${real}/`) ? [real] : [real, found];
}

/** The folder itself, or the first thing in it, that belongs to another user than ours. No owner keeps root out. */
function foreignEntry(folder: string): [path: string, uid: number] | undefined {
  const own = process.getuid?.();
  if (own === 0) return undefined;
  try {
    // What a disk of ext4 has at its top belongs to root.
    const names = readdirSync(folder).filter((name) => name !== "lost+found");
    const paths = [folder, ...names.map((name) => join(folder, name))];
    for (const path of paths) {
      const uid = ownerOf(path);
      if (uid !== undefined && uid !== own) return [path, uid];
    }
  } catch {
    // A folder that we may not even list belongs to another user.
    const uid = ownerOf(folder);
    if (uid !== undefined && uid !== own) return [folder, uid];
  }
  return undefined;
}

/** Of a link, who owns what it leads to, because nothing else counts. Undefined where there is nothing, or it cannot be looked at. */
function ownerOf(path: string): number | undefined {
  try {
    return statSync(path).uid;
  } catch {
    return undefined;
  }
}

/** Undefined for a user without a name, such as that of a container. */
function nameOf(uid: number): string | undefined {
  const { status, stdout } = spawnSync("id", ["-un", String(uid)], { env: environment, encoding: "utf8" });
  return status === 0 ? stdout.trim() : undefined;
}

const quoted = (path: string) => (/^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`);
