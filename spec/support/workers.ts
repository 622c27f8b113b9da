// Delivery workers for a chapter, on a database of its own. A test either lets a worker look for work by itself, or sets its clock and
// calls its sweeps, so that waits of days take no time.
import { afterEach, beforeEach } from "vitest";
import { makeResilientConnection } from "../../database/resilient-connection.ts";
import type { Channel, Outcome } from "../../delivery/channels/channel.ts";
import { makeWebhook } from "../../delivery/channels/webhook.ts";
import type { Delivery } from "../../delivery/delivery.ts";
import { syncChannels } from "../../delivery/outbox.ts";
import { startWorker, type Worker, type WorkerDependencies } from "../../delivery/worker.ts";
import { makeLog } from "../../log/log.ts";
import { aLead, makeDatabase, removeLeads, type TestDatabase } from "./database.ts";

const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

/** Makes the database. Each test begins without leads and with the webhook alone; its workers are stopped at its end. */
export async function useWorkers() {
  const database = await makeDatabase();
  const { owner: sql } = database;
  /** What the workers have logged. */
  const lines: string[] = [];
  const workers: Worker[] = [];
  const { clock, now } = makeTestClock();
  const log = makeLog((line) => lines.push(line));

  beforeEach(async () => {
    lines.length = 0;
    workers.length = 0;
    Object.assign(clock, { secondsAhead: 0, standsAt: undefined });
    await removeLeads(sql);
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
    // A minute ahead, so that a delivery that is enqueued during the test is due.
    clock.standsAt = Date.now() + 60_000;
    let sweep = () => {};
    const every = (_: number, call: () => void) => {
      sweep = call;
      return () => {};
    };
    return { worker: start(channels, { now, every, ...dependencies }), sweep: () => sweep() };
  }

  const leadsAndCounts = leadsAndCountsOf(database, now);
  return { ...database, ...leadsAndCounts, sql, lines, workers, clock, log, start, startControlled };
}

/**
 * The clock of a controlled worker. It stands still at `standsAt`, because a second or more may pass between two lines of a test;
 * `secondsAhead` is how far the test has moved it on from there.
 */
function makeTestClock() {
  const clock = { secondsAhead: 0, standsAt: undefined as number | undefined };
  return { clock, now: () => new Date((clock.standsAt ?? Date.now()) + clock.secondsAhead * 1000) };
}

/** Inserts leads, and counts what became of their deliveries. */
function leadsAndCountsOf({ owner: sql, intake }: TestDatabase, now: () => Date) {
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
  const attemptsCounted = async () => {
    const [row] = await sql`select sum(attempts)::int as attempts from private.deliveries`;
    return row?.attempts as number;
  };
  const claimedCount = async () => {
    const [row] = await sql`select count(claimed_until)::int as held from private.deliveries`;
    return row?.held as number;
  };
  /** How long a delivery that nobody holds waits, in seconds. */
  const dueIn = async () => {
    const [row] = await sql`
      select extract(epoch from due_at - ${now()}::timestamptz)::float as seconds from private.deliveries
      where claimed_until is null`;
    return row?.seconds as number | undefined;
  };
  /** How long the delivery waits after the attempt that follows `attemptsBefore` others, in seconds; undefined until it is recorded. */
  const dueAfter = async (attemptsBefore: number) => {
    const [row] = await sql`
      select extract(epoch from due_at - ${now()}::timestamptz)::float as seconds
      from private.deliveries where attempts = ${attemptsBefore + 1} and claimed_until is null`;
    return row?.seconds as number | undefined;
  };
  return { insert, insertMany, count, attemptsCounted, claimedCount, dueIn, dueAfter };
}

/** The webhook to a receiver of the test. */
export const webhook = (url: string, timeout = 10_000): Channel => ({
  name: "webhook",
  ...makeWebhook({ url, secret }, { timeout }),
});

/** A channel without a network: it records each delivery, and `answer` or `settle` gives its outcome. */
export function fakeChannel(answer?: () => Outcome | Promise<Outcome>) {
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
