// How many leads and deliveries there are and how they stand, for the team's status, the daily line of the log, and the doctor.
import type { Sql } from "../database/connect.ts";
import type { Delivery } from "./delivery.ts";
import { type At, momentSql } from "./outbox.ts";

/** How the leads stand. Every accepted lead is stored or was erased. */
export interface LeadCounts {
  stored: number;
  /** How many of the stored leads came in the last 24 hours. */
  lastDay: number;
  erased: number;
  /** Neither reviewed nor withdrawn: what `leads list --due` lists. */
  unreviewed: number;
  /** Those of `unreviewed` that are older than the 24 hours promised. */
  overdue: number;
  /** Those of `unreviewed` that are owed to no channel, so that the team was not notified. */
  untold: number;
  /** Stored leads owed to no channel, reviewed or not: none was set up when they came, or theirs were retired before taking a message. */
  owedToNoChannel: number;
}

/** Reads how many leads there are of each kind. SQL adds up tallies and reads only the few leads that these do not cover. */
export async function readLeadCounts(sql: Sql): Promise<LeadCounts> {
  const [counts] = await sql<LeadCounts[]>`
    select stored::int, last_day::int as "lastDay", erased::int, waiting::int as unreviewed, overdue::int, untold::int,
      unowed::int as "owedToNoChannel"
    from private.lead_counts()`;
  return counts as LeadCounts;
}

/** How a channel stands. */
export interface ChannelCount {
  channel: Delivery["channel"];
  enabled: boolean;
  /** Given up by the operator: what was pending on it is settled, and counts neither as failed nor as stuck. */
  retired: boolean;
  delivered: number;
  pending: number;
  /** When the oldest pending delivery was owed. */
  oldestPending: Date | null;
  failed: number;
  /** Pending, and owed for more than 15 minutes, whenever the next attempt is due. A failed delivery is not among them. */
  stuck: number;
  /** Why the latest failed attempt failed, in our words. Null where no delivery has failed and none waits after a failed attempt. */
  lastError: string | null;
  /** When that attempt failed. */
  lastErrorAt: Date | null;
}

/** Counts the deliveries of each channel as they stand now. `at` is only the moment at which `stuck` is decided, by default now. */
export async function countDeliveries(sql: Sql, at?: At): Promise<ChannelCount[]> {
  return sql<ChannelCount[]>`
    select channel, is_enabled as enabled, is_retired as retired, delivered::int, pending::int,
      oldest_pending as "oldestPending", failed::int, stuck::int, last_error as "lastError", last_error_at as "lastErrorAt"
    from private.delivery_counts(${momentSql(sql, at)})`;
}
