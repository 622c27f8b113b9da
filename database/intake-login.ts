// Gives the intake a login of its own: a role that may add leads and do nothing else. Its password follows from
// the owner's, so that several processes that start on one database agree without a word.
import { createHmac } from "node:crypto";
import { addressAs, type Sql } from "./connect.ts";
import { DatabaseRefusal } from "./prepare.ts";

/** The role of the intake's connections, as the first migration makes it. */
const role = "leads_intake";

/**
 * The intake's address on the owner's database. It works once `openIntakeLogin` has run there.
 * @throws DatabaseRefusal when the owner's address holds no password, of which the intake's could be made.
 */
export const intakeAddress = (ownerAddress: string): string =>
  addressAs(ownerAddress, role, password(ownerAddress));

/**
 * Lets the intake's role log in, and takes from it what PostgreSQL gives to everybody. `sql` and `ownerAddress` are the owner's.
 * @throws the database's error when the owner may not change roles; `INTAKE_DATABASE_URL` is the way then.
 */
export async function openIntakeLogin(sql: Sql, ownerAddress: string): Promise<void> {
  await sql.unsafe(`alter role ${role} login password '${password(ownerAddress)}'`);
  await sql.unsafe(forgetItsOwnSettings);
  await sql.unsafe(takeWhatEverybodyHas);
}

// A role may set for itself what its next sessions start with, such as commits that do not wait for the disk, or nothing
// but reading; no right forbids that. So whatever it has set ends with the next start.
const forgetItsOwnSettings = `do $$ declare place name; begin
  for place in
    select d.datname from pg_db_role_setting s join pg_database d on d.oid = s.setdatabase
    where s.setrole = '${role}'::regrole
  loop
    execute format('alter role ${role} in database %I reset all', place);
  end loop;
  if not exists (
    select from pg_db_role_setting
    where setrole = '${role}'::regrole and setdatabase = 0 and setconfig = '{statement_timeout=8s}'
  ) then
    alter role ${role} reset all;
    alter role ${role} set statement_timeout = '8s';
  end if;
end $$`;

// Temporary tables, large objects, and before PostgreSQL 15 tables in `public`: room for a flood where only leads belong.
// Locks by number, one of which the next start waits for; the triggers take theirs as their owner.
// A copy of a database does not take these rights over, so they are looked at on every start and seldom changed.
const takeWhatEverybodyHas = `do $$ declare makes regprocedure; begin
  if has_database_privilege('${role}', current_database(), 'temporary') then
    execute format('revoke temporary on database %I from public', current_database());
  end if;
  if has_schema_privilege('${role}', 'public', 'create') then
    revoke create on schema public from public;
  end if;
  for makes in
    select oid from pg_proc
    where pronamespace = 'pg_catalog'::regnamespace
      and proname ~ '^(lo_creat|lo_create|lo_from_bytea|pg_logical_emit_message|pg_(try_)?advisory_(xact_)?lock(_shared)?)$'
  loop
    if has_function_privilege('${role}', makes, 'execute') then
      execute format('revoke execute on function %s from public', makes);
    end if;
  end loop;
end $$`;

// Whoever knows the owner's password could read the leads anyway, so nothing is given away by deriving from it.
function password(ownerAddress: string): string {
  const secret = /^[a-z]+:\/\/[^@/?#]*?:([^@/?#]+)@/.exec(ownerAddress)?.[1];
  if (!secret) {
    throw new DatabaseRefusal(
      "DATABASE_URL holds no password, and the intake's own login is made of it. Write it there, or make a login and name it in INTAKE_DATABASE_URL.",
    );
  }
  return createHmac("sha256", secret).update(role).digest("base64url");
}
