// The embedded PostgreSQL as `npm start` runs it: real processes on real data folders, killed for real.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import postgres from "postgres";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type EmbeddedDatabase, findRunning, socketHost, startEmbedded } from "../database/embedded.ts";

let dataDir: string;
const running: EmbeddedDatabase[] = [];

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), "embedded-"));
});

afterEach(async () => {
  for (const database of running.splice(0)) await database.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

const start = async () => {
  const database = await startEmbedded({ dataDir, log: () => {} });
  running.push(database);
  return database;
};

const connect = (url: string) => postgres(url, { ...socketHost(url), max: 1, onnotice: () => {} });

const ask = async (url: string, query: string) => {
  const sql = connect(url);
  try {
    return await sql.unsafe(query).values();
  } finally {
    await sql.end({ timeout: 1 });
  }
};

describe("the embedded PostgreSQL", () => {
  it("makes a database whose answers are on disk", async () => {
    const { url } = await start();
    const names = ["fsync", "synchronous_commit", "full_page_writes", "data_checksums", "server_encoding"];
    const values = names.map((name) => `current_setting('${name}')`);
    expect(await ask(url, `select ${values}, current_database()`)).toEqual([
      ["on", "on", "on", "on", "UTF8", "leads"],
    ]);
  });

  it("is found while it runs, and not after", async () => {
    expect(await findRunning({ dataDir })).toBeUndefined();
    const { url, stop } = await start();
    expect(await findRunning({ dataDir })).toBe(url);
    await stop();
    expect(await findRunning({ dataDir })).toBeUndefined();
  });
});
