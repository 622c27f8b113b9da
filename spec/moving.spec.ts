// `leads move`: everything from the embedded database to a server of one's own or to Supabase, and back, compared table by table.
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { addressAs, connect, type Sql } from "../database/connect.ts";
import { CopyError } from "../database/copy-database.ts";
import { roleAddress } from "../database/role-logins.ts";
import { syncChannels } from "../delivery/outbox.ts";
import { UsedDatabase } from "../team/held-rows.ts";
import { moveDatabase } from "../team/move-database.ts";
import { rowsOfEveryTable } from "./support/contents.ts";
import { aLead, makeDatabase, type TestDatabase } from "./support/database.ts";
import { freePort } from "./support/free-port.ts";
import { startLeads, startOnTerminal, waitForExit } from "./support/leads-command.ts";
import { until } from "./support/receiver.ts";
import { startSupabaseLike } from "./support/supabase-like.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "leads-move-"));
  chmodSync(folder, 0o755);
});
afterEach(() => rmSync(folder, { recursive: true, force: true, maxRetries: 20 }));

const move = (to: string, settings: Record<string, string>) =>
  waitForExit(startLeads(["move", "--to", to], settings));

/** Leads and some work of the team, with text that is hard to carry. */
async function fill(owner: Sql): Promise<void> {
  await syncChannels(owner, ["webhook", "email"]);
  for (const name of ["Zoë O’Neil\t\\N \\. 'x'", "line\r\nend\u2028", "José 田中"])
    await owner`insert into public.leads ${owner(aLead({ name }))}`;
  await owner`select private.index_new_leads()`;
  await owner`update private.deliveries set delivered_at = now() where channel = 'email'`;
  await owner`insert into private.members (name, role) values ('Dana', 'manager')`;
  await owner`select private.begin_session(id, 'the specification') from private.members`;
  await owner`insert into private.reviews (lead_id) select id from public.leads limit 1`;
  await owner`insert into private.audit_log (who, action) values ('the specification', 'tried')`;
}

/** The locks on tables of this database that are waited for. Other chapters wait for locks of theirs on the same server. */
const waitingIn = (owner: Sql) => owner<{ mode: string }[]>`
  select mode from pg_locks
  where not granted and database = (select oid from pg_database where datname = current_database())`;

let from: TestDatabase;
/** The contents of the database `from`, which no test changes. */
let held: Record<string, string[]>;
beforeAll(async () => {
  from = await makeDatabase();
  await fill(from.owner);
  held = await rowsOfEveryTable(from.owner);
  expect(held["private.deliveries"]).toHaveLength(6);
});

describe("leads move", () => {
  it("brings every row into an embedded database, which it makes, not from there to there, and from there to a server of one's own", async () => {
    const ran = await move("embedded", { DATABASE_URL: from.url, DATA_DIR: folder });
    expect(ran).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/^Moved 3 leads, [\d,]{1,12} rows in all, and compared each table\.\n$/),
      stderr: expect.stringContaining("take DATABASE_URL out of the settings"),
    });
    expect(await move("embedded", { DATA_DIR: folder })).toMatchObject({
      status: 1,
      stderr: expect.stringContaining("The leads are in the embedded database already. Nothing was moved."),
    });
    const to = await makeDatabase({ schema: false });
    const back = await move(to.url, { DATA_DIR: folder });
    expect(back).toMatchObject({
      status: 0,
      stderr: expect.stringContaining("Now set DATABASE_URL=postgres://"),
    });
    expect(back.stderr).not.toContain(new URL(to.url).password);
    expect(await rowsOfEveryTable(to.owner)).toEqual(held);
  }, 90_000);

  it("brings every row to Supabase, whose owner is no superuser, and back", async () => {
    const project = await (await startSupabaseLike()).makeDatabase();
    expect(await move(project.url, { DATABASE_URL: from.url })).toMatchObject({ status: 0 });
    expect(await rowsOfEveryTable(project.owner)).toEqual(held);
    // Its triggers are enabled again.
    await project.owner`insert into public.leads ${project.owner(aLead({ name: "Through Supabase" }))}`;
    expect(await project.owner`select from private.permissions`).toHaveLength(4);

    const to = await makeDatabase({ schema: false });
    const inbox = connect(roleAddress(project.url, "leads_team"), { max: 1 });
    for (const sql of [project.authenticator, inbox]) await sql`select`;
    const { status, stderr } = await move(to.url, { DATABASE_URL: project.url });
    expect(status).toBe(1);
    expect(stderr).toContain("Still at work on the database to move: Supabase's API, the inbox.");
    expect(stderr).toContain("revoke insert on public.leads from anon;");
    expect(stderr).toContain("Stop the server, and `npm run deliver` and `npm run inbox`");
    await inbox.end();
    await project.owner`revoke insert on public.leads from anon`;
    expect(await move(to.url, { DATABASE_URL: project.url })).toMatchObject({ status: 0 });
    expect(await rowsOfEveryTable(to.owner)).toEqual(await rowsOfEveryTable(project.owner));
  }, 90_000);

  it("refuses while a program of ours is at work on either database, also one with a login of the operator's own", async () => {
    const [busy, to] = [await makeDatabase(), await makeDatabase()];
    await busy.intake`select`;
    for (const role of ["leads_delivery", "leads_team"] as const) {
      const sql = connect(roleAddress(busy.url, role), { max: 1 });
      onTestFinished(() => sql.end());
      await sql`select`;
    }
    const atWork = (which: string) => ({
      status: 1,
      stderr: expect.stringContaining(
        `Still at work on the database to move${which}: the delivery, the intake, the inbox. Nothing was moved.`,
      ),
    });
    expect(await move(to.url, { DATABASE_URL: busy.url })).toMatchObject(atWork(""));
    expect(await move(busy.url, { DATABASE_URL: from.url })).toMatchObject(atWork(" to"));
    const own = await makeDatabase();
    await own.owner`create role operators_delivery login password 'its own' in role leads_delivery`;
    const delivery = connect(addressAs(own.url, "operators_delivery", "its own"), { max: 1 });
    onTestFinished(() => delivery.end());
    await delivery`select`;
    expect((await move(to.url, { DATABASE_URL: own.url })).stderr).toContain(
      "Still at work on the database to move: the delivery. Nothing was moved.",
    );
  });

  it("refuses to move the tables of a newer release, which it may not know", async () => {
    const [newer, to] = [await makeDatabase(), await makeDatabase()];
    await newer.owner`insert into supabase_migrations.schema_migrations (version, name) values ('29990101000000', 'later')`;
    expect(await move(to.url, { DATABASE_URL: newer.url })).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(
        /^The database to move has version 29990101000000 .{1,80}\. Nothing was moved\. Move it with the newer release\.\n$/,
      ),
    });
  });

  it("refuses while the project's own submit-lead delivers, because both would then tell the team", async () => {
    const [hosted, to] = [await makeDatabase(), await makeDatabase()];
    await hosted.owner`insert into private.wake_up_call (url, key) values ('https://x.supabase.co/functions/v1/submit-lead', 'x')`;
    const { status, stderr } = await move(to.url, { DATABASE_URL: hosted.url });
    expect([status, stderr]).toEqual([
      1,
      expect.stringMatching(
        /^The project's submit-lead still delivers the leads, .{1,80}\. Nothing was moved\./,
      ),
    ]);
    await hosted.owner`delete from private.wake_up_call`;
    expect((await move(to.url, { DATABASE_URL: hosted.url })).status).toBe(0);
  });

  it("refuses a database that takes no writes, as a standby, and names the option", async () => {
    const readOnly = await makeDatabase();
    const to = connect(`${readOnly.url}?default_transaction_read_only=on`, { max: 1 });
    onTestFinished(() => to.end());
    await expect(moveDatabase(from.owner, to, { onCopied: () => {}, onCompared: () => {} })).rejects.toThrow(
      "Nothing was moved. The database in --to takes no writes: it is a standby, or set to read only.",
    );
  });

  it("refuses to move a database into itself, and holds up no writer meanwhile", async () => {
    const other = await makeDatabase();
    await other.owner.begin(async (tx) => {
      // A move that locks writers out would wait for this one.
      await tx`insert into public.leads ${tx(aLead())}`;
      expect(await move(other.url, { DATABASE_URL: other.url })).toMatchObject({
        status: 1,
        stderr: expect.stringContaining(
          "--to names the database in use. Nothing was moved. Name another one.\n",
        ),
      });
    });
  });

  it("names each setting that still names the old database", async () => {
    const [source, to] = [await makeDatabase(), await makeDatabase()];
    const settings = {
      DATABASE_URL: source.url,
      STANDBY_URL: source.url,
      INTAKE_DATABASE_URL: source.intakeUrl,
    };
    expect((await move(to.url, settings)).stderr).toContain(
      "INTAKE_DATABASE_URL, STANDBY_URL in the settings still name the old database: change them, too.\n",
    );
  });

  it("refuses a database that holds something already, and one that it cannot use, in a sentence", async () => {
    const used = await makeDatabase();
    await used.owner`insert into public.leads ${used.owner(aLead())}`;
    await used.owner`
      insert into private.page_counts values ('2026-01-31', -1, 'x', '', 'c', '', 'phone', 'view', 1)`;
    const settings = { DATABASE_URL: from.url };
    const [refused, wrong, closed, embedded, elsewhere] = await Promise.all([
      move(used.url, settings),
      move(used.url.replace(/:[^:@]*@/, ":wrong@"), settings),
      move(`postgres://leads@localhost:${await freePort()}/leads`, settings),
      move("embedded", { DATA_DIR: folder }),
      move("elsewhere", settings),
    ]);
    expect(refused).toMatchObject({
      status: 1,
      stderr: expect.stringContaining(
        "The database to move to holds 1 lead and counts of page loads already. Nothing was moved. Name an empty one.",
      ),
    });
    expect(await used.owner`select name from public.leads`).toEqual([{ name: "Rosa Martinez" }]);
    expect(wrong).toMatchObject({
      status: 1,
      stderr: expect.stringContaining(
        "Nothing was moved. The PostgreSQL server does not let us in. Check the user and the password in --to.",
      ),
    });
    expect(closed).toMatchObject({
      status: 1,
      stderr: "Nothing was moved. The database in --to does not answer (ECONNREFUSED).\n",
    });
    expect(embedded).toMatchObject({
      status: 1,
      stderr: expect.stringContaining(`There is no database in ${folder} yet.`),
    });
    expect(elsewhere).toMatchObject({
      status: 2,
      stderr: expect.stringContaining(
        "--to must be as postgres://user:password@host:port/name. In the password write @ as %40",
      ),
    });
  });

  it("leaves both databases as they were when Ctrl-C aborts it", async () => {
    const to = await makeDatabase();
    const before = await rowsOfEveryTable(to.owner);
    const [locked, over] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const blocking = to.owner.begin(async (tx) => {
      await tx`lock table private.reviews in access exclusive mode`;
      locked.resolve();
      await over.promise;
    });
    await locked.promise;
    const child = startOnTerminal(["move", "--to", to.url], { DATABASE_URL: from.url });
    const ran = waitForExit(child, { keepOpen: true });
    await until(async () => (await waitingIn(to.owner)).length > 0);
    // As the terminal sends it.
    child.stdin?.write("\x03");
    expect((await ran).status).toBe(130);
    over.resolve();
    await blocking;
    expect(await rowsOfEveryTable(to.owner)).toEqual(before);
    expect(await rowsOfEveryTable(from.owner)).toEqual(held);
  });
});

describe("moving", () => {
  const onProgress = { onCopied: () => {}, onCompared: () => {} };

  it("fails when a row of the copy differs from the original, and leaves nothing there", async () => {
    const to = await makeDatabase();
    const before = await rowsOfEveryTable(to.owner);
    // The type pads a shorter text with blanks.
    await to.owner`alter table private.audit_log alter column who type character(30)`;
    await expect(moveDatabase(from.owner, to.owner, onProgress)).rejects.toEqual(
      new CopyError("The table private.audit_log is not as the one it was copied from."),
    );
    expect(await rowsOfEveryTable(to.owner)).toEqual(before);
  });

  it("waits for what was being written when it began, and moves it", async () => {
    const [busy, to] = [await makeDatabase(), await makeDatabase()];
    await fill(busy.owner);
    // A backup that a server has begun ends with that server.
    await busy.owner`update private.backup_state set claimed_until = now() + interval '1 hour'`;
    let moving: Promise<unknown> | undefined;
    await busy.owner.begin(async (tx) => {
      await tx`update public.leads set name = 'Changed'`;
      moving = moveDatabase(busy.owner, to.owner, onProgress);
      await until(async () => (await waitingIn(busy.owner)).some(({ mode }) => mode === "ShareLock"));
    });
    await moving;
    expect(await to.owner`select distinct name from public.leads`).toEqual([{ name: "Changed" }]);
    expect(await to.owner`select claimed_until from private.backup_state`).toEqual([{ claimed_until: null }]);
  });

  it.each([
    ["leads", (sql: Sql) => sql`insert into public.leads ${sql(aLead())}`],
    ["a member", (sql: Sql) => sql`insert into private.members (name, role) values ('Dana', 'manager')`],
  ])(
    "leaves a database alone that has older tables and holds %s, when it was named by mistake",
    async (_, fillIt) => {
      const used = await makeDatabase();
      await fillIt(used.owner);
      // The two stand for any older tables: no release had these and no others.
      await used.owner`drop table private.campaign_costs cascade`;
      await used.owner`delete from supabase_migrations.schema_migrations where version = (select max(version) from supabase_migrations.schema_migrations)`;
      const version = () => used.owner`select max(version) from supabase_migrations.schema_migrations`;
      const before = await version();
      await expect(moveDatabase(from.owner, used.owner, onProgress)).rejects.toThrow(UsedDatabase);
      expect(await version()).toEqual(before);
    },
  );

  /** Moves, and does something when the source is locked and nothing is copied yet. */
  async function moveMeanwhile(source: Sql, to: Sql, work: () => Promise<unknown>, progress = onProgress) {
    let moving: Promise<unknown> | undefined;
    await to.begin(async (tx) => {
      await tx`lock table private.reviews in access exclusive mode`;
      moving = moveDatabase(source, to, progress);
      moving.catch(() => {});
      await until(async () => (await waitingIn(to)).length > 0);
      await work();
    });
    await moving;
  }

  it.each([
    ["a lead", (sql: Sql) => sql`insert into public.leads ${sql(aLead({ name: "Late" }))}`],
    ["a stop", (sql: Sql) => sql`update private.permissions set withdrawn_at = now()`],
  ])(
    "lets nobody write %s until the copy is whole, and moves nothing when somebody waited to",
    async (_, write) => {
      const [busy, to] = [await makeDatabase(), await makeDatabase()];
      await fill(busy.owner);
      const before = await rowsOfEveryTable(to.owner);
      let hasWritten = false;
      let writing: Promise<unknown> | undefined;
      const writeMeanwhile = async () => {
        writing = write(busy.owner).then(() => {
          hasWritten = true;
        });
        await until(async () =>
          (await waitingIn(busy.owner)).some(({ mode }) => mode === "RowExclusiveLock"),
        );
      };
      const onCompared = vi.fn(() => expect(hasWritten).toBe(false));
      await expect(
        moveMeanwhile(busy.owner, to.owner, writeMeanwhile, { onCopied: () => {}, onCompared }),
      ).rejects.toThrow(
        "Somebody waits to write to the database to move, and the copy would not have it. Nothing was moved. Type it again later.",
      );
      expect(onCompared).toHaveBeenCalled();
      await writing;
      expect(await rowsOfEveryTable(to.owner)).toEqual(before);
      await moveDatabase(busy.owner, to.owner, onProgress);
      expect(await rowsOfEveryTable(to.owner)).toEqual(await rowsOfEveryTable(busy.owner));
    },
  );

  it("moves nothing when a program of ours was started on the old database meanwhile", async () => {
    const [busy, to] = [await makeDatabase(), await makeDatabase()];
    await fill(busy.owner);
    const before = await rowsOfEveryTable(to.owner);
    await expect(moveMeanwhile(busy.owner, to.owner, () => busy.intake`select`)).rejects.toThrow(
      "Still at work on the database to move: the intake. Nothing was moved.",
    );
    expect(await rowsOfEveryTable(to.owner)).toEqual(before);
  });
});
