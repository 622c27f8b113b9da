// Gives each role of least privilege a login of its own. A role's password is derived from the owner's, so that several
// processes that start on one database agree on it and nothing has to be stored.
import { createHmac } from "node:crypto";
import type postgres from "postgres";
import { addressAs, type Sql } from "./connect.ts";
import { type LoginRole, loginSettings } from "./login-settings.ts";
import { lockSetUp } from "./migrate.ts";
import { DatabaseRefusal } from "./prepare.ts";
import { isChangedMeanwhile, retryWhere } from "./retry-transaction.ts";
import { transaction } from "./transaction.ts";

export type { LoginRole } from "./login-settings.ts";

export const loginRoles = Object.keys(loginSettings) as LoginRole[];

/**
 * The address of a role on the owner's database. It works once `openRoleLogins` has run there for the role.
 * @throws DatabaseRefusal when the owner's address holds no password to derive the role's from.
 */
export const roleAddress = (ownerAddress: string, role: LoginRole): string =>
  addressAs(ownerAddress, role, derivePassword(ownerAddress, role));

/**
 * Lets `roles` log in, and revokes from everybody the rights with which a login could fill the disk or hold up a start, whichever
 * logins the settings name. The right to call PostgreSQL's own functions is revoked only where the owner is a superuser
 * (docs/deploy-server.md). `sql` and `ownerAddress` are the owner's. A role that the server does not have yet is skipped.
 * @throws the database's error when the owner may not change roles; the operator then names logins in the settings.
 */
export async function openRoleLogins(
  sql: Sql,
  ownerAddress: string,
  roles: readonly LoginRole[] = loginRoles,
): Promise<void> {
  const open = async (tx: postgres.TransactionSql) => {
    // PostgreSQL fails where two programs change one role at once. The lock is this database's own, and the roles are the server's, so a
    // program on another database may still come in between.
    await lockSetUp(tx);
    const present = await tx<{ role: LoginRole }[]>`
      select rolname as role from pg_roles where rolname::text = any(${loginRoles}) order by rolname`;
    for (const { role } of present) {
      await tx.unsafe(revokePublicRights(role));
      if (!roles.includes(role)) continue;
      await tx.unsafe(`alter role ${role} login password '${derivePassword(ownerAddress, role)}'`);
      await tx.unsafe(resetRoleSettings(role));
    }
  };
  await retryWhere(isChangedMeanwhile, () => transaction(sql, open), 10);
}

/**
 * How long a statement of the role may take. A visitor waits for the intake's and a member for the team's; both are less than the 15 s
 * after which a program takes a silent database for lost and ends all its queries (resilient-connection.ts). The delivery's is long,
 * because one of its scheduled jobs reads every lead: the daily look for leads that the lists have missed.
 */
const statementTimeouts = { leads_intake: "8s", leads_delivery: "10min", leads_team: "12s" } as const;

// A role may change the defaults of its own next sessions, such as commits that do not wait for the disk, or read-only
// transactions, and no privilege prevents that. Each start therefore resets what a role has set.
const resetRoleSettings = (role: LoginRole) => `do $$ declare database_name name; begin
  for database_name in
    select d.datname from pg_db_role_setting s join pg_database d on d.oid = s.setdatabase
    where s.setrole = '${role}'::regrole
  loop
    execute format('alter role ${role} in database %I reset all', database_name);
  end loop;
  if not exists (
    select from pg_db_role_setting
    where setrole = '${role}'::regrole and setdatabase = 0
      and setconfig = '{statement_timeout=${statementTimeouts[role]}}'
  ) then
    alter role ${role} reset all;
    alter role ${role} set statement_timeout = '${statementTimeouts[role]}';
  end if;
end $$`;

// Temporary tables and large objects would let a role fill the disk, as tables in `public` would (close-public.ts). A lock by number would
// let it hold up the next start; functions that need such locks take them as their owner.
// A copy of a database does not carry these revocations over, so each start makes them again.
// Each right is revoked from everybody (public), because that is whom the role has it from.
const revokePublicRights = (role: LoginRole) => `do $$ declare routine regprocedure; begin
  if has_database_privilege('${role}', current_database(), 'temporary') then
    execute format('revoke temporary on database %I from public', current_database());
  end if;
  for routine in
    select oid from pg_proc
    where pronamespace = 'pg_catalog'::regnamespace
      and proname ~ '^(lo_creat|lo_create|lo_from_bytea|pg_logical_emit_message|pg_(try_)?advisory_(xact_)?lock(_shared)?)$'
  loop
    if has_function_privilege('${role}', routine, 'execute') then
      execute format('revoke execute on function %s from public', routine);
    end if;
  end loop;
end $$`;

// Whoever knows the owner's password can read every lead anyway, and it cannot be computed from a role's.
function derivePassword(ownerAddress: string, role: LoginRole): string {
  const secret = /^[a-z]+:\/\/[^:@/?#]*:([^@/?#]+)@/.exec(ownerAddress)?.[1];
  if (!secret) {
    throw new DatabaseRefusal(
      `DATABASE_URL holds no password, and the login ${role} is derived from it. Write it there, or make a login and name it in ${loginSettings[role]}.`,
    );
  }
  // Decoded, because an address may write one password in several ways.
  return createHmac("sha256", decodeURIComponent(secret)).update(role).digest("base64url");
}
