// How the server keeps a second copy of everything by itself: a backup each day, verified by a restoration, the newest few kept.
import {
  chmod,
  chown,
  mkdir,
  mkdtemp,
  readdir,
  rm,
  stat,
  truncate,
  utimes,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { connect, type Sql } from "../database/connect.ts";
import { newestVersion } from "../database/migrate.ts";
import { roleAddress } from "../database/role-logins.ts";
import type { RowCounts } from "../team/backup.ts";
import { disableBackups } from "../team/backup-state.ts";
import { backUpWhenDue, startScheduledBackups } from "../team/scheduled-backups.ts";
import { verifyBackup } from "../team/verify-backup.ts";
import { beginBackups } from "./support/backups.ts";
import { makeDatabase, type TestDatabase } from "./support/database.ts";
import { leads } from "./support/leads-command.ts";
import { until } from "./support/receiver.ts";
import { startTcpProxy } from "./support/tcp-proxy.ts";

let database: TestDatabase;
let folder: string;
let lines: string[];
const log = (event: string, facts = {}) => void lines.push(JSON.stringify({ event, ...facts }));
const { signal } = new AbortController();
const backUp = (keep = 3, into = folder) =>
  backUpWhenDue({ sql: database.owner, url: database.url, signal }, { folder: into, keep }, log);

beforeAll(async () => {
  database = await makeDatabase();
});
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "leads-scheduled-"));
  lines = [];
  await beginBackups(database.owner);
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
});

const state = async () => (await database.owner`select * from private.backup_state`)[0];
/** Makes the newest backup, and the time until which no server begins one, older by so many minutes. */
const minutesPass = (minutes: number) => database.owner`
  update private.backup_state
  set taken_at = taken_at - make_interval(mins => ${minutes}), claimed_until = claimed_until - make_interval(mins => ${minutes})`;
const scratchDatabases = () => database.owner<{ name: string }[]>`
  select datname as name from pg_database where starts_with(datname, 'leads_verify_' || left(md5(current_database()), 12))`;
const restorations = () => database.owner`
  select from pg_stat_activity
  where starts_with(datname, 'leads_verify_' || left(md5(current_database()), 12)) and application_name = 'leads backup' and state is not null`;
/** A name as a killed process leaves it. */
const leftoverScratchName = async (sql: Sql) =>
  (
    await sql<{ name: string }[]>`
    select 'leads_verify_' || left(md5(current_database()), 12) || '_left' as name`
  )[0]?.name ?? "";

describe("a backup by hand", () => {
  it("removes the unfinished files of processes that were killed, and leaves those alone that are being written", async () => {
    const [old, fresh] = [
      "leads-a.backup.unfinished-leads-backup-7",
      "by-hand.unfinished-leads-backup-8",
    ] as const;
    for (const name of [old, fresh]) await writeFile(join(folder, name), "Rosa");
    const twoHoursAgo = Date.now() / 1000 - 2 * 60 * 60;
    await utimes(join(folder, old), twoHoursAgo, twoHoursAgo);
    await leads(database.url, "backup", join(folder, "whole"));
    expect((await readdir(folder)).sort()).toEqual([fresh, "whole"]);
  });
});

describe("the embedded database", () => {
  it("gives a login ten seconds, because one that is not finished holds up the end of a verification", async () => {
    expect(await database.owner`show authentication_timeout`).toEqual([{ authentication_timeout: "10s" }]);
  });
});

describe("a scheduled backup", () => {
  it("is refused, for a reason that is recorded, on tables of a newer release, because this one does not know all of them", async () => {
    const { owner } = database;
    await owner`insert into supabase_migrations.schema_migrations (version) values ('29990101000000')`;
    onTestFinished(async () => {
      await owner`delete from supabase_migrations.schema_migrations where version = '29990101000000'`;
    });
    const refusal = `This database has version 29990101000000 of the tables and this program ${await newestVersion()}. Back it up with the newer release.`;
    await backUp();
    expect(await state()).toMatchObject({ taken_at: null, failure: refusal });
    expect(await readdir(folder)).toEqual([]);
    const ran = await leads(database.url, "backup", join(folder, "by-hand.backup"));
    expect(ran).toEqual({ status: 1, stdout: "", stderr: `${refusal}\n` });
    expect(await readdir(folder)).toEqual([]);
  });

  it("is made all the same when an older one cannot be removed, and the log says that", async () => {
    await mkdir(join(folder, "leads-2020-01-01T000000.000Z.backup"));
    await backUp(1);
    expect(await state()).toMatchObject({ leads: 1, failure: null });
    expect(lines).toEqual([
      expect.stringContaining('"backed-up","leads":1'),
      expect.stringContaining('"old-backups-kept"'),
    ]);
  });

  it("is made once a day, readable for its owner alone, and can be restored", async () => {
    expect(await backUp()).toBe(true);
    expect(await backUp()).toBe(false);
    await minutesPass(23 * 60);
    expect(await backUp()).toBe(false);
    const [name = ""] = await readdir(folder);
    expect(await readdir(folder)).toEqual([
      expect.stringMatching(/^leads-\d{4}-\d\d-\d\dT\d{6}\.\d{3}Z\.backup$/),
    ]);
    expect((await stat(join(folder, name))).mode & 0o777).toBe(0o600);
    expect(await state()).toMatchObject({
      leads: 1,
      file_name: name,
      verified_by: "restored",
      failure: null,
    });
    expect(lines).toEqual([expect.stringContaining('"backed-up","leads":1')]);
    const empty = await makeDatabase();
    expect(await leads(empty.url, "restore", join(folder, name))).toMatchObject({ status: 0 });
  });

  it("leaves no scratch database behind, nor one of a server that was killed, and leaves those of other databases alone", async () => {
    const other = await makeDatabase();
    const [own, others] = [await leftoverScratchName(database.owner), await leftoverScratchName(other.owner)];
    for (const name of [own, others]) await database.owner.unsafe(`create database ${name}`);
    onTestFinished(() => void database.owner.unsafe(`drop database if exists ${others}`).catch(() => {}));
    await backUp();
    expect(await scratchDatabases()).toEqual([]);
    expect(await database.owner`select from pg_database where datname = ${others}`).toHaveLength(1);
    await database.owner.unsafe(`drop database ${others}`);
  });

  it("that loses the database leaves no file that is not verified, and says so in the log", async () => {
    const proxy = await startTcpProxy(database.url);
    const sql = connect(proxy.url, { max: 1 });
    onTestFinished(() => sql.end({ timeout: 0 }));
    const made = backUpWhenDue({ sql, url: proxy.url, signal }, { folder, keep: 3 }, log);
    const lost = expect(made).rejects.toThrow();
    await until(async () => (await scratchDatabases()).length > 0);
    proxy.close();
    await lost;
    expect(await readdir(folder)).toEqual([]);
    expect(lines).toEqual([expect.stringContaining('"backup-failed"')]);
    // Its scratch database goes with the next backup.
    await database.owner`update private.backup_state set claimed_until = now()`;
    await backUp();
    expect(await scratchDatabases()).toHaveLength(0);
  });

  it("that is under way when the server stops ends at once, leaves nothing behind, and is made by the next server", async () => {
    const proxy = await startTcpProxy(database.url);
    onTestFinished(proxy.close);
    const open = () => connect(database.url, { max: 2 });
    const backups = startScheduledBackups({ folder, keep: 3 }, { open, url: proxy.url, log });
    // Logged in, because a login that stalls keeps PostgreSQL from dropping any database until authentication_timeout.
    await until(async () => (await restorations()).length > 0);
    // The restoration never ends by itself.
    proxy.stall();
    await backups.stop();
    // Where the disk is busy, PostgreSQL drops a database for longer than a stop waits.
    await until(async () => (await scratchDatabases()).length === 0);
    expect(await readdir(folder)).toEqual([]);
    expect(lines).toEqual([]);
    expect(await backUp()).toBe(true);
    expect(await state()).toMatchObject({ leads: 1, failure: null });
  });

  it("is left to the next server where this one stops just before it begins", async () => {
    const proxy = await startTcpProxy(database.url);
    onTestFinished(proxy.close);
    proxy.stall();
    const open = () => connect(database.url, { max: 2 });
    await startScheduledBackups({ folder, keep: 3 }, { open, url: proxy.url, log }).stop();
    expect(await readdir(folder)).toEqual([]);
    expect(await backUp()).toBe(true);
  });

  it("is the only one of several servers that start at once", async () => {
    expect((await Promise.all([backUp(), backUp(), backUp()])).filter(Boolean)).toHaveLength(1);
  });

  it("takes the place of the oldest when enough are kept, and leaves other files alone", async () => {
    const names = ["leads-2025-01-01T000000.000Z.backup", "leads-2025-01-02T000000.000Z.backup", "notes.txt"];
    for (const name of names) await writeFile(join(folder, name), "");
    await backUp(2);
    const [older, newest, other] = (await readdir(folder)).sort();
    expect([older, other]).toEqual(names.slice(1));
    expect(newest).not.toBe(names[0]);
    expect(await readdir(folder)).toHaveLength(3);
  });

  it("is made again after a moment in which the clock was ahead, and the file of that moment does not pass for the newest", async () => {
    const ofLater = "leads-2099-01-01T000000.000Z.backup";
    await writeFile(join(folder, ofLater), "");
    await database.owner`
      update private.backup_state
      set taken_at = now() + interval '3 years', file_name = ${ofLater}, verified_by = 'restored',
        claimed_until = now() + interval '3 years', enabled_since = now() - interval '40 hours'`;
    expect((await leads(database.url, "status")).stdout).toContain("BACKUP: ");
    expect(await backUp(1)).toBe(true);
    expect(await readdir(folder)).toEqual([(await state())?.file_name]);
    expect((await leads(database.url, "status")).stdout).not.toContain("BACKUP: ");
    expect(await backUp()).toBe(false);
  });

  it("is not made while no server is set up to make backups", async () => {
    await disableBackups(database.owner, { isOnlyServer: false });
    expect(await backUp()).toBe(false);
  });

  it("is still expected after a server without BACKUP_DIR starts on another machine, until no server has asked for backups for 36 hours", async () => {
    const { owner } = database;
    const expectsBackups = async () => {
      await disableBackups(owner, { isOnlyServer: false });
      return (await state())?.enabled_since !== null;
    };
    await owner`update private.backup_state set enabled_by = 'another machine'`;
    expect(await expectsBackups()).toBe(true);
    await owner`update private.backup_state set enabled_at = now() - interval '35 hours'`;
    expect(await expectsBackups()).toBe(true);
    await owner`update private.backup_state set enabled_at = now() - interval '37 hours'`;
    expect(await expectsBackups()).toBe(false);
    // As if that server had said so while the database's clock was ahead.
    await owner`
      update private.backup_state
      set enabled_since = now(), enabled_by = 'another machine', enabled_at = now() + interval '3 years'`;
    expect(await expectsBackups()).toBe(false);
  });

  it("is no longer called for when the only server of an embedded database starts without BACKUP_DIR", async () => {
    await database.owner`update private.backup_state set enabled_by = 'a container that is gone'`;
    await disableBackups(database.owner, { isOnlyServer: true });
    expect(await state()).toMatchObject({ enabled_since: null });
  });

  /** A login that is no superuser. */
  async function asLogin(right: "createdb" | "nocreatedb"): Promise<Sql> {
    const name = `spec_owner_${Date.now()}`;
    await database.owner.unsafe(
      `create role ${name} login password 'x' nosuperuser ${right} in role pg_read_all_data, pg_write_all_data bypassrls`,
    );
    const sql = connect(database.url.replace(/\/\/[^@/]*@/, `//${name}:x@`), { max: 1 });
    onTestFinished(async () => {
      await sql.end();
      await database.owner.unsafe(`drop role ${name}`);
    });
    return sql;
  }

  it("is read from end to end where the owner may make no database", async () => {
    const sql = await asLogin("nocreatedb");
    await backUpWhenDue({ sql, url: database.url, signal }, { folder, keep: 3 }, log);
    expect(await state()).toMatchObject({ leads: 1, verified_by: "read" });
  });

  it("passes for no backup when the restored copy has another number of rows, or when it cannot be read to its end", async () => {
    await backUp();
    const path = join(folder, (await readdir(folder))[0] ?? "");
    const at = { sql: database.owner, url: database.url, signal };
    await expect(verifyBackup(at, path, { "public.leads": 1 } as RowCounts)).resolves.toBe("restored");
    await expect(verifyBackup(at, path, { "public.leads": 2 } as RowCounts)).rejects.toThrow(
      /^This backup is damaged: what is in it is not what was put in\.$/,
    );
    expect(await scratchDatabases()).toEqual([]);
    const sql = await asLogin("nocreatedb");
    await truncate(path, (await stat(path)).size - 1);
    await expect(verifyBackup({ ...at, sql }, path, {} as RowCounts)).rejects.toThrow(
      /^This backup is damaged: it ends too early\.$/,
    );
  });

  it("names a scratch database in its way that belongs to another login, because only that one may drop it", async () => {
    const left = await leftoverScratchName(database.owner);
    await database.owner.unsafe(`create database ${left}`);
    onTestFinished(async () => void (await database.owner.unsafe(`drop database ${left}`)));
    const sql = await asLogin("createdb");
    await backUpWhenDue({ sql, url: database.url, signal }, { folder, keep: 3 }, log);
    expect(await state()).toMatchObject({
      failure: `The database ${left}, which a verification has left, belongs to another login. Drop it with that one.`,
    });
  });

  it("that fails says why, keeps the older ones, and is tried again an hour later", async () => {
    await backUp();
    await minutesPass(24 * 60);
    const file = join(folder, "not-a-folder");
    await writeFile(file, "");
    expect(await backUp(3, join(file, "below"))).toBe(true);
    expect(await state()).toMatchObject({ failure: "BACKUP_DIR cannot be made (ENOTDIR).", leads: 1 });
    expect(lines.at(-1)).toBe('{"event":"backup-failed","code":"ENOTDIR"}');
    await minutesPass(59);
    expect(await backUp()).toBe(false);
    await minutesPass(1);
    expect(await backUp()).toBe(true);
    expect(await state()).toMatchObject({ failure: null, failed_at: null });
  });

  it("leaves no file in a folder that it may not read, where it cannot make sure that the file's name is on disk", async () => {
    await chmod(folder, 0o300);
    // Root may read any folder. The user that runs PostgreSQL reaches its socket.
    const isRoot = process.getuid?.() === 0;
    const { uid, gid } = await stat(decodeURIComponent(new URL(database.url).hostname));
    if (isRoot) await chown(folder, uid, gid);
    if (isRoot) process.seteuid?.(uid);
    onTestFinished(() => void (isRoot && process.seteuid?.(0)));
    expect(await backUp()).toBe(true);
    expect((await state())?.failure).toMatch(/cannot be written \(EACCES\)\.$/);
    await chmod(folder, 0o700);
    expect(await readdir(folder)).toEqual([]);
  });

  it("has its state out of reach of the roles that serve visitors, deliveries and the inbox", async () => {
    for (const role of ["leads_intake", "leads_delivery", "leads_team"] as const) {
      const sql = connect(roleAddress(database.url, role), { max: 1 });
      await expect(sql`select * from private.backup_state`).rejects.toMatchObject({ code: "42501" });
      await sql.end();
    }
  });
});
