// Writes settings of the inbox to the database.
import type { InboxSettings } from "../config/config.ts";
import type { Sql } from "../database/connect.ts";

/** The database ends sessions by settings of its own, which only the owner may write, so that no inbox can lengthen a session. */
export async function syncInboxSettings(
  sql: Sql,
  { idleMinutes, sessionHours }: InboxSettings,
): Promise<void> {
  await sql`
    update private.inbox_settings set idle_minutes = ${idleMinutes}, session_hours = ${sessionHours}
    where (idle_minutes, session_hours) <> (${idleMinutes}, ${sessionHours})`;
}
