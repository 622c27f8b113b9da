// Property tests on the running product: anything that can be written on a socket is answered plainly, and anything that
// an honest person can type is stored exactly.
import { once } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readConfig } from "../config/config.ts";
import { makeSubmitLead } from "../delivery/submit-lead.ts";
import { makeAddressOf } from "../intake/visitor-address.ts";
import { commonHeaders } from "../site/security-headers.ts";
import { loadSite, pageDependencies } from "../web/pages.ts";
import { makeHttpServer } from "../web/server.ts";
import { anyRequest } from "./support/any-request.ts";
import { makeDatabase, type TestDatabase } from "./support/database.ts";
import { anonKey, makeIntake } from "./support/intake.ts";
import { expectAPlainAnswer, isApi, paths } from "./support/plain-answer.ts";
import { insertAt, type RunningServer, startServer } from "./support/server.ts";
import { openAndSend, sendBytes } from "./support/wire.ts";

const serversHere: Server[] = [];
afterAll(() => {
  for (const http of serversHere) http.close();
});

let database: TestDatabase;
let server: RunningServer;
beforeAll(async () => {
  database = await makeDatabase();
  server = await startServer({ DATABASE_URL: database.url });
});

/** Starts the whole web side in this process, so that its work can be counted. Returns its address. */
async function listenHere(database: TestDatabase): Promise<string> {
  const site = await loadSite(readConfig({}));
  const { app } = await makeIntake(database, {
    ...pageDependencies(site),
    submitLead: makeSubmitLead({ isAnonKey: (key) => key === anonKey, wake: () => {} }),
    addressOf: makeAddressOf(["loopback"]),
    headers: commonHeaders(""),
  });
  const http = makeHttpServer(app, commonHeaders("")).listen(0, "127.0.0.1");
  serversHere.push(http);
  await once(http, "listening");
  return `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
}

const request = anyRequest(paths, {
  known: [`apikey: ${anonKey}`],
  values: `${anonKey} application/json application/x-www-form-urlencoded */* gzip;q=x return=minimal`,
});

describe("anything at all", () => {
  it("that is a request is answered plainly", async () => {
    const answersPlainly = fc.asyncProperty(request, async ({ target, bytes }) => {
      const answers = await sendBytes(server.address, bytes);
      expect(answers).toHaveLength(1);
      expectAPlainAnswer(answers[0], isApi(target), /^\w*/.exec(String(bytes))?.[0]);
    });
    await fc.assert(answersPlainly, { numRuns: 600 });
  });

  it("that is only bytes is answered plainly, or with nothing", async () => {
    const words = fc.constantFrom(
      "GET ",
      "POST ",
      "/",
      " HTTP/1.1",
      "\r\n",
      "host: x",
      "content-length: 5",
      "\0",
    );
    const noise = fc.uint8Array({ maxLength: 50 }).map((bytes) => Buffer.from(bytes).toString("latin1"));
    const bytes = fc.array(fc.oneof(words, noise), { minLength: 1 }).map((parts) => parts.join(""));
    const answersPlainly = fc.asyncProperty(bytes, async (sent) => {
      const { socket, closed } = openAndSend(server.address, Buffer.from(sent, "latin1"));
      socket.end();
      for (const answer of await closed) expectAPlainAnswer(answer, false);
    });
    await fc.assert(answersPlainly, { numRuns: 300 });
  });

  it("leaves the product in good health, and no bug in its log", async () => {
    expect((await fetch(`${server.address}/readyz`)).status).toBe(200);
    expect(server.output()).not.toMatch(/error bug|insert-failed| at /);
  });
});

describe("a long header", () => {
  const longest = 15_000;
  const runs = [" ", "a", ",", ";", "=", "/", ".", "\\", '"', "a,", " ,", "a=b;"];
  const run = (of: string, length: number) => of.repeat(length / of.length);
  /** The work for the longest run, divided by that for a run of half its length: each the least of five, taken by turns. */
  const growthOf = async (work: (length: number) => Promise<number>): Promise<number> => {
    const [whole, half]: [number[], number[]] = [[], []];
    for (let n = 0; n < 5; n += 1) {
      whole.push(await work(longest));
      half.push(await work(longest / 2));
    }
    return Math.min(...whole) / Math.min(...half);
  };
  /** Headers that are parsed or kept, each with what stands before and after a run. */
  const readHeaders: [name: string, before: string, after: string][] = [
    ["accept", "text/html", "y"],
    ["accept", "*/*;", "y"],
    ["accept-encoding", "x", "y"],
    ["accept-encoding", "br;", "q=0"],
    ["access-control-request-headers", "apikey", "y"],
    ["apikey", "", "y"],
    ["authorization", "Bearer ", "y"],
    ["content-profile", "public", "y"],
    ["content-type", "application/json;charset=", '""x'],
    ["content-type", "application/json;", "charset=utf-8"],
    ["content-type", "application/x-www-form-urlencoded;", ";charset=utf-8"],
    ["cookie", "a", "b"],
    ["if-none-match", 'W/"', '"'],
    ["origin", "https://x", "y"],
    ["prefer", "return=minimal", "y"],
    ["prefer", "handling=strict,", "count=exact"],
    ["referer", "https://x/?", "y"],
    ["user-agent", "x", "y"],
    ["x-forwarded-for", "10.0.0.1", "y"],
    ["x-permission-notice", "a", "b"],
    ["x-variant", "a", "b"],
  ];
  const routes: [string, string][] = [
    ["GET", "/"],
    ["POST", "/"],
    ["GET", "/nothing"],
    ["GET", "/healthz"],
    ["POST", "/rest/v1/leads"],
    ["OPTIONS", "/rest/v1/leads"],
    ["GET", "/rest/v1/leads"],
    ["POST", "/functions/v1/submit-lead"],
    ["OPTIONS", "/functions/v1/submit-lead"],
  ];

  let address: string;
  beforeAll(async () => {
    address = await listenHere(database);
  });

  /** The CPU time, in microseconds, that this process takes for one request with these header lines. */
  const workFor = async ([method, path]: readonly [string, string], lines: string): Promise<number> => {
    const own = /^(apikey|content-type):/.test(lines) ? "" : known;
    const body = method === "POST" ? "{}" : "";
    const head = `${method} ${path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n${own}${lines}`;
    const bytes = Buffer.from(`${head}content-length: ${body.length}\r\n\r\n${body}`, "latin1");
    const from = process.cpuUsage();
    const [answer] = await sendBytes(address, bytes);
    const { user, system } = process.cpuUsage(from);
    expectAPlainAnswer(answer, false);
    return user + system;
  };
  const known = `apikey: ${anonKey}\r\ncontent-type: application/json\r\n`;

  it.each(readHeaders)("costs in %s: %s... no more than its length", async (name, before, after) => {
    for (const route of routes) {
      const usual: number[] = [];
      for (let n = 0; n < 4; n += 1) usual.push(await workFor(route, `${name}: ${before}${after}\r\n`));
      for (const of of runs) {
        const lines = (length: number) => `${name}: ${before}${run(of, length)}${after}\r\n`;
        // Twice again, because a pause of the garbage collector does not come three times.
        const isCostly = async () => (await workFor(route, lines(longest))) > 25 * Math.max(...usual);
        if (!((await isCostly()) && (await isCostly()) && (await isCostly()))) continue;
        // On a quick machine the usual request costs so little that a linear reader may be costly. A quadratic one takes four times
        // as long for twice the length.
        const growth = await growthOf((length) => workFor(route, lines(length)));
        expect(growth, `${route}, ${of}`).toBeLessThan(3);
      }
    }
  });
});

describe("what an honest person types", () => {
  // Any characters but NUL. Never blanks alone, because PostgreSQL refuses them.
  const typed = (maxLength: number, size: "small" | "max") =>
    fc
      .string({ unit: "binary", minLength: 1, maxLength, size })
      .map((text) => text.replaceAll("\0", "0"))
      .filter((text) => /\P{White_Space}/u.test(text));
  const anyLead = fc.record({
    name: typed(500, "max"),
    email: typed(40, "small"),
    phone: typed(40, "small"),
    zip_code: typed(20, "small"),
    has_medicare: fc.boolean(),
    has_diabetes: fc.boolean(),
  });

  const ways: Record<string, (lead: Record<string, unknown>) => Promise<Response>> = {
    "in the form": (lead) => insertAt(server.address, lead),
    "in the form without script": ({ has_medicare, has_diabetes, ...texts }) =>
      fetch(`${server.address}/`, {
        method: "POST",
        redirect: "manual",
        body: new URLSearchParams({
          ...(texts as Record<string, string>),
          ...(has_medicare === true && { has_medicare: "on" }),
          ...(has_diabetes === true && { has_diabetes: "on" }),
        }),
      }),
  };

  it.each(Object.entries(ways))("%s is stored exactly, whatever it is", async (_, send) => {
    const isStoredExactly = fc.asyncProperty(anyLead, async (lead) => {
      const { status } = await send(lead);
      expect([201, 303]).toContain(status);
      const stored = await database.owner`
        select name, email, phone, zip_code, has_medicare, has_diabetes from leads
        where name = ${lead.name} and email = ${lead.email} and phone = ${lead.phone}`;
      expect(stored).toEqual([lead]);
    });
    await fc.assert(isStoredExactly, { numRuns: 150 });
  });
});
