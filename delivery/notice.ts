// Sets the permission notice in force: the wording that a lead's permission is recorded with. Wordings that were in
// force before stay in the database, because leads were given under them.
import type { Sql } from "../database/connect.ts";

/** Puts a wording in force, and says whether permissions keep the visitor's network address. */
export async function setNotice(
  sql: Sql,
  text: string,
  { keepAddress }: { keepAddress: boolean },
): Promise<void> {
  await sql`
    with given as (
      select ${text}::text as text, encode(sha256(convert_to(${text}, 'UTF8')), 'hex') as hash
    ), kept as (
      insert into private.notices (hash, text) select hash, text from given
      on conflict do nothing
    )
    update private.settings s
    set notice_hash = g.hash, keep_address = ${keepAddress}
    from given g
    -- Written only when it changes: every process does this at its start, and each lead reads this row.
    where (s.notice_hash, s.keep_address) is distinct from (g.hash, ${keepAddress}::boolean)`;
}
