// How everything is copied into one file while leads come in, and brought back exactly: all of it or nothing.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { chmod, copyFile, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { addressOfDatabase, type Sql } from "../database/connect.ts";
import { backUp } from "../team/backup.ts";
import { tables } from "../team/backup-file.ts";
import { Refusal } from "../team/refusal.ts";
import { definitionsOf, rowsOfBackupTables } from "./support/contents.ts";
import { aLead, makeDatabase, sessionsWaitingForLocks, type TestDatabase } from "./support/database.ts";
import { fill } from "./support/full-database.ts";
import { leads, startLeads, startOnTerminal, waitForExit } from "./support/leads-command.ts";
import { programEnvironment } from "./support/program-environment.ts";
import { until } from "./support/receiver.ts";
import { startSupabaseLike } from "./support/supabase-like.ts";

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

const count = async (owner: Sql) => (await owner`select count(*)::int as n from leads`)[0]?.n;

describe("leads backup", () => {
  it("copies every table but those of this very database, those that hold sums, and those that a migration fills", async () => {
    const endingByTime = [
      "sessions",
      "invitations",
      "challenges",
      "company_sign_ins",
      "claims",
      "place_windows",
      "searches",
    ];
    const ofThisDatabase = [
      "wake_up_call",
      "retention_plan",
      "retention_run_days",
      "emptied_circumstances",
      "inbox_settings",
      "backup_state",
      "alert_state",
      ...endingByTime,
    ].map((name) => `private.${name}`);
    const sums = [
      "lead_tallies",
      "queue_tallies",
      "hour_tallies",
      "delivery_tallies",
      "report_days",
      "report_changes",
      "report_hours",
      "report_campaigns",
      "report_months",
      "report_campaign_months",
      "report_first_calls",
      "report_page_days",
      "report_pages",
      "report_page_months",
      "report_page_hours",
    ].map((name) => `private.${name}`);
    const filledByMigration = ["calling_rules", "places", "zip_places", "area_codes"].map(
      (name) => `private.${name}`,
    );
    const all = await database.owner<{ name: string }[]>`
      select schemaname || '.' || tablename as name from pg_tables where schemaname in ('public', 'private')`;
    expect(all.map(({ name }) => name).sort()).toEqual(
      [...tables, ...ofThisDatabase, ...sums, ...filledByMigration].sort(),
    );
  });

  it("makes a file that only its owner may read, and leaves nothing else behind", async () => {
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(await readdir(folder)).toEqual(["leads.backup"]);
  });

  it("is refused where another backup got the same name while it was made", async () => {
    const path = join(folder, "at-once.backup");
    let release = () => {};
    const bothWritten = new Promise<void>((resolve) => (release = resolve));
    let written = 0;
    const verify = () => {
      written += 1;
      if (written === 2) release();
      return bothWritten;
    };
    const ended = await Promise.allSettled([1, 2].map(() => backUp(database.owner, path, { verify })));
    expect(ended.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    expect(ended.find(({ status }) => status === "rejected")).toMatchObject({
      reason: new Refusal(`The file ${path} is there already. Name another one.`),
    });
    expect(await readdir(folder)).toEqual(["at-once.backup", "leads.backup"]);
    await rm(path);
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

  it("says so when the disk is full, and leaves nothing of the file behind", async () => {
    const path = join(folder, "large.backup");
    // A limit on the size of the process's files stands for a full disk.
    const limited = 'trap "" XFSZ; ulimit -f 1; exec "$0" "$@"';
    const program = [process.execPath, fileURLToPath(new URL("../bin/leads.ts", import.meta.url))];
    const child = spawn("sh", ["-c", limited, ...program, "backup", path], {
      cwd: tmpdir(),
      env: programEnvironment({ DATABASE_URL: database.url, NODE_COMPILE_CACHE: "" }),
      stdio: ["pipe", "pipe", "pipe"],
    });
    expect(await waitForExit(child)).toEqual({
      status: 1,
      stdout: "",
      stderr: `The file ${path} cannot be written (EFBIG).\n`,
    });
    expect(await readdir(folder)).toEqual(["leads.backup"]);
  });

  it("is made where a process with the same id was killed just before, as in a container that is started again", async () => {
    const path = join(folder, "again.backup");
    const left = `${path}.unfinished-leads-backup-${process.pid}`;
    await writeFile(left, "Rosa");
    onTestFinished(async () => {
      for (const one of [left, path]) await rm(one, { force: true });
    });
    await backUp(database.owner, path);
    expect((await readdir(folder)).sort()).toEqual(["again.backup", basename(left), "leads.backup"]);
  });

  it("shows one moment while leads come in: each with its permission and its deliveries", async () => {
    const busy = await makeDatabase();
    await busy.owner`update private.channels set enabled = true where name in ('email', 'webhook')`;
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
      expect(await waitForExit(startLeads([words, path], settings))).toMatchObject({ status: 0 });
    }
    expect(await count(empty.owner)).toBe(10_000);
  });
});

describe("leads restore", () => {
  it("refuses a database that a start of the server would refuse, and says why", async () => {
    await database.owner.unsafe(
      "create database latin_restore encoding 'LATIN1' template template0 locale 'C'",
    );
    const { status, stderr } = await leads(addressOfDatabase(database.url, "latin_restore"), "restore", file);
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr: expect.stringMatching(/^The database keeps texts as LATIN1,/),
    });
  });

  it("says of a database with the tables of a newer release that it takes that release, and not that the backup is damaged", async () => {
    const { url, owner } = await makeDatabase();
    await owner`
      insert into supabase_migrations.schema_migrations (version, name) values ('20261121000098', 'newer')`;
    const { status, stderr } = await leads(url, "restore", file);
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr: expect.stringMatching(/^This database has version 20261121000098 .* newer release\.\n$/),
    });
  });

  it("brings back every row exactly, and nothing fires on the way", async () => {
    const { url, owner } = await makeDatabase();
    const before = await rowsOfBackupTables(database.owner);
    await owner`
      insert into private.retention_plan (walked_to, walked_to_lead, leads, circumstances)
      values ('-infinity', '00000000-0000-0000-0000-000000000000', 0, 0)`;
    expect(await leads(url, "restore", file)).toEqual({
      status: 0,
      stdout: `Restored 5 leads and 13 deliveries from ${file}\n`,
      stderr: expect.stringMatching(
        /^All is as it was at \d{4}-\d\d-\d\d \d\d:\d\d\. Do again what came after that: people who asked to stop \(`[a-z -]{1,30}withdraw`\), and members who were removed or got a new link \(`[a-z -]{1,30}team`\)\. Otherwise those people are called, and those members get in\.\nIf the server runs, start it again: it then adds its own permission notice and sets up its own channels\. The notices of the backup stay\.\n$/,
      ),
    });
    expect(await rowsOfBackupTables(owner)).toEqual(before);
    // A plan from before would erase restored leads without announcing it.
    expect(await owner`select from private.retention_plan`).toHaveLength(0);
    // The triggers are back: a new lead is owed to both channels.
    await owner`insert into leads ${owner(aLead({ name: "New" }))}`;
    const [owed] = await owner`
      select count(*)::int as n from private.deliveries where lead_id = (select id from leads where name = 'New')`;
    expect(owed).toEqual({ n: 2 });
  });

  it("makes every index, reference and trigger again as it was", async () => {
    const { url, owner } = await makeDatabase();
    expect(await leads(url, "restore", file)).toMatchObject({ status: 0 });
    expect(await definitionsOf(owner)).toEqual(await definitionsOf(database.owner));
    // Erasing a lead takes along what refers to it.
    await owner`select private.erase_leads(array(select id from leads), 'asked')`;
    expect(await owner`select from private.lead_work union all select from private.reviews`).toEqual([]);
  });

  it("forgets up to which lead the circumstances of permissions were emptied", async () => {
    const { url, owner } = await makeDatabase();
    await owner`update private.emptied_circumstances set up_to = now()`;
    expect(await leads(url, "restore", file)).toMatchObject({ status: 0 });
    expect(await owner`select up_to::text from private.emptied_circumstances`).toEqual([
      { up_to: "-infinity" },
    ]);
  });

  it("needs no superuser", async () => {
    const { url, owner } = await (await startSupabaseLike()).makeDatabase();
    expect(await leads(url, "restore", file)).toMatchObject({ status: 0 });
    expect(await rowsOfBackupTables(owner)).toEqual(await rowsOfBackupTables(database.owner));
  });

  it("makes the tables of an empty database", async () => {
    const { url, owner } = await makeDatabase({ schema: false });
    expect(await leads(url, "restore", file)).toMatchObject({ status: 0 });
    expect(await rowsOfBackupTables(owner)).toEqual(await rowsOfBackupTables(database.owner));
  });

  it("makes no database for a file that is not there, or is no backup", async () => {
    const home = await mkdtemp(join(tmpdir(), "leads-not-restored-"));
    onTestFinished(() => rm(home, { recursive: true }));
    const notABackup = join(home, "notes.txt");
    await writeFile(notABackup, "Call Rosa.\n");
    for (const [name, says] of [
      [join(home, "nowhere.backup"), "cannot be read (ENOENT). Nothing was restored."],
      [notABackup, "Nothing was restored."],
    ] as const) {
      const ran = await waitForExit(startLeads(["restore", name], { DATA_DIR: join(home, "data") }));
      expect(ran).toMatchObject({ status: 1, stderr: expect.stringContaining(says) });
      expect(existsSync(join(home, "data"))).toBe(false);
    }
  });

  // A cluster is made, migrated, stopped and started again: it takes longer than most on a busy machine.
  it("makes an embedded database that is not there yet", { timeout: 90_000 }, async () => {
    const home = await mkdtemp(join(tmpdir(), "leads-restored-"));
    // PostgreSQL does not run as root; its user must be able to enter.
    await chmod(home, 0o711);
    onTestFinished(() => rm(home, { recursive: true }));
    const settings = { DATA_DIR: join(home, "data") };
    const restored = await waitForExit(startLeads(["restore", file], settings));
    expect(restored.stdout).toBe(`Restored 5 leads and 13 deliveries from ${file}\n`);
    expect(restored.stderr).toContain(`There was no database in ${settings.DATA_DIR} yet; it was made`);
    const { stdout } = await waitForExit(startLeads(["list", "--json"], settings));
    expect(JSON.parse(stdout)).toHaveLength(5);
    const { stderr } = await waitForExit(startLeads(["restore", file], settings));
    expect(stderr).toContain(
      "into another one, which is made, and start the server with the same setting:\n  DATA_DIR=<",
    );
  });

  it("refuses a database that holds leads, leaves it as it is, and says what to do", async () => {
    const { url, owner } = await makeDatabase();
    await owner`insert into leads ${owner(aLead({ name: "Here first" }))}`;
    const before = await rowsOfBackupTables(owner);
    expect(await leads(url, "restore", file)).toEqual({
      status: 1,
      stdout: "",
      stderr: `This database holds 1 lead already. Nothing was restored.
Restore into another one, which must be there, and start the server with the same setting:
  DATABASE_URL=<the address of an empty database> npm run leads -- restore ${file}
Or restore beside what it holds, so that both stay:
  npm run leads -- restore --keep ${file}
`,
    });
    expect(await rowsOfBackupTables(owner)).toEqual(before);
    // The file's name is quoted in the advice, so that the shell takes it as one word.
    const odd = join(folder, "of Rosa's team");
    await copyFile(file, odd);
    expect((await leads(url, "restore", odd)).stderr).toContain(
      `  npm run leads -- restore --keep '${odd.replace("'", "'\\''")}'`,
    );
  });
});

describe("a long command", () => {
  /** Starts a command, and aborts it as Ctrl-C does once it waits for a lock that the test holds. */
  const abortAtLock = async (owner: Sql, url: string, ...words: string[]) => {
    // The session of a command that an earlier test aborted may still wait for its lock for a moment.
    const before = await sessionsWaitingForLocks(owner, "leads command");
    const child = startLeads(words, { DATABASE_URL: url });
    await until(async () =>
      (await sessionsWaitingForLocks(owner, "leads command")).some((pid) => !before.includes(pid)),
    );
    child.kill("SIGINT");
    return waitForExit(child);
  };

  it("leaves no file behind when Ctrl-C aborts a backup", async () => {
    const path = join(folder, "aborted.backup");
    const ran = await database.owner.begin(async (sql) => {
      await sql`lock table private.deliveries in access exclusive mode`;
      return abortAtLock(database.owner, database.url, "backup", path);
    });
    expect(ran).toEqual({ status: 130, stdout: "", stderr: "" });
    expect((await readdir(folder)).filter((name) => name.startsWith("aborted"))).toEqual([]);
  });

  it("leaves no transaction behind when Ctrl-C aborts an export that is under way", async () => {
    const ran = await database.owner.begin(async (sql) => {
      await sql`lock table private.reviews in access exclusive mode`;
      return abortAtLock(database.owner, database.url, "export", "--format", "csv");
    });
    expect(ran).toEqual({ status: 130, stdout: "", stderr: "" });
    await until(
      async () =>
        (
          await database.owner`
            select from pg_stat_activity where application_name = 'leads command' and datname = current_database()`
        ).length === 0,
    );
  });

  it("leaves the database as it was when Ctrl-C aborts a restoration", async () => {
    const { url, owner } = await makeDatabase();
    const before = await rowsOfBackupTables(owner);
    await owner.begin(async (sql) => {
      // The restoration needs this table only when it has loaded all rows.
      await sql`lock table private.place_windows in access exclusive mode`;
      const ran = await abortAtLock(owner, url, "restore", file);
      expect(ran).toEqual({ status: 130, stdout: "", stderr: "" });
    });
    expect(await rowsOfBackupTables(owner)).toEqual(before);
  });

  it("shows a person at a terminal how far it is, and a script nothing of it", async () => {
    const path = join(folder, "shown.backup");
    const settings = { DATABASE_URL: database.url };
    const { stdout } = await waitForExit(startOnTerminal(["backup", path], settings));
    const [shown, result] = stdout.split("Backed up 5 leads");
    expect(shown).toMatch(/Backing up: \d+% /);
    // The line is cleared before the result.
    expect(shown?.endsWith("\r\u{1b}[K")).toBe(true);
    expect(result).toContain(path);
    const ofScript = await waitForExit(startLeads(["backup", join(folder, "script.backup")], settings));
    expect(ofScript).toEqual({ status: 0, stdout: expect.stringMatching(/^Backed up 5 leads/), stderr: "" });
  });

  it("shows how far it is in one line also where the terminal is narrow", async () => {
    const words = ["backup", join(folder, "narrow.backup")];
    const { stdout } = await waitForExit(
      startOnTerminal(words, { DATABASE_URL: database.url }, { columns: 30 }),
    );
    expect(stdout).toMatch(/^\rBacking up: \d+% {2}\(Ctrl-C br/);
    expect(stdout.split("\u{1b}[K")[0]).toHaveLength(30);
  });
});
