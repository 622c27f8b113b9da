// Whatever happens to the database, the article can be read, a visitor is told in plain words that the answers are not saved
// yet and loses none of them, and leads are stored again by themselves when the database is back.
import { once } from "node:events";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, type ExpectStatic, it, vi } from "vitest";
import { connect, type Sql } from "../database/connect.ts";
import { findDataFolder, findRunning } from "../database/embedded.ts";
import { processesOn, sendSignal } from "../packages/embedded-postgres/processes.ts";
import { type Cluster, copyCluster, makeCluster } from "./support/clusters.ts";
import { aLead, removeLeads } from "./support/database.ts";
import { insertAt, type RunningServer, spawnServer, startServer } from "./support/server.ts";
import { mountSmallDisk } from "./support/small-disk.ts";
import { startTcpProxy } from "./support/tcp-proxy.ts";

const sentence =
  "We could not save your answers just now. They are still here: please try again in a minute.";

let empty: Cluster;
let migrated: Cluster;
beforeAll(async () => {
  empty = await makeCluster();
  const { cluster, server, owner } = await start({}, empty);
  await server.end();
  await owner.end();
  await cluster.stop();
  migrated = cluster;
});

/** A PostgreSQL of the test's own, and the product on it. */
async function start(settings = {}, template = migrated) {
  const cluster = await copyCluster(template);
  await cluster.start(settings);
  const server = await startServer({ DATABASE_URL: cluster.url, DELIVERY: "off" });
  await vi.waitFor(async () => {
    if (!(await fetch(`${server.address}/readyz`)).ok) throw new Error("It is not ready.");
  }, 20_000);
  return { cluster, server, owner: connect(cluster.url, { max: 1 }) };
}

/** What visitors and operators see while the database is in trouble. `readyz` is what `/readyz` must answer. */
async function expectTrouble(expect: ExpectStatic, { address }: RunningServer, readyz: 200 | 503) {
  const [article, insert, post] = await Promise.all([
    fetch(address),
    insertAt(address, aLead()),
    fetch(address, { method: "POST", body: formOf(aLead({ name: "Ann <Plain>" })), redirect: "manual" }),
    expectHealth(expect, address, readyz),
  ]);
  expect(article.status).toBe(200);
  expect(await article.text()).toContain("Find Out If You Qualify");
  expect([insert.status, insert.headers.get("retry-after")]).toEqual([503, "5"]);
  const refusal = (await insert.json()) as Record<string, unknown>;
  expect(refusal).toEqual({ code: "PGRST001", message: sentence, hint: null, details: refusal.details });
  expect(refusal.details).toMatch(/^The database could not store the lead \(\w+\)\.$/);
  expect([post.status, post.headers.get("retry-after")]).toEqual([503, "5"]);
  const page = await post.text();
  expect(page).toContain(sentence);
  expect(page).toContain("Find Out If You Qualify");
  for (const kept of ["Ann &lt;Plain&gt;", "rosa@example.com", "(305) 555-0142", "33101"])
    expect(page).toContain(`value="${kept}"`);
  expect(page).toMatch(ticked("has_medicare"));
  expect(page).not.toMatch(ticked("has_diabetes"));
}

const ticked = (box: string) => new RegExp(`<input[^>]{0,300}name="${box}"[^>]{0,300} checked`);

async function expectHealth(expect: ExpectStatic, address: string, readyz: 200 | 503) {
  const statusOf = async (path: string) => (await fetch(`${address}${path}`)).status;
  expect(await statusOf("/healthz")).toBe(200);
  await expect.poll(() => statusOf("/readyz")).toBe(readyz);
}

/** Leads are stored again, and those that were refused, though perhaps stored, are stored once when they are sent again. */
async function expectRecovery(expect: ExpectStatic, { address }: RunningServer, owner: Sql) {
  const insertAgain = async () => (await insertAt(address, aLead())).status;
  await expect.poll(insertAgain).toBe(201);
  const plain = { method: "POST", body: formOf(aLead({ name: "Ann <Plain>" })), redirect: "manual" } as const;
  expect((await fetch(address, plain)).status).toBe(303);
  await expectHealth(expect, address, 200);
  const names = await owner<{ name: string }[]>`select name from leads order by name`;
  expect(names.map(({ name }) => name)).toEqual(["Ann <Plain>", "Rosa Martinez"]);
  await owner.end();
}

/**
 * Begins new files of the write-ahead log until the disk has no room for one, because that ends PostgreSQL and makes each later start
 * fail. It takes many files, because a checkpoint may have left spare ones.
 */
async function useUpLog(url: string) {
  const sql = connect(url, { max: 1 });
  const isUp = () =>
    sql`select pg_switch_wal()`.then(
      () => true,
      () => false,
    );
  while (await isUp()) await sql`create table more_log as select 1`.catch(() => {});
  await sql.end({ timeout: 0 });
}

const formOf = ({ has_medicare, has_diabetes, ...texts }: ReturnType<typeof aLead>) =>
  new URLSearchParams({ ...texts, ...(has_medicare && { has_medicare: "on" }) });

const endSessions = (owner: Sql) => owner`
  select pg_terminate_backend(pid) from pg_stat_activity where application_name like 'leads%' and pid <> pg_backend_pid()`;

describe.concurrent("a database that", () => {
  it("is down at the start: the article opens, and the form keeps the answers until they are stored", async ({
    expect,
  }) => {
    const cluster = await copyCluster(empty);
    const server = await startServer({ DATABASE_URL: cluster.url, DELIVERY: "off" });
    await expectTrouble(expect, server, 503);
    await cluster.start();
    await expectRecovery(expect, server, connect(cluster.url, { max: 1 }));
  });

  it("is behind a proxy that takes connections and drops them: the log says that the database does not answer", async ({
    expect,
    onTestFinished,
  }) => {
    const balancer = createServer((socket) => {
      socket.on("error", () => {}).on("data", () => socket.end());
    }).listen(0, "127.0.0.1");
    onTestFinished(() => void balancer.close());
    await once(balancer, "listening");
    const { port } = balancer.address() as AddressInfo;
    const server = await startServer({
      DATABASE_URL: `postgres://u:p@127.0.0.1:${port}/leads`,
      DELIVERY: "off",
    });
    await expect.poll(server.output).toMatch(/ database-unreachable: [^:]* code=QueryTimeout/);
    await expectHealth(expect, server.address, 503);
  });

  it("is lost and comes back: the article opens, and the form keeps the answers until they are stored", async ({
    expect,
  }) => {
    const { cluster, server, owner } = await start();
    cluster.signal("SIGKILL");
    await expectTrouble(expect, server, 503);
    await cluster.start();
    await expectRecovery(expect, server, owner);
  });

  it("is prepared only once another session frees the lock: the log has the code 55P03, and says later that it is ready", async ({
    expect,
  }) => {
    const cluster = await copyCluster(empty);
    await cluster.start();
    const other = connect(cluster.url, { max: 1 });
    await other`select pg_advisory_lock(2026112100)`;
    const server = await startServer({ DATABASE_URL: cluster.url, DELIVERY: "off" });
    await expect.poll(server.output).toMatch(/ database-unreachable: [^:]* code=55P03/);
    await other.end();
    await expect.poll(server.output).toContain(" database-ready: ");
  });

  it("is lost in the middle of its preparation: the article opens, and the form keeps the answers until they are stored", async ({
    expect,
  }) => {
    const cluster = await copyCluster(empty);
    await cluster.start();
    // Another process migrates; ours waits for it within a transaction.
    const other = connect(cluster.url, { max: 1 });
    await other`select pg_advisory_lock(2026112100)`;
    const server = await startServer({ DATABASE_URL: cluster.url, DELIVERY: "off" });
    const waiting = () => other`select from pg_locks where not granted`;
    await expect.poll(async () => (await waiting()).length).toBe(1);
    cluster.signal("SIGKILL");
    await expectTrouble(expect, server, 503);
    await cluster.start();
    await expectRecovery(expect, server, other);
  });

  it("is restarted: a visitor who sends a lead meanwhile waits, and the lead is stored", async ({
    expect,
  }) => {
    const { cluster, server, owner } = await start();
    await cluster.stop();
    const answer = insertAt(server.address, aLead());
    await cluster.start();
    expect((await answer).status).toBe(201);
    await expectRecovery(expect, server, owner);
  });

  it("has no connection left: the article opens, and the form keeps the answers until they are stored", async ({
    expect,
  }) => {
    const { cluster, server, owner } = await start({
      max_connections: "12",
      superuser_reserved_connections: "1",
    });
    await endSessions(owner);
    // The other sessions are a superuser's, so they may take the reserved connection as well.
    const others = connect(cluster.url, { max: 20, name: "others" });
    const held = Array.from({ length: 20 }, () => others`select pg_sleep(60)`.catch(() => {}));
    const sessions = async () =>
      (await owner`select from pg_stat_activity where backend_type = 'client backend'`).length;
    await expect.poll(sessions).toBe(12);
    await expectTrouble(expect, server, 503);
    await others.end({ timeout: 0 });
    await owner`select pg_terminate_backend(pid) from pg_stat_activity where query like 'select pg_sleep%'`;
    await Promise.all(held);
    await expectRecovery(expect, server, owner);
  });

  it("is slow, because another session locks the leads: the article opens, and the form keeps the answers until they are stored", async ({
    expect,
  }) => {
    const { cluster, server, owner } = await start();
    const other = connect(cluster.url, { max: 1 });
    await other`begin`;
    await other`lock table leads in access exclusive mode`;
    await expectTrouble(expect, server, 200);
    await other`commit`;
    await other.end();
    await expectRecovery(expect, server, owner);
  });

  it("is read only, and sessions begun then stay so: the article opens, and the form keeps the answers until they are stored", async ({
    expect,
  }) => {
    const { server, owner } = await start();
    await owner`alter role leads_intake set default_transaction_read_only = on`;
    await endSessions(owner);
    await expectTrouble(expect, server, 503);
    await owner`alter role leads_intake reset default_transaction_read_only`;
    await expectRecovery(expect, server, owner);
  });

  it("is frozen for a while: the article opens, and the form keeps the answers until they are stored", async ({
    expect,
  }) => {
    const { cluster, server, owner } = await start();
    await insertAt(server.address, aLead());
    await removeLeads(owner);
    cluster.signal("SIGSTOP");
    await expectTrouble(expect, server, 503);
    cluster.signal("SIGCONT");
    await expectRecovery(expect, server, owner);
  });

  it("is behind a network that carries nothing: the article opens, and the form keeps the answers until they are stored", async ({
    expect,
    onTestFinished,
  }) => {
    const cluster = await copyCluster(migrated);
    await cluster.start();
    const proxy = await startTcpProxy(cluster.url);
    onTestFinished(proxy.close);
    const server = await startServer({ DATABASE_URL: proxy.url, DELIVERY: "off" });
    await expectHealth(expect, server.address, 200);
    proxy.stall();
    await expectTrouble(expect, server, 503);
    proxy.recover();
    await expectRecovery(expect, server, connect(cluster.url, { max: 1 }));
  });

  it("is frozen does not hold up a server that stops: waiting visitors are answered, and it exits with code 0", async ({
    expect,
  }) => {
    const { cluster, server } = await start();
    await insertAt(server.address, aLead());
    cluster.signal("SIGSTOP");
    const answer = insertAt(server.address, aLead({ name: "Under way" }));
    await expect.poll(() => fetch(`${server.address}/healthz`)).toMatchObject({ status: 200 });
    const ended = server.end("SIGTERM");
    expect((await answer).status).toBe(503);
    expect(await ended).toEqual({ code: 0, signal: null });
  });

  it("refuses the login ends the start with exit code 1 and without a stack trace, also where the port is taken", async ({
    expect,
  }) => {
    const { cluster, server: other } = await start();
    const { port } = new URL(other.address);
    const wrong = cluster.url.replace(/:[^:@]*@/, ":wrong@");
    const servers = ["0", port].map((PORT) => spawnServer({ DATABASE_URL: wrong, PORT }));
    for (const server of servers) {
      expect(await server.ended).toMatchObject({ code: 1 });
      expect(server.output()).not.toMatch(/^ +at /m);
    }
  });
}, 150_000);

describe.runIf(process.getuid?.() === 0).concurrent("the embedded database", () => {
  it("that is frozen does not hold up a server that stops either", async ({ expect, onTestFinished }) => {
    const folder = await mkdtemp(join(tmpdir(), "leads-frozen-"));
    await chmod(folder, 0o711);
    const server = await startServer({ DATA_DIR: join(folder, "data"), DELIVERY: "off" });
    const processes = processesOn(findDataFolder(join(folder, "data")).cluster);
    onTestFinished(async () => {
      for (const pid of processes) sendSignal(pid, "SIGKILL");
      await rm(folder, { recursive: true, maxRetries: 20 });
    });
    expect(processes.length).toBeGreaterThan(3);
    for (const pid of processes) sendSignal(pid, "SIGSTOP");
    expect(await server.end("SIGTERM")).toEqual({ code: 0, signal: null });
  });

  it("whose disk is full: the article opens, and the form keeps the answers until there is room, also after a crash and a start", async ({
    expect,
    onTestFinished,
  }) => {
    const disk = mountSmallDisk(160);
    onTestFinished(disk.remove);
    const server = await startServer({ DATA_DIR: join(disk.folder, "data"), DELIVERY: "off" });
    onTestFinished(async () => void (await server.end()));
    const url = (await findRunning({ dataDir: join(disk.folder, "data") })) ?? "";
    const owner = connect(url, { max: 1 });
    disk.fill();
    await expectTrouble(expect, server, 200);
    await useUpLog(url);
    await expect.poll(() => server.output()).toContain("database-exited");
    await expectTrouble(expect, server, 503);
    await server.end();
    // The end of the server may have made room.
    disk.fill();
    const next = await startServer({ DATA_DIR: join(disk.folder, "data"), DELIVERY: "off" });
    onTestFinished(async () => void (await next.end()));
    expect(next.output()).toContain("database-not-starting");
    await expectTrouble(expect, next, 503);
    disk.makeRoom();
    await expectRecovery(expect, next, owner);
  }, 150_000);
});
