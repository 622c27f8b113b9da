// A standby beside the database: long readings are done there, each is in the audit log, and none shows data that is out of date.
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { connect, type Sql } from "../database/connect.ts";
import { migrate } from "../database/migrate.ts";
import { openRoleLogins, roleAddress } from "../database/role-logins.ts";
import { type Cluster, makeCluster, makeStandby } from "./support/clusters.ts";
import { post, serveInbox, type TestInbox, type TestMember } from "./support/inbox.ts";
import { startLeads, waitForExit } from "./support/leads-command.ts";

const period = { since: "2020-01-01", until: "2035-12-31", zone: "America/New_York" };
const many = 4_500;
const logged: string[] = [];
let primary: Cluster;
let standby: Cluster;
let owner: Sql;
let there: Sql;
let inbox: TestInbox;
let maria: TestMember;

beforeAll(async () => {
  primary = await makeCluster();
  await primary.start();
  owner = connect(primary.url);
  await migrate(owner);
  await openRoleLogins(owner, primary.url);
  await owner`
    insert into leads (created_at, name, email, phone, zip_code)
    select now() - interval '1 day' + n * interval '1 second', 'Rosa ' || n, n || '@example.com', (3050000000 + n)::text, '33101'
    from generate_series(1, ${many}::integer) n`;
  await owner`select private.index_new_leads(null, '100 years')`;
  standby = await makeStandby(primary);
  // What the primary commits is seen here a moment later, as on a standby far away.
  await standby.start({ recovery_min_apply_delay: "100ms" });
  there = connect(standby.url, { max: 1 });
  inbox = await serveInbox(
    { url: primary.url, owner },
    {},
    { standbyUrl: `postgres://${standby.host}/postgres`, logged },
  );
  maria = await inbox.member("Maria", "manager");
});
afterAll(() => Promise.all([owner.end({ timeout: 1 }), there.end({ timeout: 1 })]));

/** The last statements of the inbox on a server. */
const statementsOn = async (sql: Sql) =>
  (await sql<{ query: string }[]>`select query from pg_stat_activity where application_name = 'leads inbox'`)
    .map(({ query }) => /team\.\w+/.exec(query)?.[0])
    .filter((name) => name !== "team.me");

const entries = (action: string) => owner`select from private.audit_log where action = ${action}`;

/** Waits until the standby has everything that the primary has now, and pauses its replay until the end of the test. */
async function pauseStandby(): Promise<void> {
  const [now] = await owner<{ lsn: string }[]>`select pg_current_wal_lsn()::text as lsn`;
  const isThere = async () =>
    (await there`select pg_last_wal_replay_lsn() >= ${now?.lsn ?? ""}::text::pg_lsn as yes`)[0]?.yes;
  await expect.poll(isThere).toBe(true);
  await there`select pg_wal_replay_pause()`;
  onTestFinished(async () => void (await there`select pg_wal_replay_resume()`));
  const pauseState = async () => (await there`select pg_get_wal_replay_pause_state() as state`)[0]?.state;
  await expect.poll(pauseState).toBe("paused");
}

describe("the inbox beside a standby", () => {
  it("reads reports, campaigns and experiments there, and writes an entry for each on the primary", async () => {
    for (const [call, reading] of [
      ["reports", "read reports"],
      ["campaigns", "read campaigns"],
      ["experiments", "read experiments"],
    ] as const) {
      const request = call === "experiments" ? {} : period;
      expect(await maria.call(call, request as typeof period)).toMatchObject({ status: 200 });
      expect(await statementsOn(there)).toContain(`team.${call}`);
      expect(await statementsOn(owner)).not.toContain(`team.${call}`);
      expect(await entries(reading)).toHaveLength(1);
    }
    expect(logged).not.toContain("standby-avoided");
  });

  it("goes on reading there after it refused a download to a member who is no manager", async () => {
    const dana = await inbox.member("Dana");
    const refused = await dana.download("/api/downloads/leads?entry=1");
    expect(refused.status).toBe(403);
    const { address } = (await maria.call("export", period)).body;
    expect((await maria.download(address)).status).toBe(200);
    expect(await statementsOn(there)).toContain("team.export_leads");
    expect(logged).not.toContain("standby-avoided");
  });

  it("reports what was recorded just before, although the standby is a moment behind", async () => {
    const [{ id = "" } = {}] = await owner<{ id: string }[]>`select id from leads limit 1`;
    const outcome = { id, call_id: null, outcome: "not_interested" as const };
    expect((await maria.call("outcome", outcome)).status).toBe(200);
    const { body } = await maria.call("reports", period);
    expect(body.outcomes).toEqual([{ outcome: "not_interested", leads: 1 }]);
    expect(await statementsOn(there)).toContain("team.reports");
  });

  it("reads a download there, whole", async () => {
    const { address } = (await maria.call("export", period)).body;
    const lines = (await (await maria.download(address)).text()).trim().split("\n");
    expect(lines).toHaveLength(many + 1);
    expect(await statementsOn(there)).toContain("team.export_leads");
    expect(await statementsOn(owner)).not.toContain("team.export_leads");
  });

  it("reads the queue and the results of a search on the primary alone", async () => {
    expect((await maria.call("queue")).body.rows).not.toHaveLength(0);
    expect((await maria.call("search", { text: "Rosa 7" })).body.rows).not.toHaveLength(0);
    expect(await statementsOn(there)).not.toContain("team.queue");
    expect(await statementsOn(there)).not.toContain("team.search");
  });

  it("shows nothing to a member who was removed, whatever the standby still knows of them", async () => {
    const paula = await inbox.member("Paula", "manager");
    const { address } = (await paula.call("export", period)).body;
    expect((await paula.download(address)).status).toBe(200);
    await pauseStandby();
    await maria.call("members/remove", { id: paula.id });
    expect((await paula.download(address)).status).toBe(401);
    expect((await paula.call("reports", period)).status).toBe(401);
  });

  it("refuses on the standby a reading without an entry in the audit log for the same reading and period", async () => {
    const team = connect(roleAddress(primary.url, "leads_team").replace(primary.host, standby.host), {
      max: 1,
    });
    const token = maria.cookie.replace("session=", "");
    const asMaria = (call: string) =>
      team.begin(async (tx) => {
        await tx`select set_config('leads.session', ${token}, true)`;
        return tx.unsafe(`select ${call}`);
      });
    await maria.call("reports", { ...period, until: "2034-01-01" });
    const [entry] = await owner<{ id: string }[]>`select id from private.audit_log order by id desc limit 1`;
    for (const call of [
      "team.reports('2020-01-01', '2035-12-31', 'UTC')",
      `team.reports('2020-01-01', '2035-12-31', 'UTC', ${entry?.id})`,
      "team.campaigns('2020-01-01', '2035-12-31', 'UTC')",
      `team.campaigns('2020-01-01', '2034-01-01', 'UTC', ${entry?.id})`,
      "team.experiments()",
      `team.experiments(${entry?.id})`,
      `team.export_leads(${entry?.id}, null, 10)`,
    ]) {
      await expect(asMaria(call)).rejects.toMatchObject({ code: "PT403" });
    }
    await team.end();
  });

  it("reads the primary when the standby is far behind, and logs that once", async () => {
    logged.length = 0;
    await pauseStandby();
    expect((await maria.call("reports", period)).status).toBe(200);
    expect((await maria.call("reports", period)).status).toBe(200);
    expect(logged).toEqual(["standby-avoided"]);
    expect(await statementsOn(owner)).toContain("team.reports");
  });

  it("has one entry in the audit log for a report, also where the primary is read after all", async () => {
    await pauseStandby();
    const other = await serveInbox(
      { url: primary.url, owner },
      {},
      { standbyUrl: `postgres://${standby.host}` },
    );
    const olga = await other.member("Olga", "manager");
    expect((await olga.call("reports", period)).status).toBe(200);
    const written = await owner`
      select from private.audit_log where member_id = ${olga.id} and action = 'read reports'`;
    expect(written).toHaveLength(1);
  });

  it("reads the primary when the standby is gone", async () => {
    const other = await serveInbox(
      { url: primary.url, owner },
      {},
      { standbyUrl: "postgres://127.0.0.1:1/postgres", logged },
    );
    logged.length = 0;
    const rosa = await other.member("Rosa", "manager");
    expect((await rosa.call("reports", period)).status).toBe(200);
    expect(logged).toEqual(["standby-avoided"]);
  });
});

describe("`leads export` beside a standby", () => {
  const exported = (standbyUrl: string) =>
    waitForExit(
      startLeads(["export", "--format", "csv"], { DATABASE_URL: primary.url, STANDBY_URL: standbyUrl }),
    );
  const written = () => entries("exported leads");

  it("connects there and prints every lead, with an entry in the audit log", async () => {
    const before = (await written()).length;
    const [{ sessions = 0 } = {}] = await there<{ sessions: number }[]>`
      select sessions::int from pg_stat_database where datname = current_database()`;
    const ran = await exported(`postgres://${standby.host}`);
    expect(ran).toMatchObject({ status: 0, stderr: expect.not.stringContaining("standby") });
    expect(ran.stdout.trim().split("\n")).toHaveLength(many + 1);
    expect(await written()).toHaveLength(before + 1);
    const sessionsNow = async () =>
      (await there`select sessions::int from pg_stat_database where datname = current_database()`)[0]
        ?.sessions;
    await expect.poll(sessionsNow).toBeGreaterThan(sessions);
  });

  it("reads the primary when the standby does not answer, and says so", async () => {
    const ran = await exported("postgres://127.0.0.1:1/postgres");
    expect(ran).toMatchObject({
      status: 0,
      stderr: expect.stringContaining("The standby cannot be read (ECONNREFUSED). The primary is read.\n"),
    });
    expect(ran.stdout.trim().split("\n")).toHaveLength(many + 1);
  });
});

describe("a standby that was promoted by mistake", () => {
  it("is not read, because it lacks everything since then, and its audit log gets no entry", async () => {
    await there`select pg_promote()`;
    const isItsOwn = async () => (await there`select not pg_is_in_recovery() as yes`)[0]?.yes;
    await expect.poll(isItsOwn).toBe(true);
    const other = await serveInbox(
      { url: primary.url, owner },
      {},
      { standbyUrl: `postgres://${standby.host}` },
    );
    const [{ count } = {}] = await there`select count(*) from private.audit_log`;
    // Both servers have Maria's session, because she signed in before the promotion.
    expect(await statementsOn(owner)).not.toContain("team.experiments");
    const answer = await post(other.url, "api/experiments", {}, maria.cookie);
    expect(answer.status).toBe(200);
    expect(await statementsOn(owner)).toContain("team.experiments");
    expect(await there`select count(*) from private.audit_log`).toEqual([{ count }]);
  });
});
