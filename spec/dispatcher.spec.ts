// The worker on real PostgreSQL with real receivers, each broken in its own way. Time is handed in where waits are
// long; where something is to happen by itself, the test waits for it with a deadline.
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { makeResilientConnection } from "../database/resilient-connection.ts";
import type { Channel, Outcome } from "../delivery/channels/channel.ts";
import { makeWebhook } from "../delivery/channels/webhook.ts";
import type { Delivery } from "../delivery/delivery.ts";
import { enableChannels } from "../delivery/outbox.ts";
import { startWorker, type Worker, type WorkerSettings } from "../delivery/worker.ts";
import { makeLog } from "../log/log.ts";
import { aLead, makeDatabase } from "./support/database.ts";
import { answers, startReceiver, until } from "./support/receiver.ts";

const { owner: sql, intake } = await makeDatabase();
const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

let lines: string[] = [];
let workers: Worker[] = [];
let ahead = 0;
const log = makeLog((line) => lines.push(line));
/** The time, with as many seconds added as the test says. */
const now = () => new Date(Date.now() + ahead * 1000);

beforeEach(async () => {
  lines = [];
  workers = [];
  ahead = 0;
  await sql`truncate public.leads, private.deliveries cascade`;
  await sql`update private.channels set cooldown_until = null`;
  await enableChannels(sql, ["webhook"]);
});
afterEach(() => Promise.all(workers.map((worker) => worker.stop(100))));

function start(channels: Channel[], settings: Partial<WorkerSettings> = {}): Worker {
  const worker = startWorker({
    database: makeResilientConnection(() => sql, log),
    channels,
    log,
    ...settings,
  });
  workers.push(worker);
  return worker;
}
/** A worker whose clock the test turns and whose sweep it calls. */
function startByHand(channels: Channel[]): { worker: Worker; sweep: () => void } {
  let sweep = () => {};
  const every = (_: number, call: () => void) => {
    sweep = call;
    return () => {};
  };
  return { worker: start(channels, { now, every }), sweep: () => sweep() };
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
  it("delivers a lead within a second of its insert, without being woken", async () => {
    const receiver = await startReceiver();
    start([webhook(receiver.url)]);
    const took: number[] = [];
    for (let i = 0; i < 5; i++) {
      await insert({ name: `Visitor ${i}` });
      const stored = performance.now();
      await until(() => receiver.received.length > i);
      took.push(performance.now() - stored);
    }
    // The middle one, so that a machine busy with other tests does not decide.
    expect(took.toSorted((a, b) => a - b)[2]).toBeLessThan(1000);
    await until(async () => (await count("delivered")) === 5);
  });

  it("delivers at once when it is woken", async () => {
    const receiver = await startReceiver();
    const { worker } = startByHand([webhook(receiver.url)]);
    await insert();
    worker.wake();
    await until(() => receiver.received.length === 1);
    await until(async () => (await count("delivered")) === 1);
  });

  it("tries again later after a 500 and delivers under the same id", async () => {
    const receiver = await startReceiver(answers(500));
    const { sweep } = startByHand([webhook(receiver.url)]);
    await insert();
    sweep();
    await until(async () => ((await dueIn()) ?? 0) > 4);
    receiver.answer = answers(200);
    ahead = 3;
    sweep();
    ahead = 6;
    sweep();
    await until(async () => (await count("delivered")) === 1);
    expect(receiver.received).toHaveLength(2);
    expect(new Set(receiver.received.map((r) => r.headers["webhook-id"])).size).toBe(1);
  });

  it("tries later and later for three days, then gives up, keeps the reason and says so", async () => {
    const { channel } = pretend(() => ({ kind: "not now", reason: "answered 500" }));
    const { sweep } = startByHand([channel]);
    await insert();
    const waits: number[] = [];
    while ((await count("failed")) === 0) {
      sweep();
      const wait = await until(async () => ((await count("failed")) ? -1 : await dueAfter(waits.length)));
      if (wait < 0) break;
      waits.push(wait);
      ahead += wait + 1;
    }
    expect(waits).toHaveLength(25);
    expect(ahead / 86_400).toBeGreaterThan(2.8);
    expect(ahead / 86_400).toBeLessThan(3.4);
    const [delivery] = await sql`select attempts, last_error from private.deliveries`;
    expect(delivery).toEqual({ attempts: 26, last_error: "answered 500" });
    expect(lines.filter((line) => line.includes(" error delivery-failed"))).toHaveLength(1);
  });

  it("fails at once when the receiver means never, and goes on with the next", async () => {
    const receiver = await startReceiver((response, request) => {
      response.writeHead(request.json.data.name === "Gone" ? 410 : 200).end();
    });
    start([webhook(receiver.url)]);
    await insert({ name: "Gone" });
    await insert();
    await until(async () => (await count("failed")) === 1 && (await count("delivered")) === 1);
    expect(lines.join("")).toMatch(/delivery-failed: .* attempt=1 reason="answered 410"/);
  });

  it("waits as long as the receiver asks", async () => {
    const receiver = await startReceiver(answers(429, { "retry-after": "3600" }));
    startByHand([webhook(receiver.url)]).sweep();
    await insert();
    workers[0]?.wake();
    await until(async () => ((await dueIn()) ?? 0) > 3590);
  });

  it("lets no channel wait for another that is down, slow or broken", async () => {
    await enableChannels(sql, ["email", "webhook"]);
    const receiver = await startReceiver();
    const stuck: Channel = {
      ...pretend(() => new Promise<Outcome>(() => {})).channel,
      name: "email",
    };
    start([stuck, webhook(receiver.url)]);
    await insertMany(30);
    await until(async () => (await count("delivered")) === 30);
  });

  it("does not hammer a receiver that is down, and delivers all soon after it is back", async () => {
    const receiver = await startReceiver();
    await receiver.close();
    await insertMany(200);
    const { sweep } = startByHand([webhook(receiver.url)]);
    sweep();
    await until(async () => (await tried()) > 0);
    // Ten minutes of sweeps: first as many as may be under way at once, then one now and then.
    for (ahead = 0; ahead < 600; ahead += 5) {
      sweep();
      await until(async () => (await claimed()) === 0);
    }
    expect(await tried()).toBeLessThan(50);
    await receiver.open();
    await until(async () => {
      ahead += 1;
      sweep();
      return (await count("delivered")) === 200;
    });
    expect(new Set(receiver.received.map((r) => r.headers["webhook-id"])).size).toBe(200);
    expect(receiver.received).toHaveLength(200);
  });

  it("sends what waits for hours soon after an outage, once the next lead has passed", async () => {
    const receiver = await startReceiver(answers(503));
    const { sweep } = startByHand([webhook(receiver.url)]);
    await insert();
    for (let tries = 1; tries <= 9; tries++) {
      sweep();
      ahead += (await until(() => dueAfter(tries - 1))) + 31;
    }
    sweep();
    const wait = await until(() => dueAfter(9));
    expect(wait).toBeGreaterThan(3 * 3600);
    receiver.answer = answers(204);
    ahead += 31;
    await insert({ name: "Ana" });
    sweep();
    await until(async () => (await count("delivered")) === 2);
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
    const { channel, sent, settle } = pretend();
    const worker = start([{ ...channel, concurrency: 1 }]);
    await insertMany(2);
    worker.wake();
    await until(() => sent.length === 1);
    const stopped = worker.stop();
    settle({ kind: "delivered" });
    await stopped;
    expect([await count("delivered"), await count("pending"), sent.length]).toEqual([1, 1, 1]);
  });

  it("breaks off what does not finish in time; it is due again at once, under the same id", async () => {
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

  it("outlives an outage of the database, says so once, and writes down afterwards what was sent meanwhile", async () => {
    const flaky = breakable(sql);
    const { channel, sent, settle } = pretend();
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
    let tries = 0;
    start([webhook(receiver.url)], {
      prepare: async () => {
        tries += 1;
        expect(receiver.received).toEqual([]);
        if (tries < 3) throw Object.assign(new Error("away"), { code: "ECONNREFUSED" });
      },
    });
    await until(() => receiver.received.length === 1);
    expect(tries).toBe(3);
  });

  it("does its chores at their times, and a chore that failed a minute later", async () => {
    let fails = true;
    const done: number[] = [];
    let sweep = () => {};
    const every = (_: number, call: () => void) => {
      sweep = call;
      return () => {};
    };
    const run = async () => {
      done.push(ahead);
      if (fails) throw new Error("refused");
    };
    start([], { now, every, chores: [{ every: 3_600_000, run }] });
    await until(() => done.length === 1);
    fails = false;
    for (ahead = 30; ahead < 7400; ahead += 40) {
      sweep();
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(done).toEqual([0, 70, 3670, 7270]);
  });

  it("fails a delivery whose lead is gone, with that reason", async () => {
    await insert();
    // Not erased, which would settle what is owed: taken away behind the back of every trigger.
    await sql`truncate public.leads cascade`;
    start([pretend(() => ({ kind: "delivered" })).channel]);
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

/** A channel without a network: it writes down what it is to send and answers as the test says, or when it says. */
function pretend(answer?: () => Outcome | Promise<Outcome>) {
  const sent: Delivery[] = [];
  let settle: (outcome: Outcome) => void = () => {};
  const channel: Channel = {
    name: "webhook",
    batch: 1,
    concurrency: 8,
    rest: 0,
    send: async ([delivery]) => {
      sent.push(delivery);
      return answer?.() ?? new Promise((resolve) => (settle = resolve));
    },
  };
  return { channel, sent, settle: (outcome: Outcome) => settle(outcome) };
}

/** The same pool, which can be made to refuse every statement as an unreachable server does. */
function breakable(pool: typeof sql) {
  const state = { isDown: false, refused: 0, sql: pool };
  state.sql = new Proxy(pool, {
    // A pool that failed is ended and opened anew; this one is also the test's.
    get: (target, key) => (key === "end" ? async () => {} : Reflect.get(target, key)),
    apply(target, self, parameters) {
      const isStatement = Array.isArray(parameters[0]) && "raw" in parameters[0];
      if (!state.isDown || !isStatement) return Reflect.apply(target, self, parameters);
      // Like a statement of postgres.js, it does nothing until it is awaited.
      return {
        // biome-ignore lint/suspicious/noThenProperty: that is how one waits for it.
        then(_: unknown, refuse: (error: Error) => void) {
          state.refused += 1;
          refuse(Object.assign(new Error("away"), { code: "ECONNREFUSED" }));
        },
      };
    },
  });
  return state;
}

const tried = async () => {
  const [row] = await sql`select sum(attempts)::int as tries from private.deliveries`;
  return row?.tries as number;
};
const claimed = async () => {
  const [row] = await sql`select count(claimed_until)::int as held from private.deliveries`;
  return row?.held as number;
};
/** How long the delivery waits after so many tries, once that is written down. */
const dueAfter = async (tries: number) => {
  const [row] = await sql`
    select extract(epoch from due_at - ${now()}::timestamptz)::float as seconds
    from private.deliveries where attempts = ${tries + 1} and claimed_until is null`;
  return row?.seconds as number | undefined;
};
