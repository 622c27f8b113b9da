// Passkeys that a program made up. Whoever reaches the inbox may send one, before anything is known of them.
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { makeDatabase } from "./support/database.ts";
import { type Answer, addPlaces, post, serveInbox } from "./support/inbox.ts";
import { type Attest, type CredentialOrder, makeCredential } from "./support/made-credential.ts";

const database = await makeDatabase();
await addPlaces(database);
const logged: string[] = [];
const inbox = await serveInbox(database, {}, { logged });
const maria = await inbox.member("Maria", "manager");
const folder = mkdtempSync(join(tmpdir(), "leads-attestation-"));
afterAll(() => rmSync(folder, { recursive: true }));
beforeEach(() => void logged.splice(0));

const tokenIn = (link: string) => link.split("#")[1] as string;
const invite = async (name: string) =>
  tokenIn((await maria.call("members/invite", { name, role: "member" })).body.link);
async function challengeToJoin(token: string): Promise<string> {
  const { body } = await post<{ options: { challenge: string } }>(inbox.url, "join/options", { token });
  return body.options.challenge;
}
async function joinWith(token: string, order: Partial<CredentialOrder> = {}): Promise<Answer<unknown>> {
  const challenge = await challengeToJoin(token);
  const { credential } = makeCredential({ origin: inbox.url, challenge, ...order });
  return post(inbox.url, "join/verify", { token, credential });
}

/** An attestation as a key of Android has it: a certificate of the key, which names where a list of revoked ones is, and its authority. */
const androidKey =
  (listAddress: string): Attest =>
  ({ publicKey, clientDataHash }) => {
    const inFolder = (name: string) => join(folder, name);
    const openssl = (...words: string[]) => execFileSync("openssl", words, { stdio: "pipe" });
    const description = Buffer.concat([
      Buffer.from("30340201030a01010201040a01010420", "hex"),
      clientDataHash,
      Buffer.from("040030003000", "hex"),
    ]);
    writeFileSync(inFolder("key.pem"), publicKey);
    writeFileSync(
      inFolder("extensions"),
      `1.3.6.1.4.1.11129.2.1.17=DER:${description.toString("hex")}\ncrlDistributionPoints=URI:${listAddress}\n`,
    );
    const key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
    const authority = ["-keyout", inFolder("ca.key"), "-out", inFolder("ca.pem"), "-days", "9"];
    openssl("req", "-x509", ...key, ...authority, "-subj", "/CN=A made-up authority");
    openssl(
      "req",
      "-new",
      ...key,
      "-keyout",
      inFolder("own.key"),
      "-out",
      inFolder("request.pem"),
      "-subj",
      "/CN=x",
    );
    const signing = [
      "-CA",
      inFolder("ca.pem"),
      "-CAkey",
      inFolder("ca.key"),
      "-CAcreateserial",
      "-days",
      "9",
    ];
    const own = ["-force_pubkey", inFolder("key.pem"), "-extfile", inFolder("extensions")];
    openssl("x509", "-req", "-in", inFolder("request.pem"), ...signing, ...own, "-out", inFolder("leaf.pem"));
    const der = (name: string) =>
      Uint8Array.from(
        Buffer.from(readFileSync(inFolder(name), "utf8").replace(/-----[^-]{1,40}-----/g, ""), "base64"),
      );
    const statement = new Map<string, unknown>([
      ["alg", -7],
      ["sig", new Uint8Array(70)],
      ["x5c", [der("leaf.pem"), der("ca.pem")]],
    ]);
    return { format: "android-key", statement };
  };

describe("a passkey that a program made up", () => {
  it("has the server ask no address that stands in it, and is taken without its attestation, which was not asked for", async () => {
    const asked: unknown[] = [];
    const server = createServer((request, response) => {
      asked.push(request.url);
      response.end();
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    onTestFinished(() => void server.close());
    const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/revoked`;
    const joined = await joinWith(await invite("Ann"), { attest: androidKey(address) });
    expect(asked).toEqual([]);
    expect(joined.status).toBe(200);
  });

  it.each(["fido-u2f", "packed", "android-safetynet", "apple", "tpm", "of no standard"])(
    "is taken alike whatever it states in the format %s",
    async (format) => {
      const statement = new Map<string, unknown>([["x5c", [new Uint8Array(9)]]]);
      const joined = await joinWith(await invite(`With ${format}`), {
        attest: () => ({ format, statement }),
      });
      expect(joined.status).toBe(200);
    },
  );

  it.each([
    ["no attestation", {}],
    ["an attestation that is no text", { attestationObject: 5 }],
    ["one that is no CBOR", { attestationObject: "AAAA" }],
    [
      "one that is nested a thousand times",
      { attestationObject: Buffer.alloc(1000, 0x81).toString("base64url") },
    ],
  ])("is refused with %s", async (_, response) => {
    const token = await invite(`Refused ${_}`);
    const { credential } = makeCredential({ origin: inbox.url, challenge: await challengeToJoin(token) });
    const odd = {
      ...credential,
      response: { ...(credential.response as object), attestationObject: undefined, ...response },
    };
    expect(await post(inbox.url, "join/verify", { token, credential: odd })).toMatchObject({
      status: 401,
      body: { error: "try again" },
    });
    expect(await post(inbox.url, "join/verify", { token, credential: { id: "x" } })).toMatchObject({
      status: 401,
    });
    expect(logged).not.toContain("bug");
  });

  it.each([
    ["a colleague's id", (known: Buffer) => known],
    ["an id of more than a thousand bytes", () => Buffer.alloc(1100, 7)],
  ])("is refused with %s, and uses the invitation up for nothing", async (_, idFrom) => {
    const known = Buffer.from(`known ${_}`);
    expect((await joinWith(await invite(`Colleague of ${_}`), { id: known })).status).toBe(200);
    const token = await invite(`Newcomer with ${_}`);
    expect(await joinWith(token, { id: idFrom(known) })).toMatchObject({
      status: 401,
      body: { error: "try again" },
    });
    expect(logged).not.toContain("bug");
    expect((await joinWith(token)).status).toBe(200);
  });
});
