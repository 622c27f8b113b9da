// Erases leads for good, with everything stored about them and every pending delivery. A receipt without personal data stays.
import type { Sql } from "../database/connect.ts";
import { retryDeadlock } from "../database/retry-transaction.ts";
import { transaction } from "../database/transaction.ts";
import { auditOperator } from "./audit-operator.ts";

/** What the operator is shown before a lead is erased. */
export interface ErasableLead {
  id: string;
  created_at: Date;
  name: string;
  email: string;
}

/** Finds the lead with an id, or all leads with an e-mail address. Case, and blanks around the address, make no difference. */
export async function findErasable(
  sql: Sql,
  which: { id: string } | { email: string },
): Promise<ErasableLead[]> {
  const condition =
    "id" in which
      ? sql`id = ${which.id}`
      : // A lead may have no row in lead_work yet: it came in the last second, or, however old it is, its transaction took long to commit.
        sql`id = any (array(
          select lead_id from private.lead_work where email_key = private.email_key(${which.email})
          union all
          select fresh from private.leads_to_index(null, '100 years') as fresh join public.leads l on l.id = fresh
          where private.email_key(l.email) = private.email_key(${which.email})
        ))`;
  return sql<ErasableLead[]>`
    select id, created_at, name, email from public.leads where ${condition} order by created_at, id`;
}

/**
 * The ids of the leads whose e-mail field holds this address beside another or with other words, such as "Rosa <rosa@a.example>". They are
 * only listed and not erased by this address, because it may be another person's.
 */
export async function findWithAddress(sql: Sql, email: string): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    select lead_id as id from private.lead_work
    where other_addresses && array[private.email_key(${email})] and other_addresses <> '{}'
      and email_key <> private.email_key(${email})
    union
    select fresh from private.leads_to_index(null, '100 years') as fresh join public.leads l on l.id = fresh
    where private.email_key(${email}) = any (private.other_addresses(private.email_key(l.email)))
      and private.email_key(l.email) <> private.email_key(${email})
    order by id`;
  return rows.map(({ id }) => id);
}

/**
 * Erases all of these leads or none. The audit log gets an entry for each, because the operator erases them by command. Returns the ids
 * that this call erased.
 */
export const eraseLeads = (sql: Sql, ids: readonly string[]): Promise<string[]> =>
  retryDeadlock(() =>
    transaction(sql, async (tx) => {
      const rows = await tx<{ id: string }[]>`
        select private.erase_leads(${[...ids]}::uuid[], 'asked') as id`;
      const erased = rows.map(({ id }) => id);
      await auditOperator(tx, "erased lead", erased);
      return erased;
    }),
  );
