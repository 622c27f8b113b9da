// The webhook channel: one signed POST for each delivery, as Standard Webhooks describes it. The receiver answers 2xx when it has
// the lead. 410 (gone) and 413 (too large) fail for good; any other answer is tried again. 400 and 422 refuse what a visitor
// typed, so the channel does not pause for them.
import { Webhook } from "standardwebhooks";
import type { Delivery } from "../delivery.ts";
import type { ChannelContext, ChannelDefinition, Transport } from "./channel.ts";
import { postJson } from "./post-json.ts";

export const webhook: ChannelDefinition = {
  name: "webhook",
  setting: "WEBHOOK_URL",
  make: ({ WEBHOOK_URL: url, WEBHOOK_SECRET: secret }, { linkTo }) =>
    url && secret ? makeWebhook({ url, secret, linkTo }) : undefined,
};

export interface WebhookSettings {
  /** Where to post; https, or http to this machine itself. */
  url: string;
  /** `whsec_` and base64: the key both sides know. */
  secret: string;
  linkTo?: ChannelContext["linkTo"];
}

/** Makes the channel. `timeout` in milliseconds is for the answer's head; `now` stamps the signature. */
export function makeWebhook(
  { url, secret, linkTo = () => undefined }: WebhookSettings,
  { timeout = 10_000, now = () => new Date() }: { timeout?: number; now?: () => Date } = {},
): Transport {
  const signer = new Webhook(secret);
  const send: Transport["send"] = async ([delivery], stop) => {
    const body = JSON.stringify(payloadOf(delivery, linkTo));
    const sentAt = now();
    const headers = {
      "webhook-id": delivery.id,
      "webhook-timestamp": String(Math.floor(sentAt.getTime() / 1000)),
      "webhook-signature": signer.sign(delivery.id, sentAt, body),
    };
    const receiver = "the webhook's server";
    return postJson({ url, body, headers, receiver, contentRefusals: [400, 422], timeout, now }, stop);
  };
  return { batch: 1, concurrency: 12, cooldown: 0, send };
}

/** What is posted: the same bytes on every attempt, unless the lead's permission or spam flags, the inbox's address, or whether the database knows the notice, changed. */
function payloadOf(delivery: Delivery, linkTo: ChannelContext["linkTo"]): object {
  const { event, owedAt, leadId, lead, permission, language, flags } = delivery;
  // `marks` is the wire name of the spam flags.
  const data =
    event === "lead.erased" || !lead
      ? { id: leadId }
      : { ...lead, permission, language, marks: flags, link: linkTo(leadId) };
  return { type: event, timestamp: owedAt.toISOString(), data };
}
