// Finds PostgreSQL's own programs, because a standby is made with pg_basebackup, which the embedded server does not bring.
import { existsSync, globSync } from "node:fs";
import { join } from "node:path";

/** The folder of the newest programs; `POSTGRESQL_BIN` names another one. */
export function findPrograms(): string | undefined {
  const { POSTGRESQL_BIN } = process.env;
  const debian = globSync("/usr/lib/postgresql/*/bin").sort((a, b) => versionOf(b) - versionOf(a));
  const folders = POSTGRESQL_BIN ? [POSTGRESQL_BIN] : [...debian, "/usr/local/bin", "/usr/bin"];
  return folders.find((folder) => needed.every((name) => existsSync(join(folder, name))));
}

const needed = ["initdb", "postgres", "pg_basebackup"];

const versionOf = (folder: string) => Number(/\d+/.exec(folder)?.[0]);
