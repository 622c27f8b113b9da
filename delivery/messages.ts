// Divides the deliveries that a dispatcher has claimed into the messages of its channel.
import { isLastAttempt } from "./backoff.ts";
import type { Delivery } from "./delivery.ts";

export interface Messages {
  /** The deliveries of each message. */
  messages: [Delivery, ...Delivery[]][];
  /** Deliveries that cannot be sent, each with the reason. */
  unsendable: [Delivery, reason: string][];
}

/** Puts up to `batch` deliveries into each message. */
export function messagesOf(deliveries: readonly Delivery[], batch: number): Messages {
  const sendable: Delivery[] = [];
  const unsendable: [Delivery, string][] = [];
  for (const delivery of deliveries) {
    const reason = whyUnsendable(delivery);
    if (reason) unsendable.push([delivery, reason]);
    else sendable.push(delivery);
  }
  return { messages: batchesOf(sendable, batch), unsendable };
}

function whyUnsendable({ attempt, abandonedAfter, event, lead }: Delivery): string | undefined {
  if (abandonedAfter !== undefined && isLastAttempt(attempt - 1, abandonedAfter))
    return "no result of the last attempt was recorded";
  if (!lead && event !== "lead.erased") return "the lead is gone";
  return undefined;
}

function batchesOf<T>(all: readonly T[], size: number): [T, ...T[]][] {
  const count = Math.ceil(all.length / size);
  return Array.from({ length: count }, (_, i) => all.slice(i * size, (i + 1) * size) as [T, ...T[]]);
}
