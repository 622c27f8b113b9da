-- The roles of this database, and the schemas `private` and `team`. Each process logs in with the role of its own work, so
-- that a process that was broken into can do that work and nothing else. The owner migrates, opens the roles' logins, makes the scheduled
-- backups and runs the operator's commands.

-- `anon` is the visitor, who may add a lead. Supabase has this role already; on any other server it is made here.
-- The next three roles are made without a login. A start of the server gives them one (database/role-logins.ts).
-- `leads_intake` is our web process: it may add page counts, leads (as `anon`), and their request's headers.
-- `leads_delivery` sends leads to the team's channels and records what became of them.
-- `leads_team` is the team's inbox: it may call the functions of the schema `team` that are granted to it. They write the audit log.
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
  -- A hosted database may not let its owner grant `anon`. Nothing is lost, because inserts do not pass through our process there.
  when insufficient_privilege then raise notice 'leads_intake is not a member of anon here';
  -- Another database of the server grants it at this moment.
  when unique_violation then null;
end $$;

-- A visitor waits for the answer: a plain "try again" after some seconds is better than a page that hangs.
do $$
begin
  alter role leads_intake set statement_timeout = '8s';
exception
  -- "tuple concurrently updated": another database of the server is migrated at this moment, and sets the same.
  when internal_error then null;
end $$;

-- The API must not serve this schema. Each right to something in it is granted by name.
create schema private;
revoke all on schema private from public;
grant usage on schema private to leads_intake, leads_delivery;

-- Holds the functions that the inbox calls, and two that only the operator's commands call (team.call_log, team.member_named).
create schema team;
revoke all on schema team from public;
grant usage on schema team to leads_team;

-- Returns the version of our newest migration that was applied, so that a process without the right to read the ledger can check the
-- schema. A project of the Supabase CLI keeps its own migrations in the same ledger. Their versions end in a time of day, and ours in a
-- number below 100. One that was made in the first minute of a day (UTC) would be taken for ours.
create function private.schema_version() returns text
language plpgsql stable
security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  return (select max(m.version) from supabase_migrations.schema_migrations m where m.version ~ '^[0-9]{8}0000[0-9]{2}$');
end $$;

-- Returns the version of the newest migration that says that older programs do not work on these tables. A program that does not know that
-- version refuses the database. A migration that only adds says no such thing, and an older program goes on after it.
create function private.required_version() returns text
language plpgsql stable
security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  return (
    select coalesce(max(m.version), '') from supabase_migrations.schema_migrations m
    -- In two parts, because the text of this migration is in the ledger as well.
    where array_to_string(m.statements, '') like '%-- Older programs ' || 'do not work on these tables.%'
  );
end $$;

-- Whether the session is the owner's own, whatever role it has taken since.
create function private.is_session_of_owner() returns boolean
language sql stable
set search_path = pg_catalog, pg_temp
return pg_has_role(session_user, (select n.nspowner from pg_namespace n where n.nspname = 'private'), 'member');

-- The moment at which a scheduled job works: `moment` for the owner's own sessions, as in a test, and now for any other. The
-- delivery's login could otherwise roll up the counts of today, or enqueue messages about leads of last year.
create function private.moment_of_job(moment timestamptz) returns timestamptz
language sql stable
set search_path = pg_catalog, pg_temp
return case when private.is_session_of_owner() then moment else now() end;

revoke execute on function private.schema_version, private.required_version, private.is_session_of_owner, private.moment_of_job from public;
grant execute on function private.schema_version, private.required_version to leads_intake, leads_delivery;

-- The same for the inbox, which may use no other schema than this.
create function team.schema_version() returns text
language plpgsql stable
security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  return private.schema_version();
end $$;

create function team.required_version() returns text
language plpgsql stable
security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  return private.required_version();
end $$;

revoke execute on function team.schema_version, team.required_version from public;
grant execute on function team.schema_version, team.required_version to leads_team;
