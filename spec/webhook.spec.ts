// The webhook as a provider's receiver meets it: a real HTTP server and the Standard Webhooks library on its side.
import { createServer } from "node:net";
import { Webhook } from "standardwebhooks";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { waitAskedFor } from "../delivery/channels/http-response.ts";
import { makeWebhook } from "../delivery/channels/webhook.ts";
import { aDelivery } from "./support/a-delivery.ts";
import { answers, startReceiver } from "./support/receiver.ts";

const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const now = new Date("2026-11-21T12:00:00Z");
const neverStops = new AbortController().signal;

const sendTo = (url: string, delivery = aDelivery(), options = {}) =>
  makeWebhook({ url, secret }, { now: () => new Date(), ...options }).send([delivery], neverStops);

describe("the webhook", () => {
  it("posts the lead with its permission, signed so that the receiver's library accepts it", async () => {
    const receiver = await startReceiver();
    expect(await sendTo(receiver.url)).toEqual({ kind: "delivered" });
    const [request] = receiver.received;
    expect(request?.method).toBe("POST");
    expect(request?.headers["content-type"]).toBe("application/json; charset=utf-8");
    const { lead, permission } = aDelivery();
    expect(
      new Webhook(secret).verify(request?.body ?? "", request?.headers as Record<string, string>),
    ).toEqual({
      type: "lead.created",
      timestamp: "2026-11-21T11:59:58.000Z",
      data: { ...lead, permission, language: null, marks: [] },
    });
  });

  it("has the delivery's id as its webhook-id on every attempt", async () => {
    const receiver = await startReceiver(answers(500));
    await sendTo(receiver.url);
    receiver.answer = answers(200);
    await sendTo(receiver.url, aDelivery({ attempt: 2 }));
    expect(receiver.received.map((r) => r.headers["webhook-id"])).toEqual([aDelivery().id, aDelivery().id]);
    expect(receiver.received[0]?.body).toBe(receiver.received[1]?.body);
  });

  it("sends an overdue lead and a withdrawn permission alike, and an erased lead by its id alone", async () => {
    const receiver = await startReceiver();
    for (const event of ["lead.overdue", "permission.withdrawn", "lead.erased"] as const) {
      await sendTo(receiver.url, aDelivery({ event }));
    }
    expect(receiver.received.map((r) => [r.json.type, Object.keys(r.json.data).length])).toEqual([
      ["lead.overdue", 11],
      ["permission.withdrawn", 11],
      ["lead.erased", 1],
    ]);
    expect(receiver.received.at(-1)?.json.data).toEqual({ id: aDelivery().leadId });
  });

  it("says in which language the person reads", async () => {
    const receiver = await startReceiver();
    await sendTo(receiver.url, aDelivery({ language: "es" }));
    expect(receiver.received[0]?.json.data.language).toBe("es");
  });

  it.each([200, 201, 202, 204, 299])("takes %i for delivered", async (status) => {
    const receiver = await startReceiver(answers(status));
    expect(await sendTo(receiver.url)).toEqual({ kind: "delivered" });
  });

  it.each([410, 413])("takes %i for a permanent failure", async (status) => {
    const receiver = await startReceiver(answers(status));
    expect(await sendTo(receiver.url)).toEqual({
      kind: "permanent",
      reason: `answered ${status}`,
      ...(status === 413 && { mayPassDivided: true }),
    });
  });

  it.each([400, 422])("tries again after %i, which refuses that lead and not the channel", async (status) => {
    const receiver = await startReceiver(answers(status));
    expect(await sendTo(receiver.url)).toEqual({
      kind: "transient",
      reason: `answered ${status}`,
      isRefusedContent: true,
    });
  });

  it.each([408, 425, 429, 500, 502, 503, 504])("tries again after %i", async (status) => {
    const receiver = await startReceiver(answers(status));
    expect(await sendTo(receiver.url)).toEqual({ kind: "transient", reason: `answered ${status}` });
  });

  it.each([
    [401, "answered 401: check the secret or the key"],
    [403, "answered 403: check the secret or the key, and any firewall in between"],
    [404, "answered 404: check the address"],
  ])("tries again after %i, because people can fix it, and says what to check", async (status, reason) => {
    const receiver = await startReceiver(answers(status));
    expect(await sendTo(receiver.url)).toEqual({ kind: "transient", reason });
  });

  it("holds a link to the lead when the team has an inbox, and none to a lead that was erased", async () => {
    const receiver = await startReceiver();
    const linkTo = (id: string) => `https://inbox.example/leads/${id.slice(-8)}`;
    const channel = makeWebhook({ url: receiver.url, secret, linkTo });
    await channel.send([aDelivery()], neverStops);
    await channel.send([aDelivery({ event: "lead.erased" })], neverStops);
    expect(receiver.received.map(({ json }) => json.data.link)).toEqual([
      "https://inbox.example/leads/3f9c2b1a",
      undefined,
    ]);
  });

  it("follows no redirect, so that no lead is sent to another address than the one that was set", async () => {
    const elsewhere = await startReceiver();
    for (const status of [301, 302, 303, 307, 308]) {
      const receiver = await startReceiver(answers(status, { location: elsewhere.url }));
      expect(await sendTo(receiver.url)).toEqual({
        kind: "transient",
        reason: `answered ${status}: it points elsewhere, where no lead is sent`,
      });
    }
    expect(elsewhere.received).toEqual([]);
  });

  it("says how long a receiver asks to wait, in seconds or until a date", async () => {
    const receiver = await startReceiver(answers(503, { "retry-after": "120" }));
    expect(await sendTo(receiver.url)).toEqual({
      kind: "transient",
      reason: "answered 503",
      askedToWait: 120,
    });
    expect(waitAskedFor("Sat, 21 Nov 2026 12:02:00 GMT", now)).toBe(120);
    // The oldest of the three forms of a date names no zone, and is in GMT (RFC 9110, 5.6.7).
    vi.stubEnv("TZ", "America/New_York");
    onTestFinished(() => void vi.unstubAllEnvs());
    expect(waitAskedFor("Sat Nov 21 12:02:00 2026", now)).toBe(120);
    for (const nothing of [null, "", "0", "soon", "-5", "Sat, 21 Nov 2026 11:00:00 GMT"]) {
      expect(waitAskedFor(nothing, now)).toBeUndefined();
    }
  });

  it("tries again when nothing listens", async () => {
    const receiver = await startReceiver();
    await receiver.close();
    expect(await sendTo(receiver.url)).toEqual({
      kind: "transient",
      reason:
        "the webhook's server refuses the connection: nothing listens at this address and port (ECONNREFUSED)",
    });
    await receiver.open();
  });

  it("tries again when no answer comes in time", async () => {
    const receiver = await startReceiver(() => {});
    expect(await sendTo(receiver.url, aDelivery(), { timeout: 50 })).toEqual({
      kind: "transient",
      reason: "no answer within 0.05 s",
    });
  });

  it("tries again when the receiver closes the connection before or in the middle of its answer's head", async () => {
    for (const words of ["", "HTTP/1.1 20"]) {
      const server = createServer((socket) => socket.once("data", () => socket.end(words)));
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
      onTestFinished(() => void server.close());
      const { port } = server.address() as { port: number };
      expect(await sendTo(`http://127.0.0.1:${port}/`)).toMatchObject({
        kind: "transient",
        reason: expect.stringMatching(
          /^the webhook's server closed the connection before it answered: .* \([A-Z_]{1,60}\)$/,
        ),
      });
    }
  });

  it("takes a 2xx for delivered, also when its body is cut off or never ends", async () => {
    const breaking = await startReceiver((response) => {
      response.writeHead(200, { "content-length": "1000" }).write("a", () => response.destroy());
    });
    expect(await sendTo(breaking.url)).toEqual({ kind: "delivered" });
    const endless = await startReceiver((response) => response.writeHead(200).write("a"));
    expect(await sendTo(endless.url)).toEqual({ kind: "delivered" });
  });

  it("aborts its request when the dispatcher aborts", async () => {
    const stop = new AbortController();
    const receiver = await startReceiver(() => stop.abort());
    const outcome = await makeWebhook({ url: receiver.url, secret }).send([aDelivery()], stop.signal);
    expect(outcome).toEqual({ kind: "transient", reason: "stopped while sending" });
  });
});
