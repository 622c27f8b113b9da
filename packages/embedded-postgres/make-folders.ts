// Makes folders for the data and the programs, so that PostgreSQL's account can pass through those that root makes.
import { chmodSync, existsSync, mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { codeOf } from "./error.ts";

/** Makes a folder with all on the way to it. Each new one is ours alone, but root's lets the account pass through. */
export function makeFolders(path: string): void {
  const mode = process.getuid?.() === 0 ? 0o711 : 0o700;
  // Not Node's own `recursive`, which never ends where nothing can be made, as below /proc.
  const missing: string[] = [];
  for (let at = path; !existsSync(at); at = dirname(at)) missing.unshift(at);
  for (const folder of missing) if (mkdirIfNone(folder)) chmodSync(folder, mode);
}

/** Makes a folder that is ours alone. False where there is one. */
export function mkdirIfNone(path: string): boolean {
  try {
    mkdirSync(path, { mode: 0o700 });
    return true;
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false;
    throw error;
  }
}
