// Makes a folder, with those above it. Not by Node's own `recursive`, which never ends where nothing can be made, as below /proc.
import { existsSync } from "node:fs";
import { mkdir, stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";

/** Makes it where there is none, for its owner alone. @throws the system's error; EEXIST when a file has the name */
export async function makeFolder(path: string): Promise<void> {
  const missing: string[] = [];
  for (let at = resolve(path); !existsSync(at); at = dirname(at)) missing.unshift(at);
  for (const folder of missing)
    await mkdir(folder, { mode: 0o700 }).catch((error) => {
      // Another process may have made it meanwhile.
      if (error.code !== "EEXIST" || !existsSync(folder)) throw error;
    });
  if (!(await stat(path)).isDirectory())
    throw Object.assign(new Error("A file has this name."), { code: "EEXIST" });
}
