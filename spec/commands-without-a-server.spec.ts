// Commands while the server is stopped: the first one starts the database, and others that are typed meanwhile use it.
import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  constants,
  existsSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import { openDatabase, stopUnused } from "../cli/database.ts";
import { connect } from "../database/connect.ts";
import { findDataFolder, findRunning, startEmbedded } from "../database/embedded.ts";
import { migrate } from "../database/migrate.ts";
import { lockFolder } from "../packages/embedded-postgres/folder-lock.ts";
import { aLead, sessionsWaitingForLocks } from "./support/database.ts";
import { startLeads, waitForExit } from "./support/leads-command.ts";
import { until } from "./support/receiver.ts";

/** A data folder with one lead, and no server on it. Each test works on a copy, because making one takes ten times as long as a copy. */
let made: string;

beforeAll(async () => {
  made = newFolder();
  const { url, stop } = await startEmbedded({ dataDir: join(made, "data"), log: () => {} });
  const sql = connect(url, { max: 1 });
  await migrate(sql);
  await sql`insert into leads ${sql(aLead())}`;
  await sql.end();
  await stop();
});
afterAll(() => rmSync(made, { recursive: true }));

/** The data folder of a database with one lead and no server on it. */
function stoppedDatabase(): { DATA_DIR: string } {
  const folder = newFolder();
  onTestFinished(() => rmSync(folder, { recursive: true, maxRetries: 20 }));
  execFileSync("cp", ["-a", join(made, "data"), folder]);
  return { DATA_DIR: join(folder, "data") };
}

/** A named pipe with a writer that keeps it open. */
function namedPipe(): { path: string; writer: Socket } {
  const folder = newFolder();
  const path = join(folder, "pipe");
  execFileSync("mkfifo", [path]);
  // For reading too: a pipe that has no reader cannot be opened for writing.
  const writer = new Socket({ fd: openSync(path, constants.O_RDWR | constants.O_NONBLOCK) });
  onTestFinished(() => {
    writer.destroy();
    rmSync(folder, { recursive: true });
  });
  return { path, writer };
}

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "leads-commands-"));
  chmodSync(folder, 0o711);
  return folder;
}

it.each(["SIGINT", "SIGHUP"] as const)(
  "a command that started the database leaves it running until another one that uses it has ended: %s",
  async (signal) => {
    const settings = stoppedDatabase();
    const first = startLeads(["watch"], settings);
    let said = "";
    first.stderr?.on("data", (text) => (said += text));
    const ended = waitForExit(first);
    await until(() => findRunning({ dataDir: settings.DATA_DIR }));
    const other = startLeads(["watch"], settings);
    const otherEnded = waitForExit(other);
    await new Promise((resolve) => other.stdout?.once("data", resolve));
    first.kill(signal);
    await until(() => said.includes("Another command uses the database"));
    // A terminal that is closed sends this, and may send it twice.
    first.kill("SIGHUP");
    const third = await waitForExit(startLeads(["list", "--json"], settings));
    expect([third.status, JSON.parse(third.stdout).length]).toEqual([0, 1]);
    other.kill("SIGINT");
    expect((await otherEnded).stderr).toBe("");
    expect((await ended).stderr).toContain("This one waits for it, and then stops the database.\n");
    expect(await findRunning({ dataDir: settings.DATA_DIR })).toBeUndefined();
  },
);

it("commands that are typed at the same moment all do their work", async () => {
  const settings = stoppedDatabase();
  const ran = await Promise.all(
    [1, 2, 3, 4].map(() => waitForExit(startLeads(["list", "--json"], settings))),
  );
  for (const { status, stdout, stderr } of ran)
    expect([status, stdout.split("\n").length, stderr]).toEqual([0, 4, expect.not.stringContaining("lost")]);
});

it("a command whose turn comes only because the database is being stopped waits, and starts it again", async () => {
  const { DATA_DIR } = stoppedDatabase();
  const server = await startEmbedded({ dataDir: DATA_DIR, log: () => {} });
  const sql = connect(server.url, { max: 1 });
  const waits = async () => (await sessionsWaitingForLocks(sql)).length > 0;
  let opening: ReturnType<typeof openStopped> | undefined;
  // PostgreSQL ends its sessions one after the other. Here that of the command that stops it ends first, and long before the others.
  const stop = async () => {
    opening = openStopped(DATA_DIR, new AbortController().signal);
    await until(waits);
    process.kill(server.pid, "SIGSTOP");
    await sql`
      select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'leads command that stops'`;
    await until(async () => !(await waits()));
    const stopped = server.stop();
    process.kill(server.pid, "SIGCONT");
    await stopped;
  };
  await stopUnused(server.url, stop, () => {});
  await sql.end({ timeout: 0 });
  const opened = await opening;
  const again = connect(opened?.url as string, { max: 1 });
  onTestFinished(async () => {
    await again.end();
    await opened?.close();
  });
  expect(await again`select name from leads`).toHaveLength(1);
});

it.each(["standard input", "a named pipe"])(
  "a command that reads %s, which does not end, is ended by Ctrl-C, with the database that it started",
  async (from) => {
    const settings = stoppedDatabase();
    const pipe = from === "a named pipe" ? namedPipe() : undefined;
    const reading = startLeads(["campaigns", "costs", "add", pipe?.path ?? "-"], settings);
    const ended = waitForExit(reading, { keepOpen: true });
    // More than a pipe holds, so that all of it is written only after the command has begun to read.
    await new Promise((written) => (pipe?.writer ?? reading.stdin)?.write("x".repeat(1_000_000), written));
    reading.kill("SIGINT");
    expect(await ended).toMatchObject({ status: 130, stdout: "" });
    expect(await findRunning({ dataDir: settings.DATA_DIR })).toBeUndefined();
  },
);

it("a command does its work, and stops the database that it started, when the reader of its messages closes the pipe", async () => {
  const settings = stoppedDatabase();
  const child = startLeads(["list", "--json"], settings);
  child.stderr?.destroy();
  const { status, stdout } = await waitForExit(child);
  expect([status, stdout]).toEqual([0, expect.stringContaining('"created_at"')]);
  expect(await findRunning({ dataDir: settings.DATA_DIR })).toBeUndefined();
});

it("a command beside a server whose database does not answer says so, and not that the server is stopped", async () => {
  const { DATA_DIR } = stoppedDatabase();
  const release = lockFolder(DATA_DIR, { advice: { otherFolder: "" } } as Parameters<typeof lockFolder>[1]);
  onTestFinished(release);
  const told: string[] = [];
  const { signal } = new AbortController();
  const opening = openDatabase(
    { databaseUrl: undefined, dataDir: DATA_DIR },
    { tell: (text) => told.push(text), signal },
    false,
    0,
  );
  await expect(opening).rejects.toThrow(
    /^A server, or another command, has the data folder .* open, and its database does not answer\./,
  );
  expect(told).toEqual([]);
});

it("Ctrl-C ends a command that waits for a server's database to answer", async () => {
  const { DATA_DIR } = stoppedDatabase();
  const ctrlC = new AbortController();
  const release = lockFolder(DATA_DIR, { advice: { otherFolder: "" } } as Parameters<typeof lockFolder>[1]);
  onTestFinished(release);
  const waiting = openStopped(DATA_DIR, ctrlC.signal);
  ctrlC.abort();
  await expect(waiting).rejects.toThrow("aborted");
});

it("Ctrl-C that is pressed before a command starts its own database leaves none running", async () => {
  const { DATA_DIR } = stoppedDatabase();
  await expect(openStopped(DATA_DIR, AbortSignal.abort())).rejects.toThrow("PostgreSQL did not start.");
  expect(await findRunning({ dataDir: DATA_DIR })).toBeUndefined();
});

it("Ctrl-C ends the database that a command is starting, while it is not ready yet", async () => {
  const { DATA_DIR } = stoppedDatabase();
  const { cluster } = findDataFolder(DATA_DIR);
  // A standby that takes no queries is never ready, so this start goes on until it is ended.
  writeFileSync(join(cluster, "standby.signal"), "");
  appendFileSync(join(cluster, "postgresql.auto.conf"), "hot_standby = off\n");
  const ctrlC = new AbortController();
  const opening = openStopped(DATA_DIR, ctrlC.signal);
  const refused = expect(opening).rejects.toThrow("PostgreSQL did not start.");
  const pid = await until(() => startedIn(cluster));
  ctrlC.abort();
  await refused;
  expect(() => process.kill(pid, 0)).toThrow("ESRCH");
  expect(await findRunning({ dataDir: DATA_DIR })).toBeUndefined();
});

/** The process of a PostgreSQL that says in its file that it is a standby, or undefined. */
function startedIn(cluster: string): number | undefined {
  const file = join(cluster, "postmaster.pid");
  const lines = existsSync(file) ? readFileSync(file, "utf8").split("\n") : [];
  return lines[7]?.trim() === "standby" ? Number(lines[0]) : undefined;
}

/** Opens a database as each command but `restore` does. */
const openStopped = (dataDir: string, signal: AbortSignal) =>
  openDatabase({ databaseUrl: undefined, dataDir }, { tell: () => {}, signal }, false);

it("a command keeps its hold on the database when its other connections are renewed, as they are after half an hour", async () => {
  const settings = stoppedDatabase();
  const { url, stop } = await startEmbedded({ dataDir: settings.DATA_DIR, log: () => {} });
  const sql = connect(url, { max: 1 });
  onTestFinished(async () => {
    await sql.end();
    await stop();
  });
  const sessions = async () => {
    const found = await sql<{ pid: number; holds: boolean }[]>`
      select a.pid, exists (select from pg_locks l where l.pid = a.pid and l.locktype = 'advisory') as holds
      from pg_stat_activity a where a.application_name = 'leads command'`;
    const pids = (holds: boolean) => found.filter((one) => one.holds === holds).map(({ pid }) => pid);
    return { holding: pids(true), working: pids(false) };
  };
  // In seconds; the library's own default is half an hour to an hour.
  const watching = startLeads(["watch"], { ...settings, PGMAX_LIFETIME: "1" });
  const ended = waitForExit(watching);
  const before = await until(async () => {
    const now = await sessions();
    return now.holding.length > 0 && now.working.length > 0 ? now : undefined;
  });
  await until(async () => (await sessions()).working.some((pid) => !before.working.includes(pid)));
  expect((await sessions()).holding).toEqual(before.holding);
  watching.kill("SIGINT");
  await ended;
});
