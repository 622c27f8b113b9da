// The traffic of a soak: readers who look at the article and send beacons, leads with and without script, a member at work in the
// inbox, and a monitoring program. A visitor whose lead was not acknowledged sends it again, as a person does, until two minutes after the
// soak's end.
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

/** Starts the traffic. What it returns shows at any time what came of the traffic so far, and stops it. */
export function startTraffic(traffic: Traffic) {
  const visits = new Visits(traffic);
  const members = new Members(traffic, visits);
  const pace = new Pace();
  const { leadsAMinute, readersAMinute } = traffic;
  const running = [
    ...(leadsAMinute > 0 ? [pace.repeat(leadsAMinute, () => visits.sendLead())] : []),
    ...(readersAMinute > 0 ? [pace.repeat(readersAMinute, () => visits.readArticle())] : []),
    pace.repeat(12, () => members.workOnLead()),
    members.listen(pace),
  ];
  return {
    acknowledged: visits.acknowledged,
    givenUp: visits.givenUp,
    answers: visits.answers,
    work: members.work,
    stop: async () => {
      pace.isStopped = true;
      visits.end();
      await Promise.all(running);
    },
  };
}

/** Repeats what people do until the soak ends. */
class Pace {
  isStopped = false;

  async repeat(aMinute: number, act: () => Promise<void>): Promise<void> {
    const underWay = new Set<Promise<void>>();
    while (!this.isStopped) {
      const one = act().finally(() => underWay.delete(one));
      underWay.add(one);
      await wait(60_000 / aMinute);
    }
    await Promise.all(underWay);
  }
}

/** What readers do at the site, and how often each status was answered, by the site and by the inbox. */
class Visits {
  /** The names of the leads that were acknowledged. */
  readonly acknowledged = new Set<string>();
  /** The names of the leads that were still refused two minutes after the end. */
  readonly givenUp = new Set<string>();
  /** How often each status was answered; 0 stands for no answer. */
  readonly answers = new Map<number, number>();
  readonly #traffic: Traffic;
  readonly #run = Math.random().toString(36).slice(2, 8);
  #count = 0;
  #giveUpAt = Number.POSITIVE_INFINITY;

  constructor(traffic: Traffic) {
    this.#traffic = traffic;
  }

  /** From now on no visitor sends a lead for more than two minutes. */
  end(): void {
    this.#giveUpAt = performance.now() + 120_000;
  }

  async ask(url: string, init: RequestInit = {}): Promise<{ status: number; text: string }> {
    const signal = AbortSignal.timeout(20_000);
    const answer = await fetch(url, { redirect: "manual", signal, ...init }).catch(() => undefined);
    const text = await answer?.text().catch(() => "");
    const status = answer?.status ?? 0;
    this.answers.set(status, (this.answers.get(status) ?? 0) + 1);
    return { status, text: text ?? "" };
  }

  /** Sends a lead until it is acknowledged or given up; each third by a plain post, as without script. */
  async sendLead(): Promise<void> {
    const nth = ++this.#count;
    const name = `Soak ${this.#run} ${nth}`;
    const lead = {
      name,
      email: `${nth}@example.com`,
      phone: `(111) 555-${String(nth % 10_000).padStart(4, "0")}`,
      zip_code: "33101",
    };
    do {
      const { status } = nth % 3 === 0 ? await this.#postPlainly(lead) : await this.#insert(lead);
      if (status === 201 || status === 303) return void this.acknowledged.add(name);
      await wait(1_000);
    } while (performance.now() < this.#giveUpAt);
    this.givenUp.add(name);
  }

  #postPlainly(lead: Record<string, string>) {
    const body = new URLSearchParams({ ...lead, has_medicare: "on" });
    return this.ask(`${this.#traffic.address()}/`, { method: "POST", body });
  }

  #insert(lead: Record<string, string>) {
    return this.ask(`${this.#traffic.address()}/rest/v1/leads`, {
      method: "POST",
      headers: { apikey: this.#traffic.key, "content-type": "application/json" },
      body: JSON.stringify({ ...lead, has_medicare: true, has_diabetes: true }),
    });
  }

  async readArticle(): Promise<void> {
    const address = this.#traffic.address();
    await this.ask(`${address}/`);
    await this.ask(`${address}/c`, {
      method: "POST",
      body: "steps=view&utm_source=soak&utm_campaign=autumn",
    });
  }
}

/** What a member does in the inbox. */
class Members {
  /** How often each call of the inbox was answered with each status, such as "open 200". */
  readonly work = new Map<string, number>();
  readonly #traffic: Traffic;
  readonly #visits: Visits;

  constructor(traffic: Traffic, visits: Visits) {
    this.#traffic = traffic;
    this.#visits = visits;
  }

  /** Takes a lead, opens it, tries to call, and writes down what came of it; looks at the lists and the figures between. */
  async workOnLead(): Promise<void> {
    await this.#call("queue", {});
    await this.#call("search", { text: "soak" });
    const { id } = await this.#call("take-next", {});
    if (id) {
      await this.#call("open", { id });
      await this.#call("health-answers", { id });
      const { call_id } = await this.#call("call", { id, asked_for_this_time: true });
      if (call_id) await this.#call("outcome", { id, call_id, outcome: "not_interested" });
      else await this.#call("release", { id });
    }
    await this.#call("health", {});
    await this.#visits.ask(`${this.#traffic.inboxUrl}/metrics`);
  }

  async #call<Name extends CallName>(name: Name, request: RequestOf<Name>) {
    const { cookie, inboxUrl } = this.#traffic;
    const headers = { cookie, origin: inboxUrl, "content-type": "application/json" };
    const body = JSON.stringify(request);
    const { status, text } = await this.#visits.ask(`${inboxUrl}/api/${name}`, {
      method: "POST",
      headers,
      body,
    });
    this.work.set(`${name} ${status}`, (this.work.get(`${name} ${status}`) ?? 0) + 1);
    // A server that was killed may have broken the body off.
    return status === 200 && text ? JSON.parse(text) : {};
  }

  /** An open page listens all the time, and opens the stream again when it ends. */
  async listen(pace: Pace): Promise<void> {
    const { cookie, inboxUrl } = this.#traffic;
    while (!pace.isStopped) {
      const connection = new AbortController();
      const request = { headers: { cookie }, signal: connection.signal };
      const answer = await fetch(`${inboxUrl}/api/events`, request).catch(() => undefined);
      const reader = answer?.body?.getReader();
      const readNext = () => reader?.read().catch(() => undefined);
      let next = readNext();
      while (!pace.isStopped) {
        const read = await Promise.race([next, wait(1_000, "later" as const)]);
        if (read === undefined || (read !== "later" && read.done)) break;
        if (read !== "later") next = readNext();
      }
      connection.abort();
      await wait(1_000);
    }
  }
}
