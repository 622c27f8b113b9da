// `npm start` as a newcomer and an operator meet it: it starts on nothing, says what is wrong, keeps what was stored, and
// stops without leaving anyone unanswered or anything running.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { readConfig } from "../config/config.ts";
import { addressAs, addressOfDatabase, connect } from "../database/connect.ts";
import { findDataFolder, findRunning } from "../database/embedded.ts";
import { roleAddress } from "../database/role-logins.ts";
import { processesOn } from "../packages/embedded-postgres/processes.ts";
import { aLead, makeDatabase, sessionsWaitingForLocks, type TestDatabase } from "./support/database.ts";
import { anonKey } from "./support/intake.ts";
import { noSettings, programEnvironment } from "./support/program-environment.ts";
import { insertAt, spawnServer, startServer } from "./support/server.ts";

let database: TestDatabase;
let folder: string;
beforeAll(async () => {
  database = await makeDatabase();
  folder = await mkdtemp(join(tmpdir(), "leads-start-"));
  await chmod(folder, 0o711);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** What a start that must not succeed says, and its exit code. */
async function refusedStart(env: Record<string, string>) {
  const server = spawnServer(env);
  const { code } = await server.ended;
  return { code, says: server.output() };
}

describe("starting", () => {
  it("needs no setting: npm start serves the page, stores a lead, and SIGTERM to all its processes stops it with its PostgreSQL", async () => {
    const npm = spawn("npm", ["start"], {
      detached: true,
      env: programEnvironment({ ...noSettings, PORT: "0", INBOX_PORT: "0", DATA_DIR: join(folder, "npm") }),
      stdio: ["ignore", "pipe", "inherit"],
    });
    onTestFinished(() => void npm.kill());
    let output = "";
    const address = await new Promise<string>((resolve, reject) => {
      npm.stdout.on("data", (data) => {
        output += data;
        const found = / listening: Open this address in a browser\. address=(\S+)/.exec(output)?.[1];
        if (found) resolve(found);
      });
      npm.once("close", () => reject(new Error(`It ended before it listened:\n${output}`)));
    });
    const page = await (await fetch(address)).text();
    const key = /sb_publishable_\w+/.exec(page)?.[0] ?? "";
    const answer = await fetch(`${address}/rest/v1/leads`, {
      method: "POST",
      headers: { apikey: key, "content-type": "application/json" },
      body: JSON.stringify(aLead()),
    });
    expect(answer.status).toBe(201);
    // The server gets it twice, because npm passes its own on.
    process.kill(-(npm.pid as number), "SIGTERM");
    await once(npm, "close");
    expect(output).toContain("stopped: ");
    expect(processesOn(findDataFolder(join(folder, "npm")).cluster)).toEqual([]);
    await expect(fetch(address)).rejects.toThrow();
  });

  it("does not load the inbox before the article is served", async () => {
    const tellEachFile = `import { registerHooks } from "node:module";
      registerHooks({ load(url, context, next) { console.log("loads " + url); return next(url, context); } });`;
    const { output } = await startServer({
      DATABASE_URL: database.url,
      INBOX: "on",
      INBOX_PORT: "0",
      NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(tellEachFile)}`,
    });
    expect(output()).toMatch(/loads \S+\/web\/app\.ts\n/);
    expect(output().split(" listening: ")[0]).not.toMatch(
      /loads \S+(\/inbox\/app\.ts|simplewebauthn|openid-client)/,
    );
  });

  it("writes the anonymous key that it was started with into the page, and refuses a lead with another key", async () => {
    const { address } = await startServer({
      DATABASE_URL: database.url,
      ANON_KEY: "sb_publishable_of_today",
    });
    expect(await (await fetch(address)).text()).toContain("sb_publishable_of_today");
    expect((await insertAt(address, aLead())).status).toBe(401);
  });

  it("warns of each provider setting that has no value, by name", async () => {
    const { output } = await startServer({ DATABASE_URL: database.url, PROVIDER_NAME: "Maple Lane" });
    expect(output()).toContain(
      "setting-missing: A setting has no value yet; readers are shown a placeholder, or what another setting says. setting=PROVIDER_PHONE",
    );
    expect(output()).not.toContain("setting=PROVIDER_NAME");
  });

  it("warns of Spanish pages that nobody has reviewed, until SPANISH_REVIEWED_BY says who did", async () => {
    const settings = { DATABASE_URL: database.url, LANGUAGES: "en,es" };
    const { output } = await startServer(settings);
    expect(output()).toContain(
      "Have a translator and counsel read them, then set this setting. language=es setting=SPANISH_REVIEWED_BY\n",
    );
    const reviewed = await startServer({ ...settings, SPANISH_REVIEWED_BY: "Ana Ruiz, translator" });
    expect(reviewed.output()).not.toContain("not-reviewed");
    expect((await startServer({ DATABASE_URL: database.url })).output()).not.toContain("not-reviewed");
  });

  it("stores a lead through the operator's own intake login, with a delivery to the set channel, and stores the notice", async () => {
    const { url, owner } = await makeDatabase();
    await owner`create role operators_intake login password 'its own' in role leads_intake`;
    const own = addressAs(url, "operators_intake", "its own");
    const { address } = await startServer({
      DATABASE_URL: url,
      INTAKE_DATABASE_URL: own,
      WEBHOOK_URL: "http://127.0.0.1:9",
      WEBHOOK_SECRET: "whsec_c2VjcmV0IG9mIHRoaXMgdGVzdCBvbmx5",
    });
    expect((await insertAt(address, aLead())).status).toBe(201);
    const [first] = await owner`
      select n.text is not null as known, array(select channel from private.deliveries) as owed from private.notices n`;
    expect(first).toEqual({ known: true, owed: ["webhook"] });
  });

  it("says that it makes no backups when it has only the intake's login", async () => {
    const { intakeUrl } = await makeDatabase();
    const login = { INTAKE_DATABASE_URL: intakeUrl, DELIVERY: "off" };
    const { output } = await startServer({ ...login, BACKUP_DIR: join(folder, "backups") });
    await expect.poll(output).toContain(" backups-elsewhere: This process makes no backups,");
    const without = await startServer(login);
    await expect.poll(without.output).toContain(" delivery-elsewhere: ");
    expect(without.output()).not.toContain("backups-elsewhere");
  });

  it("ends with a sentence when it has only the roles' logins and lacks the tables that its delivery or its inbox needs", async () => {
    const { url, intakeUrl } = await makeDatabase({ schema: false });
    for (const logins of [
      { DELIVERY_DATABASE_URL: roleAddress(url, "leads_delivery") },
      { DELIVERY: "off", INBOX: "on", INBOX_DATABASE_URL: roleAddress(url, "leads_team") },
    ]) {
      const { code, says } = await refusedStart({ INTAKE_DATABASE_URL: intakeUrl, ...logins });
      expect([code, says]).toEqual([
        1,
        expect.stringMatching(
          /^The tables of the database are of version none, and this program needs \d+\./m,
        ),
      ]);
    }
  });

  it("refuses wrong settings, all at once, each with a sentence that names it", async () => {
    const wrong = {
      PORT: "many",
      DATABASE_URL: "mysql://x",
      RATE_LIMIT: "maybe",
      TRUST_PROXY: "everyone",
      ANON_KEY: "two words",
    };
    const { code, says } = await refusedStart(wrong);
    expect(code).toBe(1);
    for (const name of Object.keys(wrong)) expect(says).toMatch(new RegExp(`^${name} must be .*\\.$`, "m"));
    expect(says).not.toMatch(/^ +at /m);
  });

  it.each<[string, Record<string, string>]>([
    ["NOTICE_FILE: /proc/none cannot be read", { NOTICE_FILE: "/proc/none" }],
    [
      "LANGUAGE_HELP names tlh; there are lines in:",
      { LANGUAGE_HELP: "tlh", LANGUAGE_HELP_URL: "https://example.com/help" },
    ],
  ])("says so when the pages cannot be made with the settings: %s", async (sentence, settings) => {
    const { code, says } = await refusedStart({ DATABASE_URL: database.url, ...settings });
    expect([code, says]).toEqual([1, expect.stringMatching(new RegExp(`^${sentence}`, "m"))]);
    expect(says).not.toMatch(/ bug: |^ +at /m);
  });

  it.each([
    ["DATABASE_URL", "postgres://u:p@db.example.com:54a2/x"],
    ["DATABASE_URL", "postgres://u:p@ss@db.example.com/x"],
    ["DATABASE_URL", "postgres://u:p#1@db.example.com/x"],
    ["DATABASE_URL", "postgres://u:p/1@db.example.com/x"],
    ["DATABASE_URL", "postgres://u:se%kret@db.example.com/x"],
    ["DATABASE_URL", "postgres://u:p@db.example.com:99999/x"],
    ["DATABASE_URL", "postgres://u:p@db.example.com/x?port=99999"],
    ["DATABASE_URL", "postgres://u:p@/x?host=one,two&port=5432,x"],
    ["DATABASE_URL", "postgres://u:p@one:5432,two:5433/x?port=1,2,3"],
    ["INTAKE_DATABASE_URL", "postgres://%zz"],
    ["TRUST_PROXY", "1"],
    ["TRUST_PROXY", "10/8"],
    ["TRUST_PROXY", "0.0.0.0/0"],
    ["TRUST_PROXY", "0.0.0.0/1, 128.0.0.0/1"],
    ["TRUST_PROXY", "::ffff:0:0/96"],
    ["TRUST_PROXY", "2000::/3"],
    ["TRUST_PROXY", "0.0.0.0"],
    ["TRUST_PROXY", "::"],
    ["TRUST_PROXY", "::10.0.0.1/104"],
    ["TRUST_PROXY", "64:ff9b::10.0.0.1"],
    ["ALLOWED_ORIGINS", "https://*.example.com"],
    ["SITE_URL", "https://www.example.com/?q"],
    ["SITE_URL", "https://:secret@www.example.com"],
    ["INBOX_URL", "https://inbox.example.com/team"],
    ["PROVIDER_PHONE", "call us"],
    ["PROVIDER_PHONE", "call 123 now"],
    ["PROVIDER_PHONE", "abc123defg"],
    ["PROVIDER_PHONE", "555-0142"],
    ["PROVIDER_PHONE", "123456789012345678901234567890"],
    ["PROVIDER_PHONE", "+44 20 7946 0958 or +44 20 7946 0959"],
    ["PROVIDER_CALLS_FROM", "+1 305"],
    ["PROVIDER_PRIVACY_URL", "https://a b<"],
  ])("refuses %s=%s", (name, value) => {
    expect(() => readConfig({ [name]: value })).toThrow(new RegExp(`^${name} must be .*\\.$`));
  });

  it.each([
    "postgres://localhost/leads",
    "postgresql://u:p%23@db.example.com:5432/leads?sslmode=require",
    "postgres://u:p@one.example.com:5432,two.example.com:5433/leads?target_session_attrs=read-write",
    "postgres://u:p@[2001:db8::1]:5432/leads",
    "postgres://leads@%2Fvar%2Frun%2Fpostgresql/leads",
    "postgres:///leads?host=/var/run/postgresql",
    "postgres://db.example.com:5432/leads?application_name=a@b",
    "postgres:///leads?application_name=leads@web1&host=/run/postgresql",
    "postgres://standby.example.com/leads?application_name=leads@web1/intake",
    "postgres://db.example.com/leads?krbsrvname=a@b&search_path=a%40b",
    "postgres:///leads?host=one.example.com,two.example.com&port=5432,5433",
    "postgres://:5433/leads?host=one.example.com,two.example.com",
  ])("takes DATABASE_URL=%s", (address) => {
    expect(readConfig({ DATABASE_URL: address }).databaseUrl).toBe(address);
  });

  it.each(["/proc/none", "/etc/passwd"])("says so when DATA_DIR=%s can hold no data", async (folder) => {
    const { code, says } = await refusedStart({ DATA_DIR: folder });
    expect([code, says]).toEqual([
      1,
      expect.stringMatching(new RegExp(`^The data folder ${folder} .*\\.$`, "m")),
    ]);
    expect(says).not.toMatch(/^ +at /m);
  });

  it("says so when its port is taken", async () => {
    const taken = createServer();
    await once(taken.listen(0, "127.0.0.1"), "listening");
    const { port } = taken.address() as { port: number };
    const { code, says } = await refusedStart({ DATABASE_URL: database.url, PORT: String(port) });
    taken.close();
    expect(code).toBe(1);
    expect(says).toContain(`The port ${port} is in use by another program. Stop it, or set PORT to another.`);
  });

  it("says so when the database does not let it in, or is not there", async () => {
    const wrongPassword = database.url.replace(/:[^:@]*@/, ":wrong@");
    expect(await refusedStart({ DATABASE_URL: wrongPassword })).toMatchObject({
      code: 1,
      says: expect.stringContaining("Check the user and the password in DATABASE_URL."),
    });
    const missingDatabase = database.url.replace(/\/spec_\w+/, "/nowhere");
    expect(await refusedStart({ DATABASE_URL: missingDatabase })).toMatchObject({
      code: 1,
      says: expect.stringContaining("has no database of that name."),
    });
    expect(await refusedStart({ DATABASE_URL: database.url.replace(/:[^:@]+@/, "@") })).toMatchObject({
      code: 1,
      says: expect.stringContaining(
        "DATABASE_URL holds no password, and the login leads_intake is derived from it.",
      ),
    });
  });

  it("says so when the database's text encoding lacks the characters of many names", async () => {
    await database.owner.unsafe("create database latin encoding 'LATIN1' template template0 locale 'C'");
    expect(await refusedStart({ DATABASE_URL: addressOfDatabase(database.url, "latin") })).toMatchObject({
      code: 1,
      says: expect.stringContaining(
        "The database keeps texts as LATIN1, which has no characters for many names.",
      ),
    });
  });
});

describe("stopping", () => {
  it("does not happen when standard output is closed", async () => {
    const { address, process: server } = await startServer({ DATABASE_URL: database.url });
    server.stdout?.destroy();
    expect((await insertAt(address, aLead({ name: " " }))).status).toBe(400);
    expect((await insertAt(address, aLead({ name: " " }))).status).toBe(400);
    expect((await insertAt(address, aLead({ name: "Unread" }))).status).toBe(201);
  });

  it.each<[string, NodeJS.Signals, ...NodeJS.Signals[]]>([
    ["a service manager asks", "SIGTERM"],
    ["somebody presses Ctrl-C", "SIGINT"],
    ["its terminal is closed", "SIGHUP", "SIGHUP"],
    ["its user's session ends", "SIGTERM", "SIGHUP"],
  ])(
    "answers the lead that was under way, and leaves with exit code 0, when %s",
    async (_, first, ...more) => {
      const { address, end, process: server } = await startServer({ DATABASE_URL: database.url });
      const lock = connect(database.url, { max: 1 });
      await lock`begin`;
      // Holds up inserts alone: the delivery, which locks rows, goes on.
      await lock`lock table leads in share mode`;
      const answer = insertAt(address, aLead({ name: "Under way" }));
      // The insert waits for the lock now; only then is the server told to stop.
      await expect.poll(() => sessionsWaitingForLocks(database.owner)).toHaveLength(1);
      const ended = end(first);
      // The second signal stands for npm, which passes the signal on to a server that it has started.
      server.kill(first);
      await expect
        .poll(() =>
          fetch(address).then(
            () => "open",
            () => "closed",
          ),
        )
        .toBe("closed");
      for (const signal of more) server.kill(signal);
      await lock`commit`;
      await lock.end();
      const { status, headers } = await answer;
      expect([status, headers.get("connection")], "the next request goes to another server").toEqual([
        201,
        "close",
      ]);
      expect(await ended).toEqual({ code: 0, signal: null });
    },
  );

  it("leaves no PostgreSQL behind when the signal comes while PostgreSQL starts", async () => {
    const env = { DATA_DIR: join(folder, "early") };
    await (await startServer(env)).end();
    const { cluster } = findDataFolder(env.DATA_DIR);
    const server = spawnServer(env);
    await expect
      .poll(() => existsSync(join(cluster, "postmaster.pid")), { interval: 1, timeout: 20_000 })
      .toBe(true);
    expect(await server.end()).toEqual({ code: 0, signal: null });
    expect(processesOn(cluster)).toEqual([]);
  });

  it("by kill -9 loses no stored lead, and the next start stops the PostgreSQL that was left", async () => {
    const env = { DATA_DIR: join(folder, "killed") };
    const first = await startServer(env);
    expect((await insertAt(first.address, aLead())).status).toBe(201);
    await first.end("SIGKILL");
    const second = await startServer(env);
    expect(second.output()).toContain("database-orphan-stopped");
    // The same lead again is answered as stored, and is stored once.
    expect((await insertAt(second.address, aLead())).status).toBe(201);
    expect((await insertAt(second.address, aLead({ name: "New" }))).status).toBe(201);
    const sql = connect((await findRunning({ dataDir: env.DATA_DIR })) ?? "", { max: 1 });
    expect(await sql`select count(*)::int as n from leads`).toEqual([{ n: 2 }]);
    await sql.end();
    const { code, says } = await refusedStart(env);
    expect([code, says]).toEqual([1, expect.stringContaining("has the data folder")]);
    expect(await second.end("SIGINT")).toEqual({ code: 0, signal: null });
  });
});

describe("health", () => {
  it("is alive and ready when the database answers with the newest schema", async () => {
    const { url, owner } = await makeDatabase();
    const { address } = await startServer({ DATABASE_URL: url });
    const ask = async (path: string) => {
      const answer = await fetch(`${address}${path}`);
      return [answer.status, await answer.json()];
    };
    expect(await ask("/healthz")).toEqual([200, { status: "alive" }]);
    await expect.poll(() => ask("/readyz")).toEqual([200, { status: "ready" }]);
    await owner`delete from supabase_migrations.schema_migrations where version > '20261121000001'`;
    expect(await ask("/readyz")).toEqual([503, { status: "waiting for the database" }]);
  });
});

describe("the plain form post", () => {
  it.each([
    ["stored", aLead(), 303],
    ["refused", aLead({ name: "" }), 400],
  ])("is answered as a page when it is %s", async (_, { has_diabetes, has_medicare, ...texts }, status) => {
    const { address } = await startServer({ DATABASE_URL: database.url, ANON_KEY: anonKey });
    const answer = await fetch(`${address}/`, {
      method: "POST",
      body: new URLSearchParams(texts),
      redirect: "manual",
    });
    expect(answer.status).toBe(status);
    expect(answer.headers.get("location")).toBe(status === 303 ? "/thank-you" : null);
    if (status === 400) expect(await answer.text()).toContain("Please enter your full name.");
  });
});
