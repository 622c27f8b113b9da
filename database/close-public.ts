// Keeps others from making functions in the schema `public`, where the owner's own sessions look for names.
import type { Sql } from "./connect.ts";
import { transaction } from "./transaction.ts";

/**
 * Takes the right to make something in `public` from everybody. PostgreSQL before 15 gives it to them, and a function of a login there, with the
 * name of one of PostgreSQL's own, would be run by the owner. Returns false where `public` belongs to somebody else, who has to do it.
 */
export function closePublic(sql: Sql): Promise<boolean> {
  return transaction(sql, async (tx) => {
    // Such a function may be there already.
    await tx`set local search_path = pg_catalog, pg_temp`;
    await tx.unsafe(revokeIfOpen);
    const [row] = await tx.unsafe<{ is_open: boolean }[]>(`select ${mayCreate} as is_open`);
    return row?.is_open === false;
  });
}

const mayCreate = `exists (
  select from pg_namespace n, aclexplode(coalesce(n.nspacl, acldefault('n', n.nspowner))) a
  where n.nspname = 'public' and a.grantee = 0 and a.privilege_type = 'CREATE'
)`;

const revokeIfOpen = `do $$ begin
  if ${mayCreate} then
    revoke create on schema public from public;
  end if;
exception
  when insufficient_privilege then null;
end $$`;
