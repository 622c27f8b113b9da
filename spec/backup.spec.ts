// How everything is copied into one file while leads come in, and brought back exactly: all of it or nothing.
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Sql } from "../database/connect.ts";
import { tables } from "../team/backup-file.ts";
import { aLead, makeDatabase, type TestDatabase } from "./support/database.ts";
import { ending, leads, startLeads } from "./support/leads-command.ts";

let folder: string;
let database: TestDatabase;
/** A backup of `database`. */
let file: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "leads-backup-"));
  database = await makeDatabase();
  await fill(database.owner);
  file = join(folder, "leads.backup");
  const ran = await leads(database.url, "backup", file);
  expect(ran).toEqual({ status: 0, stdout: `Backed up 5 leads and 13 deliveries to ${file}\n`, stderr: "" });
});
afterAll(() => rm(folder, { recursive: true }));

/** Something of everything, and text that is hard to carry. */
async function fill(owner: Sql): Promise<void> {
  await owner`insert into private.notices (hash, language, text) values (encode(sha256('I “agree”'), 'hex'), 'en', 'I “agree”')`;
  await owner`update private.settings set site_origin = 'https://a.example', keep_address = false`;
  await owner`update private.channels set enabled = true, cooldown_until = '2026-01-31T10:00:00.123456Z'`;
  const names = [
    "Rosa",
    'back\\slash "quote" \\n',
    "line\r\nend\u2028and\u2029\t\x01",
    "José 田中 👩‍👩‍👧",
    '{"table":"x"}',
  ];
  for (const name of names) {
    const request_headers = owner.json({
      referer: "https://a.example/?utm_source=ü&utm_term=x",
      "user-agent": name,
    });
    await owner`insert into leads ${owner({ ...aLead({ name, email: "same@example.com", phone: `305 555 01${10 + names.indexOf(name)}` }), request_headers })}`;
  }
  // The same lead again a day later, which only the trigger would refuse.
  await owner`update leads set created_at = '2026-01-31T10:00:00.654321Z' where name = 'Rosa'`;
  await owner`insert into leads ${owner(aLead({ name: "Rosa", email: "same@example.com" }))}`;
  await owner`update private.deliveries set delivered_at = now(), attempts = 2 where channel = 'webhook'`;
  await owner`update private.deliveries set failed_at = now(), last_error = '550' where lead_id in (select id from leads where name like 'José%') and channel = 'email'`;
  await owner`select private.withdraw_permission(id) from leads where name like 'José%'`;
  await owner`insert into private.reviews (lead_id, outcome) select id, 'qualifies' from leads where name like 'José%'`;
  await owner`insert into private.paused_states (state, paused_by, reason) values ('LA', 'Ruth', 'Hurricane')`;
  await owner`select private.erase_leads(array[id], 'asked') from leads where name like 'back%'`;
}

/** Every row of every table, in one order. */
async function everything(owner: Sql): Promise<Record<string, unknown>> {
  const found: Record<string, unknown> = {};
  for (const table of tables) {
    found[table] = (await owner`select to_jsonb(t)::text as row from ${owner(table)} t order by 1`).map(
      ({ row }) => row,
    );
  }
  return found;
}

const count = async (owner: Sql) => (await owner`select count(*)::int as n from leads`)[0]?.n;

describe("leads backup", () => {
  it("copies every table that there is, but those of this very database and those that a migration fills", async () => {
    const endsByItself = ["sessions", "invitations", "challenges", "company_sign_ins", "claims"];
    const ofThisDatabase = ["wake_up_call", "retention_plan", "inbox_settings", ...endsByItself].map(
      (name) => `private.${name}`,
    );
    const filledByMigration = ["calling_rules", "places", "zip_places", "area_codes"].map(
      (name) => `private.${name}`,
    );
    const all = await database.owner<{ name: string }[]>`
      select schemaname || '.' || tablename as name from pg_tables where schemaname in ('public', 'private')`;
    expect(all.map(({ name }) => name).sort()).toEqual(
      [...tables, ...ofThisDatabase, ...filledByMigration].sort(),
    );
  });

  it("makes a file that only its owner may read, and leaves nothing else behind", async () => {
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(await readdir(folder)).toEqual(["leads.backup"]);
  });

  it("refuses a file that is there already, and a place where it cannot write", async () => {
    const before = await readFile(file);
    expect(await leads(database.url, "backup", file)).toEqual({
      status: 1,
      stdout: "",
      stderr: `The file ${file} is there already. Name another one.\n`,
    });
    expect(await readFile(file)).toEqual(before);
    const nowhere = join(folder, "no", "such", "folder");
    expect(await leads(database.url, "backup", nowhere)).toEqual({
      status: 1,
      stdout: "",
      stderr: `The file ${nowhere} cannot be written (ENOENT).\n`,
    });
  });

  it("shows one moment while leads come in: each with its permission and its deliveries", async () => {
    const busy = await makeDatabase();
    await busy.owner`update private.channels set enabled = true`;
    const path = join(folder, "busy.backup");
    let done = false;
    const backedUp = leads(busy.url, "backup", path).finally(() => (done = true));
    for (let nth = 0; !done; nth += 1) {
      await busy.intake`insert into leads ${busy.intake(aLead({ name: `Lead ${nth}` }))}`;
    }
    expect(await backedUp).toMatchObject({ status: 0, stderr: "" });
    const empty = await makeDatabase();
    expect(await leads(empty.url, "restore", path)).toMatchObject({ status: 0 });
    const [torn] = await empty.owner`
      select count(*)::int as n from leads l full join private.permissions p on p.lead_id = l.id
      where l.id is null or p.lead_id is null
        or 2 <> (select count(*) from private.deliveries d where d.lead_id = l.id)`;
    expect(torn).toEqual({ n: 0 });
    expect(await count(busy.owner)).toBeGreaterThan((await count(empty.owner)) as number);
  });

  it("and leads restore take little memory", async () => {
    const [many, empty] = [await makeDatabase(), await makeDatabase()];
    await many.owner.begin(async (tx) => {
      await tx`alter table leads disable trigger user`;
      await tx`
        insert into leads (name, email, phone, zip_code)
        select repeat(chr(97 + n % 26), 490), n, repeat('p', 490), repeat('z', 490) from generate_series(1, 10000) n`;
      await tx`insert into private.permissions (lead_id) select id from leads`;
    });
    const path = join(folder, "many.backup");
    for (const [words, { url }] of [
      ["backup", many],
      ["restore", empty],
    ] as const) {
      const settings = { DATABASE_URL: url, NODE_OPTIONS: "--max-old-space-size=24" };
      expect(await ending(startLeads([words, path], settings))).toMatchObject({ status: 0 });
    }
    expect(await count(empty.owner)).toBe(10_000);
  });
});

describe("leads restore", () => {
  it("brings back every row exactly, and nothing fires on the way", async () => {
    const { url, owner } = await makeDatabase();
    const before = await everything(database.owner);
    expect(await leads(url, "restore", file)).toEqual({
      status: 0,
      stdout: `Restored 5 leads and 13 deliveries from ${file}\n`,
      stderr: "If the server runs, start it again, so that its own wording and channels are in force.\n",
    });
    expect(await everything(owner)).toEqual(before);
    // The triggers are back: a new lead is owed to both channels.
    await owner`insert into leads ${owner(aLead({ name: "New" }))}`;
    const [owed] = await owner`
      select count(*)::int as n from private.deliveries where lead_id = (select id from leads where name = 'New')`;
    expect(owed).toEqual({ n: 2 });
  });

  it("refuses a database that holds leads, and leaves it as it is", async () => {
    const { url, owner } = await makeDatabase();
    await owner`insert into leads ${owner(aLead({ name: "Here first" }))}`;
    const before = await everything(owner);
    const { status, stderr } = await leads(url, "restore", file);
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr:
        "This database holds 1 lead and 0 receipts of erased ones already. Nothing was restored: restore into an empty database (another DATA_DIR or DATABASE_URL, started once with: npm start).\n",
    });
    expect(await everything(owner)).toEqual(before);
  });
});

describe("a backup file that is not whole", () => {
  let empty: TestDatabase;
  let bytes: Buffer;
  let lines: string[];
  beforeAll(async () => {
    empty = await makeDatabase();
    bytes = await readFile(file);
    lines = gunzipSync(bytes).toString().trimEnd().split("\n");
  });

  const zipped = (...parts: string[]) => gzipSync(parts.map((line) => `${line}\n`).join(""));
  const early = "This backup is damaged: it ends too early. Nothing was restored. Take another one.\n";
  const changed =
    "This backup is damaged: what is in it is not what was put in. Nothing was restored. Take another one.\n";
  const foreign = "This file is not a backup that `leads backup` made. Nothing was restored.\n";

  it.each<[string, () => Buffer, string]>([
    ["cut off in the middle", () => bytes.subarray(0, bytes.length / 2), early],
    ["cut off by one byte", () => bytes.subarray(0, -1), early],
    ["without its last line", () => zipped(...lines.slice(0, -1)), early],
    ["with a part of its last line", () => gzipSync(gunzipSync(bytes).subarray(0, -3)), early],
    ["with a row less", () => zipped(...lines.filter((line) => !line.includes('"Rosa"'))), changed],
    ["with a name changed", () => zipped(...lines.map((line) => line.replace('"Rosa"', '"Rose"'))), changed],
    [
      "with more after its end",
      () => zipped(...lines, lines[1] ?? ""),
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
    [
      "of another schema",
      () =>
        zipped((lines[0] ?? "").replace(/"schema":"\d+"/, '"schema":"20200101000000"'), ...lines.slice(1)),
      "This backup has version 20200101000000 of the tables",
    ],
  ])("is refused when it is %s, and nothing of it stays", async (how, damage, stderr) => {
    const path = join(folder, `${how.replaceAll(" ", "-")}.backup`);
    await writeFile(path, damage());
    const ran = await leads(empty.url, "restore", path);
    expect(ran).toEqual({ status: 1, stdout: "", stderr: expect.stringContaining(stderr) });
    expect(await count(empty.owner)).toBe(0);
    expect(await empty.owner`select hash from private.notices`).toEqual([]);
  });

  it("is said to be missing when it is", async () => {
    const path = join(folder, "none.backup");
    const { stderr } = await leads(empty.url, "restore", path);
    expect(stderr).toBe(`The file ${path} cannot be read (ENOENT). Nothing was restored.\n`);
  });
});
