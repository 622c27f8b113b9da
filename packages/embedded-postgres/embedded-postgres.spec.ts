// PostgreSQL as a child process: real processes on real data folders, ended with real signals.
import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { findRunning, startPostgres } from "./embedded-postgres.ts";
import { rotateLog } from "./log-rotation.ts";
import type { PostgresEvent } from "./options.ts";
import { commandOf, endProcess } from "./processes.ts";
import {
  copyTemplate,
  createKeptTable,
  dataDir,
  isAlive,
  kill,
  modeOf,
  optionsOn,
  query,
  socketsOf,
  start,
  startInChild,
  useServers,
} from "./spec-servers.ts";

useServers();

describe("a start that is cancelled", () => {
  it("ends without a server, also where there is data already and the start would be tried again", async () => {
    copyTemplate();
    const stop = new AbortController();
    const onEvent = ({ name }: PostgresEvent) => void (name === "starting" && stop.abort());
    const started = startPostgres({ ...optionsOn(dataDir), onEvent, retry: true, cancel: stop.signal });
    await expect(started).rejects.toThrow();
    expect(await findRunning(optionsOn(dataDir))).toBeUndefined();
    const { url } = await start();
    expect(await query(url, "select 1")).toEqual([[1]]);
  });
});

describe("a started PostgreSQL", () => {
  it("makes a database that confirms only what is on disk", async () => {
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

  it("does not start, and says so in words, where its owner's password is missing or cannot be read", async () => {
    copyTemplate();
    const password = join(dataDir, "owner-password");
    const kept = readFileSync(password);
    rmSync(password);
    const missing = `The password of the database is missing: put ${password} back from a backup.`;
    await expect(start()).rejects.toThrow(missing);
    writeFileSync(password, "");
    await expect(start()).rejects.toThrow(`The password of the database is missing: ${password} is empty`);
    rmSync(password);
    mkdirSync(password);
    const notRead = `The password of the database in ${password} cannot be read (EISDIR).`;
    await expect(start()).rejects.toThrow(notRead);
    rmSync(password, { recursive: true });
    writeFileSync(password, kept);
    await start();
    rmSync(password);
    await expect(findRunning(optionsOn(dataDir))).rejects.toThrow(missing);
  });

  it("does not start on data without its version, as a copy that was broken off leaves it, and keeps the password", async () => {
    copyTemplate();
    rmSync(join(dataDir, "postgresql/PG_VERSION"));
    const password = readFileSync(join(dataDir, "owner-password"), "utf8");
    await expect(start()).rejects.toThrow(
      /holds something, and no PG_VERSION .{1,200} move it away together with .{1,200}\/owner-password, and start again/,
    );
    expect(readFileSync(join(dataDir, "owner-password"), "utf8")).toBe(password);
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
    const settings = {
      work_mem: "7MB",
      fsync: "off",
      synchronous_commit: "off",
      full_page_writes: "off",
      listen_addresses: "*",
      unix_socket_permissions: "0777",
      port: 5433,
    };
    const { url } = await start(dataDir, { owner: "captain", database: "ship", settings });
    const asked = Object.keys(settings).map((name) => `current_setting('${name}')`);
    expect(await query(url, `select current_user, current_database(), ${asked}`)).toEqual([
      ["captain", "ship", "7MB", "on", "on", "on", "", "0700", "5432"],
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

  it("does without the folder for temporary files that the environment names, where that is not there or has too long a name", async () => {
    onTestFinished(() => void vi.unstubAllEnvs());
    const tooLong = join(dataDir, "t".repeat(80));
    mkdirSync(tooLong, { mode: 0o777 });
    for (const folder of ["/none", tooLong]) {
      vi.stubEnv("TMPDIR", folder);
      const { url, stop } = await start(join(dataDir, "y".repeat(100)));
      expect(dirname(socketsOf(url))).toBe("/tmp");
      await stop();
      rmSync(socketsOf(url), { recursive: true });
    }
  });

  it("has its socket beside the data as long as its path has at most 103 bytes, and works there", async () => {
    const rest = Buffer.byteLength(join(dataDir, "/sockets/.s.PGSQL.5432"));
    for (const length of [103, 104]) {
      const folder = join(dataDir, "z".repeat(length - rest - 1));
      const { url, stop } = await start(folder);
      expect(await query(url, "select 1")).toEqual([[1]]);
      expect(socketsOf(url) === join(folder, "sockets")).toBe(length === 103);
      await stop();
      if (length === 104) rmSync(socketsOf(url), { recursive: true });
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
    const sleeping = "select 1 from pg_stat_activity where query ~ '^select pg_sleep'";
    await vi.waitFor(async () => expect(await query(url, sleeping)).toHaveLength(1), { timeout: 20_000 });
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

  it("is refused in words, in this process and in any other", async () => {
    const { url } = await start();
    const refusal = `Another program has the data folder ${dataDir} open (process ${process.pid}): a server, or a command that works on its data. Stop that one first, or name another folder in dataDir.`;
    await expect(start()).rejects.toThrow(refusal);
    expect((await startInChild().answer).refused).toBe(refusal);
    expect(await query(url, "select 1")).toEqual([[1]]);
  });

  it("is refused to all but one of several at once", async () => {
    const answers = await Promise.all([1, 2, 3].map(() => startInChild().answer));
    expect(answers.filter(({ url }) => url)).toHaveLength(1);
    const refused = answers.flatMap((answer) => answer.refused ?? []);
    expect(refused).toHaveLength(2);
    for (const sentence of refused) expect(sentence).toContain("Another program has the data folder");
  });
});

describe("a process that is to end", () => {
  it("has no longer to end than it was given, also when the machine's clock is set back meanwhile", async () => {
    onTestFinished(() => void vi.useRealTimers());
    const ignoring = "process.on('SIGINT', () => {}); console.log('ready'); setInterval(() => {}, 1000);";
    const child = spawn(process.execPath, ["-e", ignoring], { stdio: ["ignore", "pipe", "ignore"] });
    const ended = once(child, "exit");
    await once(child.stdout, "data");
    const isGone = () => {
      vi.setSystemTime(Date.now() - 3_600_000);
      return child.exitCode !== null || child.signalCode !== null;
    };
    await endProcess(child.pid as number, isGone, 0.1);
    expect(await ended).toEqual([null, expect.stringMatching(/^SIG(QUIT|KILL)$/)]);
  });
});

describe("a running process", () => {
  it("has its command line also where `ps` tells it, and tells that of every process in more than a megabyte", async () => {
    const platform = Object.getOwnPropertyDescriptor(process, "platform") as PropertyDescriptor;
    onTestFinished(() => void Object.defineProperty(process, "platform", platform));
    const words = ["-e", "process.stdin.resume()", "x".repeat(120_000)];
    const children = Array.from({ length: 12 }, () => spawn(process.execPath, words));
    onTestFinished(() => children.forEach((child) => void child.kill("SIGKILL")));
    await Promise.all(children.map((child) => once(child, "spawn")));
    Object.defineProperty(process, "platform", { value: "darwin" });
    for (const { pid } of children) expect(commandOf(pid as number)).toContain(process.execPath);
  });
});

describe("a start", () => {
  beforeEach(() => copyTemplate());

  it("is refused in words while the lock's file holds something else", async () => {
    const lock = join(dataDir, "supervisor.lock");
    writeFileSync(lock, "something else\n".repeat(100));
    await expect(start()).rejects.toThrow(
      `${lock} holds something else than this program wrote. Remove that file, which holds no data, and start again.`,
    );
    rmSync(lock);
    await start();
  });
});

describe("the server's log", () => {
  beforeEach(() => copyTemplate());

  it("is moved aside when it is too large, in place of the older one, and the server goes on writing to it", async () => {
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

  it("stays as it is where it cannot be changed, which is no error", async () => {
    const log = join(dataDir, "log/postgresql.log");
    // A folder in its place stands for a disk that takes no writes any more: this runs as root too, whom no permission stops.
    mkdirSync(log, { recursive: true });
    rotateLog(log, 1);
    expect(statSync(log).isDirectory()).toBe(true);
  });

  it("is rotated by a start", async () => {
    await (await start()).stop();
    const log = join(dataDir, "log/postgresql.log");
    appendFileSync(log, "older\n".repeat(1_000));
    await start(dataDir, { maxLogBytes: 5_000 });
    expect(statSync(log).size).toBeLessThan(5_000);
  });
});
