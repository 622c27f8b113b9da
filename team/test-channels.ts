// Sends a marked message down a channel, so that the operator sees whether it works before a lead depends on it.
import { randomUUID } from "node:crypto";
import type { Channel, Outcome } from "../delivery/channels/channel.ts";
import type { Delivery } from "../delivery/delivery.ts";
import { sendSafely } from "../delivery/sender.ts";
import type { Log } from "../log/log.ts";

/** What a channel answered to the test message. */
export interface Tested {
  channel: string;
  outcome: Outcome;
}

/** Sends one test message down each channel, all at once. Nothing is stored and no delivery is owed. Never rejects. */
export const testChannels = (
  channels: readonly Channel[],
  signal: AbortSignal,
  log: Log,
): Promise<Tested[]> =>
  Promise.all(
    channels.map(async (channel) => ({
      channel: channel.name,
      outcome: await sendSafely(channel, [makeTestDelivery(channel.name, new Date())], signal, log),
    })),
  );

const makeTestDelivery = (channel: string, now: Date): Delivery => {
  const leadId = randomUUID();
  return {
    id: randomUUID(),
    event: "test",
    channel,
    leadId,
    owedAt: now,
    owedFor: 0,
    attempt: 1,
    claimedUntil: null,
    lead: {
      id: leadId,
      created_at: now.toISOString(),
      name: "TEST of `leads test` - please ignore",
      email: "test@test.invalid",
      phone: "000 000 0000",
      zip_code: "00000",
      has_medicare: false,
      has_diabetes: false,
    },
    permission: null,
    language: null,
    flags: ["test"],
  };
};
