// What `leads restore` says of a backup file that is not whole. Nothing of such a file may stay in the database.
import { execFileSync } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Sql } from "../database/connect.ts";
import { backUp } from "../team/backup.ts";
import { makeDatabase, type TestDatabase } from "./support/database.ts";
import { withRow } from "./support/forged-backup.ts";
import { fill } from "./support/full-database.ts";
import { leads } from "./support/leads-command.ts";

let folder: string;
/** A backup that is whole. */
let file: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "leads-damaged-backups-"));
  file = join(folder, "leads.backup");
  const { owner } = await makeDatabase();
  await fill(owner);
  await backUp(owner, file);
});
afterAll(() => rm(folder, { recursive: true }));

const count = async (owner: Sql) => (await owner`select count(*)::int as n from leads`)[0]?.n;

describe("a backup file", () => {
  let empty: TestDatabase;
  let bytes: Buffer;
  let lines: string[];
  beforeAll(async () => {
    empty = await makeDatabase();
    bytes = await readFile(file);
    lines = gunzipSync(bytes).toString().trimEnd().split("\n");
  });

  const forged = (row: string) => zipped(...withRow(lines, row));
  const rowOf = (table: string) => lines.findLast((line) => line.startsWith(`{"table":"${table}"`)) ?? "";
  const zipped = (...parts: string[]) => gzipSync(parts.map((line) => `${line}\n`).join(""));
  const ofSchema = (version: string) =>
    zipped((lines[0] ?? "").replace(/"schema":"\d+"/, `"schema":"${version}"`), ...lines.slice(1));
  const withByteChanged = (at: number) => {
    const copy = Buffer.from(bytes);
    copy[at] = (copy[at] ?? 0) ^ 0xff;
    return copy;
  };
  const damaged = "This backup is damaged: ";
  const early = "This backup is damaged: it ends too early. Nothing was restored. Take another one.\n";
  const changed =
    "This backup is damaged: what is in it is not what was put in. Nothing was restored. Take another one.\n";
  const foreign = "This file is not a backup that `leads backup` made. Nothing was restored.\n";

  it.each<[string, () => Buffer, string]>([
    ["cut off in the middle", () => bytes.subarray(0, bytes.length / 2), early],
    ["cut off by one byte", () => bytes.subarray(0, -1), early],
    ["with a byte in the middle of the file changed", () => withByteChanged(bytes.length >> 1), damaged],
    ["with a byte of the file's own checksum changed", () => withByteChanged(bytes.length - 8), changed],
    ["without its last line", () => zipped(...lines.slice(0, -1)), early],
    ["with a part of its last line", () => gzipSync(gunzipSync(bytes).subarray(0, -3)), early],
    ["with a row less", () => zipped(...lines.filter((line) => !line.includes('"Rosa"'))), changed],
    ["with a name changed", () => zipped(...lines.map((line) => line.replace('"Rosa"', '"Rose"'))), changed],
    ["with a row that is there already", () => forged(rowOf("private.stop_list")), changed],
    [
      "with a row that refers to a lead that is not there",
      () => forged(rowOf("private.reviews").replace(/[0-9a-f]{8}-/, "00000000-")),
      changed,
    ],
    [
      "with a time that does not exist",
      () => forged(rowOf("private.erasures").replace(/T\d\d/, "T77")),
      changed,
    ],
    ["with a column less", () => forged(rowOf("private.erasures").replace(/,"reason":"\w+"/, "")), changed],
    [
      "with an escape that does not exist",
      () => forged(rowOf("private.erasures").replace('"asked"', '"\\q"')),
      changed,
    ],
    [
      "with more after its end",
      () => zipped(...lines, lines[1] ?? ""),
      "This backup is damaged: it goes on after its end. Nothing was restored. Take another one.\n",
    ],
    [
      "whole, with something after it",
      () => Buffer.concat([bytes, Buffer.from("x\n")]),
      "This backup is damaged: it goes on after its end. Nothing was restored. Take another one.\n",
    ],
    [
      "with an unknown table",
      () => zipped(lines[0] ?? "", '{"table":"public.other","row":{}}'),
      "This backup is damaged: it has a table that is not known. Nothing was restored. Take another one.\n",
    ],
    ["empty", () => Buffer.of(), early],
    ["empty inside", () => gzipSync(""), foreign],
    ["something else", () => Buffer.from("SELECT 1;"), foreign],
    ["something else inside", () => zipped("id,name", "1,Rosa"), foreign],
    ["of an older schema", () => ofSchema("20200101000000"), "This backup has version 20200101000000 of the"],
    ["of a newer schema", () => ofSchema("29990101000000"), "This backup has version 29990101000000 of the"],
  ])("is refused when it is %s, and nothing of it stays", async (how, damage, stderr) => {
    const path = join(folder, `${how.replaceAll(" ", "-")}.backup`);
    await writeFile(path, damage());
    const ran = await leads(empty.url, "restore", path);
    expect(ran).toEqual({ status: 1, stdout: "", stderr: expect.stringContaining(stderr) });
    expect(await count(empty.owner)).toBe(0);
    expect(await empty.owner`select hash from private.notices`).toEqual([]);
  });

  it("is restored with one row more, where that row is valid and the last line fits it", async () => {
    const { url, owner } = await makeDatabase();
    const path = join(folder, "with-a-row-more.backup");
    await writeFile(
      path,
      forged(rowOf("private.stop_list").replace(/"phone_digits":"\d/, '"phone_digits":"9')),
    );
    const before = lines.filter((line) => line.startsWith('{"table":"private.stop_list"')).length;
    expect((await leads(url, "restore", path)).status).toBe(0);
    expect(await owner`select from private.stop_list`).toHaveLength(before + 1);
  });

  it("is not called damaged when it is PostgreSQL that has no room for its rows", async () => {
    const { url, owner } = await makeDatabase();
    // The indexes are made after the rows are loaded, which is when a disk mostly becomes full.
    await owner.unsafe(`
      create function public.no_room(id uuid) returns uuid language plpgsql immutable
      as $$ begin raise exception using errcode = 'disk_full', message = 'could not extend file'; end $$;
      create index on public.leads (public.no_room(id))`);
    const { status, stderr } = await leads(url, "restore", file);
    expect({ status, stderr }).toEqual({ status: 1, stderr: expect.not.stringContaining("damaged") });
    expect(stderr).toContain("53100");
  });

  it("is refused when it is a pipe, without waiting for what comes through it", async () => {
    const path = join(folder, "a-pipe.backup");
    execFileSync("mkfifo", [path]);
    const { status, stderr } = await leads(empty.url, "restore", path);
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr: `${path} is a pipe, and a backup is read twice: name a file. Nothing was restored.\n`,
    });
  });

  it("is said to be missing when it is", async () => {
    const path = join(folder, "none.backup");
    const { stderr } = await leads(empty.url, "restore", path);
    expect(stderr).toBe(`The file ${path} cannot be read (ENOENT). Nothing was restored.\n`);
  });
});
