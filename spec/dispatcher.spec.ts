// Deliveries on real PostgreSQL, to real receivers or to a channel of the test, that fail in different ways: when each is tried, and what
// becomes of it. The tests set the clock where waits are long, and otherwise wait with a deadline for what the worker does.
import { describe, expect, it } from "vitest";
import type { Channel, Outcome } from "../delivery/channels/channel.ts";
import { makeCircuitBreaker } from "../delivery/circuit-breaker.ts";
import { syncChannels } from "../delivery/outbox.ts";
import { answers, startReceiver, until } from "./support/receiver.ts";
import { fakeChannel, useWorkers, webhook } from "./support/workers.ts";

const {
  sql,
  lines,
  workers,
  clock,
  start,
  startControlled,
  insert,
  insertMany,
  count,
  attemptsCounted,
  claimedCount,
  dueIn,
  dueAfter,
} = await useWorkers();

describe("the worker", () => {
  it("delivers a lead after its insert without being woken", async () => {
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
    clock.secondsAhead = 3;
    sweep();
    clock.secondsAhead = 6;
    sweep();
    await until(async () => (await count("delivered")) === 1);
    expect(receiver.received).toHaveLength(2);
    expect(new Set(receiver.received.map((r) => r.headers["webhook-id"])).size).toBe(1);
  });

  it("tries 25 more times in about three days, the waits growing to 4 hours, then fails, keeps the reason and logs it once", async () => {
    const { channel } = fakeChannel(() => ({ kind: "transient", reason: "answered 500" }));
    const { sweep } = startControlled([channel]);
    await insert();
    const waits: number[] = [];
    while ((await count("failed")) === 0) {
      sweep();
      const wait = await until(async () => ((await count("failed")) ? -1 : await dueAfter(waits.length)));
      if (wait < 0) break;
      waits.push(wait);
      clock.secondsAhead += wait + 1;
    }
    expect(waits).toHaveLength(25);
    // Each wait is up to 5 % shorter or longer than planned.
    for (const [nth, wait] of waits.slice(1, 9).entries())
      expect(wait).toBeGreaterThan(1.5 * Number(waits[nth]));
    for (const wait of waits.slice(8)) {
      expect(wait).toBeGreaterThan(0.949 * 4 * 3600);
      expect(wait).toBeLessThan(1.051 * 4 * 3600);
    }
    expect(clock.secondsAhead / 86_400).toBeGreaterThan(2.8);
    expect(clock.secondsAhead / 86_400).toBeLessThan(3.4);
    const [delivery] = await sql`select attempts, last_error from private.deliveries`;
    expect(delivery).toEqual({ attempts: 26, last_error: "answered 500" });
    expect(lines.filter((line) => line.includes(" error delivery-failed"))).toHaveLength(1);
  });

  it("tries a delivery once more after 70 hours and gives up, where restarts have tried it more often than planned", async () => {
    const { channel, sent } = fakeChannel(() => ({ kind: "transient", reason: "answered 500" }));
    await insert();
    await sql`
      update private.deliveries
      set attempts = 31, created_at = now() - interval '70 hours', last_error = 'answered 500'`;
    startControlled([channel]).sweep();
    await until(async () => (await count("failed")) === 1);
    expect(sent).toHaveLength(1);
    expect(await sql`select attempts, last_error from private.deliveries`).toEqual([
      { attempts: 32, last_error: "answered 500" },
    ]);
  });

  it("does not send a delivery again whose last attempt ended the program, and keeps that as the reason of the failure", async () => {
    const { channel, sent } = fakeChannel(() => ({ kind: "delivered" }));
    await insertMany(2);
    await sql`
      update private.deliveries d
      set attempts = 26, created_at = now() - interval '73 hours', claimed_until = now() - interval '1 minute' - case
        -- Visitor 0 was tried last after 73 hours, long enough to give up; Visitor 1 after 63 hours, which is too soon.
        when l.name = 'Visitor 0' then interval '0' else interval '10 hours' end
      from public.leads l where l.id = d.lead_id`;
    startControlled([channel]).sweep();
    await until(async () => (await count("failed")) === 1 && (await count("delivered")) === 1);
    expect(sent.map(({ lead }) => lead?.name)).toEqual(["Visitor 1"]);
    expect(await sql`select last_error from private.deliveries where failed_at is not null`).toEqual([
      { last_error: "no result of the last attempt was recorded" },
    ]);
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

  it.each(["permanent", "transient"] as const)(
    "splits a digest that is too large for the receiver, and delivers all but what is too large by itself (%s failure)",
    async (kind) => {
      const sizes: number[] = [];
      const { channel } = fakeChannel();
      const send: Channel["send"] = async (deliveries) => {
        sizes.push(deliveries.length);
        const isTooLarge = deliveries.length > 3 || deliveries.some(({ lead }) => lead?.name === "Visitor 5");
        if (!isTooLarge) return { kind: "delivered" };
        return { kind, reason: "too large", mayPassDivided: isTooLarge };
      };
      await insertMany(10);
      const { sweep } = startControlled([{ ...channel, batch: 500, concurrency: 1, send }]);
      await until(async () => {
        clock.secondsAhead += 1;
        sweep();
        return (await count("delivered")) === 9;
      });
      await until(async () => (await count(kind === "permanent" ? "failed" : "pending")) === 1);
      expect(sizes.slice(0, 3)).toEqual([10, 5, 3]);
    },
  );

  it("does not send larger digests again when one that was sent before the division is refused after it", async () => {
    const sizes: number[] = [];
    const lateRefusal = Promise.withResolvers<void>();
    const { channel } = fakeChannel();
    const send: Channel["send"] = async (deliveries) => {
      sizes.push(deliveries.length);
      if (sizes.length === 2) await lateRefusal.promise;
      if (deliveries.length > 1) return { kind: "transient", reason: "too large", mayPassDivided: true };
      lateRefusal.resolve();
      return { kind: "transient", reason: "answered 500" };
    };
    await insertMany(16);
    startControlled([{ ...channel, batch: 8, concurrency: 2, send }]).sweep();
    await until(async () => sizes.length >= 6);
    expect(sizes.slice(0, 6)).toEqual([8, 8, 4, 2, 1, 1]);
  });

  it("waits as long as the receiver asks", async () => {
    const receiver = await startReceiver(answers(429, { "retry-after": "3600" }));
    startControlled([webhook(receiver.url)]).sweep();
    await insert();
    workers[0]?.wake();
    await until(async () => ((await dueIn()) ?? 0) > 3590);
    expect(lines.join("")).toMatch(
      /delivery-postponed: .{0,300} reason="answered 429, asked to wait" wait=3600s/,
    );
  });

  it("pauses the channel for the longest of the waits that the receiver asks for, a minute at most", () => {
    let now = 0;
    const breaker = makeCircuitBreaker(() => now);
    for (const askedToWait of [1, 600, 5])
      breaker.recordOutcome({ kind: "transient", reason: "answered 429", askedToWait });
    now = 59_999;
    expect(breaker.isPaused()).toBe(true);
    // Sent before the others, and taken.
    breaker.recordOutcome({ kind: "delivered" });
    expect(breaker.isPaused()).toBe(true);
    now = 60_000;
    expect([breaker.isPaused(), breaker.isOpen()]).toEqual([false, false]);
  });

  it.each([
    ["after", 6_000],
    ["during", 2_000],
  ])(
    "sends again once the receiver takes a message %s the wait that it asked for, and that wait is over, although the breaker's own pause was longer",
    (_, takenAfter) => {
      let now = 0;
      const breaker = makeCircuitBreaker(() => now);
      for (let failures = 0; failures < 8; failures += 1, now += 30_000)
        breaker.recordOutcome({ kind: "transient", reason: "answered 500" });
      const asked = now;
      breaker.recordOutcome({ kind: "transient", reason: "answered 429", askedToWait: 5 });
      now = asked + takenAfter;
      expect(breaker.isPaused()).toBe(true);
      expect(breaker.recordOutcome({ kind: "delivered" })).toBe("closed");
      expect(breaker.isPaused()).toBe(takenAfter < 5_000);
      now = asked + 5_000;
      expect(breaker.isPaused()).toBe(false);
    },
  );

  it.each<[string, () => Promise<Outcome>]>([
    ["never answers", () => new Promise(() => {})],
    ["fails each time", async () => ({ kind: "transient", reason: "answered 500" })],
    ["throws at each message", () => Promise.reject(new TypeError("a bug"))],
  ])("delivers by one channel while another %s", async (_, answer) => {
    await syncChannels(sql, ["email", "webhook"]);
    const receiver = await startReceiver();
    const { channel, sent } = fakeChannel(answer);
    start([{ ...channel, name: "email" }, webhook(receiver.url)]);
    await insertMany(30);
    await until(async () => (await count("delivered")) === 30 && sent.length >= 3);
    await insert();
    await until(async () => (await count("delivered")) === 31);
    expect(receiver.received).toHaveLength(31);
  });

  it("does not hammer a receiver that is down, and delivers all once it is back", async () => {
    const receiver = await startReceiver();
    await receiver.close();
    await insertMany(200);
    const { sweep } = startControlled([webhook(receiver.url)]);
    sweep();
    await until(async () => (await attemptsCounted()) > 0);
    // Ten minutes of sweeps: first as many as may be under way at once, then one now and then.
    for (clock.secondsAhead = 0; clock.secondsAhead < 600; clock.secondsAhead += 5) {
      sweep();
      await until(async () => (await claimedCount()) === 0);
    }
    expect(await attemptsCounted()).toBeLessThan(50);
    await receiver.open();
    await until(async () => {
      clock.secondsAhead += 1;
      sweep();
      return (await count("delivered")) === 200;
    });
    expect(new Set(receiver.received.map((r) => r.headers["webhook-id"])).size).toBe(200);
    expect(receiver.received).toHaveLength(200);
  });

  it.each([
    ["", {}],
    [", although the receiver asked for a short wait with each answer", { "retry-after": "30" }],
  ])(
    "sends a delivery that would wait for hours as soon as the next lead is delivered after an outage%s",
    async (_, headers) => {
      const receiver = await startReceiver(answers(503, headers));
      const { sweep } = startControlled([webhook(receiver.url)]);
      await insert();
      for (let attempts = 1; attempts <= 9; attempts++) {
        sweep();
        clock.secondsAhead += (await until(() => dueAfter(attempts - 1))) + 31;
      }
      sweep();
      const wait = await until(() => dueAfter(9));
      expect(wait).toBeGreaterThan(3 * 3600);
      receiver.answer = answers(204);
      clock.secondsAhead += 31;
      await insert({ name: "Ana" });
      sweep();
      await until(async () => (await count("delivered")) === 2);
    },
  );

  it("says once in the log, at error level, that a channel is down and why, and once that it is back", async () => {
    const receiver = await startReceiver(answers(401));
    const { sweep } = startControlled([webhook(receiver.url)]);
    await insertMany(20);
    const logged = (event: string) => lines.filter((line) => line.includes(` ${event}: `));
    const sweepUntil = (condition: () => boolean) =>
      until(async () => {
        clock.secondsAhead += 5;
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
      clock.secondsAhead += 31;
      sweep();
      return (await count("delivered")) === 20;
    });
    expect(logged("channel-up")).toHaveLength(1);
    expect(await count("failed")).toBe(0);
  });

  it("sends its backlog after a start, because settings may be corrected, but waits where the receiver asked for it", async () => {
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
      await until(async () => (await attemptsCounted()) === starts && (await claimedCount()) === 0);
      await worker.stop();
    }
    expect([await attemptsCounted(), await count("failed")]).toEqual([30, 0]);
  });

  it("sends no delivery twice where several workers run", async () => {
    const receiver = await startReceiver();
    for (let i = 0; i < 3; i++) start([webhook(receiver.url)]);
    await insertMany(150);
    for (const worker of workers) worker.wake();
    await until(async () => (await count("delivered")) === 150);
    expect(receiver.received).toHaveLength(150);
  });

  it("fails a delivery whose lead is gone, with that reason", async () => {
    await insert();
    // No erasure, which would settle the deliveries: a truncate fires no trigger for deleted rows.
    await sql`truncate public.leads cascade`;
    start([fakeChannel(() => ({ kind: "delivered" })).channel]);
    await until(async () => (await count("failed")) === 1);
    expect(lines.join("")).toContain('reason="the lead is gone"');
  });

  it("never logs a name, an e-mail address, a phone, a ZIP code or a receiver's answer", async () => {
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
