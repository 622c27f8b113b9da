// Writes to the audit log what the operator's commands about leads do, so that one log has who read, exported, erased or changed leads, in
// the inbox or by command. A list of leads has an entry too: it shows phone numbers and health answers, which the inbox's queue does not.
import type { TransactionSql } from "postgres";
import type { Sql } from "../database/connect.ts";
import { isReadOnly } from "../database/trouble.ts";
import { withoutUnset } from "./ask.ts";

export type OperatorAction =
  | "listed leads"
  | "opened lead"
  | "exported leads"
  | "erased lead"
  | "reviewed lead"
  | "stopped calls"
  | "retried deliveries";

/**
 * Writes an entry for each lead (null: one about no single lead), with these details, and returns the ids of the entries, or undefined when
 * that was not possible. A database that takes no writes, such as a standby, is read without an entry, because its owner could read it
 * without this program just as well; the caller says so.
 */
export async function auditOperator(
  sql: Sql | TransactionSql,
  action: OperatorAction,
  leads: readonly (string | null)[] = [null],
  details: Readonly<Record<string, string | number | boolean | undefined>> = {},
): Promise<string[] | undefined> {
  try {
    const entries = await sql<{ id: string }[]>`
      select private.audit(private.require_session(), ${action}, lead, ${sql.json({ ...withoutUnset(details), by: "command" })})::text as id
      from unnest(${[...leads].map((lead) => lead ?? "")}::text[]) as given (id)
      cross join lateral (select nullif(given.id, '')::uuid as lead) l`;
    return entries.map(({ id }) => id);
  } catch (error) {
    if (!isReadOnly(error)) throw error;
    return undefined;
  }
}
