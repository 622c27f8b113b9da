// The delivery worker as a whole, on real PostgreSQL: its start, its scheduled jobs, bugs, an outage of the database, its stop.
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { connect, type Sql } from "../database/connect.ts";
import { makeResilientConnection } from "../database/resilient-connection.ts";
import { QueryTimeout } from "../database/timeout.ts";
import type { Channel, Outcome } from "../delivery/channels/channel.ts";
import { makeResults } from "../delivery/results.ts";
import { aDelivery } from "./support/a-delivery.ts";
import { startReceiver, until } from "./support/receiver.ts";
import { fakeChannel, useWorkers, webhook } from "./support/workers.ts";

const {
  sql,
  url,
  lines,
  clock,
  log,
  start,
  startControlled,
  insert,
  insertMany,
  count,
  claimedCount,
  dueIn,
} = await useWorkers();

describe("the worker", () => {
  it("prepares before it sends, and tries until that succeeds", async () => {
    const receiver = await startReceiver();
    await insert();
    let attempts = 0;
    start([webhook(receiver.url)], {
      prepare: async () => {
        attempts += 1;
        expect(receiver.received).toEqual([]);
        if (attempts < 3) throw Object.assign(new Error("away"), { code: "ECONNREFUSED" });
      },
    });
    await until(() => receiver.received.length === 1);
    expect(attempts).toBe(3);
  });

  it("logs a preparation that fails because of a bug once within a minute, and runs no job before the preparation succeeds", async () => {
    let fails = true;
    let jobs = 0;
    const prepare = async () => {
      if (fails) throw new TypeError("not a function");
    };
    const { sweep } = startControlled([], {
      prepare,
      jobs: [[{ every: 1000, run: async () => void (jobs += 1) }]],
    });
    const bugs = () => lines.filter((line) => line.includes(" error bug")).length;
    await until(() => bugs() === 1);
    for (clock.secondsAhead = 1; clock.secondsAhead < 59; clock.secondsAhead += 1) {
      sweep();
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect([bugs(), jobs]).toEqual([1, 0]);
    fails = false;
    clock.secondsAhead = 61;
    sweep();
    await until(() => jobs === 1);
  });

  it("runs a job at its interval, and after a failure a minute later", async () => {
    let fails = true;
    const done: number[] = [];
    const run = async () => {
      done.push(clock.secondsAhead);
      if (fails) throw new Error("refused");
    };
    const { sweep } = startControlled([], { jobs: [[{ every: 3_600_000, run }]] });
    await until(() => done.length === 1);
    fails = false;
    for (clock.secondsAhead = 30; clock.secondsAhead < 7400; clock.secondsAhead += 40) {
      sweep();
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(done).toEqual([0, 70, 3670, 7270]);
  });

  it("runs a job that failed in an outage again 5 seconds later if it runs each second, a minute later if it runs each hour", async () => {
    const done = { second: [] as number[], hour: [] as number[] };
    const failingOnce = (times: number[]) => async () => {
      times.push(clock.secondsAhead);
      if (times.length === 1) throw Object.assign(new Error("away"), { code: "ECONNREFUSED" });
    };
    const { sweep } = startControlled([], {
      jobs: [
        [
          { every: 1_000, run: failingOnce(done.second) },
          { every: 3_600_000, run: failingOnce(done.hour) },
        ],
      ],
    });
    await until(() => done.hour.length === 1);
    for (clock.secondsAhead = 1; clock.secondsAhead <= 61; clock.secondsAhead += 1) {
      sweep();
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect([done.second.slice(0, 3), done.hour]).toEqual([
      [0, 5, 6],
      [0, 60],
    ]);
  });

  it("runs an hourly job again a minute after its statement took too long, and logs two such statements in a row once", async () => {
    const starts: number[] = [];
    let isSlow = true;
    const run = async () => {
      starts.push(clock.secondsAhead);
      if (!isSlow) return;
      clock.secondsAhead += 600;
      throw new QueryTimeout();
    };
    const { sweep } = startControlled([], { jobs: [[{ every: 3_600_000, run }]] });
    await until(() => starts.length === 1);
    const sweepAt = async (secondsAhead: number) => {
      clock.secondsAhead = secondsAhead;
      sweep();
      await new Promise((resolve) => setImmediate(resolve));
    };
    await sweepAt(601);
    await sweepAt(659);
    expect(starts).toEqual([0]);
    await sweepAt(660);
    expect(starts).toEqual([0, 660]);
    isSlow = false;
    await sweepAt(1_320);
    expect(starts).toEqual([0, 660, 1_320]);
    expect(lines.filter((line) => line.includes(" job-stopped: "))).toHaveLength(1);
  });

  it("records the results beside one that cannot be recorded", async () => {
    const { channel } = fakeChannel(() => ({ kind: "delivered" }));
    await insertMany(3);
    const [first] = await sql`select id from public.leads limit 1`;
    await sql.unsafe(`
      create function private.refuse_one() returns trigger language plpgsql as $$ begin raise exception 'no'; end $$;
      create trigger refuse_one before update of delivered_at on private.deliveries for each row
      when (new.delivered_at is not null and new.lead_id = '${first?.id}') execute function private.refuse_one()`);
    onTestFinished(async () => void (await sql`drop function private.refuse_one cascade`));
    start([channel]);
    await until(async () => (await count("delivered")) === 2);
  });

  it.each<[string, (pool: Sql) => Promise<unknown>, string]>([
    ["a value that PostgreSQL does not take", async (pool) => pool`select 1 / 0`, "22012"],
    ["a constraint", async (pool) => pool`insert into private.settings default values`, "23505"],
    ["a name that does not exist", async (pool) => pool`select no_such_column`, "42703"],
    ["an exception", async (pool) => pool`do $$ begin raise exception 'Canary-Name'; end $$`, "P0001"],
  ])(
    "logs a job that fails because of %s as a bug with the lines of this program that led to it, and runs the others",
    async (_, work, code) => {
      const database = makeResilientConnection(() => sql, log);
      let others = 0;
      const jobs = [
        { every: 1000, run: async () => void (await database.query(work)) },
        { every: 1000, run: async () => void (others += 1) },
      ];
      start([], { database, jobs: [jobs] });
      await until(() => others > 0);
      const bugs = lines.filter((line) => line.includes(" error bug"));
      expect(bugs).toHaveLength(1);
      expect(bugs[0]).toContain(` class=PostgresError code=${code} frames=`);
      expect(bugs[0]).toContain("spec/worker.spec.ts:");
      expect(lines.join("")).not.toMatch(/Canary|database-unreachable/);
    },
  );

  it("logs a claim that fails because of a bug once a minute, and not at each sweep", async () => {
    const pool = connect(url, { max: 1 });
    onTestFinished(() => pool.end());
    await pool`set search_path = private`;
    await pool`set role anon`;
    const refusing = makeResilientConnection(() => pool, log);
    let queries = 0;
    const database: typeof refusing = {
      ...refusing,
      query(work, timeout) {
        queries += 1;
        return refusing.query(work, timeout);
      },
    };
    const { sweep } = startControlled([webhook("http://127.0.0.1:9/")], { database });
    const bugs = () => lines.filter((line) => line.includes(" error bug")).length;
    await until(() => bugs() === 1);
    queries = 0;
    for (clock.secondsAhead = 1; clock.secondsAhead < 59; clock.secondsAhead += 1) {
      sweep();
      // A claim would ask the database within this turn.
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect([bugs(), queries]).toEqual([1, 0]);
    clock.secondsAhead = 61;
    sweep();
    await until(() => bugs() === 2);
  });

  it("outlives an outage of the database, says so once, and records afterwards what was sent meanwhile", async () => {
    const flaky = makeFlaky(sql);
    const { channel, sent, settle } = fakeChannel();
    const worker = start([channel], { database: makeResilientConnection(() => flaky.sql, log) });
    await insert();
    worker.wake();
    await until(() => sent.length === 1);
    flaky.isDown = true;
    settle({ kind: "delivered" });
    await until(() => flaky.refused > 3);
    expect(await count("delivered")).toBe(0);
    flaky.isDown = false;
    await until(async () => (await count("delivered")) === 1);
    await until(() => lines.some((line) => line.includes("database-ready")));
    expect(lines.filter((line) => line.includes("database-unreachable"))).toHaveLength(1);
    expect(sent).toHaveLength(1);
  });

  it("records what was delivered before it claims again after an outage longer than a lease, so that nothing is sent twice", async () => {
    const { channel, sent, settle } = fakeChannel();
    const flaky = makeFlaky(sql);
    // The first query after the outage meets a connection that died in it; the next one opens a new one.
    let meetsOldConnection = false;
    let underWay = 0;
    const healthy = makeResilientConnection(() => flaky.sql, log);
    const database: typeof healthy = {
      ...healthy,
      query: (work, timeout) => {
        underWay += 1;
        const answer = meetsOldConnection
          ? Promise.reject(Object.assign(new Error("closed"), { code: "CONNECTION_CLOSED" }))
          : healthy.query(work, timeout);
        meetsOldConnection = false;
        return answer.finally(() => (underWay -= 1));
      },
    };
    const { worker, sweep } = startControlled([channel], { database });
    await insert();
    worker.wake();
    await until(() => sent.length === 1);
    flaky.isDown = true;
    settle({ kind: "delivered" });
    await until(() => flaky.refused > 0 && underWay === 0);
    flaky.isDown = false;
    meetsOldConnection = true;
    clock.secondsAhead = 91;
    for (const _ of ["fails to record", "records"]) {
      sweep();
      await until(() => underWay === 0);
    }
    expect([await count("delivered"), sent.length]).toEqual([1, 1]);
  });

  it("retries within about half a minute what failed at a receiver that recovered, failed again at once, and recovered", async () => {
    const settles: ((outcome: Outcome) => void)[] = [];
    const send = () => new Promise<Outcome>((resolve) => settles.push(resolve));
    const settle = (count: number, outcome: Outcome) => {
      for (const resolve of settles.splice(0, count)) resolve(outcome);
    };
    const failed: Outcome = { kind: "transient", reason: "answered 503" };
    const healthy = makeResilientConnection(() => sql, log);
    let answers = Promise.resolve();
    const database: typeof healthy = {
      ...healthy,
      query: (work, timeout) => answers.then(() => healthy.query(work, timeout)),
    };
    const channel: Channel = { ...fakeChannel().channel, concurrency: 12, send };
    const { sweep } = startControlled([channel], { database });
    await insertMany(12);
    sweep();
    await until(() => settles.length === 12);
    settle(3, failed);
    settle(1, { kind: "delivered" });
    await until(async () => (await count("delivered")) === 1 && (await claimedCount()) === 8);
    const slow = Promise.withResolvers<void>();
    answers = slow.promise;
    sweep();
    settle(3, failed);
    slow.resolve();
    await until(async () => (await claimedCount()) === 5);
    settle(5, { kind: "delivered" });
    await until(async () => (await count("delivered")) === 6);
    clock.secondsAhead = 31;
    sweep();
    await until(() => settles.length === 6);
    settle(6, { kind: "delivered" });
    expect(lines.join("")).not.toContain(" error bug");
  });

  it("goes on with its jobs and its channels when the machine's clock was a year ahead and is set right", async () => {
    onTestFinished(() => void vi.useRealTimers());
    vi.setSystemTime(Date.now() + 365 * 86_400_000);
    const outcomes: Outcome[] = [{ kind: "transient", reason: "answered 503" }];
    const { channel, sent } = fakeChannel(() => outcomes.pop() ?? { kind: "delivered" });
    let jobs = 0;
    await insert();
    start([channel], { jobs: [[{ every: 100, run: async () => void (jobs += 1) }]] });
    await until(async () => sent.length === 1 && jobs > 0 && (await claimedCount()) === 0);
    vi.useRealTimers();
    const jobsBefore = jobs;
    await sql`update private.deliveries set due_at = now()`;
    await until(async () => jobs > jobsBefore && (await count("delivered")) === 1);
  });

  it("lets what is under way finish when it is stopped, and claims nothing more", async () => {
    const { channel, sent, settle } = fakeChannel();
    const worker = start([{ ...channel, concurrency: 1 }]);
    await insertMany(2);
    worker.wake();
    await until(() => sent.length === 1);
    const stopped = worker.stop();
    settle({ kind: "delivered" });
    await stopped;
    expect([await count("delivered"), await count("pending"), sent.length]).toEqual([1, 1, 1]);
  });

  it("aborts what does not finish in time; it is due again at once, under the same id", async () => {
    const hanging = await startReceiver(() => {});
    const worker = start([webhook(hanging.url)]);
    await insert();
    worker.wake();
    await until(() => hanging.received.length === 1);
    await worker.stop(20);
    expect(await dueIn()).toBeLessThan(0.5);
    const receiver = await startReceiver();
    start([webhook(receiver.url)]);
    await until(() => receiver.received.length === 1);
    expect(receiver.received[0]?.headers["webhook-id"]).toBe(hanging.received[0]?.headers["webhook-id"]);
  });
});

describe("the results of deliveries", () => {
  it("tries again after a minute what could not be recorded, however often more comes, and first what was not tried", async () => {
    let now = 0;
    const recorded: string[] = [];
    const refused = new Set(["a", "b", "c"]);
    const query = async (work: (sql: Sql) => Promise<unknown>) => {
      let batch: { channel: string }[] = [];
      const fake = Object.assign(() => Promise.resolve(), { json: (rows: typeof batch) => (batch = rows) });
      await work(fake as never);
      if (batch.some(({ channel }) => refused.has(channel))) throw new TypeError("a bug");
      recorded.push(...batch.map(({ channel }) => channel));
    };
    const results = makeResults({ query } as never, log, undefined, () => now);
    const add = (...channels: string[]) =>
      results.add(
        channels.map((channel) => aDelivery({ channel })),
        { kind: "delivered" },
        false,
      );
    add("a", "b", "c", "d", "e");
    await results.flush();
    expect(recorded).toEqual([]);
    for (now = 30_000; now < 60_000; now += 10_000) {
      add("a");
      await results.flush();
    }
    now = 60_000;
    await results.flush();
    expect(recorded).toEqual(["d", "e"]);
    expect(lines.filter((line) => line.includes(" error bug"))).toHaveLength(2);
  });
});

/** Wraps the pool: while `isDown`, it refuses every statement as an unreachable server does. */
function makeFlaky(pool: Sql) {
  const state = { isDown: false, refused: 0, sql: pool };
  state.sql = new Proxy(pool, {
    // The connection ends a pool that failed; the test still needs this one.
    get: (target, key) => (key === "end" ? async () => {} : Reflect.get(target, key)),
    apply(target, self, parameters) {
      const isStatement = Array.isArray(parameters[0]) && "raw" in parameters[0];
      if (!state.isDown || !isStatement) return Reflect.apply(target, self, parameters);
      // Like a statement of postgres.js, it does nothing until it is awaited.
      return {
        // biome-ignore lint/suspicious/noThenProperty: a statement of postgres.js is awaited by this method.
        then(_: unknown, refuse: (error: Error) => void) {
          state.refused += 1;
          refuse(Object.assign(new Error("away"), { code: "ECONNREFUSED" }));
        },
      };
    },
  });
  return state;
}
