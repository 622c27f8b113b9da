// A delivery: one thing that happened to one lead, owed to one channel, with all that the channel tells of it.
import type { StoredLead } from "../lead/lead.ts";

export interface Delivery {
  /** Also the message's id on every try, so that a receiver can tell a repetition. */
  id: string;
  event: "lead.created" | "lead.overdue" | "lead.erased" | "permission.withdrawn";
  channel: string;
  leadId: string;
  /** When it was owed, which is when it happened. */
  owedAt: Date;
  /** Which try this is, counted from 1. It also says whose claim it is: a later one has another number. */
  attempt: number;
  /** Null when the lead was erased. */
  lead: StoredLead | null;
  permission: Permission | null;
  /** Why the lead looks like spam; most have none. */
  marks: string[];
}

/** What the visitor agreed to and in which circumstances. Times are ISO 8601. */
export interface Permission {
  notice: string | null;
  notice_hash: string | null;
  given_at: string;
  withdrawn_at: string | null;
  /** Whether the wording is known: "shown", "not known", or "not stated" by the page or program. */
  wording: "shown" | "not known" | "not stated";
  page_origin: string | null;
  page_path: string | null;
  address: string | null;
  browser: string | null;
  utm: Record<string, string> | null;
}
