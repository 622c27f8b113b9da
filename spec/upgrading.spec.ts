// `leads upgrade`: the embedded database of an older PostgreSQL, brought over with every lead and all that belongs to it. This chapter
// needs an older PostgreSQL on this machine, as Debian's packages bring it.
import { appendFileSync, chmodSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { connect, type Sql } from "../database/connect.ts";
import { embeddedOptions, findRunning } from "../database/embedded.ts";
import { migrate } from "../database/migrate.ts";
import { syncChannels } from "../delivery/outbox.ts";
import { startPostgres } from "../packages/embedded-postgres/embedded-postgres.ts";
import { findInstalled } from "../packages/embedded-postgres/old-programs.ts";
import { rowsOfEveryTable } from "./support/contents.ts";
import { aLead } from "./support/database.ts";
import { leads, startLeads, startOnTerminal, waitForExit } from "./support/leads-command.ts";
import { insertAt, spawnServer, startServer } from "./support/server.ts";

const olderMajor = [17, 16, 15, 14].find(findInstalled) ?? 0;
const programs = findInstalled(olderMajor)?.folder ?? "";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "leads-upgrade-"));
  chmodSync(folder, 0o755);
});
afterEach(() => rmSync(folder, { recursive: true, force: true, maxRetries: 20 }));

const upgrade = () => waitForExit(startLeads(["upgrade"], { DATA_DIR: folder }));

/** Fills a database of the older PostgreSQL with leads, and returns all that it holds. */
const makeOldData = () =>
  onOldData(async (sql) => {
    await migrate(sql);
    await syncChannels(sql, ["webhook"]);
    await sql`insert into public.leads ${sql(aLead({ name: "Zoë O’Neil\t\\N \\. 'x'" }))}`;
    await sql`insert into public.leads ${sql(aLead({ phone: "call me after 5pm" }))}`;
    await sql`select private.index_new_leads()`;
    return rowsOfEveryTable(sql);
  });

/** Runs the older PostgreSQL for as long as this works on its database. */
async function onOldData<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
  const postgres = await startPostgres({ ...embeddedOptions(folder), programs });
  const sql = connect(postgres.url, { max: 1 });
  try {
    return await work(sql);
  } finally {
    await sql.end();
    await postgres.stop();
  }
}

describe.runIf(olderMajor > 0)(`leads upgrade, with data of PostgreSQL ${olderMajor}`, () => {
  it("brings every row of every table over and keeps the old data, and the server starts with the new data and takes leads", async () => {
    const held = await makeOldData();
    expect(held["public.leads"]).toHaveLength(2);
    expect(held["private.deliveries"]).toHaveLength(2);
    const refused = spawnServer({ DATA_DIR: folder });
    expect(await refused.ended).toMatchObject({ code: 1 });
    expect(refused.output()).toContain("bring it over with: npm run leads -- upgrade.");

    const ran = await upgrade();
    expect([ran.status, ran.stdout]).toEqual([
      0,
      expect.stringMatching(
        new RegExp(`^Upgraded PostgreSQL ${olderMajor} to \\d{2}: 2 leads, [\\d,]{1,12} rows in all\\.\n$`),
      ),
    ]);
    expect(ran.stderr).toContain(`The old data is kept in ${join(folder, `postgresql-${olderMajor}`)}.`);
    expect(existsSync(join(folder, `postgresql-${olderMajor}`, "PG_VERSION"))).toBe(true);

    const postgres = await startPostgres(embeddedOptions(folder));
    const sql = connect(postgres.url, { max: 1 });
    expect(await rowsOfEveryTable(sql)).toEqual(held);
    await sql.end();
    await postgres.stop();

    const server = await startServer({ DATA_DIR: folder, DELIVERY: "off" });
    onTestFinished(async () => void (await server.end()));
    await expect.poll(async () => (await fetch(`${server.address}/readyz`)).status).toBe(200);
    expect((await insertAt(server.address, aLead({ name: "After the upgrade" }))).status).toBe(201);
    const listed = await leads((await findRunning({ dataDir: folder })) ?? "", "list", "--json");
    expect(JSON.parse(listed.stdout)).toHaveLength(3);
  }, 180_000);

  it("shows its progress, and keeps the old data in use when Ctrl-C aborts it", async () => {
    const held = await makeOldData();
    // A prepared transaction holds its lock even after a restart of the server, so the copy waits for it until Ctrl-C aborts the copy.
    appendFileSync(join(folder, "postgresql/postgresql.auto.conf"), "max_prepared_transactions = 1\n");
    await onOldData(async (sql) => {
      await sql.unsafe(
        "begin; lock table private.reviews in access exclusive mode; prepare transaction 'held'",
      );
    });
    const child = startOnTerminal(["upgrade"], { DATA_DIR: folder });
    let isCopying = false;
    child.stdout?.on("data", (text) => {
      isCopying ||= String(text).includes("Copying everything from");
      // The character that a terminal sends for Ctrl-C.
      if (isCopying && child.stdin?.writable) child.stdin.end("\x03");
    });
    const { status, stdout } = await waitForExit(child, { keepOpen: true });
    expect([status, stdout]).toEqual([130, expect.not.stringContaining("Upgraded")]);
    await onOldData(async (sql) => {
      await sql.unsafe("rollback prepared 'held'");
      expect(await rowsOfEveryTable(sql)).toEqual(held);
    });

    const again = await waitForExit(startOnTerminal(["upgrade"], { DATA_DIR: folder }));
    expect([again.status, again.stdout]).toEqual([0, expect.stringMatching(/Copying: \d{1,3}% {2}\(Ctrl-C/)]);
  }, 180_000);

  it("says what keeps it from working", async () => {
    expect(await upgrade()).toMatchObject({
      status: 1,
      stderr: expect.stringContaining("There is no data in"),
    });
    const postgres = await startPostgres(embeddedOptions(folder));
    expect(await upgrade()).toMatchObject({
      status: 1,
      stderr: expect.stringContaining("Another program has the data folder "),
    });
    await postgres.stop();
    expect(await upgrade()).toMatchObject({
      status: 1,
      stderr: expect.stringContaining("there is nothing to upgrade."),
    });
    expect(await leads("postgres://u:p@db.example.com/leads", "upgrade")).toMatchObject({
      status: 1,
      stderr: expect.stringContaining("DATABASE_URL names a PostgreSQL server of your own"),
    });
  }, 120_000);
});
