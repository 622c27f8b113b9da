// A lead as the team meets it in lists and exports: what was typed, and what has happened since.
import type { TransactionSql } from "postgres";
import type { Sql } from "../database/connect.ts";
import { fields, type StoredLead } from "../lead/lead.ts";

/** A stored lead with its state. */
export interface LeadRow extends Omit<StoredLead, "created_at"> {
  created_at: Date;
  /** When the person withdrew the permission. */
  withdrawn_at: Date | null;
  /** When the team first reviewed it. */
  reviewed_at: Date | null;
  outcome: string | null;
  /** The spam flags; empty for most. The name is the one of JSON and CSV. */
  marks: string[];
}

/** What a query selects for a LeadRow, from leads l, permissions p, reviews r and lead_work w. */
export const selectLeadRow = (sql: Sql | TransactionSql) => sql`
  ${sql(["id", "created_at", ...fields.map(({ name }) => name)].map((name) => `l.${name}`))},
  p.withdrawn_at, r.reviewed_at, r.outcome, coalesce(w.flags, '{}') as marks`;

/** By when a lead is promised to be reviewed (specification 2: within 24 hours). */
export const reviewBy = (created: Date): Date => new Date(created.getTime() + 24 * 60 * 60_000);
