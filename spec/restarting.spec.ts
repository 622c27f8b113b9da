// A server that stops loses no request that is on its way. At a restart behind a proxy the socket that systemd holds stays open, so a
// request that comes meanwhile is answered by the next process.
import { once } from "node:events";
import { createServer } from "node:http";
import { connect, type Socket } from "node:net";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { inheritedSocket } from "../web/inherited-socket.ts";
import { drain, listen } from "../web/listen.ts";
import { makeHttpServer } from "../web/server.ts";
import { aLead, makeDatabase } from "./support/database.ts";
import { serveOnHeldSocket } from "./support/held-socket.ts";
import { anonKey } from "./support/intake.ts";

describe("a server that stops", () => {
  /** A server that answers "here", and a connection to it that has sent nothing. */
  async function connected() {
    const server = makeHttpServer({ fetch: () => new Response("here") }, {});
    const accepted = once(server, "connection");
    const { port } = new URL(await listen(server, { host: "127.0.0.1", port: 0 }));
    const connection = connect(Number(port), "127.0.0.1");
    await accepted;
    let answer = "";
    connection.on("data", (bytes) => (answer += bytes));
    return { server, connection, closed: once(connection, "close").then(() => answer) };
  }

  it("answers the first request of a connection that was opened just before, and closes it", async () => {
    const { server, connection, closed } = await connected();
    const stopped = drain(server);
    connection.write("GET / HTTP/1.1\r\nhost: localhost\r\n\r\n");
    const [head = "", body] = (await closed).split("\r\n\r\n");
    expect([head.split("\r\n")[0], body]).toEqual(["HTTP/1.1 200 OK", "here"]);
    expect(head.toLowerCase().split("\r\n")).toContain("connection: close");
    await stopped;
  });

  it("closes a connection that sends nothing within a second, and waits no longer for it", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "setTimeout", "performance"] });
    onTestFinished(() => void vi.useRealTimers());
    const { server, closed } = await connected();
    const stopped = drain(server);
    vi.advanceTimersByTime(1_100);
    expect(await closed).toBe("");
    await stopped;
  });
});

describe("a server that stops while a visitor is slow to take an answer", () => {
  it("sends the rest of the answer before it closes the connection", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "setTimeout", "performance"] });
    onTestFinished(() => void vi.useRealTimers());
    const length = 20_000_000;
    // Handed over as a whole, as answers of one piece are.
    const server = createServer((_, answer) => answer.end("x".repeat(length)));
    const accepted = once(server, "connection");
    const { port } = new URL(await listen(server, { host: "127.0.0.1", port: 0 }));
    const connection = connect(Number(port), "127.0.0.1").pause();
    connection.write("GET / HTTP/1.1\r\nhost: localhost\r\n\r\n");
    const [socket] = (await accepted) as [Socket];
    while (socket.writableLength === 0) await new Promise((resolve) => setImmediate(resolve));
    const stopped = drain(server);
    vi.advanceTimersByTime(1_100);
    let received = 0;
    connection.on("data", ({ length }) => (received += length)).resume();
    const closed = once(connection, "close");
    while (received < length && !connection.closed) await new Promise((resolve) => setImmediate(resolve));
    expect(received).toBeGreaterThan(length);
    vi.advanceTimersByTime(100);
    await Promise.all([closed, stopped]);
  });
});

describe("a server that is handed its socket", () => {
  it("loses no request of a proxy over restarts, and no lead", async () => {
    const database = await makeDatabase();
    const server = await serveOnHeldSocket({
      DATABASE_URL: database.url,
      ANON_KEY: anonKey,
      DELIVERY: "off",
    });
    const statuses = new Map<number, number>();
    let isOver = false;
    const send = async (path: string, init: RequestInit) => {
      // As a proxy that opens a connection for each request; a kept one may be closed just when it is used.
      const headers = { ...init.headers, connection: "close" };
      const { status } = await fetch(`${server.address}${path}`, { ...init, headers });
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    };
    const visit = async (visitor: number) => {
      for (let round = 0; !isOver; round += 1) {
        await send("/", {});
        await send("/rest/v1/leads", {
          method: "POST",
          headers: { apikey: anonKey, "content-type": "application/json" },
          body: JSON.stringify(aLead({ name: `Visitor ${visitor} at ${round}` })),
        });
      }
    };
    const visitors = [1, 2, 3, 4].map(visit);
    for (let restarts = 0; restarts < 2; restarts += 1) {
      const before = statuses.get(201) ?? 0;
      await expect.poll(() => statuses.get(201) ?? 0).toBeGreaterThan(before + 20);
      await server.restart();
    }
    isOver = true;
    await Promise.all(visitors);
    expect([...statuses.keys()].toSorted()).toEqual([200, 201]);
    const [stored] = await database.owner`select count(*)::int as leads from leads`;
    expect(stored?.leads).toBe(statuses.get(201));
  }, 60_000);

  it("takes a socket only when it is meant for its own process", () => {
    const env = { LISTEN_FDS: "1", LISTEN_PID: "42" };
    expect(inheritedSocket(env, 42)).toBe(3);
    expect(inheritedSocket(env, 43)).toBeUndefined();
    expect(inheritedSocket({ ...env, LISTEN_FDS: "0" }, 42)).toBeUndefined();
    expect(inheritedSocket({}, 42)).toBeUndefined();
  });

  it("refuses several sockets, because visitors of all but the first would wait for ever", () => {
    const env = { LISTEN_FDS: "2", LISTEN_PID: "42" };
    expect(() => inheritedSocket(env, 42)).toThrow(
      "systemd hands over 2 sockets, and this server takes one.",
    );
    expect(inheritedSocket(env, 43)).toBeUndefined();
  });
});
