// What no page of ours ever sends. Whatever comes over the wire, on any address, the running product answers plainly:
// never a bug of its own, never a word about its insides, never a connection left hanging. (Contract 2)
import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { connect } from "node:net";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { makeAddressOf } from "../intake/visitor-address.ts";
import { aLead, makeDatabase, type TestDatabase } from "./support/database.ts";
import { anonKey, makeIntake } from "./support/intake.ts";
import { expectAPlainAnswer, isApi, methods, paths } from "./support/plain-answer.ts";
import { type RunningServer, startServer } from "./support/server.ts";
import { sendBytes } from "./support/wire.ts";

let database: TestDatabase;
let server: RunningServer;
beforeAll(async () => {
  database = await makeDatabase();
  server = await startServer({ DATABASE_URL: database.url });
});
beforeEach(() => database.owner`delete from leads`);

const close = "host: localhost\r\nconnection: close\r\n";
const key = `apikey: ${anonKey}\r\n`;

/** An insert on the wire: these header lines and this body, with its length unless the headers frame it. */
function insert(body: string | Buffer, lines = "content-type: application/json\r\n"): Buffer {
  const framed = /^(content-length|transfer-encoding):/im.test(lines);
  const length = framed ? "" : `content-length: ${Buffer.byteLength(body)}\r\n`;
  const head = `POST /rest/v1/leads HTTP/1.1\r\n${close}${key}${lines}${length}\r\n`;
  return Buffer.concat([Buffer.from(head, "latin1"), Buffer.from(body)]);
}

const get = (target: string, lines = "") =>
  Buffer.from(`GET ${target} HTTP/1.1\r\n${close}${lines}\r\n`, "latin1");

const tooDeep = `${"[".repeat(8_000)}${"]".repeat(8_000)}`;
const lead = (differences: Record<string, unknown>) => JSON.stringify(aLead(differences));

describe("an odd insert", () => {
  it.each<[string, Buffer, number]>([
    ["a NUL in a name", insert(lead({ name: "a\0b" })), 400],
    ["half a surrogate pair", insert(lead({ name: "a\udc00" })), 400],
    ["bytes that are not UTF-8", insert(Buffer.from(lead({ name: "Ren\xe9" }), "latin1")), 400],
    ["UTF-16", insert(Buffer.from(lead({}), "utf16le")), 400],
    ["a raw line break in a string", insert(lead({}).replace("Rosa", "Ro\nsa")), 400],
    ["text/plain", insert(lead({}), "content-type: text/plain\r\n"), 400],
    ["another charset", insert(lead({}), "content-type: application/json; charset=iso-8859-1\r\n"), 400],
    ["a content type that is none", insert(lead({}), 'content-type: \xff;;=,"\r\n'), 400],
    [
      "a compressed body",
      insert(Buffer.from("1f8b08000000000000ff", "hex"), "content-encoding: gzip\r\n"),
      400,
    ],
    ["a prototype", insert('{"__proto__":{"name":"x"},"constructor":{"prototype":{}}}'), 400],
    ["a field from a prototype", insert('{"toString":"x"}'), 400],
    ["objects in objects", insert(lead({ name: { name: { name: "x" } } })), 400],
    ["brackets eight thousand deep", insert(tooDeep), 400],
    ["a field eight thousand deep", insert(`{"name":${tooDeep}}`), 400],
    ["a number beyond all numbers", insert('{"name":1e999,"zip_code":99999999999999999999999}'), 400],
    ["a number with a thousand digits", insert(`{"name":"x","has_medicare":${"9".repeat(1_000)}}`), 400],
    ["an array of a thousand", insert(JSON.stringify(Array(1_000).fill({}))), 400],
    ["a name that is an array of a thousand", insert(lead({ name: Array(1_000).fill("x") })), 400],
    ["a thousand keys", insert(JSON.stringify(Object.fromEntries([...Array(1_000).keys()].entries()))), 400],
    ["a body of 16 kB and one byte", insert(" ".repeat(16 * 1024 + 1)), 413],
    ["a body of a megabyte", insert(" ".repeat(1_000_000)), 413],
    ["a length of a gigabyte, and no body", insert("{", "content-length: 1000000000\r\n"), 413],
    ["a length beyond all numbers", insert("{", `content-length: ${"9".repeat(400)}\r\n`), 400],
    ["a length that is negative", insert("{", "content-length: -1\r\n"), 400],
    ["a length that is a word", insert("{", "content-length: many\r\n"), 400],
    ["two lengths", insert("{}", "content-length: 2\r\ncontent-length: 3\r\n"), 400],
    ["a length and chunks", insert("0\r\n\r\n", "content-length: 5\r\ntransfer-encoding: chunked\r\n"), 400],
    [
      "chunks of more than 16 kB",
      insert(`5000\r\n${" ".repeat(0x5000)}\r\n0\r\n\r\n`, "transfer-encoding: chunked\r\n"),
      413,
    ],
    [
      "chunks beyond 16 kB without end",
      insert(`5000\r\n${" ".repeat(0x5000)}\r\n`, "transfer-encoding: chunked\r\n"),
      413,
    ],
    ["a chunk whose length is a word", insert("zz\r\n{}\r\n", "transfer-encoding: chunked\r\n"), 400],
    [
      "a chunk longer than it says",
      insert("2\r\n{}{}{}\r\n0\r\n\r\n", "transfer-encoding: chunked\r\n"),
      400,
    ],
    ["an absurd preference", insert(lead({}), `prefer: handling=strict, ${"x".repeat(4_000)}\r\n`), 400],
    ["an absurd Accept", insert(lead({}), `accept: ${"x/".repeat(2_000)}\r\n`), 406],
    ["a schema with a quote in it", insert(lead({}), `content-profile: public"; drop table leads\r\n`), 406],
  ])("%s is refused, and nothing is stored", async (_, bytes, status) => {
    const [answer] = await sendBytes(server.address, bytes);
    expect(answer?.status).toBe(status);
    expectAPlainAnswer(answer, true);
    expect(await database.owner`select from leads`).toHaveLength(0);
  });

  it("keeps the last of two equal keys, as PostgreSQL's json does", async () => {
    const [answer] = await sendBytes(
      server.address,
      insert(`{"name":"First",${lead({ name: "Last" }).slice(1)}`),
    );
    expect(answer?.status).toBe(201);
    expect(await database.owner`select name from leads`).toEqual([{ name: "Last" }]);
  });

  it.each([
    [
      "in chunks",
      `6\r\n${lead({}).slice(0, 6)}\r\n${(lead({}).length - 6).toString(16)}\r\n${lead({}).slice(6)}\r\n0\r\n\r\n`,
      "transfer-encoding: chunked\r\n",
    ],
    ["after 100 Continue", lead({}), "expect: 100-continue\r\n"],
    ["with an expectation that nobody knows", lead({}), "expect: miracles\r\n"],
    ["with a byte order mark", `\ufeff${lead({})}`, "content-type: application/json; charset=UTF-8\r\n"],
    ["without a content type", lead({}), ""],
    ["as plain JSON that says it is compressed", lead({}), "content-encoding: br\r\n"],
  ])("that comes %s is stored", async (_, body, lines) => {
    const [answer] = await sendBytes(server.address, insert(body, lines));
    expect(answer?.status).toBe(201);
    expect(await database.owner`select name from leads`).toEqual([{ name: aLead().name }]);
  });
});

describe("a request that is none", () => {
  it.each<[string, string | Buffer, number]>([
    ["a greeting", "hello\r\n\r\n", 400],
    ["a TLS handshake", Buffer.from("16030100a5010000a10303", "hex"), 400],
    ["HTTP/2 without asking", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 400],
    ["a version of the future", "GET / HTTP/9.9\r\nhost: x\r\n\r\n", 400],
    ["a method that does not exist", `FETCH / HTTP/1.1\r\n${close}\r\n`, 400],
    ["a method in lower case", `get / HTTP/1.1\r\n${close}\r\n`, 400],
    ["no address", `GET  HTTP/1.1\r\n${close}\r\n`, 400],
    ["an address of another kind", `GET mailto:someone HTTP/1.1\r\n${close}\r\n`, 400],
    ["an address that cannot be read", `GET http://[::1/ HTTP/1.1\r\n${close}\r\n`, 400],
    [
      "an address with bytes beyond ASCII",
      Buffer.from(`GET /\xf1\xff HTTP/1.1\r\n${close}\r\n`, "latin1"),
      400,
    ],
    ["a backslash in the address", `GET /rest\\v1\\leads HTTP/1.1\r\n${close}\r\n`, 400],
    ["no host", "GET / HTTP/1.1\r\nconnection: close\r\n\r\n", 400],
    ["a host that is none", "GET / HTTP/1.1\r\nhost: a b/c?d\r\nconnection: close\r\n\r\n", 400],
    ["OPTIONS *", `OPTIONS * HTTP/1.1\r\n${close}\r\n`, 400],
    ["CONNECT", `CONNECT elsewhere.example:443 HTTP/1.1\r\n${close}\r\n`, 405],
    ["a header without a name", `GET / HTTP/1.1\r\n${close}: x\r\n\r\n`, 400],
    ["a header with a NUL", `GET / HTTP/1.1\r\n${close}x: a\0b\r\n\r\n`, 400],
    ["a header folded over two lines", `GET / HTTP/1.1\r\n${close}x: a\r\n b\r\n\r\n`, 400],
    ["a lone carriage return in a header", `GET / HTTP/1.1\r\n${close}x: a\rset-cookie: b\r\n\r\n`, 400],
    ["a header of 20 kB", `GET / HTTP/1.1\r\n${close}x: ${"a".repeat(20_000)}\r\n\r\n`, 431],
    ["ten thousand headers", `GET / HTTP/1.1\r\n${close}${"a: b\r\n".repeat(10_000)}\r\n`, 431],
    ["an address of 20 kB", `GET /${"a".repeat(20_000)} HTTP/1.1\r\n${close}\r\n`, 431],
  ])("%s is answered in plain words, and the connection closed", async (_, bytes, status) => {
    const [answer] = await sendBytes(server.address, bytes);
    expect(answer?.status).toBe(status);
    expect(answer?.headers["content-type"]).toBe("application/json; charset=utf-8");
    expectAPlainAnswer(answer, true);
  });

  it("is not one of HTTP/1.0 without a host: health checks send that, and get an answer", async () => {
    const [answer] = await sendBytes(server.address, "GET /healthz HTTP/1.0\r\n\r\n");
    expect([answer?.status, answer?.body]).toEqual([200, '{"status":"alive"}']);
  });

  it("does not spoil the requests before it on the same connection", async () => {
    const one = "GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n";
    const answers = await sendBytes(server.address, `${one}${one}hello\r\n\r\n`);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 400]);
  });
});

describe("a form that states beside its fields what the database cannot keep", () => {
  it.each([
    ["a NUL in the notice", { notice: "\0" }],
    ["a variant that is cut in the middle of a character", { variant: `${"a".repeat(99)}😀` }],
    ["a NUL in the campaign", { campaign: "utm_source=a\0b" }],
  ])("is a lead all the same: %s", async (_, statement) => {
    const fields = { name: "Rosa", email: "rosa@example.com", phone: "305 555 0142", zip_code: "33101" };
    const answer = await fetch(`${server.address}/`, {
      method: "POST",
      body: new URLSearchParams({ ...fields, ...statement }),
      headers: { referer: `${server.address}/`, origin: server.address },
      redirect: "manual",
    });
    expect(answer.status).toBe(303);
    expect(await database.owner`select name from leads`).toEqual([{ name: "Rosa" }]);
    expect(server.output()).not.toMatch(/ bug /);
  });
});

describe("a connection that is reset as soon as it was used", () => {
  const forwarded = "content-type: application/json\r\nx-forwarded-for: 192.0.2.1\r\n";
  it.each<[string, string | Buffer]>([
    ["CONNECT", `CONNECT elsewhere.example:443 HTTP/1.1\r\n${close}\r\n`],
    ["an upgrade", `GET / HTTP/1.1\r\nhost: localhost\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n`],
    ["no request", "\x16\x03\x01 hello\r\n\r\n"],
    ["an insert", insert(lead({}))],
    ["an insert with a forwarded address", insert(lead({}), forwarded)],
    ["half an insert", insert(lead({})).subarray(0, 150)],
    ["a page", get("/")],
    [
      "a form",
      `POST / HTTP/1.1\r\n${close}content-type: application/x-www-form-urlencoded\r\ncontent-length: 5\r\nx-forwarded-for: 1\r\n\r\nname=`,
    ],
    ["a health check", get("/readyz")],
  ])("ends nothing but itself, and is no bug: %s", async (_, bytes) => {
    const { hostname, port } = new URL(server.address);
    await Promise.all(
      Array.from({ length: 40 }, async () => {
        const socket = connect({ host: hostname, port: Number(port) });
        await once(socket, "connect");
        socket.write(bytes);
        socket.resetAndDestroy();
        await once(socket, "close");
      }),
    );
    const [answer] = await sendBytes(server.address, get("/healthz"));
    expect(answer?.status).toBe(200);
    expect(server.output()).not.toMatch(/ bug /);
  });
});

describe("a visitor whose connection is closed already", () => {
  it("has no address, whatever the headers say", () => {
    const headers = { "x-forwarded-for": "192.0.2.1" };
    const request = { socket: { remoteAddress: undefined }, headers } as unknown as IncomingMessage;
    expect(makeAddressOf(["loopback"])(request)).toBe("");
  });
});

describe("a bug in a handler", () => {
  it("is answered with a sentence, and nothing about where or why", async () => {
    const isReady = () => Promise.reject(new Error("syntax error at serve.ts:7"));
    const { app, log } = await makeIntake(database, { isReady });
    const answer = await app.fetch(new Request("http://localhost/readyz"));
    expect([answer.status, await answer.json()]).toEqual([
      500,
      {
        code: "XX000",
        message:
          "Something went wrong on our side. Your answers are still here: please try again in a minute.",
        details: null,
        hint: null,
      },
    ]);
    expect(log.mock.calls).toEqual([["bug", expect.objectContaining({ class: "Error", code: undefined })]]);
  });
});

describe("an odd address", () => {
  it.each<[string, number]>([
    ["//", 404],
    ["//elsewhere.example/", 404],
    ["/../../../../etc/passwd", 404],
    ["/%2e%2e/%2e%2e/package.json", 404],
    ["/assets/../../config.ts", 404],
    ["/assets/%2e%2e%2f%2e%2e%2fconfig.ts", 404],
    ["/assets/..%5c..%5cconfig.ts", 404],
    ["/assets/", 404],
    ["/.env", 404],
    ["/.git/config", 404],
    ["/serve.ts", 404],
    ["/%00", 404],
    ["/%", 404],
    ["/%zz%ff%fe", 404],
    ["/thank-you/", 404],
    ["/THANK-YOU", 404],
    ["/constructor", 404],
    ["/__proto__", 404],
    [`/${"a".repeat(15_000)}`, 404],
    ["/?%00=%ff&__proto__[x]=1", 200],
    ["http://elsewhere.example/", 200],
    ["http://elsewhere.example/rest/v1/leads", 401],
    ["/rest", 401],
    ["/rest/v1/%2e%2e/%2e%2e/", 200],
    ["/rest/v1/leads%00", 401],
    ["/rest/v1/__proto__", 401],
    ["/rest/v1/rpc/private.erase_leads", 401],
    ["/functions/v1/", 404],
    ["/functions/v1/constructor", 404],
    ["/functions/v1/submit-lead/../../../etc/passwd", 404],
  ])("%s is answered %i", async (target, status) => {
    const [answer] = await sendBytes(server.address, get(target));
    expect(answer?.status).toBe(status);
    expectAPlainAnswer(answer, isApi(target));
  });

  it("never becomes a header of the answer", async () => {
    const target = "/rest/v1/%0d%0aset-cookie:%20a=b%0d%0a";
    const [answer] = await sendBytes(
      server.address,
      get(target, `${key}origin: https://x%0d%0aset-cookie: a=b\r\n`),
    );
    expect(answer?.headers).not.toHaveProperty("set-cookie");
    expectAPlainAnswer(answer, true);
  });

  it("asked to become another protocol stays as it is", async () => {
    const lines = "host: x\r\nconnection: upgrade, close\r\nupgrade: websocket\r\nsec-websocket-key: x\r\n";
    const [answer] = await sendBytes(server.address, `GET /healthz HTTP/1.1\r\n${lines}\r\n`);
    expect(answer?.status).toBe(200);
  });
});

describe.each(paths)("%s", (path) => {
  it.each(methods)("answers %s", async (method) => {
    const bytes = `${method} ${path} HTTP/1.1\r\n${close}${key}content-length: 0\r\n\r\n`;
    const [answer] = await sendBytes(server.address, bytes);
    expectAPlainAnswer(answer, isApi(path), method);
    if (method === "HEAD") expect(answer?.body).toBe("");
  });
});
