// `leads backup FILE`: a copy of everything at one moment, while the server runs. The file appears under its name only when
// it is whole and on disk, and only its owner may read it: it holds all that the database holds.
import { existsSync } from "node:fs";
import { type FileHandle, open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import type postgres from "postgres";
import { newestVersion } from "../database/migrate.ts";
import { oneMoment, transaction } from "../database/transaction.ts";
import { codeOf } from "../log/log.ts";
import { Sealed, tables } from "../team/backup-file.ts";
import { type Act, counted, Refusal, readWords } from "./subcommand.ts";

export function backup(words: readonly string[]): Act {
  const { positionals } = readWords("backup <file>", words, {});
  const path = positionals[0] as string;
  return async ({ sql, out }) => {
    if (existsSync(path)) throw new Refusal(`The file ${path} is there already. Name another one.`);
    const seal = new Sealed();
    await writeWhole(path, (file) =>
      transaction(
        sql,
        (tx) =>
          pipeline(Readable.from(lines(tx, seal)), createGzip(), file.createWriteStream({ flush: true })),
        oneMoment,
      ),
    );
    const { "public.leads": leads = 0, "private.deliveries": deliveries = 0 } = seal.rows;
    await out(
      `Backed up ${counted(leads, "lead")} and ${counted(deliveries, "delivery", "deliveries")} to ${path}\n`,
    );
    return 0;
  };
}

async function* lines(tx: postgres.TransactionSql, seal: Sealed): AsyncGenerator<string> {
  const taken_at = new Date().toISOString();
  yield seal.heading({ format: "leads backup 1", schema: await newestVersion(), taken_at });
  for (const table of tables) {
    // PostgreSQL writes the rows itself, so that every value is exact, to the microsecond of a time.
    const rows = tx<{ row: string }[]>`select row_to_json(t)::text as row from ${tx(table)} t`;
    for await (const page of rows.cursor(500)) yield page.map(({ row }) => seal.row(table, row)).join("");
  }
  yield seal.end();
}

/** Writes a file under another name beside it, and gives it its own when all of it is on disk. */
async function writeWhole(path: string, write: (file: FileHandle) => Promise<unknown>): Promise<void> {
  const unfinished = `${path}.unfinished-${process.pid}`;
  const file = await open(unfinished, "wx", 0o600).catch((cause) => {
    throw new Refusal(`The file ${path} cannot be written (${codeOf(cause)}).`, { cause });
  });
  try {
    await write(file);
    await rename(unfinished, path);
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  } finally {
    await file.close();
  }
  // The name is on disk only when the folder is.
  const folder = await open(dirname(path), "r");
  await folder.sync().finally(() => folder.close());
}
