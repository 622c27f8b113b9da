-- Who may come to this database, and the schema that is ours alone. Each process logs in with the role of its own work, so
-- that a process that was broken into can do that work and nothing else. The owner only migrates and runs the operator's commands.

-- `anon` is Supabase's own role there, and is made here elsewhere: the visitor, who may add a lead.
-- `leads_intake` is our web process: whatever `anon` may do, over a login of its own.
-- `leads_delivery` sends leads to the team's channels and records what became of them.
-- `leads_team` is the team's inbox: it may call the functions of the schema `team`, each of which writes the audit log.
do $$
declare
  role_name name;
begin
  if not exists (select from pg_roles where rolname = 'anon') then
    create role anon nologin noinherit;
  end if;
  foreach role_name in array array['leads_intake', 'leads_delivery', 'leads_team'] loop
    if not exists (select from pg_roles where rolname = role_name) then
      execute format('create role %I nologin inherit', role_name);
    end if;
  end loop;
exception
  -- Two databases of one server can be migrated at the same moment, and they share its roles.
  when duplicate_object or unique_violation then null;
end $$;

do $$
begin
  grant anon to leads_intake;
exception
  -- A hosted database may keep `anon` to itself. There the insert does not come through our process, and nothing is lost.
  when insufficient_privilege then raise notice 'leads_intake is not a member of anon here';
end $$;

-- A visitor waits for the answer: a plain "try again" after some seconds is better than a page that hangs.
alter role leads_intake set statement_timeout = '8s';

-- Never in the schemas that the API serves, and closed to everybody to whom no grant opens it.
create schema private;
revoke all on schema private from public;
grant usage on schema private to leads_intake, leads_delivery;

-- What the inbox calls. Nothing but functions is in it.
create schema team;
revoke all on schema team from public;
grant usage on schema team to leads_team;

-- The newest migration applied, for a process that may read nothing else: is the schema the one it was written for?
create function private.schema_version() returns text
language plpgsql stable
security definer
set search_path = ''
as $$
begin
  return (select max(version) from supabase_migrations.schema_migrations);
end $$;
revoke execute on function private.schema_version from public;
grant execute on function private.schema_version to leads_intake, leads_delivery;
