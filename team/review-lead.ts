// Records that the team has reviewed a lead's eligibility, which the thank-you page promises within 24 hours.
import type { TransactionSql } from "postgres";
import type { Sql } from "../database/connect.ts";
import { retryDeadlock } from "../database/retry-transaction.ts";
import { transaction } from "../database/transaction.ts";
import { codeOf } from "../log/log.ts";
import { auditOperator } from "./audit-operator.ts";
import { erasedMeanwhile, Refusal } from "./refusal.ts";

/** Characters of an outcome. */
export const maxOutcomeLength = 1_000;

/** The team's work on a lead before a review. It has a tried_at and an outcome where a member tried to reach the person. */
export type WorkBefore =
  | { stage: "open" | "closed"; tried_at: Date | null; outcome: string | null }
  | { stage: "callback"; callback_at: Date };

const untried: WorkBefore = { stage: "open", tried_at: null, outcome: null };

/**
 * Records the review, which ends the work on an open lead and leaves an agreed callback. Returns the work that there was. A second one may correct the outcome, and without an outcome it keeps the earlier one; the time stays that of the
 * first, because it shows whether the promise was kept. A member who then takes their outcome back does not take this review back.
 * @throws Refusal when the lead was erased meanwhile, and when the outcome holds what looks like a Medicare number.
 */
export async function reviewLead(sql: Sql, id: string, outcome: string | undefined): Promise<WorkBefore> {
  const [found] = await sql<{ holds_number: boolean | null }[]>`
    select private.holds_medicare_number(${outcome ?? null}) as holds_number`;
  if (found?.holds_number)
    throw new Refusal(
      "The outcome holds what looks like a Medicare number, which is kept nowhere. Nothing was recorded.",
    );
  const record = async (tx: TransactionSql) => {
    // First, as team.record_outcome does.
    await tx`select private.lock_leads(array[${id}]::uuid[])`;
    // A lead of the last moments has no row yet.
    const [before = untried] = await tx<WorkBefore[]>`
      select w.stage, w.tried_at, w.outcome, w.callback_at from private.lead_work w where w.lead_id = ${id}`;
    await tx`
      with reviewed as (
        insert into private.reviews (lead_id, outcome) values (${id}, ${outcome ?? null})
        on conflict (lead_id) do update
          set outcome = coalesce(excluded.outcome, private.reviews.outcome), outcome_id = null
        returning lead_id
      )
      -- A review by command ends the work on an open lead, also after a member's attempt, which counts as its first review.
      update private.lead_work w set stage = 'closed' from reviewed r where w.lead_id = r.lead_id and w.stage = 'open'`;
    await tx`select private.notify_inbox_of_leads(array[${id}]::uuid[])`;
    await auditOperator(tx, "reviewed lead", [id]);
    return before;
  };
  return retryDeadlock(() => transaction(sql, record)).catch((error) => {
    throw codeOf(error) === "23503" ? erasedMeanwhile(id) : error;
  });
}
