// One process at a time has a data folder open. The lock is the operating system's, taken through SQLite because Node has
// no call for it: it ends with the process, however that ends, so it is never stale, and of two starts at once one gets it.
// (Closing the lock's file anywhere else in this process would release it, so only SQLite opens it.)
import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { EmbeddedPostgresError } from "./error.ts";
import type { Setup } from "./options.ts";
import { ownerAdvice } from "./ownership.ts";

export const lockName = "supervisor.lock";

/** Takes the lock of a data folder, and returns what releases it. @throws EmbeddedPostgresError when another has it. */
export function lockFolder(path: string, { advice }: Setup): () => void {
  const [file, holder] = [join(path, lockName), join(path, "supervisor.pid")];
  let held: DatabaseSync | undefined;
  try {
    held = new DatabaseSync(file, { timeout: 0 });
    held.exec("begin exclusive");
    chmodSync(file, 0o600);
    writeFileSync(holder, `${process.pid}\n`, { mode: 0o600 });
    return () => held?.close();
  } catch (cause) {
    held?.close();
    const busy = (cause as { errcode?: number }).errcode === 5;
    const reason = busy
      ? `Another server is already running on the data folder ${path}${holderOf(holder)}. Stop that one first, or ${advice.otherFolder}.`
      : `The data folder ${path} cannot be written. ${ownerAdvice(path)}, or ${advice.otherFolder}.`;
    throw new EmbeddedPostgresError(reason, { cause });
  }
}

/** A process id for the message only: nothing is decided by it. */
function holderOf(holder: string): string {
  try {
    return ` (process ${readFileSync(holder, "utf8").trim()})`;
  } catch {
    return "";
  }
}
