// What a query meets when the database is unreachable, stops answering, or refuses what it was asked: an outage is logged
// once, and its end once, when a later query is answered; a refusal is rethrown, because repeating it changes nothing.
import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { addressAs, addressOfDatabase, connect, type Sql } from "../database/connect.ts";
import { lockSetUp } from "../database/migrate.ts";
import { prepare, requireUsableSchema } from "../database/prepare.ts";
import { makeResilientConnection } from "../database/resilient-connection.ts";
import { openRoleLogins } from "../database/role-logins.ts";
import { makeLog } from "../log/log.ts";
import { makeDatabase, sessionsWaitingForLocks } from "./support/database.ts";
import { startTcpProxy } from "./support/tcp-proxy.ts";

let url: string;
beforeAll(async () => {
  ({ url } = await makeDatabase());
});

/** A resilient connection with one session, how often its pool was opened, and the events that it logged. */
function open(address = url) {
  const events: string[] = [];
  let opened = 0;
  const connection = makeResilientConnection(
    () => {
      opened += 1;
      return connect(address, { max: 1 });
    },
    makeLog((line) => events.push(line.split(" ")[2] ?? "")),
  );
  onTestFinished(() => connection.end());
  return { connection, events, opened: () => opened };
}

const sessionOf = (sql: Sql) => sql<{ pid: number }[]>`select pg_backend_pid() as pid`;

describe("a resilient connection", () => {
  it("reconnects after a timeout, so that a dead network holds nothing up for long", async () => {
    const proxy = await startTcpProxy(url);
    onTestFinished(proxy.close);
    const { connection } = open(proxy.url);
    const one = (timeout?: number) => connection.query((sql) => sql`select 1 as one`, timeout);
    expect(await one()).toEqual([{ one: 1 }]);
    proxy.stall();
    await expect(one(1_000)).rejects.toMatchObject({ name: "QueryTimeout" });
    proxy.recover();
    expect(await one()).toEqual([{ one: 1 }]);
  });

  it("logs an outage once, and its end when the database answers a query that was sent since", async () => {
    const { connection, events } = open();
    const early = Promise.withResolvers<string>();
    const sentBefore = connection.query(() => early.promise);
    const lost = () => Promise.reject(Object.assign(new Error("lost"), { code: "ECONNREFUSED" }));
    await expect(connection.query(lost)).rejects.toMatchObject({ code: "ECONNREFUSED" });
    early.resolve("an old answer");
    expect(await sentBefore).toBe("an old answer");
    await expect(connection.query(lost)).rejects.toThrow();
    await connection.query(async () => "a new answer");
    await connection.query(async () => "another");
    expect(events).toEqual(["database-unreachable:", "database-ready:"]);
  });

  it.each([
    ["ends the session", "CONNECTION_CLOSED", "select pg_terminate_backend(pg_backend_pid())", true],
    ["cancels the statement", "57014", "set local statement_timeout = 20; select pg_sleep(60)", false],
    ["takes no writes", "25006", "set local transaction_read_only = on; create table t ()", true],
    [
      "has given the lock to another session",
      "55P03",
      "do $$ begin lock table public.leads in share mode nowait; end $$",
      false,
    ],
  ])("takes it for an outage when the server %s (%s)", async (_, code, statement, reconnects) => {
    const other = connect(url, { max: 1 });
    onTestFinished(() => other.end());
    await other`begin`;
    await other`lock table public.leads in exclusive mode`;
    const { connection, events, opened } = open();
    await expect(connection.query((sql) => sql.unsafe(statement))).rejects.toMatchObject({ code });
    expect(events).toEqual(["database-unreachable:"]);
    expect(opened()).toBe(reconnects ? 2 : 1);
    await connection.query(sessionOf);
    expect(events).toEqual(["database-unreachable:", "database-ready:"]);
  });

  it.each([
    ["22012", (sql: Sql) => sql`select 1 / 0`],
    ["23502", (sql: Sql) => sql`insert into public.leads (name) values (null)`],
    ["42P01", (sql: Sql) => sql`select from a_table_that_is_missing`],
    ["42601", (sql: Sql) => sql`select from where`],
    ["42501", (sql: Sql) => sql`set local role anon; select from public.leads`.simple()],
    ["54000", (sql: Sql) => sql`select repeat('x', 1100000000)`],
    ["P0001", (sql: Sql) => sql`do $$ begin raise exception 'no'; end $$`],
    ["UNDEFINED_VALUE", (sql: Sql) => sql`select ${undefined as unknown as string}`],
    ["ERR_INVALID_URL", async () => void new URL("no address")],
  ])("rethrows %s: no outage is logged and nothing reconnects", async (code, work) => {
    const { connection, events, opened } = open();
    const [session] = await connection.query(sessionOf);
    await expect(connection.query<unknown>(work)).rejects.toMatchObject({ code });
    expect([events, opened()]).toEqual([[], 1]);
    expect(await connection.query(sessionOf)).toEqual([session]);
  });

  it("takes its own end for no outage: a query that it cuts off opens no new session", async () => {
    const { connection, events, opened } = open();
    const [session] = await connection.query(sessionOf);
    const other = connect(url, { max: 1 });
    onTestFinished(() => other.end());
    const cutOff = connection.query((sql) => sql`select pg_sleep(60)`);
    const rejected = expect(cutOff).rejects.toMatchObject({ code: "CONNECTION_DESTROYED" });
    await expect
      .poll(() => other`select state from pg_stat_activity where pid = ${session?.pid ?? 0}`)
      .toEqual([{ state: "active" }]);
    await connection.end();
    await rejected;
    await expect(connection.query(sessionOf)).rejects.toMatchObject({ code: "CONNECTION_ENDED" });
    expect([events, opened()]).toEqual([[], 1]);
  });

  it("rethrows a TypeError of the work as it is", async () => {
    const { connection, events, opened } = open();
    const nothing = undefined as unknown as { length: number };
    await expect(connection.query(async () => nothing.length)).rejects.toBeInstanceOf(TypeError);
    expect([events, opened()]).toEqual([[], 1]);
  });
});

describe("an address of a database", () => {
  it.each([
    ["postgres://u:p@[2001:db8::5]:5433/leads", "2001:db8::5", 5433],
    ["postgres://u:p@[::1]/leads", "::1", 5432],
    ["postgres://u:p@/leads?host=2001:db8::5&port=5434", "2001:db8::5", 5434],
    ["postgres://u:p@db.example:5433/leads", "db.example", 5433],
  ])("may name a server by its IPv6 address, and no other gets the password (%s)", (address, host, port) => {
    expect(connect(address).options).toMatchObject({ host: [host], port: [port], path: false });
  });

  it.each(["ho%zzst/leads", "localhost/le%zzads", "local:host:5432/leads"])(
    "is refused where a part of it cannot be read: postgres://%s",
    (rest) => {
      expect(() => connect(`postgres://${rest}`)).toThrow("This is not the address of a PostgreSQL server.");
    },
  );

  it.each([
    ["/leads?host=/run/postgresql", "/run/postgresql/.s.PGSQL.5432"],
    [":5433/leads?host=/run/postgresql", "/run/postgresql/.s.PGSQL.5433"],
    ["localhost:5433/leads?host=/run/postgresql", "/run/postgresql/.s.PGSQL.5433"],
    ["%2Frun%2Fpostgresql:5433/leads?port=6000", "/run/postgresql/.s.PGSQL.6000"],
    ["/leads?host=/run/a+b&port=", "/run/a+b/.s.PGSQL.5432"],
  ])("leads to where libpq connects: postgres://%s", (rest, path) => {
    expect(connect(`postgres://${rest}`).options).toMatchObject({ path });
  });

  it("may name a program, and each of ours is known to the others by its own name all the same", async () => {
    const sql = connect(`${url}?application_name=mine`, { max: 1, name: "leads backup reader" });
    const [row] = await sql`select current_setting('application_name') as name`;
    await sql.end();
    expect(row?.name).toBe("leads backup reader");
  });

  it("may name a database whose name has to be percent-encoded", async () => {
    const name = `leads ${randomUUID()} ñ`;
    const sql = connect(url, { max: 1 });
    await sql`create database ${sql(name)}`;
    const other = connect(addressOfDatabase(url, name), { max: 1 });
    const [row] = await other`select current_database() as name`;
    await other.end();
    await sql`drop database ${sql(name)}`;
    await sql.end();
    expect(row?.name).toBe(name);
  });

  it("gives no address for another role where a parameter names the user, who would log in instead", () => {
    const withUser = `${url}?user=postgres`;
    expect(() => addressAs(withUser, "leads_intake", "secret")).toThrow(
      "This is not the address of a PostgreSQL server.",
    );
  });
});

describe("the preparation of a database", () => {
  const prepareWith = async (setUp: (sql: Sql) => Promise<unknown>) => {
    const events: string[] = [];
    const log = makeLog((line) => events.push(line.split(" ")[2] ?? ""));
    const open = () => connect(url, { max: 1 });
    const prepared = prepare(open, async (on) => void (await setUp(on)), log, AbortSignal.timeout(20_000));
    return { prepared, events };
  };

  it.each([
    ["22012", (sql: Sql) => sql`select 1 / 0`],
    ["42703", (sql: Sql) => sql`select a_column_that_is_missing from public.leads`],
    ["P0001", (sql: Sql) => sql`do $$ begin raise exception 'no'; end $$`],
  ])("ends with %s of its own statements instead of repeating it", async (code, setUp) => {
    const { prepared, events } = await prepareWith(setUp);
    await expect(prepared).rejects.toMatchObject({ code });
    expect(events).toEqual([]);
  });

  it("says in words that the owner lacks a right", async () => {
    const { prepared } = await prepareWith(async (sql) => {
      await sql`set local role anon; select from private.settings`.simple();
    });
    await expect(prepared).rejects.toThrow(
      "refuses what the set-up needs (42501). DATABASE_URL must name the database's owner, with CREATEROLE.",
    );
  });

  it("says in words that a login is no member of its role, and never asks for the owner's", async () => {
    const { intakeUrl } = await makeDatabase();
    const login = { role: "leads_team", address: intakeUrl } as const;
    const refused = requireUsableSchema(login, () => {}, AbortSignal.timeout(20_000));
    await expect(refused).rejects.toThrow(
      "INBOX_DATABASE_URL must name a login that is a member of leads_team.",
    );
  });

  it("names a parameter of the address that it does not know, and passes over those that libpq alone needs", async () => {
    const answerOf = (parameters: string) =>
      prepare(
        () => connect(`${url}?${parameters}`, { max: 1 }),
        async () => {},
        () => {},
        AbortSignal.timeout(20_000),
      );
    await expect(answerOf("sslrootcert=/ca.pem")).rejects.toThrow(
      'does not know a parameter in DATABASE_URL (unrecognized configuration parameter "sslrootcert").',
    );
    await expect(answerOf("gssencmode=require")).rejects.toThrow("gssencmode");
    await answerOf("keepalives=1&keepalives_idle=30&load_balance_hosts=random&gssencmode=prefer");
  });

  it("gives the roles their logins in one program after the other, because two at once would fail", async () => {
    const { owner, url: used } = await makeDatabase();
    const [first, second] = [connect(used, { max: 1 }), connect(used, { max: 1, name: "second program" })];
    const ended = await first.begin(async (tx) => {
      await lockSetUp(tx);
      const waiting = openRoleLogins(second, used);
      await expect.poll(() => sessionsWaitingForLocks(owner, "second program")).toHaveLength(1);
      return { waiting };
    });
    await ended.waiting;
    await Promise.all([first.end(), second.end()]);
  });

  it("gives the roles their logins also where a program on another database of the server changes them at this moment", async () => {
    const [one, other] = [await makeDatabase(), await makeDatabase()];
    const program = connect(other.url, { max: 1 });
    onTestFinished(() => program.end());
    const { opening } = await one.owner.begin(async (tx) => {
      await tx`alter role leads_intake login`;
      const opening = openRoleLogins(program, other.url);
      await expect.poll(() => sessionsWaitingForLocks(other.owner)).toHaveLength(1);
      return { opening };
    });
    await expect(opening).resolves.toBeUndefined();
  });

  it("says in words that the database holds something else under our names", async () => {
    const { owner, url: used } = await makeDatabase({ schema: false });
    await owner`create table leads (id int)`;
    const open = () => connect(used, { max: 1 });
    await expect(
      prepare(
        open,
        async () => {},
        () => {},
        AbortSignal.timeout(20_000),
      ),
    ).rejects.toThrow(
      "has something else under a name that the leads need (42P07). Name an empty database in DATABASE_URL.",
    );
  });

  it("tries again after trouble, and logs both the outage and its end", async () => {
    let attempts = 0;
    const { prepared, events } = await prepareWith(async (sql) => {
      attempts += 1;
      if (attempts === 1) await sql`select pg_terminate_backend(pg_backend_pid())`;
    });
    await prepared;
    expect([attempts, events]).toEqual([2, ["database-unreachable:", "database-ready:"]]);
  });
});
