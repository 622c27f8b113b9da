// The traffic of a soak: readers who look at the article and send beacons, leads with and without script, a member at work in the
// inbox, and a monitoring program. A visitor whose lead was not acknowledged sends it again, as a person does.
import { setTimeout as wait } from "node:timers/promises";
import type { CallName, RequestOf } from "../inbox/api.ts";

interface Traffic {
  /** Where the server listens at the moment. */
  address: () => string;
  inboxUrl: string;
  key: string;
  cookie: string;
  leadsAMinute: number;
  readersAMinute: number;
}

/** Starts the traffic, and returns what came of it so far. */
export function makeVisitors({ address, inboxUrl, key, cookie, leadsAMinute, readersAMinute }: Traffic) {
  const acknowledged = new Set<string>();
  /** How often each status was answered; 0 stands for no answer. */
  const answers = new Map<number, number>();
  /** How often each call of the inbox was answered with each status, such as "open 200". */
  const work = new Map<string, number>();
  const run = Math.random().toString(36).slice(2, 8);
  let isStopped = false;
  let count = 0;

  const ask = async (url: string, init: RequestInit = {}) => {
    const answer = await fetch(url, {
      redirect: "manual",
      signal: AbortSignal.timeout(20_000),
      ...init,
    }).catch(() => undefined);
    const text = await answer?.text().catch(() => "");
    const status = answer?.status ?? 0;
    answers.set(status, (answers.get(status) ?? 0) + 1);
    return { status, text: text ?? "" };
  };

  async function sendLead(): Promise<void> {
    const nth = ++count;
    const name = `Soak ${run} ${nth}`;
    const person = {
      name,
      email: `${nth}@example.com`,
      phone: `(111) 555-${String(nth % 10_000).padStart(4, "0")}`,
    };
    const lead = { ...person, zip_code: "33101" };
    for (;;) {
      const { status } =
        nth % 3 === 0
          ? await ask(`${address()}/`, {
              method: "POST",
              body: new URLSearchParams({ ...lead, has_medicare: "on" }),
            })
          : await ask(`${address()}/rest/v1/leads`, {
              method: "POST",
              headers: { apikey: key, "content-type": "application/json" },
              body: JSON.stringify({ ...lead, has_medicare: true, has_diabetes: true }),
            });
      if (status === 201 || status === 303) return void acknowledged.add(name);
      await wait(1_000);
    }
  }

  async function readArticle(): Promise<void> {
    await ask(`${address()}/`);
    await ask(`${address()}/c`, { method: "POST", body: "steps=view&utm_source=soak&utm_campaign=autumn" });
  }

  const call = async <Name extends CallName>(name: Name, request: RequestOf<Name>) => {
    const headers = { cookie, origin: inboxUrl, "content-type": "application/json" };
    const { status, text } = await ask(`${inboxUrl}/api/${name}`, {
      ...{ method: "POST", headers },
      body: JSON.stringify(request),
    });
    work.set(`${name} ${status}`, (work.get(`${name} ${status}`) ?? 0) + 1);
    return status === 200 ? JSON.parse(text) : {};
  };

  /** Takes a lead, opens it, tries to call, and writes down what came of it; looks at the lists and the figures between. */
  async function workOnLead(): Promise<void> {
    await call("queue", {});
    await call("search", { text: "soak" });
    const { id } = await call("take-next", {});
    if (id) {
      await call("open", { id });
      await call("health-answers", { id });
      const { call_id } = await call("call", { id, asked_for_this_time: true });
      if (call_id) await call("outcome", { id, call_id, outcome: "not_interested" });
      else await call("release", { id });
    }
    await call("health", {});
    await ask(`${inboxUrl}/metrics`);
  }

  const paced = async (aMinute: number, act: () => Promise<void>) => {
    const underWay = new Set<Promise<void>>();
    while (!isStopped) {
      const one = act().finally(() => underWay.delete(one));
      underWay.add(one);
      await wait(60_000 / aMinute);
    }
    await Promise.all(underWay);
  };
  const running = [
    ...(leadsAMinute > 0 ? [paced(leadsAMinute, sendLead)] : []),
    ...(readersAMinute > 0 ? [paced(readersAMinute, readArticle)] : []),
    paced(12, workOnLead),
    streamEvents(),
  ];

  /** An open page listens all the time, and opens the stream again when it ends. */
  async function streamEvents(): Promise<void> {
    while (!isStopped) {
      const connection = new AbortController();
      const headers = { cookie };
      const answer = await fetch(`${inboxUrl}/api/events`, { headers, signal: connection.signal }).catch(
        () => undefined,
      );
      const reader = answer?.body?.getReader();
      while (!isStopped) {
        const read = await Promise.race([
          reader?.read().catch(() => undefined),
          wait(1_000, "later" as const),
        ]);
        if (read === undefined || (read !== "later" && read.done)) break;
      }
      connection.abort();
      await wait(1_000);
    }
  }

  return {
    acknowledged,
    answers,
    work,
    stop: async () => {
      isStopped = true;
      await Promise.all(running);
    },
  };
}
