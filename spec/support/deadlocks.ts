// Raises the error of a deadlock without a second transaction, for the tests of commands that try again after it.
import { onTestFinished } from "vitest";
import type { Sql } from "../../database/connect.ts";

/** Fails a command's next insert, update or delete on the table, as PostgreSQL does to end a deadlock. */
export async function deadlockOnce(
  owner: Sql,
  event: "insert" | "update" | "delete",
  table: string,
): Promise<void> {
  onTestFinished(async () => {
    await owner.unsafe("drop function private.deadlock_once cascade; drop sequence private.deadlocks");
  });
  // Counted by a sequence, because a rollback does not set it back.
  await owner.unsafe(`
    create sequence private.deadlocks;
    create function private.deadlock_once() returns trigger language plpgsql as $$
    begin
      if current_setting('application_name') = 'leads command' and nextval('private.deadlocks') = 1 then
        raise exception using errcode = 'deadlock_detected', message = 'deadlock detected';
      end if;
      return null;
    end $$;
    create trigger deadlock_once before ${event} on ${table} for each statement execute function private.deadlock_once();`);
}
