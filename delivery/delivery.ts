// A delivery: one event of one lead, owed to one channel, with everything that the channel's message may hold.
import type { StoredLead } from "../lead/lead.ts";

export interface Delivery {
  /** Also the message's id on every attempt, so that a receiver can tell a repetition. */
  id: string;
  /** "test" is what `leads test` sends; it is never stored. */
  event: "lead.created" | "lead.overdue" | "lead.erased" | "permission.withdrawn" | "test";
  channel: string;
  leadId: string;
  /** When it was enqueued: when the event happened, or later where no channel took it then (missed deliveries, `leads retry`). */
  owedAt: Date;
  /** Seconds since `owedAt`, by the database's clock. */
  owedFor: number;
  /** Seconds it had been owed when the attempt before began; set only where that attempt recorded no result. */
  abandonedAfter?: number | undefined;
  /** Which attempt this is, counted from 1, and from 1 again when a failed delivery is retried. */
  attempt: number;
  /** When the lease of this claim ends, as PostgreSQL writes it. It tells one claim of the delivery from the next. Null: "test". */
  claimedUntil: string | null;
  /** Null when the lead was erased. */
  lead: StoredLead | null;
  permission: Permission | null;
  /** The language that the person read, by the notice that was shown, such as "es". Null: not known. */
  language: string | null;
  /** Why the lead looks like spam; most have no flag. */
  flags: string[];
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
