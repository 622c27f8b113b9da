// Writes to the audit log what the operator's commands show, export and erase, so that one log has all that was seen, in the inbox or by
// command.
import type { Sql } from "../database/connect.ts";
import { codeOf } from "../log/log.ts";

export type OperatorAction = "opened lead" | "exported leads" | "erased lead";

/** Writes an entry before the action is done. A database that takes no writes, such as a standby, is read without an entry. */
export async function auditOperator(
  sql: Sql,
  action: OperatorAction,
  leads: readonly (string | null)[] = [null],
) {
  await sql`
    select private.audit(private.acting(), ${action}, lead, '{"by": "command"}')
    from unnest(${[...leads].map((lead) => lead ?? "")}::text[]) as given (id)
    cross join lateral (select nullif(given.id, '')::uuid as lead) l`.catch((error) => {
    // SQLSTATE read_only_sql_transaction.
    if (codeOf(error) !== "25006") throw error;
  });
}
