// The inbox's settings that the database holds by itself.
import type { InboxSettings } from "../config/config.ts";
import type { Sql } from "../database/connect.ts";

/** Syncs the settings that the database has to hold by itself, so that no inbox can lengthen a session. As the owner. */
export async function syncInboxSettings(
  sql: Sql,
  { idleMinutes, sessionHours }: InboxSettings,
): Promise<void> {
  await sql`
    update private.inbox_settings set idle_minutes = ${idleMinutes}, session_hours = ${sessionHours}
    where (idle_minutes, session_hours) <> (${idleMinutes}, ${sessionHours})`;
}
