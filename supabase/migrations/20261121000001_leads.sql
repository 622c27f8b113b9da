-- Leads hold health answers about real people. A visitor may add one and see none, not even their own:
-- only the provider's side reads them. This table is the whole of what the public data path can reach.

-- The roles are Supabase's own there, and made here elsewhere. `leads_intake` is our web process: whatever
-- `anon` may do, and nothing more, over a login of its own, so that no fault in a handler can read a lead.
do $$
begin
  if not exists (select from pg_roles where rolname = 'anon') then
    create role anon nologin noinherit;
  end if;
  if not exists (select from pg_roles where rolname = 'leads_intake') then
    create role leads_intake nologin inherit;
  end if;
exception
  -- Two databases of one server can be migrated at the same moment; roles belong to both.
  when duplicate_object or unique_violation then null;
end $$;
do $$
begin
  grant anon to leads_intake;
exception
  -- A hosted database may keep `anon` to itself. There the data path is not ours, and nothing is lost.
  when insufficient_privilege then raise notice 'leads_intake is not a member of anon here';
end $$;

-- A visitor waits for the answer: better a plain "try again" after some seconds than a hanging page.
alter role leads_intake set statement_timeout = '8s';

-- What is ours alone: never in the API's schemas, and nobody but the owner gets in unless a grant says so.
create schema private;
revoke all on schema private from public;

-- The newest migration applied, for a web process that may see nothing else: is the schema the one it was written for?
create function private.schema_version() returns text
language plpgsql stable
security definer
set search_path = ''
as $$
begin
  return (select max(version) from supabase_migrations.schema_migrations);
end $$;
revoke execute on function private.schema_version from public;
grant usage on schema private to leads_intake;
grant execute on function private.schema_version to leads_intake;

create table public.leads (
  id uuid primary key default gen_random_uuid(),
  created_at timestamptz not null default now(),

  -- The six fields, exactly as typed (specification 3). No format rule: "call me after 5pm" is a phone.
  name text not null,
  email text not null,
  phone text not null,
  zip_code text not null,
  has_medicare boolean not null default false,
  has_diabetes boolean not null default false,

  -- The request's headers on their way to the permission, emptied before the row is stored. PostgREST sets
  -- them for each request; our intake, which stores many leads in one statement, fills the column itself.
  evidence jsonb default nullif(current_setting('request.headers', true), '')::jsonb,

  -- A field of blanks is a field not filled in.
  constraint name_is_given check (name ~ '\S'),
  constraint email_is_given check (email ~ '\S'),
  constraint phone_is_given check (phone ~ '\S'),
  constraint zip_code_is_given check (zip_code ~ '\S'),

  -- No person fills these; a program that sends more is not asking to be phoned.
  constraint name_is_not_absurdly_long check (length(name) <= 500),
  constraint email_is_not_absurdly_long check (length(email) <= 500),
  constraint phone_is_not_absurdly_long check (length(phone) <= 500),
  constraint zip_code_is_not_absurdly_long check (length(zip_code) <= 500),

  constraint evidence_is_kept_elsewhere check (evidence is null)
);

comment on table public.leads is 'What visitors told us, one row a lead. Added by anon, read by the provider''s side only.';

-- Lists, the export and the daily work read leads by time.
create index leads_by_time on public.leads (created_at, id);

-- One number for six values, so that the same lead sent again is found by one small index. The unit
-- separator keeps "ab","c" apart from "a","bc".
create function private.fingerprint(
  name text, email text, phone text, zip_code text, has_medicare boolean, has_diabetes boolean
)
returns bigint
language sql immutable parallel safe
return hashtextextended(
  name || e'\x1f' || email || e'\x1f' || phone || e'\x1f' || zip_code
    || case when has_medicare then e'\x1fm' else '' end || case when has_diabetes then e'\x1fd' else '' end,
  0
);

-- The index calls it as whoever inserts; without usage of the schema nobody can call it by name.
grant execute on function private.fingerprint to public;

create index leads_by_fingerprint
on public.leads (private.fingerprint(name, email, phone, zip_code, has_medicare, has_diabetes), created_at);

alter table public.leads enable row level security;

create policy "A visitor may add a lead" on public.leads for insert to anon with check (true);
-- No policy to select, update or delete: nobody on the public side may.

revoke all on public.leads from public, anon, leads_intake;
grant usage on schema public to anon;
grant insert (name, email, phone, zip_code, has_medicare, has_diabetes) on public.leads to anon;
grant insert (evidence) on public.leads to leads_intake;
-- No grant on id or created_at: they are the database's to say.
-- No grant to select, so `return=representation` and upserts are refused too.

-- Supabase's own roles, where they are. Its default privileges may have given them everything, and row-level security
-- stops no TRUNCATE. Nobody signs in here, so `authenticated` may nothing; whoever holds the secret key is the provider,
-- and may read and erase.
do $$
begin
  if exists (select from pg_roles where rolname = 'authenticated') then
    revoke all on public.leads from authenticated;
  end if;
  if exists (select from pg_roles where rolname = 'service_role') then
    revoke all on public.leads from service_role;
    grant select, delete on public.leads to service_role;
  end if;
end $$;

-- Tells the visitor what to mend, in words for the red banner; PostgREST shows the message as it stands.
-- It runs only for a lead that a check or a not-null would refuse, so an honest lead never pays for it.
create function private.say_what_to_mend() returns trigger
language plpgsql
set search_path = ''
as $$
declare
  field text;
  value text;
  label text;
begin
  foreach field in array array['name', 'email', 'phone', 'zip_code'] loop
    value := to_jsonb(new) ->> field;
    label := case field
      when 'name' then 'full name' when 'email' then 'email address'
      when 'phone' then 'phone number' when 'zip_code' then 'ZIP code' end;
    if value is null then
      raise exception using
        errcode = 'not_null_violation',
        column = field,
        message = format('Please enter your %s.', label),
        detail = format('The field %s is missing.', field);
    elsif value !~ '\S' then
      raise exception using
        errcode = 'check_violation',
        constraint = field || '_is_given',
        message = format('Please enter your %s.', label),
        detail = format('The field %s is blank.', field);
    elsif length(value) > 500 then
      raise exception using
        errcode = 'check_violation',
        constraint = field || '_is_not_absurdly_long',
        message = format('Your %s is too long. Please shorten it to 500 characters or fewer.', label),
        detail = format('The field %s has more than 500 characters.', field);
    end if;
  end loop;
  return new;
end $$;

create trigger leads_10_say_what_to_mend before insert on public.leads
for each row
when (
  (new.name ~ '\S' and new.email ~ '\S' and new.phone ~ '\S' and new.zip_code ~ '\S'
    and length(new.name) <= 500 and length(new.email) <= 500
    and length(new.phone) <= 500 and length(new.zip_code) <= 500) is not true
)
execute function private.say_what_to_mend();

-- The same six values again within 24 hours (a retry after a lost answer, an impatient second click, two at
-- once) stand once, and the sender hears the same answer either way: nobody learns who enquired. The lock
-- makes the second of two at once wait for the first one's commit; each statement in here sees what is
-- committed by then, and the earlier rows of its own insert.
create function private.keep_one_of_the_same() returns trigger
language plpgsql
security definer
set search_path = ''
as $$
declare
  print bigint := private.fingerprint(new.name, new.email, new.phone, new.zip_code, new.has_medicare, new.has_diabetes);
begin
  perform pg_advisory_xact_lock(print);
  perform from public.leads l
  where private.fingerprint(l.name, l.email, l.phone, l.zip_code, l.has_medicare, l.has_diabetes) = print
    and l.created_at > now() - interval '24 hours'
    and (l.name, l.email, l.phone, l.zip_code, l.has_medicare, l.has_diabetes)
      = (new.name, new.email, new.phone, new.zip_code, new.has_medicare, new.has_diabetes);
  return case when found then null else new end;
end $$;

create trigger leads_20_keep_one_of_the_same before insert on public.leads
for each row execute function private.keep_one_of_the_same();

-- Triggers need no grant to run; nobody needs to call these.
revoke execute on function private.say_what_to_mend, private.keep_one_of_the_same from public;
