// The leads as the team meets them, with what has happened since: for lists and exports alike. Read as one snapshot
// and page by page, so that a hundred thousand leads take no more memory than a hundred.
import type postgres from "postgres";
import type { Sql } from "../database/connect.ts";
import { oneMoment, transaction } from "../database/transaction.ts";
import { fields, type StoredLead } from "../lead/lead.ts";

/** A stored lead and its fate. */
export interface LeadRow extends Omit<StoredLead, "created_at"> {
  created_at: Date;
  /** When the person withdrew the permission. */
  withdrawn_at: Date | null;
  reviewed_at: Date | null;
  outcome: string | null;
  /** Why it looks like spam; empty when it does not. */
  marks: string[];
}

export interface Which {
  id?: string | undefined;
  since?: Date | undefined;
  /** Only those that nobody has reviewed, the one with the least time left first. */
  due?: boolean | undefined;
  /** Only those that look like spam. */
  suspect?: boolean | undefined;
  limit?: number | undefined;
}

/** By when a lead is promised to be reviewed (specification 2: within 24 hours). */
export const reviewBy = (created: Date): Date => new Date(created.getTime() + 24 * 60 * 60_000);

const pageSize = 500;

/**
 * Hands the leads asked for to `take`, a page at a time: those whose permission was withdrawn first, whatever the
 * order, so that nobody phones them unawares; then the newest first, or with `due` the oldest.
 */
export async function readLeads(
  sql: Sql,
  which: Which,
  take: (page: LeadRow[]) => Promise<void>,
): Promise<void> {
  const read = async (tx: postgres.TransactionSql) => {
    let room = which.limit ?? Number.POSITIVE_INFINITY;
    for (const withdrawn of [true, false]) {
      const query = tx<LeadRow[]>`
        select ${tx(["id", "created_at", ...fields.map(({ name }) => name)].map((name) => `l.${name}`))},
          p.withdrawn_at, r.reviewed_at, r.outcome,
          coalesce(w.flags, '{}') as marks
        from public.leads l
        join private.permissions p on p.lead_id = l.id
        left join private.lead_work w on w.lead_id = l.id
        left join private.reviews r on r.lead_id = l.id
        where p.withdrawn_at is ${withdrawn ? tx`not null` : tx`null`}
        ${which.id ? tx`and l.id = ${which.id}` : tx``}
        ${which.since ? tx`and l.created_at >= ${which.since}` : tx``}
        ${which.due ? tx`and r.lead_id is null` : tx``}
        ${which.suspect ? tx`and w.flags <> '{}'` : tx``}
        order by ${which.due ? tx`l.created_at, l.id` : tx`l.created_at desc, l.id desc`}
        limit ${Number.isFinite(room) ? room : null}`;
      for await (const page of query.cursor(pageSize)) {
        room -= page.length;
        await take(page);
      }
    }
  };
  await transaction(sql, read, oneMoment);
}
