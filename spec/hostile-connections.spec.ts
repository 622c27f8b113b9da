// Slow, stalled and hostile connections. Tests in which a timeout ends a connection run the product's HTTP server with short timeouts, so
// that no test waits long. The others use the product's own timeouts, because a slow machine may take a second to read an honest request.
import { once } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { App } from "../web/app.ts";
import { makeHttpServer, type Timeouts } from "../web/server.ts";
import { aLead, makeDatabase, type TestDatabase } from "./support/database.ts";
import { anonKey, makeIntake } from "./support/intake.ts";
import { expectAPlainAnswer } from "./support/plain-answer.ts";
import { insertAt, startServer } from "./support/server.ts";
import { type Exchange, openAndSend } from "./support/wire.ts";

const headers = { "x-content-type-options": "nosniff", "x-frame-options": "DENY" };
const short = { headers: 600, request: 1_200, idle: 1_500, check: 50 };

const servers: Server[] = [];
afterAll(() => {
  for (const server of servers.splice(0)) server.closeAllConnections();
});

async function listen(fetch: App["fetch"], timeouts?: Timeouts): Promise<string> {
  const server = makeHttpServer({ fetch }, headers, timeouts).listen(0, "127.0.0.1");
  servers.push(server);
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Writes a few bytes again and again until the connection is closed. */
function drip({ socket }: Exchange, drop: string): void {
  const dripping = setInterval(() => socket.write(drop), 40);
  socket.on("close", () => clearInterval(dripping));
}

const insertHead = (lines: string) =>
  `POST /rest/v1/leads HTTP/1.1\r\nhost: x\r\napikey: ${anonKey}\r\n${lines}\r\n`;
const json = JSON.stringify(aLead());
const formHead = (lines: string) =>
  `POST / HTTP/1.1\r\nhost: x\r\ncontent-type: application/x-www-form-urlencoded\r\n${lines}\r\n`;

let database: TestDatabase;
beforeAll(async () => {
  database = await makeDatabase();
});

describe("a slow or hostile connection", () => {
  let address: string;
  const logged: unknown[] = [];
  const counted: number[] = [];
  const handled: unknown[] = [];
  beforeAll(async () => {
    const { app } = await makeIntake(database, {
      headers,
      log: (event) => void logged.push(event),
      countAnswer: (status) => void counted.push(status),
    });
    address = await listen((request, env) => {
      const answer = app.fetch(request, env);
      handled.push(answer);
      return answer;
    }, short);
  });

  it.concurrent.each<[string, string, string | undefined]>([
    ["says nothing", "", undefined],
    ["stops in its headers", "GET / HTTP/1.1\r\nhost: x\r\nx-slow: ", undefined],
    ["sends its headers character by character", "GET / HTTP/1.1\r\nhost: x\r\nx-slow: ", "a"],
    ["stops before its body", insertHead(`content-length: ${json.length}\r\n`), undefined],
    [
      "stops within its body",
      insertHead(`content-length: ${json.length}\r\n`) + json.slice(0, -1),
      undefined,
    ],
    ["sends its body character by character", insertHead("content-length: 9000\r\n"), " "],
    ["sends chunks without end", insertHead("transfer-encoding: chunked\r\n"), "1\r\n \r\n"],
    ["promises a body of 16 kB and waits", insertHead("content-length: 16384\r\n"), undefined],
    ["stops within a form", `${formHead("content-length: 100\r\n")}name=Rosa`, undefined],
    [
      "stops within a form in chunks",
      `${formHead("transfer-encoding: chunked\r\n")}4\r\nname\r\n`,
      undefined,
    ],
  ])("that %s gets the answer that it took too long, and is closed", async (_, first, drop) => {
    const exchange = openAndSend(address, first);
    if (drop) drip(exchange, drop);
    const [answer, ...more] = await exchange.closed;
    expect([answer?.status, more]).toEqual([408, []]);
    expectAPlainAnswer(answer, true);
  });

  it.concurrent("that sends a body without end to a page gets the page, and is closed when the request has taken too long", async () => {
    const aPage = await listen(() => new Response("a page"), { ...short, headers: 10_000, request: 20_000 });
    const server = servers.at(-1) as Server;
    const exchange = openAndSend(aPage, "GET / HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n");
    drip(exchange, "1\r\n \r\n");
    await once(exchange.socket, "data");
    // Node reads `requestTimeout` at each check, so this ends the request that is under way.
    server.requestTimeout = 1;
    expect((await exchange.closed)[0]).toMatchObject({ status: 200, body: "a page" });
  });

  it("leaves no lead behind, no line in the log, and no count of an answer that the intake gave", async () => {
    await Promise.all(handled);
    expect(await database.owner`select from leads`).toHaveLength(0);
    expect([logged, counted]).toEqual([[], []]);
  });

  it.concurrent("whose answer nobody reads is closed", async () => {
    const tooMuch = await listen(() => new Response(new Uint8Array(50_000_000)), short);
    const connected = once(servers.at(-1) as Server, "connection");
    const { socket } = openAndSend(tooMuch, "GET / HTTP/1.1\r\nhost: x\r\n\r\n");
    socket.pause();
    const [theirs] = await connected;
    await once(theirs, "close");
    socket.destroy();
  });

  it("has at most 32 requests carried out before the first answer, and is closed when it sends more", async () => {
    let carriedOut = 0;
    const never = await listen(() => {
      carriedOut += 1;
      return new Promise(() => {});
    });
    const exchange = openAndSend(never, "GET / HTTP/1.1\r\nhost: x\r\n\r\n".repeat(1_000));
    expect(await exchange.closed).toEqual([]);
    expect(carriedOut).toBe(32);
  });

  it("has its lead answered when bytes that are no request follow it", async () => {
    const slow = Promise.withResolvers<Response>();
    const address = await listen(() => slow.promise);
    const exchange = openAndSend(
      address,
      `${insertHead(`content-length: ${json.length}\r\n`)}${json}no request\r\n\r\n`,
    );
    const server = servers.at(-1) as Server;
    await once(server, "clientError");
    slow.resolve(new Response(null, { status: 201 }));
    expect((await exchange.closed).map(({ status }) => status)).toEqual([201, 400]);
  });

  it("has, in the product, ten seconds for its headers, twenty for the request, and thirty without a byte", () => {
    const { headersTimeout, requestTimeout, timeout } = makeHttpServer(
      { fetch: () => new Response() },
      headers,
    );
    expect({ headersTimeout, requestTimeout, timeout }).toEqual({
      headersTimeout: 10_000,
      requestTimeout: 20_000,
      timeout: 30_000,
    });
  });
});

describe("three hundred stalled connections", () => {
  it("do not keep an honest visitor from being served", async () => {
    const { address } = await startServer({ DATABASE_URL: database.url });
    const visit = async (name: string) => {
      const [page, { status }] = await Promise.all([fetch(address), insertAt(address, aLead({ name }))]);
      expect([(await page.text()).length > 1_000, status]).toEqual([true, 201]);
    };
    const begun = ["", "POST /rest/v1/leads HT", insertHead("content-length: 9000\r\n")];
    const stalled = Array.from({ length: 300 }, (_, n) => openAndSend(address, begun[n % 3], 30_000));
    await Promise.all(stalled.map(({ socket }) => once(socket, "connect")));
    for (let n = 0; n < 11; n += 1) await visit(`Meanwhile ${n}`);
    for (const { socket } of stalled) socket.destroy();
  });
});
