// One process at a time has a data folder open. The lock is the operating system's, taken through SQLite, as Node
// has no call for it: it goes with the process however that dies, so it is never stale, and of two starts at once
// one has it. (Closing the lock's file anywhere else in this process would let go of it: leave it to SQLite.)
import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { EmbeddedDatabaseError } from "./unprivileged.ts";

export const lockName = "supervisor.lock";

/** Takes the lock of a data folder, and returns what lets go of it. @throws EmbeddedDatabaseError when another has it. */
export function lockFolder(path: string): () => void {
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
      ? `Another server is already running on the data folder ${path}${holderOf(holder)}. Stop that one first, or name another folder in DATA_DIR.`
      : `The data folder ${path} cannot be written. Start as the user it belongs to, or name another one in DATA_DIR.`;
    throw new EmbeddedDatabaseError(reason, { cause });
  }
}

/** A number for the message only: nothing is decided by it. */
function holderOf(holder: string): string {
  try {
    return ` (process ${readFileSync(holder, "utf8").trim()})`;
  } catch {
    return "";
  }
}
