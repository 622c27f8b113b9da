// What the doctor says of names and certificates, on servers with real TLS and certificates of an authority of the test's own.
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer as createHttp } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { createServer as createPlain } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { examineAddresses, examineCertificate } from "../doctor/addresses.ts";
import { makeDatabase } from "./support/database.ts";
import { serveInbox } from "./support/inbox.ts";

let folder: string;
let ca: string;
const inFolder = (name: string) => join(folder, name);
const openssl = (...words: string[]) => execFileSync("openssl", words, { stdio: "pipe" });

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "leads-certificates-"));
  const key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
  openssl(
    "req",
    "-x509",
    ...key,
    "-keyout",
    inFolder("ca.key"),
    "-out",
    inFolder("ca.pem"),
    "-subj",
    "/CN=Spec",
    "-days",
    "400",
  );
  openssl(
    "req",
    ...key,
    "-keyout",
    inFolder("key.pem"),
    "-out",
    inFolder("request.pem"),
    "-subj",
    "/CN=localhost",
  );
  ca = readFileSync(inFolder("ca.pem"), "utf8");
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Serves https with a certificate for a name that is valid for `days`, and returns the address. */
async function serve(days: number, name = "localhost"): Promise<string> {
  writeFileSync(inFolder("names"), `subjectAltName=DNS:${name}`);
  const authority = ["-CA", inFolder("ca.pem"), "-CAkey", inFolder("ca.key"), "-CAcreateserial"];
  const out = ["-days", String(days), "-extfile", inFolder("names"), "-out", inFolder("cert.pem")];
  openssl("x509", "-req", "-in", inFolder("request.pem"), ...authority, ...out);
  const files = { cert: readFileSync(inFolder("cert.pem")), key: readFileSync(inFolder("key.pem")) };
  const server = createServer(files, (_, response) => response.end()).listen(0, "localhost");
  await once(server, "listening");
  onTestFinished(() => {
    server.close();
  });
  return `https://localhost:${(server.address() as AddressInfo).port}`;
}

// An hour later than any certificate of this chapter is made.
const now = new Date(Date.now() + 3_600_000);
const inDays = (days: number) => new Date(now.getTime() + days * 86_400_000);
const says = async (origin: string, options: Parameters<typeof examineCertificate>[1] = { now, ca }) => {
  const [finding] = await examineCertificate(origin, options);
  return finding && `${finding.is}: ${finding.says}`;
};

describe("the doctor, of a certificate", () => {
  it("passes one that is good for two weeks or for a third of its time, and fails one that is not", async () => {
    expect(await says(await serve(60))).toBe("pass: The certificate of localhost is good for 59 days more.");
    expect(await says(await serve(60), { now: inDays(45), ca })).toContain("pass: ");
    expect(await says(await serve(60), { now: inDays(46), ca })).toBe(
      "fail: The certificate of localhost expires in 13 days.",
    );
    expect(await says(await serve(6))).toBe("pass: The certificate of localhost is good for 5 days more.");
    // A third of six days is two. The chapter's clock is an hour ahead.
    expect(await says(await serve(6), { now: inDays(3.8), ca })).toContain("pass: ");
    expect(await says(await serve(6), { now: inDays(4.1), ca })).toBe(
      "fail: The certificate of localhost expires in 1 day.",
    );
    expect(await says(await serve(2))).toBe("pass: The certificate of localhost is good for 1 day more.");
    expect(await says(await serve(1))).toBe(
      "pass: The certificate of localhost is good for less than a day more.",
    );
    expect(await says(await serve(6), { now: inDays(4.5), ca })).toBe(
      "fail: The certificate of localhost expires in 1 day.",
    );
    expect(await says(await serve(6), { now: inDays(5.5), ca })).toBe(
      "fail: The certificate of localhost expires in less than a day.",
    );
    expect(await says(await serve(2), { now: inDays(3), ca })).toBe(
      "fail: The certificate of localhost has expired.",
    );
  });

  it("fails one that is not trusted, and one for another name", async () => {
    expect(await says(await serve(60), { now })).toContain(
      "fail: Browsers do not trust the certificate of localhost (",
    );
    expect(await says(await serve(60, "other.example"))).toBe(
      "fail: The certificate at localhost is for another name.",
    );
  });

  it("fails a name that does not resolve, and a port without TLS", async () => {
    expect(await says("https://no-such-name.invalid")).toContain(
      "fail: The name no-such-name.invalid does not resolve (",
    );
    const plain = createPlain((socket) => socket.end("HTTP/1.1 400 Bad Request\r\n\r\n")).listen(
      0,
      "localhost",
    );
    await once(plain, "listening");
    const origin = `https://localhost:${(plain.address() as AddressInfo).port}`;
    expect(await says(origin)).toContain(`fail: There is no TLS at ${origin} (`);
    plain.close();
    expect(await says(origin)).toContain("(ECONNREFUSED).");
  });

  it("says nothing of an address without TLS", async () => {
    expect(await says("http://localhost:1")).toBeUndefined();
  });
});

describe("the doctor, of the inbox's address", () => {
  it("says whether the inbox is there", async () => {
    const { url } = await serveInbox(await makeDatabase());
    const examined = (inbox: string) => examineAddresses({ url, site: url, key: "", inbox }, now);
    expect(await examined(url)).toEqual([{ is: "pass", says: "The team's inbox is there." }]);
    const site = await serve(60);
    expect((await examined(site)).at(-1)?.says).toContain(`The team's inbox is not at ${site} (no answer: `);
    const other = createHttp((_, response) => response.end("<title>Leads</title>")).listen(0, "localhost");
    await once(other, "listening");
    onTestFinished(() => void other.close());
    const elsewhere = `http://localhost:${(other.address() as AddressInfo).port}`;
    expect((await examined(elsewhere)).at(-1)?.says).toBe(`The team's inbox is not at ${elsewhere} (200).`);
  });
});
