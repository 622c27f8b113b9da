// A receiver that takes most leads and refuses what some of them say. Those are tried again later, without anybody's help, and hold up no
// other. The tests set the worker's clock.
import { describe, expect, it } from "vitest";
import { makeEmail } from "../delivery/channels/email.ts";
import { makeCircuitBreaker } from "../delivery/circuit-breaker.ts";
import { retryNow } from "../delivery/claim.ts";
import { syncChannels } from "../delivery/outbox.ts";
import { aLead } from "./support/database.ts";
import { refusal, startMailServer } from "./support/mail-server.ts";
import { answers, startReceiver, until } from "./support/receiver.ts";
import { fakeChannel, useWorkers, webhook } from "./support/workers.ts";

const { sql, intake, lines, clock, startControlled, insert, count, dueIn, dueAfter } = await useWorkers();

/** Where the clock of the worker stands. */
const now = () => new Date((clock.standsAt ?? 0) + clock.secondsAhead * 1000);

/** Inserts leads that are owed from now on by the worker's clock. */
async function insertNow(name: string, howMany = 1) {
  const leads = Array.from({ length: howMany }, (_, nth) => aLead({ name: `${name} ${nth}` }));
  await intake`insert into public.leads ${intake(leads)}`;
  await sql`
    update private.deliveries set due_at = ${now()}, created_at = ${now()}
    where due_at < ${new Date(clock.standsAt ?? 0)}`;
}

/** Lets the worker sweep, and waits until nothing is left that may be sent now: the channel does not pause. */
async function sweepAll(sweep: () => void) {
  sweep();
  await until(async () => {
    const [row] = await sql`
      select not exists (
        select from private.deliveries d join private.channels c on c.name = d.channel
        where d.delivered_at is null and d.failed_at is null
          and (d.claimed_until is not null or d.due_at <= ${now()} and coalesce(c.cooldown_until <= ${now()}, true))
      ) as done`;
    return row?.done;
  });
}

/** Lets the worker sweep each five seconds, for so many seconds at most, until the condition holds. Returns the seconds that it took. */
async function sweepUntil(sweep: () => void, most: number, condition = () => false): Promise<number> {
  const from = clock.secondsAhead;
  while (!condition() && clock.secondsAhead - from < most) {
    await sweepAll(sweep);
    clock.secondsAhead += 5;
  }
  return clock.secondsAhead - from;
}

/** A receiver that refuses leads whose name begins with "Odd". */
const startFussyReceiver = (status: number) =>
  startReceiver((response, { json }) =>
    response.writeHead(String(json.data.name).startsWith("Odd") ? status : 204).end(),
  );

describe("a lead", () => {
  it.each([400, 422])("is not held up by leads that the receiver refuses with %i", async (status) => {
    const receiver = await startFussyReceiver(status);
    const { sweep } = startControlled([webhook(receiver.url)]);
    const isDelivered = (name: string) => () =>
      receiver.received.some(({ json }) => String(json.data.name).startsWith(name));
    await insertNow("Odd", 60);
    const waits: number[] = [];
    for (const name of ["Ana", "Bea", "Cleo", "Dora"]) {
      await sweepUntil(sweep, 300);
      await insertNow(name);
      waits.push(await sweepUntil(sweep, 600, isDelivered(name)));
    }
    for (const wait of waits) expect(wait).toBeLessThanOrEqual(30);
    expect([await count("delivered"), await count("pending")]).toEqual([4, 60]);
  });

  it("is not held up by leads whose words the mail server takes for spam", async () => {
    await syncChannels(sql, ["email"]);
    const { url, mails } = await startMailServer({
      onData: (stream, _, done) => {
        let raw = "";
        stream.on("data", (chunk) => (raw += chunk));
        stream.on("end", () => {
          if (!raw.includes("Odd")) mails.push({ to: [], raw, headers: new Map() });
          done(raw.includes("Odd") ? refusal(550, "message looks like SPAM") : null);
        });
      },
    });
    const [from, to] = ["leads@provider.example", ["team@provider.example"]];
    const email = makeEmail({ from, to, details: true, via: { smtpUrl: url } });
    const { sweep } = startControlled([{ name: "email", ...email }]);
    for (let minute = 0; minute < 5; minute++) {
      await insertNow(`Odd ${minute}`, 3);
      await sweepUntil(sweep, 60);
    }
    await insertNow("Ana");
    expect(
      await sweepUntil(sweep, 1200, () => mails.some(({ raw }) => raw.includes("Ana"))),
    ).toBeLessThanOrEqual(120);
  });

  it("that the receiver refuses stays refused after an outage of the channel, and is sent at a restart, because the receiver may have been corrected", async () => {
    const receiver = await startFussyReceiver(422);
    const first = startControlled([webhook(receiver.url)]);
    await insert({ name: "Odd" });
    first.sweep();
    await until(() => dueAfter(0));
    clock.secondsAhead += 6;
    first.sweep();
    expect(await until(() => dueAfter(1))).toBeGreaterThan(13);
    expect(await sql`select last_error from private.deliveries`).toEqual([
      { last_error: "answered 422, refused this message" },
    ]);
    await retryNow(sql, "webhook", { at: now() });
    expect(await dueIn()).toBeGreaterThan(13);
    await first.worker.stop();
    receiver.answer = answers(204);
    startControlled([webhook(receiver.url)]).sweep();
    await until(async () => (await count("delivered")) === 1);
  });
});

describe("a channel whose receiver refuses three messages in a row", () => {
  it("is said to be down in the log, because it may refuse all, and to be back with the first that it takes", async () => {
    const receiver = await startFussyReceiver(400);
    const { sweep } = startControlled([webhook(receiver.url)]);
    await insertNow("Odd", 5);
    await sweepAll(sweep);
    await insertNow("Ana");
    await sweepAll(sweep);
    const logged = (event: string) => lines.filter((line) => line.includes(` ${event}: `)).length;
    expect([logged("channel-down"), logged("channel-up")]).toEqual([1, 1]);
  });

  const refused = { kind: "transient", reason: "answered 422", isRefusedContent: true } as const;

  it("sends one message at a time from then on, without a pause", async () => {
    let [underWay, most] = [0, 0];
    const { channel, sent } = fakeChannel(async () => {
      underWay += 1;
      most = Math.max(most, underWay);
      await new Promise(setImmediate);
      underWay -= 1;
      return refused;
    });
    const { sweep } = startControlled([channel]);
    await insertNow("Odd", 3);
    await sweepAll(sweep);
    most = 0;
    await insertNow("Odd again", 5);
    await sweepAll(sweep);
    expect([most, sent.length]).toEqual([1, 8]);
  });

  it("pauses in an outage, and no longer because it refused more than three", () => {
    let time = 0;
    const breaker = makeCircuitBreaker(() => time);
    const changes = [1, 2, 3, 4, 5].map(() => breaker.recordOutcome(refused));
    expect(changes).toEqual([undefined, undefined, "opened", undefined, undefined]);
    expect([breaker.isOpen(), breaker.isPaused()]).toEqual([true, false]);
    breaker.recordOutcome({ kind: "transient", reason: "answered 503" });
    time = 1_999;
    expect(breaker.isPaused()).toBe(true);
    time = 2_000;
    breaker.recordOutcome(refused);
    expect([breaker.isOpen(), breaker.isPaused()]).toEqual([true, false]);
    expect(breaker.recordOutcome({ kind: "delivered" })).toBe("closed");
  });
});
