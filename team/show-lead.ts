// One lead: what was typed, what was agreed to, who was told, and what the team did.
import type { Sql } from "../database/connect.ts";
import { type DeliveryState, deliveriesOf } from "../delivery/outbox.ts";
import { type LeadRow, selectLeadRow } from "./lead-row.ts";
import type { CallLogEntry } from "./managing.ts";

/** What the visitor agreed to, and the circumstances as the request stated them. */
export interface PermissionDetails {
  given_at: Date;
  withdrawn_at: Date | null;
  page_origin: string | null;
  page_path: string | null;
  address: string | null;
  browser: string | null;
  utm: Record<string, string> | null;
  /** The variant of the article, when an experiment ran. */
  variant: string | null;
  /** Whether the database holds the wording that the page said it showed; "not stated" when the page said none. */
  wording: "shown" | "not known" | "not stated";
  notice_hash: string | null;
  notice_text: string | null;
  notice_language: string | null;
}

export interface LeadDetails {
  lead: LeadRow;
  permission: PermissionDetails;
  /** In the order they were owed. */
  deliveries: DeliveryState[];
  /** The oldest first. */
  calls: CallLogEntry[];
  /** The newest first. */
  eligibility_checks: EligibilityCheck[];
}

/** What a member wrote down in the inbox, and what it means for Medicare. */
export interface EligibilityCheck {
  at: string;
  member: { name: string };
  answers: Record<string, unknown>;
  result: string;
  reasons: string[];
}

/** Returns undefined when there is no such lead. */
export async function showLead(sql: Sql, id: string): Promise<LeadDetails | undefined> {
  const [lead] = await sql<LeadRow[]>`
    select ${selectLeadRow(sql)}
    from public.leads l
    join private.permissions p on p.lead_id = l.id
    left join private.lead_work w on w.lead_id = l.id
    left join private.reviews r on r.lead_id = l.id
    where l.id = ${id}`;
  const [permission] = await sql<PermissionDetails[]>`
    select
      p.given_at, p.withdrawn_at, p.page_origin, p.page_path, p.address, p.browser, p.utm, p.variant,
      private.wording_of(p.notice_hash) as wording, p.notice_hash, n.text as notice_text, n.language as notice_language
    from private.permissions p left join private.notices n on n.hash = p.notice_hash
    where p.lead_id = ${id}`;
  const deliveries = await deliveriesOf(sql, id);
  const [work] = await sql<Pick<LeadDetails, "calls" | "eligibility_checks">[]>`
    select private.call_log_of(${id}) as calls, coalesce((
      select jsonb_agg(private.check_json(c) order by c.at desc) from private.eligibility_checks c where c.lead_id = ${id}
    ), '[]') as eligibility_checks`;
  return lead && permission && work && { lead, permission, deliveries: [...deliveries], ...work };
}
