// Notes in the audit log what the operator's commands look at and erase, so that one log says who looked, in the inbox or beside it.
import type { Sql } from "../database/connect.ts";
import { codeOf } from "../log/log.ts";

export type OperatorAct = "opened lead" | "exported leads" | "erased lead";

/** Notes an act before it is done. A database that takes no writes, such as a standby, is read without a note. */
export async function noteOperatorAct(
  sql: Sql,
  act: OperatorAct,
  leads: readonly (string | null)[] = [null],
) {
  await sql`
    select private.audit(private.acting(), ${act}, lead, '{"by": "command"}')
    from unnest(${[...leads].map((lead) => lead ?? "")}::text[]) as given (id)
    cross join lateral (select nullif(given.id, '')::uuid as lead) l`.catch((error) => {
    // SQLSTATE read_only_sql_transaction.
    if (codeOf(error) !== "25006") throw error;
  });
}
