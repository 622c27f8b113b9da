-- A supplier may phone a Medicare beneficiary about a covered item only with written permission (42 CFR
-- 424.57(c)(11)), and must be able to show its wording later (47 CFR 64.1200(f)(9)). Each lead's permission is recorded
-- here by SQL, whichever way the lead came in, and read by the provider's side only.

-- Every wording of the notice beside the button that was ever in force. Old ones stay: they are evidence.
create table private.notices (
  hash text primary key,
  text text not null,
  in_force_from timestamptz not null default now(),

  constraint hash_is_of_the_text check (hash = encode(sha256(convert_to(text, 'UTF8')), 'hex'))
);

-- What the triggers need to know of the settings: one row, set by the program at its start.
create table private.settings (
  only_row boolean primary key default true,
  notice_hash text references private.notices,
  keep_address boolean not null default true,

  constraint there_is_one_row check (only_row)
);
insert into private.settings default values;

create table private.permissions (
  -- Not a reference, which every insert would pay to have looked up: the triggers below write it with the lead and
  -- remove it with the lead.
  lead_id uuid primary key,

  -- What the visitor agreed to, and when. No wording means that none had been set when the lead came. It is copied from
  -- the settings, which hold the reference; another one here would cost every insert a tenth of its time (measured).
  notice_hash text,
  given_at timestamptz not null default now(),
  withdrawn_at timestamptz,

  -- The circumstances, as the request's headers told them; emptied after PERMISSION_DAYS.
  page_path text,
  address text,
  browser text,
  -- utm_* of the page's address: which campaign, never an ad network's click id.
  utm jsonb,

  -- A field no person sees was filled in. A mark for the team, never a reason to refuse.
  trap_filled boolean not null default false
);

alter table private.notices enable row level security;
alter table private.settings enable row level security;
alter table private.permissions enable row level security;
-- No policy and no grant: only the owner, whom row-level security does not bind, comes in here.
revoke all on private.notices, private.settings, private.permissions from public, anon, leads_intake;

-- The utm_* parameters of an address, or null when it has none.
create function private.utm_of(address text) returns jsonb
language sql immutable
set search_path = ''
return (
  select jsonb_object_agg(pair[1], left(pair[2], 200))
  from regexp_matches(address, '[?&](utm_[a-z]{1,20})=([^&#]*)', 'g') as pair
);

-- Moves the evidence from the arriving row to a permission of its own. A header that is missing or odd
-- leaves its column empty; it is never a reason to refuse a lead. Every lead pays for this function, so it takes the
-- page's address apart without regular expressions and looks for campaign words only where there are any.
create function private.record_permission() returns trigger
language plpgsql
security definer
set search_path = ''
as $$
declare
  referer text := new.evidence ->> 'referer';
  page text := split_part(referer, '://', 2);
  -- The first is Cloudflare's own word, where it stands in front; the other the nearest proxy's.
  address text := coalesce(
    new.evidence ->> 'cf-connecting-ip', split_part(new.evidence ->> 'x-forwarded-for', ',', 1)
  );
  settings private.settings;
begin
  select * into settings from private.settings;
  insert into private.permissions (lead_id, notice_hash, page_path, address, browser, utm, trap_filled)
  values (
    new.id,
    settings.notice_hash,
    -- From the first slash after the host, up to the query.
    left(split_part(split_part(substr(page, strpos(page || '/', '/')), '?', 1), '#', 1), 200),
    case when settings.keep_address then left(address, 100) end,
    left(new.evidence ->> 'user-agent', 500),
    case when strpos(referer, 'utm_') > 0 then private.utm_of(referer) end,
    coalesce(new.evidence ? 'x-trap-filled', false)
  );
  new.evidence := null;
  return new;
end $$;

-- After leads_20: a lead that already stands gives no second permission.
create trigger leads_30_record_permission before insert on public.leads
for each row execute function private.record_permission();

create function private.forget_permission() returns trigger
language plpgsql
security definer
set search_path = ''
as $$
begin
  delete from private.permissions p using erased e where p.lead_id = e.id;
  return null;
end $$;

create trigger leads_90_forget_permission after delete on public.leads
referencing old table as erased
for each statement execute function private.forget_permission();

revoke execute on function private.utm_of, private.record_permission, private.forget_permission from public;
