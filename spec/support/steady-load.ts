// A steady stream of leads from several visitors at once; every third lead is sent without script. Like a person, a visitor sends the same
// lead again until it is acknowledged, so that in the end exactly the acknowledged leads must be stored, unless the retries were stopped.
import { setTimeout as pause } from "node:timers/promises";
import type { Sql } from "../../database/connect.ts";

export interface SteadyLoad {
  /** The names of the leads that were acknowledged so far, by a 201 or a 303. */
  acknowledged: Set<string>;
  /** How often each status was answered; 0 stands for no answer at all. */
  answers: Map<number, number>;
  /** Milliseconds until a lead sent after this call is acknowledged. */
  nextAcknowledgement(): Promise<number>;
  /** Sends no new lead. Resolves when each lead that was sent is acknowledged. */
  stop(): Promise<void>;
  /** Sends no new lead and repeats none. Resolves when each request under way is answered. */
  stopRetrying(): Promise<void>;
}

interface Waiter {
  since: number;
  resolve: (milliseconds: number) => void;
}

/**
 * Starts the load. `address` tells where the server listens at the moment, and `key` is its anonymous key. `pauseAfter` is how many
 * milliseconds pass between an acknowledgement and the next lead of the same visitor.
 */
export function startLoad(
  key: string,
  address: () => string,
  { visitors = 8, pauseAfter = 0 } = {},
): SteadyLoad {
  const acknowledged = new Set<string>();
  const answers = new Map<number, number>();
  const run = Math.random().toString(36).slice(2, 8);
  let waiters: Waiter[] = [];
  let stopped = false;
  let retriesEnded = false;
  let count = 0;

  const send = async (name: string, isPlain: boolean) => {
    const sent = performance.now();
    const answer = isPlain ? postForm(address(), name) : insert(address(), key, name);
    const status = await answer.catch(() => 0);
    answers.set(status, (answers.get(status) ?? 0) + 1);
    if (status !== 201 && status !== 303) return false;
    acknowledged.add(name);
    const answered = waiters.filter(({ since }) => since <= sent);
    waiters = waiters.filter((waiter) => !answered.includes(waiter));
    for (const { since, resolve } of answered) resolve(performance.now() - since);
    return true;
  };

  const visit = async () => {
    while (!stopped) {
      count += 1;
      const [name, isPlain] = [`Visitor ${run} ${count}`, count % 3 === 0];
      // The visitor reads the banner for a moment, and tries again.
      while (!retriesEnded && !(await send(name, isPlain))) await pause(20);
      if (pauseAfter > 0) await pause(pauseAfter);
    }
  };

  const visits = Array.from({ length: visitors }, visit);
  return {
    acknowledged,
    answers,
    nextAcknowledgement: () => new Promise((resolve) => waiters.push({ since: performance.now(), resolve })),
    stop: async () => {
      stopped = true;
      await Promise.all(visits);
    },
    stopRetrying: async () => {
      stopped = retriesEnded = true;
      await Promise.all(visits);
    },
  };
}

const texts = { email: "rosa@example.com", phone: "(305) 555-0142", zip_code: "33101" };
const signal = () => AbortSignal.timeout(20_000);

async function insert(address: string, key: string, name: string): Promise<number> {
  const answer = await fetch(`${address}/rest/v1/leads`, {
    method: "POST",
    headers: { apikey: key, "content-type": "application/json" },
    body: JSON.stringify({ name, ...texts, has_medicare: true, has_diabetes: false }),
    signal: signal(),
  });
  await answer.arrayBuffer();
  return answer.status;
}

async function postForm(address: string, name: string): Promise<number> {
  const body = new URLSearchParams({ name, ...texts, has_medicare: "on" });
  const answer = await fetch(`${address}/`, { method: "POST", body, redirect: "manual", signal: signal() });
  await answer.arrayBuffer();
  return answer.status;
}

/** Compares the stored leads with the acknowledged ones after a load; equal to `noDiscrepancies` when every promise was kept. */
export async function findDiscrepancies(owner: Sql, acknowledged: Set<string>) {
  const stored = await owner<{ name: string; isWhole: boolean }[]>`
    select l.name, (
      (select count(*) from private.permissions p where p.lead_id = l.id) = 1
      and (select count(*) from private.deliveries d where d.lead_id = l.id)
        = (select count(*) from private.channels c where c.enabled)
    ) as "isWhole" from leads l`;
  const names = new Set(stored.map(({ name }) => name));
  return {
    missing: [...acknowledged].filter((name) => !names.has(name)),
    twice: stored.length - names.size,
    neverAcknowledged: [...names].filter((name) => !acknowledged.has(name)),
    withOtherPermissionsOrDeliveries: stored.filter(({ isWhole }) => !isWhole).map(({ name }) => name),
  };
}

export const noDiscrepancies = {
  missing: [],
  twice: 0,
  neverAcknowledged: [],
  withOtherPermissionsOrDeliveries: [],
};
