// The webhook channel: one signed POST a delivery, as Standard Webhooks describes it. The receiver says 2xx when it has
// the lead; anything else is tried again or, when the receiver means never, has failed.
import { Webhook } from "standardwebhooks";
import type { Delivery } from "../delivery.ts";
import { askedToWait, type Channel, type Outcome } from "./channel.ts";
import { codeOfCause, letGo, waitAskedFor } from "./http-response.ts";

export interface WebhookSettings {
  /** Where to post; https, or http to this machine itself. */
  url: string;
  /** `whsec_` and base64: the key both sides know. */
  secret: string;
}

/** Makes the channel. `timeout` in milliseconds is for the answer's head; `now` stamps the signature. */
export function makeWebhook(
  { url, secret }: WebhookSettings,
  { timeout = 10_000, now = () => new Date() }: { timeout?: number; now?: () => Date } = {},
): Channel {
  const signer = new Webhook(secret);
  const send: Channel["send"] = async ([delivery], stop) => {
    const body = JSON.stringify(payloadOf(delivery));
    const sentAt = now();
    const tooLate = AbortSignal.timeout(timeout);
    try {
      const response = await fetch(url, {
        method: "POST",
        headers: {
          "content-type": "application/json; charset=utf-8",
          "webhook-id": delivery.id,
          "webhook-timestamp": String(Math.floor(sentAt.getTime() / 1000)),
          "webhook-signature": signer.sign(delivery.id, sentAt, body),
        },
        body,
        // A lead goes where the provider said, and nowhere a receiver points to.
        redirect: "manual",
        signal: AbortSignal.any([stop, tooLate]),
      });
      await letGo(response);
      return outcomeOf(response, sentAt);
    } catch (error) {
      if (stop.aborted) return { kind: "not now", reason: "stopped while sending" };
      if (tooLate.aborted) return { kind: "not now", reason: `no answer within ${timeout / 1000} s` };
      return { kind: "not now", reason: `no connection (${codeOfCause(error)})` };
    }
  };
  return { name: "webhook", batch: 1, concurrency: 12, rest: 0, send };
}

/** What is posted: the same bytes on every try, unless the lead's permission changed between them. */
function payloadOf({ event, owedAt, leadId, lead, permission, marks }: Delivery): object {
  const data = event === "lead.erased" || !lead ? { id: leadId } : { ...lead, permission, marks };
  return { type: event, timestamp: owedAt.toISOString(), data };
}

function outcomeOf(response: Response, sentAt: Date): Outcome {
  const { status, ok } = response;
  if (ok) return { kind: "delivered" };
  // What another try may mend, although it is the client's fault by its number: too slow, too early, too often.
  const mayPass = status < 400 || status >= 500 || [408, 425, 429].includes(status);
  if (!mayPass) return { kind: "never", reason: `answered ${status}` };
  const wait = waitAskedFor(response.headers.get("retry-after"), sentAt);
  if (!wait) return { kind: "not now", reason: `answered ${status}` };
  return { kind: "not now", reason: `answered ${status}, ${askedToWait}`, askedToWait: wait };
}
