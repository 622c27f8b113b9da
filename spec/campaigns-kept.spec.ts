// What becomes of counts when the database is away, or the server stops or is killed: at most some seconds of counts are lost, or an
// outage's where the server stops during it, and never a lead.
import { beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { makeCounters } from "../campaigns/counters.ts";
import { countsPool, startFlushing } from "../campaigns/flush.ts";
import { connect, type Sql } from "../database/connect.ts";
import { makeResilientConnection } from "../database/resilient-connection.ts";
import { browsers, countsOf } from "./support/counts.ts";
import { aLead, makeDatabase, sessionsWaitingForLocks, type TestDatabase } from "./support/database.ts";
import { freePort } from "./support/free-port.ts";
import { insertAt, startServer } from "./support/server.ts";
import { startTcpProxy } from "./support/tcp-proxy.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await makeDatabase();
});

const nowhere = await freePort();

const aView = (campaign: string) =>
  ({ source: "", medium: "", campaign, variant: "", device: "phone", step: "view" }) as const;

/** Counters that are moved to the database when the test says so, over an address that it can change. */
function flushingTo(address: () => string) {
  const counters = makeCounters();
  const log = vi.fn();
  const connection = makeResilientConnection(
    () => connect(address(), countsPool),
    () => {},
  );
  const flushing = startFlushing(counters, connection, log, 0);
  onTestFinished(() => flushing.stop());
  return { counters, flushing, log };
}

describe("the counts", () => {
  it.each([
    ["nothing listens where the database was", `127.0.0.1:${nowhere}`],
    // No route leads to this address.
    ["the network that leads to the database is down", "255.255.255.255:5432"],
    ["its name is not found", "database.invalid:5432"],
  ])("wait in memory while %s, and are added once when it is back", async (reason, host) => {
    let address = `postgres://nobody:x@${host}/none`;
    const { counters, flushing, log } = flushingTo(() => address);
    counters.addPage(aView(reason));
    await flushing.flush();
    counters.addPage(aView(reason));
    address = database.intakeUrl;
    // The first flush fails, too, because the pool was opened anew while the old address was set; after it the pool has the new one.
    await flushing.flush();
    await flushing.flush();
    expect(await countsOf(database.owner, reason)).toEqual({ "phone view": 2 });
    expect(log).not.toHaveBeenCalled();
  });

  it("wait in memory while a host takes connections and says nothing, and are added once when it is back", async () => {
    const proxy = await startTcpProxy(database.intakeUrl);
    onTestFinished(() => proxy.close());
    proxy.stall();
    const { counters, flushing, log } = flushingTo(() => proxy.url);
    counters.addPage(aView("silent host"));
    await flushing.flush();
    proxy.recover();
    await expect
      .poll(async () => {
        await flushing.flush();
        return countsOf(database.owner, "silent host");
      })
      .toEqual({ "phone view": 1 });
    expect(log).not.toHaveBeenCalled();
  });

  it("wait in memory while none of several servers answers", async () => {
    const ports = [await freePort(), await freePort()];
    const { counters, flushing, log } = flushingTo(
      () => `postgres://nobody:x@127.0.0.1:${ports[0]},127.0.0.1:${ports[1]}/none`,
    );
    counters.addPage(aView("none"));
    await flushing.flush();
    expect(log).not.toHaveBeenCalled();
    expect(counters.take()?.pages).toHaveLength(1);
  });

  /** Does the work while the write of the counts waits for a lock in the database. */
  const whileWaiting = async (flushing: { flush(): Promise<void> }, work: (tx: Sql) => Promise<unknown>) => {
    const { flushed } = await database.owner.begin(async (tx) => {
      await tx`lock table private.page_counts`;
      const flushed = flushing.flush();
      await expect.poll(() => sessionsWaitingForLocks(database.owner, "leads counts")).toHaveLength(1);
      await work(tx as unknown as Sql);
      return { flushed };
    });
    await flushed;
  };

  it("whose write an operator cancels in the database wait in memory and are added once", async () => {
    const { counters, flushing, log } = flushingTo(() => database.intakeUrl);
    counters.addPage(aView("undone"));
    await whileWaiting(
      flushing,
      (tx) => tx`
        select pg_cancel_backend(pid) from pg_stat_activity
        where datname = current_database() and application_name = 'leads counts'`,
    );
    await flushing.flush();
    expect(await countsOf(database.owner, "undone")).toEqual({ "phone view": 1 });
    expect(log).not.toHaveBeenCalled();
  });

  it("that come while others are being added are in the database when a write asked for meanwhile is done", async () => {
    const { counters, flushing, log } = flushingTo(() => database.intakeUrl);
    counters.addPage(aView("meanwhile"));
    let asked: Promise<unknown> | undefined;
    await whileWaiting(flushing, async () => {
      counters.addPage(aView("meanwhile"));
      asked = Promise.all([flushing.flush(), flushing.flush()]);
    });
    await asked;
    expect(await countsOf(database.owner, "meanwhile")).toEqual({ "phone view": 2 });
    expect(log).not.toHaveBeenCalled();
  });

  it("that come while others are being added are added too before the server stops", async () => {
    const { counters, flushing, log } = flushingTo(() => database.intakeUrl);
    counters.addPage(aView("last"));
    let stopped: Promise<void> | undefined;
    await whileWaiting(flushing, async () => {
      counters.addPage(aView("last"));
      stopped = flushing.stop();
    });
    await stopped;
    expect(await countsOf(database.owner, "last")).toEqual({ "phone view": 2 });
    expect(log).not.toHaveBeenCalled();
  });

  it("that cannot be moved before the server stops are lost, and the log says how many", async () => {
    const port = await freePort();
    const { counters, flushing, log } = flushingTo(() => `postgres://nobody:x@127.0.0.1:${port}/none`);
    counters.addPage(aView("stopped away"), 3);
    await flushing.stop();
    expect(log.mock.calls).toEqual([["counts-lost", { count: 3 }]]);
  });

  it("of which no answer tells whether they were added are lost, rather than counted twice, and the log says how many", async () => {
    const proxy = await startTcpProxy(database.intakeUrl);
    onTestFinished(() => proxy.close());
    const { counters, flushing, log } = flushingTo(() => proxy.url);
    counters.addPage(aView("stalled"));
    await flushing.flush();
    proxy.stall();
    counters.addPage(aView("stalled"), 5);
    await flushing.flush();
    proxy.recover();
    counters.addPage(aView("stalled"));
    await flushing.flush();
    expect(await countsOf(database.owner, "stalled")).toEqual({ "phone view": 2 });
    expect(log.mock.calls).toEqual([["counts-lost", { count: 5, code: "QueryTimeout" }]]);
  });

  it("that the database refuses are reported as the bug they are, and the next ones are added", async () => {
    const { counters, flushing, log } = flushingTo(() => database.intakeUrl);
    counters.addPage({ ...aView("refused"), step: "sold" as "view" });
    await flushing.flush();
    counters.addPage(aView("refused"));
    await flushing.flush();
    expect(await countsOf(database.owner, "refused")).toEqual({ "phone view": 1 });
    expect(log.mock.calls.map(([event]) => event)).toEqual(["bug", "counts-lost"]);
  });
});

describe("the server", () => {
  const beacon = (address: string, campaign: string) =>
    fetch(`${address}/c`, {
      method: "POST",
      body: `steps=view&utm_campaign=${campaign}`,
      headers: { "user-agent": browsers.phone },
    });

  it("writes what it has counted when it is asked to stop", async () => {
    const server = await startServer({ DATABASE_URL: database.url, DELIVERY: "off" });
    for (let nth = 0; nth < 20; nth += 1) expect((await beacon(server.address, "stopped")).status).toBe(204);
    expect(await server.end("SIGTERM")).toEqual({ code: 0, signal: null });
    expect(await countsOf(database.owner, "stopped")).toEqual({ "phone view": 20 });
  });

  it("that is killed loses seconds of counts at most, and no lead", async () => {
    const server = await startServer({ DATABASE_URL: database.url, DELIVERY: "off" });
    await beacon(server.address, "killed");
    await expect.poll(() => countsOf(database.owner, "killed")).toEqual({ "phone view": 1 });
    const stored = await insertAt(server.address, aLead({ name: "Before the kill" }));
    await beacon(server.address, "killed");
    await server.end("SIGKILL");
    expect(stored.status).toBe(201);
    const leads = await database.owner`select from leads where name = 'Before the kill'`;
    expect(leads).toHaveLength(1);
    expect((await countsOf(database.owner, "killed"))["phone view"]).toBeLessThanOrEqual(2);
  });

  it("answers the counting script and serves pages while the database is silent, and then stores leads and counts as before", async () => {
    const proxy = await startTcpProxy(database.url);
    onTestFinished(() => proxy.close());
    const server = await startServer({ DATABASE_URL: proxy.url, DELIVERY: "off" });
    const ready = async () => (await fetch(`${server.address}/readyz`)).status;
    await expect.poll(ready).toBe(200);
    proxy.stall();
    expect((await beacon(server.address, "silent")).status).toBe(204);
    expect((await fetch(server.address)).status).toBe(200);
    proxy.recover();
    const insert = async () => (await insertAt(server.address, aLead({ name: "After" }))).status;
    await expect.poll(insert, { timeout: 20_000 }).toBe(201);
    // The counts' connection is opened anew as well: later counts arrive.
    const later = async () => {
      await beacon(server.address, "later");
      return Object.keys(await countsOf(database.owner, "later"));
    };
    await expect.poll(later, { timeout: 20_000, interval: 500 }).toEqual(["phone view"]);
  });
});
