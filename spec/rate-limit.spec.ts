// How many leads one sender may add: enough for a senior centre behind one address, too few for a flood, and a kind word
// for whoever meets the limit.
import { beforeAll, describe, expect, it } from "vitest";
import { makeLimit, networkOf } from "../intake/limit.ts";
import { aLead, makeDatabase, type TestDatabase } from "./support/database.ts";
import { anonKey } from "./support/intake.ts";
import { type RunningServer, startServer } from "./support/server.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await makeDatabase();
});

// In these servers a minute lasts as long as the tests take, because a slow machine may take a minute for them.
const noTimePasses = "performance.now=()=>0";
const limited = (env: Record<string, string> = {}) =>
  startServer({
    DATABASE_URL: database.url,
    RATE_LIMIT: "on",
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(noTimePasses)}`,
    ...env,
  });

/** Sends a lead as a visitor's page does; `from` is its X-Forwarded-For, which anybody can write. */
const insert = ({ address }: RunningServer, name: string, from?: string) =>
  fetch(`${address}/rest/v1/leads`, {
    method: "POST",
    headers: {
      apikey: anonKey,
      "content-type": "application/json",
      ...(from && { "x-forwarded-for": from }),
    },
    body: JSON.stringify(aLead({ name })),
  });

const postForm = ({ address }: RunningServer, name: string) =>
  fetch(`${address}/`, {
    method: "POST",
    redirect: "manual",
    body: new URLSearchParams({
      name,
      email: "rosa@example.com",
      phone: "1",
      zip_code: "2",
      has_medicare: "on",
    }),
  });

const statuses = async (count: number, send: (n: number) => Promise<Response>) =>
  (await Promise.all(Array.from({ length: count }, (_, n) => send(n)))).map(({ status }) => status);

describe("one address", () => {
  let server: RunningServer;
  beforeAll(async () => {
    server = await limited();
  });

  it("may add sixty leads a minute, with script and without, as a senior centre does", async () => {
    expect(await statuses(29, (n) => insert(server, `With script ${n}`))).toEqual(Array(29).fill(201));
    expect(await statuses(29, (n) => postForm(server, `Without script ${n}`))).toEqual(Array(29).fill(303));
    const [{ count } = { count: 0 }] = await database.owner`select count(*)::int from leads`;
    expect(count).toBe(58);
  });

  it("uses up its leads with refused ones as well", async () => {
    expect((await insert(server, " ")).status).toBe(400);
    expect((await postForm(server, " ")).status).toBe(400);
  });

  it("is then told kindly to wait, and for how long", async () => {
    const answer = await insert(server, "One too many");
    expect(answer.status).toBe(429);
    expect(answer.headers.get("retry-after")).toBe("60");
    expect(answer.headers.get("access-control-allow-origin")).toBe("*");
    expect(await answer.json()).toEqual({
      code: "PT429",
      message:
        "Many forms were sent from your internet connection just now. Please wait a minute and try again.",
      details: null,
      hint: null,
    });
  });

  it("sees the whole article again without script, with everything typed still in the form", async () => {
    const answer = await postForm(server, "Rosa O'Neil & Sons");
    const html = await answer.text();
    expect(answer.status).toBe(429);
    expect(answer.headers.get("retry-after")).toBe("60");
    expect(html).toContain("Please wait a minute and try again.");
    expect(html).toContain("The Future of Diabetes Management Is Here");
    expect(html).toMatch(/value="Rosa O(&#x27;|')Neil &amp; Sons"/);
    for (const [name, value] of [
      ["email", "rosa@example.com"],
      ["phone", "1"],
      ["zip_code", "2"],
    ])
      expect(html).toMatch(new RegExp(`<input[^>]{0,300}name="${name}"[^>]{0,300}value="${value}"`));
    expect(html).toMatch(/<input[^>]{0,300}name="has_medicare"[^>]{0,300}checked/);
    expect(html).not.toMatch(/<input[^>]{0,300}name="has_diabetes"[^>]{0,300}checked/);
  });

  it("gets a sentence instead of the article when it goes on and on", async () => {
    const flood = await limited();
    const posts = await Promise.all(Array.from({ length: 130 }, (_, n) => postForm(flood, `Flood ${n}`)));
    const stillRead = posts.filter(({ headers }) => headers.get("content-type")?.startsWith("text/html"));
    expect(stillRead).toHaveLength(60);
    const last = await postForm(flood, "Flood");
    expect([last.status, last.headers.get("retry-after")]).toEqual([429, "60"]);
    expect(await last.text()).toBe(
      "Many forms were sent from your internet connection just now. Please wait a minute and try again.\n\nPress the Back button of your browser. Everything you typed is still there.\n",
    );
    expect((await postForm(flood, "x".repeat(20_000))).status, "too long a form counts as well").toBe(429);
  });

  it("does not get round it by saying that it is another, and the log warns of a proxy that TRUST_PROXY does not name", async () => {
    expect(server.output()).not.toContain("proxy-not-trusted");
    expect((await insert(server, "Spoofed", "203.0.113.77")).status).toBe(429);
    expect((await insert(server, "Spoofed", "203.0.113.78")).status).toBe(429);
    expect(server.output().match(/ warn proxy-not-trusted: /g)).toHaveLength(1);
  });

  it("leaves a trace in the log, without its address", () => {
    expect(server.output()).toMatch(/ warn rate-limited: .{0,300} count=\d+/);
    expect(server.output()).not.toMatch(/203\.0\.113|127\.0\.0\.1/);
  });

  it("may still read", async () => {
    expect((await fetch(server.address)).status).toBe(200);
    expect((await fetch(`${server.address}/thank-you`)).status).toBe(200);
    expect((await fetch(`${server.address}/readyz`)).status).toBe(200);
  });

  it("has no limit when RATE_LIMIT is off", async () => {
    const unlimited = await limited({ RATE_LIMIT: "off" });
    expect(await statuses(70, (n) => insert(unlimited, `Unlimited ${n}`))).toEqual(Array(70).fill(201));
  });
});

describe("a proxy in front that TRUST_PROXY names", () => {
  let server: RunningServer;
  beforeAll(async () => {
    server = await limited({ TRUST_PROXY: "loopback, 10.0.0.0/8" });
  });

  it("says who a visitor is, and each visitor has a limit of their own", async () => {
    await statuses(60, (n) => insert(server, `Flood ${n}`, "198.51.100.1"));
    expect((await insert(server, "Flood", "198.51.100.1")).status).toBe(429);
    expect((await insert(server, "Neighbour", "198.51.100.2")).status).toBe(201);
    expect(
      await database.owner`
        select p.address from private.permissions p join leads l on l.id = p.lead_id where l.name = 'Neighbour'`,
    ).toEqual([{ address: "198.51.100.2" }]);
  });

  it("is believed for the last address that is no such proxy, not for what a visitor wrote before it", async () => {
    expect((await insert(server, "Spoofed", "192.0.2.9, 198.51.100.1")).status).toBe(429);
    expect((await insert(server, "Through two", "198.51.100.1, 10.1.2.3")).status).toBe(429);
  });

  it("may hand on the addresses of a household's IPv6 network, which share one limit", async () => {
    await statuses(60, (n) => insert(server, `Household ${n}`, `2001:db8:1:2::${n.toString(16)}`));
    expect((await insert(server, "Household", "2001:db8:1:2:ffff::1")).status).toBe(429);
    expect((await insert(server, "Next door", "2001:db8:1:3::1")).status).toBe(201);
  });

  it("may name the port as well, which the limit ignores", async () => {
    await statuses(60, (n) => insert(server, `Port ${n}`, `192.0.2.77:${5_000 + n}`));
    expect((await insert(server, "Port", "192.0.2.77:1")).status).toBe(429);
    expect((await insert(server, "Bracket", "[2001:db8:7::1]:443")).status).toBe(201);
    expect(
      await database.owner`
        select distinct p.address from private.permissions p join leads l on l.id = p.lead_id
        where l.name like 'Port %' or l.name = 'Bracket' order by 1`,
    ).toEqual([{ address: "192.0.2.77" }, { address: "2001:db8:7::1" }]);
  });

  it("is not warned of", () => {
    expect(server.output()).not.toContain("proxy-not-trusted");
  });

  it("may hand on what is no address, and leads are still taken", async () => {
    expect((await insert(server, "Odd proxy", "unknown")).status).toBe(201);
    expect((await insert(server, "Odder proxy", "x".repeat(5_000))).status).toBe(201);
  });
});

describe("a sender", () => {
  it.each([
    ["203.0.113.7", "203.0.113.7"],
    ["::ffff:203.0.113.7", "203.0.113.7"],
    ["2001:db8:1:2::7", "32.1.13.184.0.1.0.2/64"],
    ["2001:0DB8:0001:0002:ffff::", "32.1.13.184.0.1.0.2/64"],
    ["no address at all", "unknown"],
  ])("at %s is counted as %s", (address, network) => {
    expect(networkOf(address)).toBe(network);
  });
});

describe("the minute of a sender", () => {
  it("begins with the first try and brings all tries back when it is over", () => {
    let moment = 0;
    const limit = makeLimit(100, 2, () => moment);
    const at = (seconds: number) => {
      moment = seconds * 1000;
      return limit("198.51.100.1");
    };
    expect([at(0), at(30)]).toEqual([undefined, undefined]);
    expect([at(30), at(59.5)]).toEqual([
      { seconds: 30, isFlood: false },
      { seconds: 1, isFlood: false },
    ]);
    expect(at(59.9)).toEqual({ seconds: 1, isFlood: true });
    expect([at(60), at(61), at(62)?.seconds]).toEqual([undefined, undefined, 58]);
  });

  it("leaves room for another sender when it is over", () => {
    let moment = 0;
    const limit = makeLimit(1, 1, () => moment);
    limit("198.51.100.1");
    limit("198.51.100.2");
    expect(limit("198.51.100.2"), "not remembered").toBeUndefined();
    moment = 60_000;
    limit("198.51.100.2");
    expect(limit("198.51.100.2")).toMatchObject({ seconds: 60 });
  });
});

describe("a flood from ever new addresses", () => {
  it("uses up no more memory than so many senders need, and frees none of those already known", () => {
    const limit = makeLimit(100);
    for (let n = 0; n < 100; n += 1) limit(`198.51.100.${n}`);
    for (let n = 0; n < 59; n += 1) limit("198.51.100.0");
    expect(limit("198.51.100.0")?.seconds).toBeGreaterThan(0);
    // The hundred and first is not remembered, however often it comes.
    for (let n = 0; n < 100; n += 1) expect(limit("203.0.113.1")).toBeUndefined();
    expect(limit("198.51.100.0")?.seconds).toBeGreaterThan(0);
  });
});
