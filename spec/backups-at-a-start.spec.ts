// The backups of a server around its start: at once where one is missing, has failed, or was left by a server that was killed.
import { chmod, mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { connect } from "../database/connect.ts";
import { backUpWhenDue, startScheduledBackups } from "../team/scheduled-backups.ts";
import { beginBackups } from "./support/backups.ts";
import { makeDatabase, sessionsWaitingForLocks } from "./support/database.ts";
import { until } from "./support/receiver.ts";
import { startServer } from "./support/server.ts";
import { startTcpProxy } from "./support/tcp-proxy.ts";

const database = await makeDatabase();
const log = () => {};
const { signal } = new AbortController();
/** Makes a backup when one is due. Returns whether it tried, also where that failed. */
const tryBackup = (keep: number, into: string) =>
  backUpWhenDue({ sql: database.owner, url: database.url, signal }, { folder: into, keep }, log);
const state = async () => (await database.owner`select * from private.backup_state`)[0];

beforeEach(async () => {
  await beginBackups(database.owner);
});

describe("a server with BACKUP_DIR", () => {
  let home: string;
  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), "leads-backed-up-"));
    await chmod(home, 0o711);
  });
  afterAll(() => rm(home, { recursive: true }));

  it("makes a backup soon after its start", async () => {
    const kept = join(home, "backups");
    const server = await startServer({ DATABASE_URL: database.url, BACKUP_DIR: kept });
    onTestFinished(async () => void (await server.end("SIGTERM")));
    await until(async () => (await state())?.taken_at !== null);
    expect(await readdir(kept)).toHaveLength(1);
  });

  it("makes a backup soon after its start also where the newest one is gone from the folder, and none where it is still there", async () => {
    const kept = join(home, "kept");
    await tryBackup(3, kept);
    const [first = ""] = await readdir(kept);
    const connections = () =>
      database.owner`select from pg_stat_activity where application_name = 'leads of a start'`;
    /** Starts a server's backups, and stops them when their first check is over. */
    const start = async () => {
      const { enabled_at } = (await state()) as { enabled_at: Date };
      const open = () => connect(database.url, { max: 1, name: "leads of a start" });
      const running = startScheduledBackups({ folder: kept, keep: 3 }, { open, url: database.url, log });
      await until(async () => (await state())?.enabled_at > enabled_at && (await connections()).length === 0);
      await running.stop();
    };
    await start();
    expect(await readdir(kept)).toEqual([first]);
    await rm(join(kept, first));
    await start();
    expect(await readdir(kept)).not.toEqual([first]);
    expect(await readdir(kept)).toEqual([(await state())?.file_name]);
  });

  it.each([
    ["where there is no backup", null],
    ["where the newest backup is some hours old", "5 hours"],
  ])(
    "tries again at once what failed, because whoever starts it may have mended that, %s",
    async (_, age) => {
      const kept = join(home, `mended-${age}`);
      await writeFile(kept, "");
      await database.owner`update private.backup_state set taken_at = null, claimed_until = null`;
      expect(await tryBackup(3, kept)).toBe(true);
      if (age)
        await database.owner`
        update private.backup_state
        set taken_at = now() - ${age}::interval, file_name = 'leads.backup', verified_by = 'restored'`;
      expect(await state()).toMatchObject({ failure: "BACKUP_DIR cannot be made (EEXIST)." });
      await rm(kept);
      if (age) {
        await mkdir(kept);
        await writeFile(join(kept, "leads.backup"), "");
      }
      const open = () => connect(database.url, { max: 1 });
      const running = startScheduledBackups({ folder: kept, keep: 3 }, { open, url: database.url, log });
      onTestFinished(running.stop);
      await until(async () => (await state())?.failure === null);
      expect(await readdir(kept)).toHaveLength(age ? 2 : 1);
    },
  );

  it("makes at once the backup that a killed server had begun, and leaves one alone that is being made", async () => {
    const kept = join(home, "killed");
    await database.owner`update private.backup_state set taken_at = null, failure = null, claimed_until = now() + interval '3 hours'`;
    const open = () => connect(database.url, { max: 1 });
    const start = () => startScheduledBackups({ folder: kept, keep: 3 }, { open, url: database.url, log });
    // As another server that is making a backup has it.
    const reader = connect(database.url, { max: 1, name: "leads backup reader" });
    await reader`select 1`;
    const { enabled_at } = (await state()) as { enabled_at: Date };
    const waiting = start();
    await until(async () => (await state())?.enabled_at > enabled_at);
    await waiting.stop();
    expect((await state())?.taken_at).toBeNull();
    await reader.end();
    await until(
      async () =>
        (await database.owner`select from pg_stat_activity where application_name = 'leads backup reader'`)
          .length === 0,
    );
    const running = start();
    onTestFinished(running.stop);
    await until(async () => (await state())?.taken_at !== null);
    expect(await readdir(kept)).toHaveLength(1);
  });

  it("claims a backup only when others can see it at work, because a server that starts ends the claim of one that is not", async () => {
    const proxy = await startTcpProxy(database.url);
    onTestFinished(proxy.close);
    proxy.stall();
    const open = () => connect(database.url, { max: 1 });
    const start = (url: string) =>
      startScheduledBackups({ folder: join(home, "claimed"), keep: 3 }, { open, url, log });
    const stalled = start(proxy.url);
    onTestFinished(stalled.stop);
    await until(() => proxy.connections() > 0);
    expect((await state())?.claimed_until).toBeNull();
    const working = start(database.url);
    onTestFinished(working.stop);
    await until(async () => (await state())?.taken_at !== null);
  });

  it("says so where no folder can be made, as below /proc, where Node's own mkdir never ends", async () => {
    expect(await tryBackup(3, "/proc/leads")).toBe(true);
    expect((await state())?.failure).toMatch(/^BACKUP_DIR cannot be made \([A-Z]+\)\.$/);
  });

  it("tries again an hour later when its first backup failed, and does not wait for the next day", async () => {
    const kept = join(home, "not-there-yet");
    await tryBackup(3, join(home, "elsewhere"));
    await writeFile(kept, "");
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    onTestFinished(() => void vi.useRealTimers());
    const open = () => connect(database.url, { max: 1 });
    const running = startScheduledBackups({ folder: kept, keep: 3 }, { open, url: database.url, log });
    onTestFinished(running.stop);
    await until(async () => (await state())?.failure === "BACKUP_DIR cannot be made (EEXIST).");
    await rm(kept);
    await database.owner`update private.backup_state set claimed_until = now()`;
    await until(async () => {
      vi.advanceTimersByTime(5 * 60_000);
      return (await state())?.failure === null;
    });
    expect(await readdir(kept)).toEqual([(await state())?.file_name]);
  });

  it("records a backup that failed with the database once that is back, so that status shows it and it is tried again in an hour", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    onTestFinished(() => void vi.useRealTimers());
    const proxy = await startTcpProxy(database.url);
    let url = proxy.url;
    const open = () => connect(url, { max: 1 });
    const into = { folder: join(home, "interrupted"), keep: 3 };
    await database.owner.begin(async (tx) => {
      // For this table the backup waits.
      await tx`lock table public.leads`;
      const running = startScheduledBackups(into, { open, url: proxy.url, log });
      onTestFinished(running.stop);
      await until(async () => (await sessionsWaitingForLocks(database.owner)).length > 0);
      proxy.close();
    });
    url = database.url;
    await until(async () => {
      vi.advanceTimersByTime(5 * 60_000);
      return (await state())?.failure !== null;
    });
    const { failed_at, claimed_until } = (await state()) as { failed_at: Date; claimed_until: Date };
    expect(claimed_until.getTime() - failed_at.getTime()).toBe(60 * 60_000);
  });
});
