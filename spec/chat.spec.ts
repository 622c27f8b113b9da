// The chat channel posts to a real HTTP server, in place of a webhook such as Slack's.
import { describe, expect, it } from "vitest";
import { makeChat } from "../delivery/channels/chat.ts";
import type { Delivery } from "../delivery/delivery.ts";
import { aDelivery } from "./support/a-delivery.ts";
import { answers, startReceiver } from "./support/receiver.ts";

const neverStops = new AbortController().signal;
const inbox = (id: string) => `https://inbox.example/leads/${id.slice(-8)}`;

/** The messages that a chat gets, one for each group of deliveries. */
async function post(groups: [Delivery, ...Delivery[]][], linkTo: (id: string) => string | undefined = inbox) {
  const receiver = await startReceiver(answers(200));
  const channel = makeChat({ url: receiver.url, linkTo });
  for (const deliveries of groups)
    expect(await channel.send(deliveries, neverStops)).toEqual({ kind: "delivered" });
  return receiver.received.map(({ body }) => JSON.parse(body));
}
const several = (count: number) =>
  Array.from({ length: count }, (_, i) => aDelivery({ leadId: `x-${10_000_000 + i}` })) as [
    Delivery,
    ...Delivery[],
  ];

describe("the chat channel", () => {
  it("posts that a lead is waiting, with the link to it and nothing else", async () => {
    expect(await post([[aDelivery()]])).toEqual([
      { text: "A lead is waiting: https://inbox.example/leads/3f9c2b1a" },
    ]);
  });

  it("names the reference where the team has no inbox", async () => {
    expect(await post([[aDelivery()]], () => undefined)).toEqual([
      { text: "A lead is waiting: reference 3f9c2b1a" },
    ]);
  });

  it("posts one message for deliveries sent together, and lists at most twenty leads of each event in it", async () => {
    const [few, many] = await post([several(2), several(50)]);
    expect(few?.text).toBe(
      "2 leads are waiting:\nhttps://inbox.example/leads/10000000\nhttps://inbox.example/leads/10000001",
    );
    expect(many?.text.split("\n")).toHaveLength(22);
    expect(many?.text).toMatch(/^50 leads are waiting:\n.*\nand 30 more$/s);
    const overdue = several(25).map((delivery) => ({ ...delivery, event: "lead.overdue" as const }));
    const [both] = await post([[...several(25), ...overdue]]);
    expect(both?.text.match(/^https:/gm)).toHaveLength(40);
    expect(both?.text.match(/^and 5 more$/gm)).toHaveLength(2);
  });

  it("says what to do about a withdrawn permission and an erased lead, and links to no lead that is gone", async () => {
    const gone = aDelivery({ event: "lead.erased", lead: null, permission: null });
    const [message] = await post([[aDelivery({ event: "permission.withdrawn" }), gone]]);
    expect(message?.text).toBe(
      `A permission was withdrawn: https://inbox.example/leads/3f9c2b1a
Do not phone, and take the number out of every call list.

A lead was erased: reference 3f9c2b1a
Remove every copy that was made elsewhere.`,
    );
  });

  it("says not to phone a person who has asked to stop before the message about the lead was sent", async () => {
    const { permission } = aDelivery();
    const withdrawn = permission && { ...permission, withdrawn_at: "2026-11-21T12:01:00.000Z" };
    const [message] = await post([
      [aDelivery({ permission: withdrawn }), aDelivery({ leadId: "x-0badcafe" })],
    ]);
    expect(message?.text).toBe(
      "2 leads are waiting:\nhttps://inbox.example/leads/3f9c2b1a (permission withdrawn: do not phone)\nhttps://inbox.example/leads/0badcafe",
    );
  });

  it("holds no personal word, whatever happened", async () => {
    const events = ["lead.created", "lead.overdue", "lead.erased", "permission.withdrawn", "test"] as const;
    const { lead, permission } = aDelivery();
    const words = [lead?.name, lead?.email, lead?.phone, lead?.zip_code, permission?.address].flatMap(
      (value) => value?.split(/[\s@()-]+/).filter((word) => word.length > 2) ?? [],
    );
    expect(words).toEqual(expect.arrayContaining(["Rosa", "Martinez", "555", "33101"]));
    const [message] = await post([events.map((event) => aDelivery({ event })) as [Delivery, ...Delivery[]]]);
    for (const word of [...words, "Medicare", "diabetes"]) expect(message?.text).not.toContain(word);
  });

  it("escapes what means something to the chat", async () => {
    const [message] = await post([[aDelivery()]], () => "https://inbox.example/<a>&b");
    expect(message?.text).toBe("A lead is waiting: https://inbox.example/&lt;a&gt;&amp;b");
  });

  it.each([
    [404, { kind: "transient", reason: "answered 404: check the address" }],
    [429, { kind: "transient", reason: "answered 429", askedToWait: 30 }],
    [410, { kind: "permanent", reason: "answered 410" }],
  ])("takes %i as the other channels do", async (status, outcome) => {
    const receiver = await startReceiver(answers(status, status === 429 ? { "retry-after": "30" } : {}));
    const channel = makeChat({ url: receiver.url, linkTo: inbox });
    expect(await channel.send([aDelivery()], neverStops)).toEqual(outcome);
  });

  it("asks for a pause of twenty seconds after each message, and for one message at a time", () => {
    expect(makeChat({ url: "https://chat.example", linkTo: inbox })).toMatchObject({
      cooldown: 20,
      concurrency: 1,
    });
  });
});
