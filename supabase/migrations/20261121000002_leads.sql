-- Leads hold health answers about real people. A visitor may add one and see none, not even their own: only the provider's
-- side reads them. This table is the whole of what the public data path can reach.

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

  -- The request's headers on their way to the permission record, emptied before the row is stored. PostgREST sets them for
  -- each request; our intake, which stores many leads in one statement, fills the column itself.
  request_headers jsonb default nullif(current_setting('request.headers', true), '')::jsonb,

  -- A field of blanks is a field not filled in.
  constraint name_is_given check (name ~ '\S'),
  constraint email_is_given check (email ~ '\S'),
  constraint phone_is_given check (phone ~ '\S'),
  constraint zip_code_is_given check (zip_code ~ '\S'),

  -- No person types more; a program that sends more is not asking to be phoned.
  constraint name_has_at_most_500_characters check (length(name) <= 500),
  constraint email_has_at_most_500_characters check (length(email) <= 500),
  constraint phone_has_at_most_500_characters check (length(phone) <= 500),
  constraint zip_code_has_at_most_500_characters check (length(zip_code) <= 500),

  constraint request_headers_are_kept_elsewhere check (request_headers is null)
) with (
  -- Autovacuum comes when 1 % of the rows are dead, and not 20 %, because the rows of erased leads stand first in the indexes, and the planner
  -- reads through them each time it asks where an index begins. The large tables that grow with the leads have the same.
  autovacuum_vacuum_scale_factor = 0.01
);

comment on table public.leads is 'What visitors told us, one row a lead. Added by anon, read by the provider''s side only.';

-- Ids that grow with time: an ordered id goes to the end of an index, in a page that is in memory, and a random one somewhere
-- in the middle (measured: 9,575 inserts a second instead of 8,339). PostgreSQL before 18 keeps random ids. An id tells
-- when its lead came, which is no secret to those who see ids: the team and its channels.
do $$
begin
  if current_setting('server_version_num')::integer >= 180000 then
    alter table public.leads alter id set default uuidv7();
  end if;
end $$;

-- For finding new leads: those that `private.lead_work` has no row of yet, and those that are owed to no channel yet. Leads are stored in
-- about the order of this column, so an index of block ranges is enough, and costs an insert nothing.
create index leads_by_time on public.leads using brin (created_at) with (pages_per_range = 32, autosummarize = on);

-- One number for six values, so that the same lead sent again is found by one small index. The unit separator keeps
-- "ab","c" apart from "a","bc".
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

-- Every role may execute it, because the index calls it with the rights of the role that inserts. A role without usage of the schema cannot
-- call it otherwise.
grant execute on function private.fingerprint to public;

create index leads_by_fingerprint
on public.leads (private.fingerprint(name, email, phone, zip_code, has_medicare, has_diabetes), created_at);

alter table public.leads enable row level security;

create policy "A visitor may add a lead" on public.leads for insert to anon with check (true);
create policy "The delivery may read a lead" on public.leads for select to leads_delivery using (true);
-- No policy to update or delete for any role, and none at all for leads_team: its functions read leads for it.

revoke all on public.leads from public, anon, leads_intake, leads_delivery, leads_team;
grant usage on schema public to anon, leads_delivery;
grant insert (name, email, phone, zip_code, has_medicare, has_diabetes) on public.leads to anon;
grant insert (request_headers) on public.leads to leads_intake;
grant select on public.leads to leads_delivery;
-- No grant on id or created_at: the database sets them.
-- No grant to select for anon, so `return=representation` and upserts are refused too.

-- Supabase's own roles, where they exist. Its default privileges may have given them everything, and row-level security
-- stops no TRUNCATE. No visitor signs in, so `authenticated` may do nothing; the holder of the secret key is the provider,
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

-- One lead a request on the public data path, as in our own intake (Contract 0). PostgREST sets request.method. Without
-- this an array of thousands would take a lock for each row and fill the server's lock table, and honest inserts would fail.
create function private.refuse_second_lead_of_a_request() returns trigger
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
begin
  if current_setting('leads.has_one_of_this_request', true) = 'yes' then
    raise exception using
      errcode = 'PT400',
      message = 'Send one lead: a JSON object, or an array of one.',
      hint = 'No request stores more than one lead.';
  end if;
  perform set_config('leads.has_one_of_this_request', 'yes', true);
  return new;
end $$;

create trigger leads_05_refuse_second_lead_of_a_request before insert on public.leads
for each row when (current_setting('request.method', true) <> '')
execute function private.refuse_second_lead_of_a_request();

-- Tells the visitor what to correct, in words for the red banner; PostgREST passes the message on as it stands. It runs only
-- for a lead of which a check or a not-null would refuse one of the four texts, so an honest lead never pays for it.
create function private.explain_what_to_correct() returns trigger
language plpgsql
set search_path = pg_catalog, pg_temp
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
        constraint = field || '_has_at_most_500_characters',
        message = format('Your %s is too long. Please shorten it to 500 characters or fewer.', label),
        detail = format('The field %s has more than 500 characters.', field);
    end if;
  end loop;
  return new;
end $$;

create trigger leads_10_explain_what_to_correct before insert on public.leads
for each row
when (
  (new.name ~ '\S' and new.email ~ '\S' and new.phone ~ '\S' and new.zip_code ~ '\S'
    and length(new.name) <= 500 and length(new.email) <= 500
    and length(new.phone) <= 500 and length(new.zip_code) <= 500) is not true
)
execute function private.explain_what_to_correct();

revoke execute on function private.refuse_second_lead_of_a_request, private.explain_what_to_correct from public;
