-- What the team's lists, searches, queue and spam flags need to know about each lead: one row for each lead. It is written soon after
-- the insert and not in it, so that no visitor waits for it, and so that no list has to compute it at each read.

create table private.lead_work (
  lead_id uuid primary key references public.leads on delete cascade,
  created_at timestamptz not null,

  -- For "who else has this number": digits alone, without the 1 of the United States. Empty when too few were typed.
  phone_digits text not null,
  email_key text not null,
  -- Words of the name, for the search.
  search tsvector not null,

  -- Why the lead looks like spam; most have no flag. A flag refuses nothing, it tells the team.
  flags text[] not null default '{}',
  -- The address that the flag for a burst compares; emptied with the permission's.
  address text,

  -- Where the person may be, as `private.place_of` has it; calling hours are looked up by it.
  place text not null,
  -- The key by which attempts to reach one number are counted: the digits, or the lead's id where there are none.
  number_key text not null,

  -- Open: nobody has recorded an outcome that ends the work. Callback: the person asked to be called again at callback_at.
  stage text not null default 'open',
  callback_at timestamptz,
  -- In whose clocks the callback was agreed, and whether the person asked for a time outside the calling hours.
  callback_zone text,
  callback_asked_for boolean not null default false,
  -- The last attempt that did not reach the person.
  tried_at timestamptz,
  -- The outcome recorded last.
  outcome text,

  -- What other tables say of the lead, repeated here so that lists and counts are read in the order of an index.
  reviewed_at timestamptz,
  withdrawn_at timestamptz,
  -- Whether any channel was told of the lead or is to be.
  is_owed boolean not null default false,
  -- For the reports: the first attempt to reach the person; the campaign's words, the variant of the article and the kind of device,
  -- which follow the permission's.
  first_called_at timestamptz,
  utm jsonb,
  variant text,
  device text not null default 'unknown',

  constraint stage_is_known check (stage in ('open', 'callback', 'closed')),
  constraint callback_has_a_time check ((stage = 'callback') = (callback_at is not null))
);

-- The order of the queue: leads that nobody has tried to reach by their 24 hours, then those that were tried, the one tried longest
-- ago first.
create index lead_work_open on private.lead_work ((tried_at is not null), coalesce(tried_at, created_at), lead_id)
where stage = 'open';
-- For the queue while few places may be called, and for its list of leads whose place may not be called now.
create index lead_work_open_by_place on private.lead_work (place, lead_id) where stage = 'open';
create index lead_work_untried on private.lead_work (created_at) where stage <> 'closed' and tried_at is null;
create index lead_work_callbacks on private.lead_work (callback_at, lead_id) where stage = 'callback';
create index lead_work_by_reference on private.lead_work (private.from_its_end(lead_id) collate "C");
create index lead_work_by_time on private.lead_work (created_at, lead_id);
create index lead_work_by_phone on private.lead_work (phone_digits, created_at) where phone_digits <> '';
create index lead_work_by_email on private.lead_work (email_key, created_at);
create index lead_work_by_search on private.lead_work using gin (search);
create index lead_work_by_address on private.lead_work (address, created_at) where address is not null;
create index lead_work_flagged on private.lead_work (created_at, lead_id) where flags <> '{}';
create index lead_work_withdrawn on private.lead_work (created_at, lead_id) where withdrawn_at is not null;
create index lead_work_withdrawn_unreviewed on private.lead_work (created_at, lead_id)
where withdrawn_at is not null and reviewed_at is null;
-- Those that still wait for their review.
create index lead_work_waiting on private.lead_work (created_at, lead_id) where reviewed_at is null and withdrawn_at is null;
-- Those that were not reviewed within the 24 hours.
create index lead_work_late on private.lead_work (created_at, lead_id)
where coalesce(reviewed_at - created_at > interval '24 hours', true);
create index lead_work_by_outcome on private.lead_work (outcome, created_at, lead_id) where outcome is not null;

-- The first review of a lead: the thank-you page promises it within 24 hours, so its time never changes.
create table private.reviews (
  lead_id uuid primary key references public.leads on delete cascade,
  reviewed_at timestamptz not null default now(),
  outcome text
);

-- Numbers that must not be called. A lead that was given later than the stop is a new permission.
create table private.stop_list (
  phone_digits text primary key,
  stopped_at timestamptz not null default now(),
  -- Who recorded it; the name stays when a member is removed. No id: the operator, by command.
  member_id uuid,
  who text not null default 'operator',

  constraint phone_digits_are_digits check (phone_digits ~ '^[0-9]{7,20}$')
);

alter table private.lead_work enable row level security;
alter table private.reviews enable row level security;
alter table private.stop_list enable row level security;
create policy "The delivery may read flags" on private.lead_work for select to leads_delivery using (true);
create policy "The delivery may see what was reviewed" on private.reviews for select to leads_delivery using (true);
revoke all on private.lead_work, private.reviews, private.stop_list from public, anon, leads_intake, leads_delivery, leads_team;
grant select on private.lead_work, private.reviews to leads_delivery;
-- No grant to write for any role: functions of the owner do that.

-- The digits of a phone number as typed, without a leading 1 of eleven. Empty when fewer than seven: no number to compare by.
create function private.phone_digits(phone text) returns text
language sql immutable parallel safe
set search_path = ''
return (
  select case
    when length(d) = 11 and d like '1%' then substr(d, 2)
    when length(d) between 7 and 20 then d
    else ''
  end
  from (select regexp_replace(phone, '[^0-9]', '', 'g') as d) as typed
);

-- By what two e-mail addresses are the same: case and blanks around them are no part of one.
create function private.email_key(email text) returns text
language sql immutable parallel safe
return lower(btrim(email, e' \t\r\n'));

-- Whether words hold a link. What stands before the dot of a bare domain has two characters or more: J.Me or T.Ly is a name.
create function private.holds_link(words text) returns boolean
language sql immutable parallel safe
set search_path = ''
return words ~* (
  '(https?:|mailto:|www\.|<a\M|\mt\.me\M|[a-z0-9-]+\.[a-z]{2,}/\S|[a-z0-9-]{2,}\.'
  '(com|net|org|ru|info|xyz|top|shop|biz|io|co|me|ly|online|site|club|dev|app|link|click|live|store|website|space|icu|cc|tk|uk)\M)'
);

-- Flags the leads of a burst: the same name, e-mail address or phone more than five times from one address within ten minutes.
-- Looks at the newest leads of the addresses given, and of each at the nearest ten before and after, because otherwise a
-- flood would make each of its leads cost as many looks as the flood has leads.
create function private.flag_bursts(addresses text[]) returns void
language sql
set search_path = ''
as $$
  update private.lead_work w
  set flags = array_append(w.flags, 'burst from one address')
  from (
    select recent.lead_id, recent.created_at, recent.address, l.name, l.email, l.phone
    from unnest(addresses) as given (address)
    cross join lateral (
      select r.lead_id, r.created_at, r.address from private.lead_work r
      where r.address = given.address
        and not r.flags @> array['burst from one address']
      order by r.created_at desc limit 100
    ) recent
    join public.leads l on l.id = recent.lead_id
  ) c
  where w.lead_id = c.lead_id and 5 < (
    select count(*)
    from (
      (
        select before.lead_id from private.lead_work before
        where before.address = c.address
          and before.created_at between c.created_at - interval '10 minutes' and c.created_at
        order by before.created_at desc limit 10
      )
      union all
      (
        select after.lead_id from private.lead_work after
        where after.address = c.address
          and after.created_at > c.created_at and after.created_at <= c.created_at + interval '10 minutes'
        order by after.created_at limit 10
      )
    ) near
    join public.leads other on other.id = near.lead_id
    where other.name = c.name or other.email = c.email or other.phone = c.phone
  )
$$;

-- The leads that have no row yet, the oldest first. Looks back a little further than the newest row, because leads are not committed
-- in the order of their times; an insert of the intake ends within 8 seconds. A wider look back finds leads that a person inserted by
-- hand in a long transaction.
create function private.leads_to_index(at_most integer default null, look_back interval default '15 seconds') returns setof uuid
language plpgsql stable
security definer
set search_path = ''
set plan_cache_mode = force_custom_plan
as $$
declare
  -- A variable, because the planner must see that few leads are newer: it would otherwise read every row at each call.
  since timestamptz := coalesce((select max(w.created_at) from private.lead_work w) - look_back, '-infinity');
begin
  return query
    select l.id from public.leads l
    where l.created_at > since and not exists (select from private.lead_work w where w.lead_id = l.id)
    order by l.created_at
    limit at_most;
end $$;

-- Writes the rows of these leads, of those that have none, and returns which that were. Waits for another process that writes the
-- same row at this moment.
create function private.index_leads(leads uuid[]) returns uuid[]
language plpgsql
security definer
set search_path = ''
as $$
declare
  indexed uuid[];
begin
  with new_rows as (
    insert into private.lead_work (
      lead_id, created_at, phone_digits, email_key, search, flags, address, number_key, place, stage, reviewed_at, withdrawn_at, is_owed, utm,
      variant, device
    )
    select
      l.id, l.created_at, private.phone_digits(l.phone), private.email_key(l.email),
      to_tsvector('simple', l.name),
      array_remove(array[
        case when p.honeypot_filled then 'honeypot filled' end,
        case when private.holds_link(l.name) then 'link in name' end,
        -- Without a list of allowed origins a form on another site is taken, and flagged.
        case when p.is_foreign_page then 'page elsewhere' end
      ], null),
      p.address, coalesce(nullif(private.phone_digits(l.phone), ''), l.id::text), private.place_of(l.zip_code, l.phone),
      case when p.withdrawn_at is null and r.lead_id is null then 'open' else 'closed' end, r.reviewed_at, p.withdrawn_at,
      exists (select from private.deliveries d where d.lead_id = l.id), p.utm,
      p.variant, coalesce(p.device, private.device_of(p.browser))
    from public.leads l
    left join private.permissions p on p.lead_id = l.id
    left join private.reviews r on r.lead_id = l.id
    where l.id = any (leads)
    order by l.created_at
    on conflict do nothing
    returning lead_id
  )
  select array_agg(lead_id) into indexed from new_rows;
  return indexed;
end $$;

-- Writes the rows of leads that have none yet, at most `at_most`, and returns the number of them. Several processes may call it at once.
create function private.index_new_leads(at_most integer default 1000, look_back interval default '15 seconds') returns integer
language plpgsql
security definer
set search_path = ''
as $$
declare
  found_leads uuid[] := array(select private.leads_to_index(at_most, look_back));
  indexed uuid[];
begin
  if found_leads = '{}' then
    return 0;
  end if;
  indexed := private.index_leads(found_leads);
  if indexed is null then
    return 0;
  end if;
  perform private.flag_bursts((
    select array_agg(distinct w.address) from private.lead_work w
    where w.lead_id = any (indexed) and w.address is not null
  ));
  perform private.notify_inbox_of_leads(indexed, are_new => true);
  return cardinality(indexed);
end $$;

-- Does what index_new_leads does, for processes that call it all the time: returns 0 while another process runs it, because two that
-- take the same leads at once do the work twice.
create function private.index_new_leads_unless_busy() returns integer
language plpgsql
security definer
set search_path = ''
as $$
begin
  if not pg_try_advisory_xact_lock(hashtextextended('private.index_new_leads', 0)) then
    return 0;
  end if;
  return private.index_new_leads();
end $$;

-- Copies the time of a lead's first review to lead_work. A review ends the work on an open lead.
create function private.copy_review_to_work() returns trigger
language plpgsql
security definer
set search_path = ''
as $$
declare
  of_lead uuid := case when tg_op = 'DELETE' then old.lead_id else new.lead_id end;
  at timestamptz := case when tg_op <> 'DELETE' then new.reviewed_at end;
begin
  -- The row of a lead of this second may be about to be written by another process that does not see the review.
  if tg_op = 'INSERT' and not exists (select from private.lead_work w where w.lead_id = of_lead) then
    perform private.index_leads(array[of_lead]);
  end if;
  update private.lead_work w
  set reviewed_at = at, stage = case when tg_op = 'INSERT' and w.stage = 'open' then 'closed' else w.stage end
  where w.lead_id = of_lead
    and (w.reviewed_at is distinct from at or tg_op = 'INSERT' and w.stage = 'open');
  return null;
end $$;

create trigger reviews_10_copy_review_to_work after insert or update of reviewed_at or delete on private.reviews
for each row execute function private.copy_review_to_work();

-- Marks a lead in lead_work as owed when a delivery of it is enqueued.
create function private.mark_owed_in_work() returns trigger
language plpgsql
security definer
set search_path = ''
as $$
begin
  update private.lead_work w set is_owed = true where w.lead_id = new.lead_id and not w.is_owed;
  return null;
end $$;

-- Not for the deliveries that the insert of a lead enqueues by its own trigger, because the row of that lead is written later.
create trigger deliveries_10_mark_owed_in_work after insert on private.deliveries
for each row when (pg_trigger_depth() = 0) execute function private.mark_owed_in_work();

-- Records that a person withdrew the permission: of this lead and of every lead with the same number that was given before.
-- The channels are notified of each a minute later, because a message about the lead itself may be under way now. Returns
-- the ids of the leads whose permission this ended; none when there is no such lead or it had ended before.
create function private.withdraw_permission(lead uuid) returns setof uuid
language plpgsql
set search_path = ''
as $$
declare
  digits text := (select private.phone_digits(l.phone) from public.leads l where l.id = lead);
begin
  if digits is null then
    return;
  elsif digits <> '' then
    return query select private.stop_number(digits);
  else
    return query
      update private.permissions p set withdrawn_at = now()
      where p.lead_id = lead and p.withdrawn_at is null
      returning p.lead_id;
    if found then
      perform private.enqueue_event(lead, 'permission.withdrawn', now() + interval '1 minute');
    end if;
  end if;
end $$;

-- Puts a number on the stop list and withdraws the permission of every lead with it. Returns the ids of the leads whose
-- permission this ended.
create function private.stop_number(digits text) returns setof uuid
language plpgsql
set search_path = ''
as $$
declare
  stopped uuid;
begin
  insert into private.stop_list (phone_digits) values (digits)
  on conflict (phone_digits) do update set stopped_at = now(), member_id = null, who = 'operator';
  -- Leads of the last moments may have no row yet.
  while private.index_new_leads() > 0 loop end loop;
  for stopped in
    update private.permissions p set withdrawn_at = now()
    from private.lead_work w
    where w.phone_digits = digits and p.lead_id = w.lead_id and p.withdrawn_at is null
    returning p.lead_id
  loop
    perform private.enqueue_event(stopped, 'permission.withdrawn', now() + interval '1 minute');
    return next stopped;
  end loop;
end $$;

-- Enqueues deliveries of the leads of the last three days that have none, because no channel was set up when they came. Older leads,
-- and those that the team has reviewed, are left to `leads retry`. Returns the number of deliveries.
create function private.enqueue_missed_deliveries(moment timestamptz default now()) returns integer
language plpgsql
security definer
set search_path = ''
as $$
declare
  made integer;
begin
  insert into private.deliveries (lead_id, channel)
  select l.id, c.name
  from public.leads l cross join private.channels c
  where c.enabled
    and l.created_at > moment - interval '3 days'
    and not exists (select from private.deliveries d where d.lead_id = l.id)
    and not exists (select from private.reviews r where r.lead_id = l.id)
  -- A concurrent erasure of the lead waits for this lock, and then deletes what is enqueued here.
  for key share of l
  on conflict do nothing;
  get diagnostics made = row_count;
  return made;
end $$;

-- Enqueues an alert about each lead that has waited 20 hours unreviewed, once, unless the person withdrew the permission. Leads older
-- than 44 hours get none, because their 24 hours are long over; `leads status` counts them.
create function private.enqueue_overdue_alerts(moment timestamptz default now()) returns integer
language plpgsql
security definer
set search_path = ''
as $$
declare
  made integer;
begin
  insert into private.deliveries (event, lead_id, channel)
  select 'lead.overdue', l.id, c.name
  from public.leads l cross join private.channels c
  where c.enabled
    and l.created_at <= moment - interval '20 hours'
    and l.created_at > moment - interval '44 hours'
    and not exists (select from private.reviews r where r.lead_id = l.id)
    and not exists (select from private.permissions p where p.lead_id = l.id and p.withdrawn_at is not null)
  -- A concurrent erasure of the lead waits for this lock, and then deletes what is enqueued here.
  for key share of l
  on conflict do nothing;
  get diagnostics made = row_count;
  return made;
end $$;

revoke execute on function
  private.phone_digits, private.email_key, private.holds_link, private.flag_bursts, private.leads_to_index,
  private.index_leads, private.index_new_leads, private.index_new_leads_unless_busy, private.copy_review_to_work,
  private.mark_owed_in_work, private.withdraw_permission, private.stop_number, private.enqueue_missed_deliveries,
  private.enqueue_overdue_alerts
from public;
grant execute on function
  private.index_new_leads, private.index_new_leads_unless_busy, private.enqueue_missed_deliveries, private.enqueue_overdue_alerts
to leads_delivery;
