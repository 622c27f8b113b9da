// What happens after PostgreSQL is killed, or the process that started it: the next start works, and nothing is lost.
import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { findRunning, stopOrphan } from "./embedded-postgres.ts";
import type { PostgresEvent } from "./options.ts";
import {
  children,
  copyTemplate,
  createKeptTable,
  dataDir,
  events,
  isAlive,
  isRoot,
  kill,
  optionsOn,
  query,
  start,
  startInChild,
  useServers,
} from "./spec-servers.ts";

useServers();

/** The sessions whose statement matches this regular expression. */
const sessionsWith = (url: string, pattern: string) =>
  query(url, `select 1 from pg_stat_activity where query ~ '${pattern}'`);

describe("a PostgreSQL after a kill", () => {
  it("runs again by itself when the server was killed", async () => {
    copyTemplate();
    const database = await start();
    await createKeptTable(database.url);
    // A session that does not notice the death of its server, and holds the shared memory.
    const busy = query(database.url, "do $$ begin loop end loop; end $$").catch(() => {});
    await expect.poll(() => sessionsWith(database.url, "^do")).toHaveLength(1);
    const killed = database.pid;
    process.kill(killed, "SIGKILL");
    const answer = await vi.waitFor(() => query(database.url, "table kept"), {
      timeout: 20_000,
      interval: 20,
    });
    expect(answer).toEqual([[42]]);
    await busy;
    // The new server answers a moment before its parent has learned that it does.
    await expect.poll(() => events.slice(-2)).toEqual(["exited", "started"]);
    expect(database.pid).not.toBe(killed);
    expect(await findRunning(optionsOn(dataDir))).toBe(database.url);
  });

  it("runs again by itself also where somebody has tidied its log away", async () => {
    copyTemplate();
    const database = await start();
    rmSync(join(dataDir, "log"), { recursive: true });
    process.kill(database.pid, "SIGKILL");
    await expect.poll(() => events.slice(-2), { timeout: 20_000 }).toEqual(["exited", "started"]);
    expect(await query(database.url, "select 1")).toEqual([[1]]);
  });

  it("says that its programs are gone, as after an update under it, and runs again once they are back", async () => {
    copyTemplate();
    const told: PostgresEvent[] = [];
    const name = `@embedded-postgres/${process.platform}-${process.arch}`;
    const packaged = join(dirname(createRequire(import.meta.url).resolve(name)), "../native");
    const programs = join(dataDir, "programs");
    cpSync(packaged, programs, { recursive: true, verbatimSymlinks: true });
    const database = await start(dataDir, { programs, onEvent: (event: PostgresEvent) => told.push(event) });
    renameSync(programs, `${programs}-before`);
    process.kill(database.pid, "SIGKILL");
    await expect
      .poll(() => told)
      .toContainEqual(expect.objectContaining({ name: "not-starting", code: "ENOENT" }));
    renameSync(`${programs}-before`, programs);
    await expect.poll(() => told.at(-1)?.name, { timeout: 20_000 }).toBe("started");
  });

  it("ends no other program that has a server's command line among its arguments", async () => {
    copyTemplate();
    // The first has a second path before the server's options, the second an option, and the third both.
    const programs = ["strace /usr/bin/postgres", "gdb --args bin/postgres", "sh -c exec /usr/bin/postgres"];
    const bystanders = programs.map((program) =>
      spawn("sh", ["-c", "read -r line"], {
        argv0: `${program} -D ${join(dataDir, "postgresql")} -c port=5432`,
        stdio: ["pipe", "ignore", "ignore"],
      }),
    );
    const database = await start();
    expect(await query(database.url, "select 1")).toEqual([[1]]);
    for (const bystander of bystanders) {
      expect(bystander.exitCode ?? bystander.signalCode).toBeNull();
      bystander.stdin.end();
      await once(bystander, "close");
    }
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
    await expect.poll(() => sessionsWith(orphan.url, "^select pg_sleep")).toHaveLength(1);
    await kill(child);
    process.kill(orphan.pid, "SIGTERM");
    const { url } = await start();
    expect(await asleep).toBe("ended");
    // A server that had first waited for the session would have been stopped by a harder shutdown, or killed.
    expect(readFileSync(join(dataDir, "log/postgresql.log"), "utf8")).toContain(
      "received fast shutdown request",
    );
    expect(await query(url, "select 1")).toEqual([[1]]);
  });

  it("recovers when everything was killed", async () => {
    copyTemplate();
    const { child, answer } = startInChild();
    const before = await answer;
    await createKeptTable(before.url);
    await kill(child);
    process.kill(before.pid, "SIGKILL");
    await expect.poll(() => isAlive(before.pid)).toBe(false);
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

describe("a server that a killed parent left behind", () => {
  beforeEach(() => copyTemplate());

  it("is adopted where the caller asks for that, goes on with its sessions, and is stopped by its new parent", async () => {
    const { child, answer } = startInChild();
    const orphan = await answer;
    await createKeptTable(orphan.url);
    // A statement that goes on until the test ends it, however long that takes.
    const goesOn = "do $$ begin while exists (table kept) loop perform pg_sleep(0.01); end loop; end $$";
    const busy = query(orphan.url, goesOn);
    await expect.poll(() => sessionsWith(orphan.url, "^do")).toHaveLength(1);
    await kill(child);
    const adopted = await start(dataDir, { orphan: "adopt" });
    expect([adopted.url, adopted.pid]).toEqual([orphan.url, orphan.pid]);
    expect(events).toEqual(["starting", "orphan-adopted"]);
    expect(await sessionsWith(adopted.url, "^do")).toHaveLength(1);
    await query(adopted.url, "delete from kept");
    expect(await busy).toEqual([]);
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

  it("can be stopped without the start of a new one", async () => {
    expect(await stopOrphan(optionsOn(dataDir))).toBe(false);
    const { child, answer } = startInChild();
    const { pid } = await answer;
    await expect(stopOrphan(optionsOn(dataDir))).rejects.toThrow("Another program has the data folder");
    await kill(child);
    expect(await stopOrphan(optionsOn(dataDir))).toBe(true);
    expect(isAlive(pid)).toBe(false);
  });
});
