// What the team reads when a channel cannot reach its server: one sentence of ours that tells the causes apart. The servers are
// real, each wrong in its own way, and the same words hold for mail servers, mail APIs, webhooks and chats.
import { readFileSync } from "node:fs";
import { createServer as createHttps } from "node:https";
import { type AddressInfo, createServer, type Server } from "node:net";
import { createServer as createTls } from "node:tls";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Outcome } from "../delivery/channels/channel.ts";
import { makeChat } from "../delivery/channels/chat.ts";
import { makeMailApi } from "../delivery/channels/mail-api.ts";
import { makeSmtp } from "../delivery/channels/smtp.ts";
import { makeWebhook } from "../delivery/channels/webhook.ts";
import { aDelivery } from "./support/a-delivery.ts";
import { freePort } from "./support/free-port.ts";
import { refusal, startMailServer } from "./support/mail-server.ts";
import { startReceiver } from "./support/receiver.ts";

const neverStops = new AbortController().signal;
const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const file = (name: string) => readFileSync(new URL(`support/certificates/${name}`, import.meta.url));
const certificate = { key: file("self-signed.key"), cert: file("self-signed.pem") };

/** The reasons that each kind of HTTP channel gives for an address. */
async function reasonsFor(url: string): Promise<string[]> {
  const outcomes = [
    await makeWebhook({ url, secret }).send([aDelivery()], neverStops),
    await makeChat({ url, linkTo: () => undefined }).send([aDelivery()], neverStops),
    await makeMailApi("re_key", url)(mail, neverStops),
  ];
  return outcomes.map(reasonOf);
}
const mail = {
  from: "leads@a.example",
  to: ["team@a.example"],
  messageId: "<1@a.example>",
  subject: "A lead is waiting",
  text: "A lead is waiting.",
  html: "",
};
const smtpReason = async (url: string, options = {}) =>
  reasonOf(await makeSmtp(url, options)(mail, neverStops));
function reasonOf(outcome: Outcome): string {
  expect(outcome.kind).toBe("transient");
  return "reason" in outcome ? outcome.reason : "";
}
async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  server.on("tlsClientError", () => {});
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

describe("a mail server that cannot be used, or is slow", () => {
  it("is said to have a certificate that is not trusted, with TLS from the first byte and with STARTTLS", async () => {
    const tls = await startMailServer({ secure: true, ...certificate });
    const startTls = await startMailServer({ ...certificate, disabledCommands: [] });
    for (const url of [`smtps://127.0.0.1:${tls.port}`, startTls.url]) {
      expect(await smtpReason(url)).toMatch(
        /^the mail server's certificate is not trusted: .* \(DEPTH_ZERO_SELF_SIGNED_CERT\)$/,
      );
    }
  });

  it("is said to refuse the connection", async () => {
    expect(await smtpReason(`smtp://127.0.0.1:${await freePort()}`)).toBe(
      "the mail server refuses the connection: nothing listens at this address and port (ECONNREFUSED)",
    );
  });

  it("is said to have a name that does not resolve", async () => {
    expect(await smtpReason("smtp://mail.invalid")).toMatch(
      /^the mail server's name does not resolve: check its spelling in the settings \([A-Z_]+\)$/,
    );
  });

  it("is said to speak no TLS at this port, when the setting says smtps:// and the server expects smtp://", async () => {
    const plain = await startMailServer();
    expect(await smtpReason(`smtps://127.0.0.1:${plain.port}`)).toMatch(
      /^the mail server speaks no TLS at this port: check the port, and whether the address should begin without the s \([A-Z_]+\)$/,
    );
  });

  it("is said to want TLS from the first byte, when the setting says smtp:// and the server expects smtps://", async () => {
    const tls = await startMailServer({ secure: true, ...certificate });
    expect(await smtpReason(`smtp://127.0.0.1:${tls.port}`, { greeting: 300 })).toBe(
      "the mail server takes the connection and says nothing: at this port it may want TLS from the first byte (smtps://) (GREETING_TIMEOUT)",
    );
  });

  it("is said not to complete TLS, when it offers that and then falls silent", async () => {
    const port = await listen(
      createServer((socket) => {
        socket.write("220 mail.example\r\n");
        socket
          .on("error", () => {})
          .on("data", (line) => {
            if (String(line).startsWith("EHLO")) socket.write("250-mail.example\r\n250 STARTTLS\r\n");
            else if (String(line).startsWith("STARTTLS")) socket.write("220 Go ahead\r\n");
          });
      }),
    );
    expect(await smtpReason(`smtp://127.0.0.1:${port}`, { connect: 200, greeting: 300 })).toBe(
      "the mail server offers TLS and does not complete it: check its TLS, and any firewall in between (UPGRADE_TIMEOUT)",
    );
  });

  it("is waited for where it greets late on purpose, longer than a connect may take", async () => {
    const server = await startMailServer({ onConnect: (_, done) => void setTimeout(done, 600) });
    const outcome = await makeSmtp(server.url, { connect: 300, greeting: 20_000 })(mail, neverStops);
    expect(outcome).toMatchObject({ kind: "delivered" });
  });

  it("is said to refuse the user or the password, without the server's words, which may quote a person", async () => {
    const refusing = await startMailServer({
      onAuth: (_, __, done) => done(refusal(535, "Rosa")),
      authOptional: false,
      allowInsecureAuth: true,
    });
    expect(await smtpReason(`smtp://leads:wrong@127.0.0.1:${refusing.port}`)).toBe(
      "the mail server answered 535 to AUTH PLAIN: check the user and the password",
    );
  });
});

describe("an HTTP receiver that cannot be used", () => {
  const servers = ["the webhook's server", "the chat's server", "the mail API"];

  it("is said to have a certificate that is not trusted", async () => {
    const port = await listen(createHttps(certificate));
    const reasons = await reasonsFor(`https://127.0.0.1:${port}`);
    for (const [index, reason] of reasons.entries()) {
      expect(reason).toMatch(/'s certificate is not trusted: .{0,300} \(DEPTH_ZERO_SELF_SIGNED_CERT\)$/);
      expect(reason.startsWith(servers[index] as string)).toBe(true);
    }
  });

  it("is said to refuse TLS as it is spoken here, when it wants a client certificate or has none of its own", async () => {
    const refusals = [
      createHttps({ ...certificate, requestCert: true, rejectUnauthorized: true, maxVersion: "TLSv1.2" }),
      createTls({}),
    ];
    for (const server of refusals) {
      for (const reason of await reasonsFor(`https://127.0.0.1:${await listen(server)}`))
        expect(reason).toMatch(
          / refuses TLS as this program speaks it: .{0,300} \(ERR_SSL_[A-Z0-9_/]{1,80}\)$/,
        );
    }
  });

  it("is said to refuse the connection", async () => {
    for (const reason of await reasonsFor(`http://127.0.0.1:${await freePort()}`)) {
      expect(reason).toContain(
        " refuses the connection: nothing listens at this address and port (ECONNREFUSED)",
      );
    }
  });

  it("is said to have a name that does not resolve", async () => {
    for (const reason of await reasonsFor("https://receiver.invalid")) {
      expect(reason).toMatch(/'s name does not resolve: check its spelling in the settings \([A-Z_]+\)$/);
    }
  });

  it("is said to speak no TLS at this port, when the setting says https:// and the server expects http://", async () => {
    const receiver = await startReceiver();
    for (const reason of await reasonsFor(receiver.url.replace("http:", "https:"))) {
      expect(reason).toMatch(/ speaks no TLS at this port: check the port, .{0,300} \([A-Z_]{1,60}\)$/);
    }
  });

  it("is said to close the connection and perhaps to want TLS, when the setting says http:// and the server expects https://", async () => {
    const port = await listen(createTls(certificate));
    for (const reason of await reasonsFor(`http://127.0.0.1:${port}`)) {
      expect(reason).toMatch(
        / closed the connection before it answered: .{0,300} whether it wants TLS .{0,300} \([A-Z_]{1,60}\)$/,
      );
    }
  });
});
