// Where a chapter about scheduled backups begins.
import type { Sql } from "../../database/connect.ts";
import { enableBackups } from "../../team/backup-state.ts";
import { aLead, removeLeads } from "./database.ts";

/** Leaves one lead in the database, with scheduled backups enabled and none made. */
export async function beginBackups(owner: Sql): Promise<void> {
  await removeLeads(owner);
  await owner`delete from private.backup_state`;
  await owner`insert into private.backup_state default values`;
  await owner`insert into leads ${owner(aLead())}`;
  await enableBackups(owner);
}
