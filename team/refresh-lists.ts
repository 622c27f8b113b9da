// Brings the rows that lists read up to the last second, before leads are listed or exported.
import type { Sql } from "../database/connect.ts";
import { isReadOnly } from "../database/trouble.ts";

/** Writes the rows of the leads that came last. A standby is read as it is: its primary writes them within a second. */
export async function refreshLists(sql: Sql): Promise<void> {
  await sql`select private.index_new_leads(100000)`.catch((error) => {
    if (!isReadOnly(error)) throw error;
  });
}
