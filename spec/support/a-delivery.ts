// A delivery as the outbox gives it out, for tests that need no database, and the claim to which its result belongs.
import type { Delivery } from "../../delivery/delivery.ts";
import { aLead } from "./database.ts";

const leadId = "01a1fcd7-0000-7000-8000-00003f9c2b1a";

/** A delivery, with the differences that a test wants. */
export const aDelivery = (differences: Partial<Delivery> = {}): Delivery => ({
  id: "0b8f6a52-7d6b-4c58-9a4f-0f9a3a1f7c11",
  event: "lead.created",
  channel: "webhook",
  leadId,
  owedAt: new Date("2026-11-21T11:59:58Z"),
  owedFor: 2,
  attempt: 1,
  claimedUntil: "2026-11-21 12:01:00+00",
  lead: { id: leadId, created_at: "2026-11-21T11:59:58.000Z", ...aLead() } as Delivery["lead"],
  permission: {
    notice: "You may call me.",
    notice_hash: "ab12",
    wording: "shown",
    given_at: "2026-11-21T11:59:58.000Z",
    withdrawn_at: null,
    page_origin: "https://site.example",
    page_path: "/",
    address: "192.0.2.7",
    browser: "A browser",
    utm: { utm_source: "news" },
  },
  language: null,
  flags: [],
  ...differences,
});

/** The claim that a result belongs to. */
export function claimOf(delivery: Delivery | undefined) {
  if (!delivery) throw new Error("Nothing was claimed.");
  const { leadId, channel, event, claimedUntil } = delivery;
  return { leadId, channel, event, claimedUntil };
}
