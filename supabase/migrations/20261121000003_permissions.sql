-- A supplier may phone a Medicare beneficiary about a covered item only with written permission (42 CFR 424.57(c)(11)), and
-- must be able to show its wording later (47 CFR 64.1200(f)(9)). SQL records the permission of each lead here, whichever way
-- the lead came in, and only the provider's side reads it.

-- Every wording of the permission notice that a page was built with, by language. Old ones stay, because they are evidence.
create table private.notices (
  hash text primary key,
  language text not null,
  text text not null,
  first_used_at timestamptz not null default now(),

  constraint hash_is_of_the_text check (hash = encode(sha256(convert_to(text, 'UTF8')), 'hex')),
  constraint language_is_a_tag check (language ~ '^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$')
);

-- What SQL needs to know of the operator's settings: one row, synced by the program when it starts.
create table private.settings (
  only_row boolean primary key default true,
  -- Whether permissions keep the visitor's network address.
  keep_address boolean not null default true,
  -- The origin of the provider's own pages, such as https://example.com. Null: not known.
  site_origin text,
  -- The origins whose pages may send leads, the site's own among them. Null: any.
  allowed_origins text[],
  -- Days after which a permission's circumstances are emptied, and a lead is erased. Null: never.
  permission_days integer,
  retention_days integer,
  -- Minutes after which a lead that no channel took is an alert. Null: never.
  alert_after_minutes integer,

  constraint there_is_one_row check (only_row),
  constraint days_are_positive check (permission_days > 0 and retention_days > 0),
  constraint minutes_are_positive check (alert_after_minutes > 0)
);
insert into private.settings default values;

create table private.permissions (
  -- Not a reference, which every insert would pay to have looked up: triggers write this row with the lead and remove it
  -- with the lead.
  lead_id uuid primary key,

  -- The wording that the page said it showed, by its hash. Null: the page or program stated none. A hash that
  -- `private.notices` does not hold: it is not known which wording was shown. Not a reference, for the same reason.
  notice_hash text,
  given_at timestamptz not null default now(),
  withdrawn_at timestamptz,

  -- Which variant of the article the page showed, when an experiment runs: one that `private.experiments` lists.
  variant text,
  -- The kind of device, as the request states it: our own server does, and a program may state anything. Null: `private.device_of` tells it
  -- from the browser.
  device text,

  -- The circumstances, as the request's headers state them; emptied after permission_days.
  page_origin text,
  page_path text,
  address text,
  browser text,
  -- Whether the page was none of the provider's: not on site_origin, not on an allowed origin, not on the server's own host. False where
  -- site_origin or the page's origin is not known.
  is_foreign_page boolean not null default false,
  -- utm_* of the page's address: which campaign, never an ad network's click id.
  utm jsonb,

  -- A field that no person sees was filled in. A spam flag for the team, never a reason to refuse.
  honeypot_filled boolean not null default false
) with (autovacuum_vacuum_scale_factor = 0.01);

-- Many queries ask whether the permission of a lead was withdrawn. Few were, so this small index answers without a look at the row.
create index permissions_withdrawn on private.permissions (lead_id) where withdrawn_at is not null;

alter table private.notices enable row level security;
alter table private.settings enable row level security;
alter table private.permissions enable row level security;
create policy "The delivery may read a notice" on private.notices for select to leads_delivery using (true);
create policy "The delivery may read a permission" on private.permissions for select to leads_delivery using (true);
-- No other policy and no other grant: only the owner, to whom row-level security does not apply, and the owner's functions use these
-- tables.
revoke all on private.notices, private.settings, private.permissions from public, anon, leads_intake, leads_delivery, leads_team;
grant select on private.notices, private.permissions to leads_delivery;

-- A list of allowed origins applies to every insert, wherever it comes from. A browser states the origin of the page that posts; a
-- program that is no browser states none. A page from the server that takes the lead is our own, under whatever name it was opened.
create function private.is_allowed_page(headers jsonb, allowed_origins text[]) returns boolean
language plpgsql immutable
set search_path = pg_catalog, pg_temp
as $$
declare
  origin text := headers ->> 'origin';
begin
  return allowed_origins is null or origin is null or origin = any (allowed_origins)
    or coalesce(split_part(origin, '://', 2) = nullif(headers ->> 'host', ''), false);
end $$;

create function private.refuse_foreign_page() returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
begin
  raise exception using
    errcode = 'PT403',
    message = 'This form is not on our own page, so we cannot take it here. Please open our page and try again.',
    detail = 'The Origin of the request is not among ALLOWED_ORIGINS.';
end $$;

-- Raises 54000 where this transaction holds more than 2,000 advisory locks, of which each lead takes one (private.keep_one_of_the_same). They
-- would fill the server's table of locks, in which every other session has its own. The intake stores a hundred leads in a transaction. The
-- owner may store as many as there is room for.
create function private.refuse_many_locks() returns void
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  if not private.is_session_of_owner()
    and (select count(*) from pg_locks k where k.pid = pg_backend_pid() and k.locktype = 'advisory') > 2000 then
    raise exception using errcode = 'program_limit_exceeded', message = 'Store fewer leads in one transaction.';
  end if;
end $$;

-- The same lead sent again within 24 hours (a retry after a lost answer, an impatient second click, two at once) is stored
-- once, and the sender gets the same answer either way, so that nobody can find out who enquired. A lead whose permission was
-- withdrawn does not count, nor one that a member has finished without a result: the person has changed their mind and is to be called. Nor does
-- one whose time is more than an hour ahead, from a clock that was ahead: an enquiry would be lost until that time comes. The lock makes the
-- second of two at once wait for the first one's commit; each statement in here sees what is committed by then, and the earlier rows of its
-- own insert.
create function private.keep_one_of_the_same() returns trigger
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  fingerprint bigint := private.fingerprint(new.name, new.email, new.phone, new.zip_code, new.has_medicare, new.has_diabetes);
begin
  perform pg_advisory_xact_lock(fingerprint);
  -- By the last byte of the id, which no visitor's login can choose: about one lead in 256.
  if get_byte(uuid_send(new.id), 15) = 0 then
    perform private.refuse_many_locks();
  end if;
  -- Almost every lead is new, and the index alone tells so at about half the cost of the whole question below.
  perform from public.leads l
  where private.fingerprint(l.name, l.email, l.phone, l.zip_code, l.has_medicare, l.has_diabetes) = fingerprint;
  if not found then
    return new;
  end if;
  perform from public.leads l
  where private.fingerprint(l.name, l.email, l.phone, l.zip_code, l.has_medicare, l.has_diabetes) = fingerprint
    and l.created_at between now() - interval '24 hours' and now() + interval '1 hour'
    and (l.name, l.email, l.phone, l.zip_code, l.has_medicare, l.has_diabetes)
      = (new.name, new.email, new.phone, new.zip_code, new.has_medicare, new.has_diabetes)
    and not exists (
      select from private.permissions p where p.lead_id = l.id and p.withdrawn_at is not null
    )
    and not exists (
      select from private.lead_work w
      where w.lead_id = l.id and w.stage = 'closed' and w.outcome in ('not_interested', 'does_not_qualify', 'wrong_number')
    );
  if not found then
    return new;
  end if;
  -- A repeated lead gets the answer that a new one would get.
  if not private.is_allowed_page(new.request_headers, (select s.allowed_origins from private.settings s)) then
    perform private.refuse_foreign_page();
  end if;
  -- Outside PostgREST nobody sees how many rows an insert stores.
  if coalesce(current_setting('request.method', true), '') = '' then
    return null;
  end if;
  -- PostgREST counts the rows that an insert returns, and `Prefer: count=exact` shows the count to the sender. So the repeated
  -- lead goes in, is counted, and is removed at the end of the statement; the triggers below pass over it.
  perform set_config('leads.repeated', new.id::text, true);
  new.request_headers := null;
  return new;
end $$;

create trigger leads_20_keep_one_of_the_same before insert on public.leads
for each row execute function private.keep_one_of_the_same();

create function private.remove_repeated_lead() returns trigger
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  -- Only a row of this very statement, because any session can give the setting another value.
  delete from public.leads l using stored s
  where l.id = s.id and s.id::text = current_setting('leads.repeated');
  return null;
end $$;

create trigger leads_99_remove_repeated_lead after insert on public.leads
referencing new table as stored
for each statement when (current_setting('leads.repeated', true) <> '')
execute function private.remove_repeated_lead();

-- The utm_* parameters of an address, or null when it has none. A loop, because a regular expression that returns a set takes
-- several times as long, and most readers come from an ad.
create function private.utm_of(address text) returns jsonb
language plpgsql immutable
set search_path = pg_catalog, pg_temp
as $$
declare
  page constant text := split_part(address, '#', 1);
  parameter text;
  name text;
  names_and_values text[];
begin
  if strpos(page, '?') = 0 then
    return null;
  end if;
  foreach parameter in array string_to_array(translate(substr(page, strpos(page, '?')), '?', '&'), '&') loop
    if parameter like 'utm\_%=%' then
      name := split_part(parameter, '=', 1);
      if length(name) between 5 and 24 and substr(name, 5) !~ '[^a-z]' then
        names_and_values := names_and_values || array[name, left(substr(parameter, length(name) + 2), 200)];
      end if;
    end if;
  end loop;
  return jsonb_object(names_and_values);
end $$;

-- Moves what the headers state from the arriving row to a permission record. A header that is missing or odd leaves its column
-- empty; it is never a reason to refuse a lead. Every lead pays for this function: it reads the settings once, takes the page's
-- address apart in assignments, which PostgreSQL evaluates without planning a query, and looks for campaign words only where
-- there are any (measured: half the time of one statement that does it all).
create function private.record_permission() returns trigger
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  headers jsonb := new.request_headers;
  s private.settings;
  referer text := headers ->> 'referer';
  notice text := headers ->> 'x-permission-notice';
  variant text := headers ->> 'x-variant';
  device text := headers ->> 'x-device';
  -- A browser states the origin with a post; where a referrer policy hides the path, this is all there is.
  origin text := nullif(headers ->> 'origin', 'null');
  -- Cloudflare, where it stands in front, states the first; the other begins with the visitor.
  address text := coalesce(headers ->> 'cf-connecting-ip', split_part(headers ->> 'x-forwarded-for', ',', 1));
  is_foreign boolean := false;
  host text;
  path text;
  utm jsonb;
begin
  select * into s from private.settings;
  if s.allowed_origins is not null and not private.is_allowed_page(headers, s.allowed_origins) then
    perform private.refuse_foreign_page();
  end if;
  if referer is not null then
    -- After the scheme and before the query: the host up to the first slash, then the path.
    path := split_part(split_part(split_part(referer, '://', 2), '?', 1), '#', 1);
    host := split_part(path, '/', 1);
    if origin is null and host <> '' then
      origin := split_part(referer, '://', 1) || '://' || host;
    end if;
    path := left(substr(path, strpos(path || '/', '/')), 200);
    if strpos(referer, 'utm_') > 0 then
      utm := private.utm_of(referer);
    end if;
  end if;
  if origin <> s.site_origin then
    is_foreign := split_part(origin, '://', 2) is distinct from headers ->> 'host'
      and (s.allowed_origins is null or origin <> all (s.allowed_origins));
  end if;
  if length(notice) <> 64 or notice ~ '[^0-9a-f]' then
    notice := null;
  end if;
  if variant is not null and not private.is_listed_variant(variant) then
    variant := null;
  end if;
  if device not in ('phone', 'tablet', 'computer', 'no-script', 'bot', 'unknown') then
    device := null;
  end if;
  insert into private.permissions (
    lead_id, notice_hash, variant, device, page_origin, is_foreign_page, page_path, address, browser, utm, honeypot_filled
  )
  values (
    new.id, notice, variant, device, left(origin, 200), is_foreign, path, case when s.keep_address then left(address, 100) end,
    left(headers ->> 'user-agent', 500), utm, coalesce(headers ? 'x-honeypot-filled', false)
  );
  new.request_headers := null;
  return new;
end $$;

-- After leads_20: a repeated lead gives no second permission.
create trigger leads_30_record_permission before insert on public.leads
for each row when (new.id::text is distinct from current_setting('leads.repeated', true))
execute function private.record_permission();

create function private.delete_permission() returns trigger
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  delete from private.permissions p using erased e where p.lead_id = e.id;
  return null;
end $$;

create trigger leads_90_delete_permission after delete on public.leads
referencing old table as erased
for each statement execute function private.delete_permission();

-- What is known of the wording in a permission record: 'shown' (private.notices has its text), 'not known', or 'not stated'.
create function private.wording_of(notice_hash text) returns text
language sql stable
set search_path = pg_catalog, pg_temp
return case
  when notice_hash is null then 'not stated'
  when exists (select from private.notices n where n.hash = notice_hash) then 'shown'
  else 'not known'
end;

revoke execute on function
  private.refuse_many_locks, private.keep_one_of_the_same, private.remove_repeated_lead, private.is_allowed_page, private.refuse_foreign_page,
  private.utm_of, private.record_permission, private.delete_permission, private.wording_of
from public;
grant execute on function private.wording_of to leads_delivery;
