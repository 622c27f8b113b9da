// The embedded PostgreSQL with the product's own names and settings. How it starts, stops and survives a kill is specified
// beside its code, in packages/embedded-postgres/.
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { connect } from "../database/connect.ts";
import { findRunning, startEmbedded } from "../database/embedded.ts";
import { makeLog } from "../log/log.ts";
import { startLeads, waitForExit } from "./support/leads-command.ts";
import { spawnServer, startServer } from "./support/server.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "leads-embedded-"));
  chmodSync(folder, 0o755);
});
afterEach(() => rmSync(folder, { recursive: true, maxRetries: 20 }));

async function start() {
  const lines: string[] = [];
  const log = makeLog((line) => lines.push(line));
  const database = await startEmbedded({ dataDir: folder, log });
  onTestFinished(() => database.stop());
  return { ...database, lines };
}

const queryAt = async (url: string, statement: string) => {
  const sql = connect(url, { max: 1 });
  try {
    return await sql.unsafe(statement);
  } finally {
    await sql.end({ timeout: 0 });
  }
};

describe("the embedded database", () => {
  it("belongs to leads_owner, is found by DATA_DIR, and logs its start", async () => {
    const { url, lines } = await start();
    expect(await queryAt(url, "select current_user::text, current_database()::text")).toEqual([
      { current_user: "leads_owner", current_database: "leads" },
    ]);
    expect(await findRunning({ dataDir: folder })).toBe(url);
    expect(lines.map((line) => line.split(" ")[2])).toEqual(["database-starting:", "database-started:"]);
  });

  it("expects no backups once its server makes none any more, also where that server delivers nothing", async () => {
    const expectsBackups = async () => {
      const url = await findRunning({ dataDir: folder });
      const statement = "select enabled_since is not null as yes from private.backup_state";
      return (await queryAt(url ?? "", statement))[0]?.yes;
    };
    const settings = { DATA_DIR: folder, DELIVERY: "off" };
    const first = await startServer({ ...settings, BACKUP_DIR: join(folder, "backups") });
    await expect.poll(expectsBackups).toBe(true);
    await first.end();
    await startServer(settings);
    await expect.poll(expectsBackups).toBe(false);
  });

  it("writes nothing that a visitor typed into its log", async () => {
    const { url } = await start();
    await queryAt(url, "create table t (phone text check (phone <> ''), born date)");
    for (const statement of [
      "select 'call me after 5pm'::uuid",
      "insert into t values ('call me after 5pm', 'call me after 5pm')",
      "do $$ begin raise exception 'call me after 5pm'; end $$",
      "do $$ begin raise warning 'call me after 5pm'; raise exception using detail = 'call me after 5pm'; end $$",
    ])
      await expect(queryAt(url, statement)).rejects.toThrow();
    // PostgreSQL by default logs the statement of a session that was ended or killed. Our settings leave it out, because it may hold what
    // was typed.
    const dying = () => queryAt(url, "select pg_sleep(60), 'call me after 5pm'").catch(() => {});
    const find = "select pid from pg_stat_activity where query like 'select pg_sleep%' and state = 'active'";
    const pidOfDying = () =>
      vi.waitFor(async () => {
        const rows = await queryAt(url, find);
        expect(rows).toHaveLength(1);
        return rows[0]?.pid as number;
      }, 10_000);
    const ended = dying();
    await queryAt(url, `select pg_terminate_backend(${await pidOfDying()}, 10000)`);
    await ended;
    const killed = dying();
    process.kill(await pidOfDying(), "SIGKILL");
    await killed;
    await vi.waitFor(() => queryAt(url, "select 1"), 10_000);
    const log = join(folder, "log/postgresql.log");
    expect((statSync(log).mode & 0o777).toString(8)).toBe("600");
    expect(readFileSync(log, "utf8")).toContain("due to administrator command");
    expect(readFileSync(log, "utf8")).toContain("terminated by signal 9");
    expect(readFileSync(log, "utf8")).not.toContain("call me");
  });

  it("is found by the commands also after a crash that interrupted its upgrade", async () => {
    const server = await startServer({ DATA_DIR: folder, DELIVERY: "off" });
    await server.end();
    // As a crash leaves it between the two renames that end an upgrade.
    renameSync(join(folder, "postgresql"), join(folder, "postgresql.upgraded"));
    const { status, stdout } = await waitForExit(startLeads(["list", "--json"], { DATA_DIR: folder }));
    expect([status, JSON.parse(stdout)]).toEqual([0, []]);
    expect(existsSync(join(folder, "postgresql"))).toBe(true);
  });

  it("refuses to start on data of another major version, and names the command that upgrades older data", async () => {
    await (await start()).stop();
    writeFileSync(join(folder, "postgresql/PG_VERSION"), "17\n");
    const server = spawnServer({ DATA_DIR: folder });
    expect(await server.ended).toMatchObject({ code: 1 });
    expect(server.output()).toMatch(
      /^The data folder .* holds data of PostgreSQL 17, and this program brings PostgreSQL \d{2}: bring it over with: npm run leads -- upgrade\.$/m,
    );
    expect(server.output()).not.toMatch(/^ +at /m);
    writeFileSync(join(folder, "postgresql/PG_VERSION"), "99\n");
    const older = spawnServer({ DATA_DIR: folder });
    expect(await older.ended).toMatchObject({ code: 1 });
    expect(older.output()).toMatch(
      /PostgreSQL 99, .{0,300} Use the version of the program that wrote the data\.$/m,
    );
  });
});
