// One process at a time has a data folder open. The lock is the operating system's, taken through SQLite because Node has
// no call for it: it ends with the process, however that ends, so it is never stale, and of two starts at once at most one gets it.
// (Closing the lock's file anywhere else in this process would release it, so only SQLite opens it.)
import { accessSync, chmodSync, constants, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { codeOf, EmbeddedPostgresError, FolderInUse } from "./error.ts";
import type { Setup } from "./options.ts";
import { ownerAdvice } from "./ownership.ts";

export const lockName = "supervisor.lock";

/** Takes the lock of a data folder, and returns what releases it. @throws FolderInUse when another has it, or another EmbeddedPostgresError. */
export function lockFolder(path: string, { advice }: Setup): () => void {
  const [file, holder] = [join(path, lockName), join(path, "supervisor.pid")];
  let held: DatabaseSync | undefined;
  try {
    held = new (loadSqlite().DatabaseSync)(file, { timeout: 0 });
    // On a full disk there is no room for a journal, and nothing is ever written that would need one.
    held.exec("pragma journal_mode = memory; begin exclusive");
    chmodSync(file, 0o600);
  } catch (cause) {
    held?.close();
    const { errcode } = cause as { errcode?: number };
    const Reason = errcode === sqlite.busy ? FolderInUse : EmbeddedPostgresError;
    throw new Reason(reasonOf(cause, { path, file, holder }, advice), { cause });
  }
  sayWhoHolds(holder);
  return () => held.close();
}

/** Loads SQLite without the warning that it is experimental, which older versions of Node would print above each program's own output. */
function loadSqlite() {
  const { emitWarning } = process;
  process.emitWarning = () => {};
  try {
    return process.getBuiltinModule("node:sqlite");
  } finally {
    process.emitWarning = emitWarning;
  }
}

function reasonOf(
  cause: unknown,
  { path, file, holder }: { path: string; file: string; holder: string },
  advice: Setup["advice"],
): string {
  const { errcode } = cause as { errcode?: number };
  if (errcode === sqlite.busy)
    return `Another program has the data folder ${path} open${holderOf(holder)}: a server, or a command that works on its data. Stop that one first, or ${advice.otherFolder}.`;
  if (errcode === sqlite.notDatabase)
    return `${file} holds something else than this program wrote. Remove that file, which holds no data, and start again.`;
  return `The data folder ${path} cannot be written. ${ownerAdvice(path, whyNotWritten(cause, [path, file]))}, or ${advice.otherFolder}.`;
}

/** The system's error. SQLite does not tell it, so these paths are tried; undefined where all may be written. */
function whyNotWritten(cause: unknown, paths: readonly string[]): string | undefined {
  if (/^E[A-Z]+$/.test(codeOf(cause))) return codeOf(cause);
  try {
    for (const path of paths) accessSync(path, constants.R_OK | constants.W_OK);
    return undefined;
  } catch (error) {
    return codeOf(error);
  }
}

/** SQLite's result codes. */
const sqlite = { busy: 5, notDatabase: 26 };

/** Writes the process id for the message alone. Where it cannot be written, as on a full disk, the server starts all the same. */
function sayWhoHolds(holder: string): void {
  try {
    writeFileSync(holder, `${process.pid}\n`, { mode: 0o600 });
  } catch {
    // The message then names no process.
  }
}

function holderOf(holder: string): string {
  try {
    const pid = readFileSync(holder, "utf8").trim();
    return pid && ` (process ${pid})`;
  } catch {
    return "";
  }
}
