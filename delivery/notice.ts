// Sets the permission notice in force: the wording that a lead's permission is recorded with. Wordings that were in
// force before stay in the database, because leads were given under them.
import type { Sql } from "../database/connect.ts";

/** Puts a wording in force, and says whether permissions keep the visitor's network address. */
export async function setNotice(
  sql: Sql,
  text: string,
  { keepAddress }: { keepAddress: boolean },
): Promise<void> {
  await sql.begin(async (tx) => {
    await tx`
      insert into private.notices (hash, text)
      values (encode(sha256(convert_to(${text}, 'UTF8')), 'hex'), ${text})
      on conflict do nothing`;
    // Written only when it changes: every process does this at its start, and each lead reads this row.
    await tx`
      update private.settings s
      set notice_hash = n.hash, keep_address = ${keepAddress}
      from private.notices n
      where n.text = ${text}
        and (s.notice_hash, s.keep_address) is distinct from (n.hash, ${keepAddress})`;
  });
}
