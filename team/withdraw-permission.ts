// Records that a person withdrew the permission to be phoned. The permission ends for this lead and for every other lead so far with one of
// its phone numbers, and the numbers go on the stop list.
import type { Sql } from "../database/connect.ts";
import { retryDeadlock } from "../database/retry-transaction.ts";
import { transaction } from "../database/transaction.ts";
import { auditOperator } from "./audit-operator.ts";

export interface Withdrawn {
  /** The leads whose permission this ended; not this lead itself when its permission had ended before. */
  ended: string[];
  /** Whether this lead was erased meanwhile. */
  isErased: boolean;
}

/** SQL has the channels notified. The audit log gets an entry unless it has one of this lead and no permission ended. */
export async function withdrawPermission(sql: Sql, id: string): Promise<Withdrawn> {
  const ids = await retryDeadlock(() =>
    transaction(sql, async (tx) => {
      const rows = await tx<{ id: string }[]>`select private.withdraw_permission(${id}) as id`;
      const unaudited = await tx`
        select from public.leads l where l.id = ${id} and not exists (
          select from private.audit_log a where a.lead_id = l.id and a.action = 'stopped calls'
        )`;
      // The action has the name of a stop in the inbox, because private.stop_proof looks for that name.
      if (rows.length > 0 || unaudited.length > 0)
        await auditOperator(tx, "stopped calls", [id], { leads: rows.length });
      return rows.map((row) => row.id);
    }),
  );
  const isErased = !ids.includes(id) && (await sql`select from public.leads where id = ${id}`).count === 0;
  return { ended: ids, isErased };
}
