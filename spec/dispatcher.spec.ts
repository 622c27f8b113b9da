// The worker and its dispatchers on real PostgreSQL with real receivers that fail in different ways. The tests set the clock where
// waits are long, and otherwise wait with a deadline for what the worker does.
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { connect, type Sql } from "../database/connect.ts";
import { makeResilientConnection } from "../database/resilient-connection.ts";
import type { Channel, Outcome } from "../delivery/channels/channel.ts";
import { makeWebhook } from "../delivery/channels/webhook.ts";
import type { Delivery } from "../delivery/delivery.ts";
import { syncChannels } from "../delivery/outbox.ts";
import { startWorker, type Worker, type WorkerDependencies } from "../delivery/worker.ts";
import { makeLog } from "../log/log.ts";
import { aLead, makeDatabase } from "./support/database.ts";
import { answers, startReceiver, until } from "./support/receiver.ts";

const { owner: sql, intake, url } = await makeDatabase();
const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

let lines: string[] = [];
let workers: Worker[] = [];
let secondsAhead = 0;
const log = makeLog((line) => lines.push(line));
/** The current time plus `secondsAhead`. */
const now = () => new Date(Date.now() + secondsAhead * 1000);

beforeEach(async () => {
  lines = [];
  workers = [];
  secondsAhead = 0;
  await sql`truncate public.leads, private.deliveries cascade`;
  await sql`update private.channels set cooldown_until = null`;
  await syncChannels(sql, ["webhook"]);
});
afterEach(() => Promise.all(workers.map((worker) => worker.stop(100))));

function start(channels: Channel[], settings: Partial<WorkerDependencies> = {}): Worker {
  const worker = startWorker({
    database: makeResilientConnection(() => sql, log),
    channels,
    log,
    ...settings,
  });
  workers.push(worker);
  return worker;
}
/** Starts a worker whose clock the test sets and whose sweeps it calls. */
function startControlled(channels: Channel[], dependencies: Partial<WorkerDependencies> = {}) {
  let sweep = () => {};
  const every = (_: number, call: () => void) => {
    sweep = call;
    return () => {};
  };
  return { worker: start(channels, { now, every, ...dependencies }), sweep: () => sweep() };
}
const webhook = (url: string, timeout = 10_000) => makeWebhook({ url, secret }, { timeout });
const insert = (differences = {}) => intake`insert into public.leads ${intake(aLead(differences))}`;
const insertMany = async (count: number) => {
  await intake`insert into public.leads ${intake(Array.from({ length: count }, (_, i) => aLead({ name: `Visitor ${i}` })))}`;
};
const count = async (where: "delivered" | "failed" | "pending") => {
  const [row] = await sql`
    select count(delivered_at)::int as delivered, count(failed_at)::int as failed,
      (count(*) - count(delivered_at) - count(failed_at))::int as pending
    from private.deliveries`;
  return row?.[where] as number;
};
const dueIn = async () => {
  const [row] = await sql`
    select extract(epoch from due_at - ${now()}::timestamptz)::float as seconds from private.deliveries
    where claimed_until is null`;
  return row?.seconds as number | undefined;
};

describe("the worker", () => {
  it("delivers a lead soon after its insert, without being woken", async () => {
    const receiver = await startReceiver();
    start([webhook(receiver.url)]);
    for (let i = 0; i < 5; i++) {
      await insert({ name: `Visitor ${i}` });
      await until(() => receiver.received.length > i);
    }
    await until(async () => (await count("delivered")) === 5);
  });

  it("delivers at once when it is woken", async () => {
    const receiver = await startReceiver();
    const { worker } = startControlled([webhook(receiver.url)]);
    await insert();
    worker.wake();
    await until(() => receiver.received.length === 1);
    await until(async () => (await count("delivered")) === 1);
  });

  it("tries again later after a 500 and delivers under the same id", async () => {
    const receiver = await startReceiver(answers(500));
    const { sweep } = startControlled([webhook(receiver.url)]);
    await insert();
    sweep();
    await until(async () => ((await dueIn()) ?? 0) > 4);
    receiver.answer = answers(200);
    secondsAhead = 3;
    sweep();
    secondsAhead = 6;
    sweep();
    await until(async () => (await count("delivered")) === 1);
    expect(receiver.received).toHaveLength(2);
    expect(new Set(receiver.received.map((r) => r.headers["webhook-id"])).size).toBe(1);
  });

  it("tries later and later for three days, then gives up, keeps the reason and says so", async () => {
    const { channel } = fakeChannel(() => ({ kind: "transient", reason: "answered 500" }));
    const { sweep } = startControlled([channel]);
    await insert();
    const waits: number[] = [];
    while ((await count("failed")) === 0) {
      sweep();
      const wait = await until(async () => ((await count("failed")) ? -1 : await dueAfter(waits.length)));
      if (wait < 0) break;
      waits.push(wait);
      secondsAhead += wait + 1;
    }
    expect(waits).toHaveLength(25);
    expect(secondsAhead / 86_400).toBeGreaterThan(2.8);
    expect(secondsAhead / 86_400).toBeLessThan(3.4);
    const [delivery] = await sql`select attempts, last_error from private.deliveries`;
    expect(delivery).toEqual({ attempts: 26, last_error: "answered 500" });
    expect(lines.filter((line) => line.includes(" error delivery-failed"))).toHaveLength(1);
  });

  it("fails at once when the receiver is gone for good, and goes on with the next", async () => {
    const receiver = await startReceiver((response, request) => {
      response.writeHead(request.json.data.name === "Gone" ? 410 : 200).end();
    });
    start([webhook(receiver.url)]);
    await insert({ name: "Gone" });
    await insert();
    await until(async () => (await count("failed")) === 1 && (await count("delivered")) === 1);
    expect(lines.join("")).toMatch(/delivery-failed: .{0,300} attempt=1 reason="answered 410"/);
  });

  it("waits as long as the receiver asks", async () => {
    const receiver = await startReceiver(answers(429, { "retry-after": "3600" }));
    startControlled([webhook(receiver.url)]).sweep();
    await insert();
    workers[0]?.wake();
    await until(async () => ((await dueIn()) ?? 0) > 3590);
  });

  it("delivers by one channel while another is down, slow or broken", async () => {
    await syncChannels(sql, ["email", "webhook"]);
    const receiver = await startReceiver();
    const neverAnswering: Channel = {
      ...fakeChannel(() => new Promise<Outcome>(() => {})).channel,
      name: "email",
    };
    start([neverAnswering, webhook(receiver.url)]);
    await insertMany(30);
    await until(async () => (await count("delivered")) === 30);
  });

  it("does not hammer a receiver that is down, and delivers all soon after it is back", async () => {
    const receiver = await startReceiver();
    await receiver.close();
    await insertMany(200);
    const { sweep } = startControlled([webhook(receiver.url)]);
    sweep();
    await until(async () => (await attemptsCounted()) > 0);
    // Ten minutes of sweeps: first as many as may be under way at once, then one now and then.
    for (secondsAhead = 0; secondsAhead < 600; secondsAhead += 5) {
      sweep();
      await until(async () => (await claimed()) === 0);
    }
    expect(await attemptsCounted()).toBeLessThan(50);
    await receiver.open();
    await until(async () => {
      secondsAhead += 1;
      sweep();
      return (await count("delivered")) === 200;
    });
    expect(new Set(receiver.received.map((r) => r.headers["webhook-id"])).size).toBe(200);
    expect(receiver.received).toHaveLength(200);
  });

  it("sends what waits for hours soon after an outage, once the next lead has passed", async () => {
    const receiver = await startReceiver(answers(503));
    const { sweep } = startControlled([webhook(receiver.url)]);
    await insert();
    for (let attempts = 1; attempts <= 9; attempts++) {
      sweep();
      secondsAhead += (await until(() => dueAfter(attempts - 1))) + 31;
    }
    sweep();
    const wait = await until(() => dueAfter(9));
    expect(wait).toBeGreaterThan(3 * 3600);
    receiver.answer = answers(204);
    secondsAhead += 31;
    await insert({ name: "Ana" });
    sweep();
    await until(async () => (await count("delivered")) === 2);
  });

  it("says once in the log, at error level, that a channel is down and why, and once that it is back", async () => {
    const receiver = await startReceiver(answers(401));
    const { sweep } = startControlled([webhook(receiver.url)]);
    await insertMany(20);
    const logged = (event: string) => lines.filter((line) => line.includes(` ${event}: `));
    const sweepUntil = (condition: () => boolean) =>
      until(async () => {
        secondsAhead += 5;
        sweep();
        return condition();
      });
    await sweepUntil(() => logged("channel-down").length > 0);
    const before = receiver.received.length;
    await sweepUntil(() => receiver.received.length >= before + 3);
    expect(logged("channel-down")).toHaveLength(1);
    expect(logged("channel-down")[0]).toMatch(
      / error channel-down: .{0,300} channel=webhook reason="answered 401: check the secret or the key"\n$/,
    );
    receiver.answer = answers(204);
    await until(async () => {
      secondsAhead += 31;
      sweep();
      return (await count("delivered")) === 20;
    });
    expect(logged("channel-up")).toHaveLength(1);
    expect(await count("failed")).toBe(0);
  });

  it("sends its whole backlog after a start, because the settings may have been corrected, but not what was asked to wait", async () => {
    await insertMany(133);
    await sql`
      update private.deliveries set attempts = 9, due_at = now() + interval '4 hours',
        last_error = 'the mail server refuses the connection'`;
    await sql`
      update private.deliveries set last_error = 'answered 429, asked to wait'
      where lead_id = (select id from public.leads where name = 'Visitor 7')`;
    const receiver = await startReceiver();
    start([webhook(receiver.url)]);
    await until(async () => (await count("delivered")) === 132);
    expect(await count("pending")).toBe(1);
  });

  it("fails no delivery, however often it starts while its channel is down", async () => {
    const receiver = await startReceiver(answers(503));
    await insert();
    for (let starts = 1; starts <= 30; starts++) {
      const worker = start([webhook(receiver.url)]);
      await until(async () => (await attemptsCounted()) === starts && (await claimed()) === 0);
      await worker.stop();
    }
    expect([await attemptsCounted(), await count("failed")]).toEqual([30, 0]);
  });

  it("shares the work with other workers and sends no delivery twice at the same time", async () => {
    const receiver = await startReceiver();
    for (let i = 0; i < 3; i++) start([webhook(receiver.url)]);
    await insertMany(150);
    for (const worker of workers) worker.wake();
    await until(async () => (await count("delivered")) === 150);
    expect(receiver.received).toHaveLength(150);
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

  it("logs a preparation that fails because of a bug once a minute, and runs no job before it", async () => {
    let fails = true;
    let jobs = 0;
    const prepare = async () => {
      if (fails) throw new TypeError("not a function");
    };
    const { sweep } = startControlled([], {
      prepare,
      jobs: [{ every: 1000, run: async () => void (jobs += 1) }],
    });
    const bugs = () => lines.filter((line) => line.includes(" error bug")).length;
    await until(() => bugs() === 1);
    for (secondsAhead = 1; secondsAhead < 59; secondsAhead += 1) {
      sweep();
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect([bugs(), jobs]).toEqual([1, 0]);
    fails = false;
    secondsAhead = 61;
    sweep();
    await until(() => jobs === 1);
  });

  it("runs its jobs at their times, and a job that failed again a minute later", async () => {
    let fails = true;
    const done: number[] = [];
    const run = async () => {
      done.push(secondsAhead);
      if (fails) throw new Error("refused");
    };
    const { sweep } = startControlled([], { jobs: [{ every: 3_600_000, run }] });
    await until(() => done.length === 1);
    fails = false;
    for (secondsAhead = 30; secondsAhead < 7400; secondsAhead += 40) {
      sweep();
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(done).toEqual([0, 70, 3670, 7270]);
  });

  it.each<[string, (pool: Sql) => Promise<unknown>, string]>([
    ["a value that PostgreSQL does not take", async (pool) => pool`select 1 / 0`, "22012"],
    ["a constraint", async (pool) => pool`insert into private.settings default values`, "23505"],
    ["a name that does not exist", async (pool) => pool`select no_such_column`, "42703"],
    ["an exception", async (pool) => pool`do $$ begin raise exception 'Canary-Name'; end $$`, "P0001"],
  ])(
    "logs a job that fails because of %s as a bug with our own frames, and runs the others",
    async (_, work, code) => {
      const database = makeResilientConnection(() => sql, log);
      let others = 0;
      const jobs = [
        { every: 1000, run: async () => void (await database.query(work)) },
        { every: 1000, run: async () => void (others += 1) },
      ];
      start([], { database, jobs });
      await until(() => others > 0);
      const bugs = lines.filter((line) => line.includes(" error bug"));
      expect(bugs).toHaveLength(1);
      expect(bugs[0]).toContain(` class=PostgresError code=${code} frames=`);
      expect(bugs[0]).toContain("spec/dispatcher.spec.ts:");
      expect(lines.join("")).not.toMatch(/Canary|database-unreachable/);
    },
  );

  it("logs a claim that fails because of a bug once a minute, and not at each sweep", async () => {
    const pool = connect(url, { max: 1 });
    onTestFinished(() => pool.end());
    await pool`set search_path = private`;
    await pool`set role anon`;
    const database = makeResilientConnection(() => pool, log);
    const { sweep } = startControlled([webhook("http://127.0.0.1:9/")], { database });
    const bugs = () => lines.filter((line) => line.includes(" error bug")).length;
    await until(() => bugs() === 1);
    for (secondsAhead = 1; secondsAhead < 59; secondsAhead += 1) sweep();
    expect(bugs()).toBe(1);
    secondsAhead = 61;
    sweep();
    await until(() => bugs() === 2);
  });

  it("fails a delivery whose lead is gone, with that reason", async () => {
    await insert();
    // No erasure, which would settle the deliveries: a truncate fires no trigger for deleted rows.
    await sql`truncate public.leads cascade`;
    start([fakeChannel(() => ({ kind: "delivered" })).channel]);
    await until(async () => (await count("failed")) === 1);
    expect(lines.join("")).toContain('reason="the lead is gone"');
  });

  it("never logs a name, an address, a phone or an answer", async () => {
    const receiver = await startReceiver((response, { json }) => {
      response
        .writeHead(json.data.name === "Canary-Name-A" ? 200 : 500, "Canary-Name-B")
        .end("Canary-Name-B");
    });
    start([webhook(receiver.url)]);
    for (const letter of ["A", "B"]) {
      await insert({
        name: `Canary-Name-${letter}`,
        email: "canary-mail@example.com",
        phone: "canary-phone",
        zip_code: "canary-zip",
      });
    }
    await until(
      () => lines.some((l) => l.includes("delivered")) && lines.some((l) => l.includes("postponed")),
    );
    expect(lines.join("").toLowerCase()).not.toContain("canary");
  });
});

/** A channel without a network: it records each delivery, and `answer` or `settle` gives its outcome. */
function fakeChannel(answer?: () => Outcome | Promise<Outcome>) {
  const sent: Delivery[] = [];
  let settle: (outcome: Outcome) => void = () => {};
  const channel: Channel = {
    name: "webhook",
    batch: 1,
    concurrency: 8,
    cooldown: 0,
    send: async ([delivery]) => {
      sent.push(delivery);
      return answer?.() ?? new Promise((resolve) => (settle = resolve));
    },
  };
  return { channel, sent, settle: (outcome: Outcome) => settle(outcome) };
}

/** Wraps the pool: while `isDown`, it refuses every statement as an unreachable server does. */
function makeFlaky(pool: typeof sql) {
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

const attemptsCounted = async () => {
  const [row] = await sql`select sum(attempts)::int as attempts from private.deliveries`;
  return row?.attempts as number;
};
const claimed = async () => {
  const [row] = await sql`select count(claimed_until)::int as held from private.deliveries`;
  return row?.held as number;
};
/** How long the delivery waits after so many attempts that came before and one more, once that one is recorded. */
const dueAfter = async (attemptsBefore: number) => {
  const [row] = await sql`
    select extract(epoch from due_at - ${now()}::timestamptz)::float as seconds
    from private.deliveries where attempts = ${attemptsBefore + 1} and claimed_until is null`;
  return row?.seconds as number | undefined;
};
