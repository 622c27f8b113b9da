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
  constraint callback_has_a_time check ((stage = 'callback') = (callback_at is not null)),
  constraint withdrawn_lead_is_closed check (withdrawn_at is null or stage = 'closed')
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
  outcome text,
  -- The member's outcome that wrote this row last (private.outcomes), which an undo takes back. Null: the operator's command wrote it.
  outcome_id uuid
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

create trigger reviews_10_copy_review_to_work after insert or update of reviewed_at on private.reviews
for each row execute function private.copy_review_to_work();
-- Not where the lead goes, and its row in lead_work with it.
create trigger reviews_11_copy_review_to_work after delete on private.reviews
for each row when (pg_trigger_depth() = 0) execute function private.copy_review_to_work();

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

revoke execute on function
  private.phone_digits, private.email_key, private.copy_review_to_work, private.mark_owed_in_work,
  private.withdraw_permission, private.stop_number
from public;
