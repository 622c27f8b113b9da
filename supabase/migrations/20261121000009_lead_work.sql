-- What the team's lists, searches, queue and spam flags need to know about each lead: one row for each lead. It is written soon after
-- the insert and not in it, so that no visitor waits for it, and so that no list has to compute it at each read.

create table private.lead_work (
  lead_id uuid primary key references public.leads on delete cascade,
  created_at timestamptz not null,

  -- The number that is dialled (private.phone_digits), empty when none was typed; and the other numbers that were typed in the field, in the
  -- name or beside the e-mail address (private.numbers_beside).
  phone_digits text not null,
  other_numbers text[] not null default '{}',
  email_key text not null,
  -- The single e-mail addresses in a field that holds not just one address (private.other_addresses); empty in most leads.
  other_addresses text[] not null default '{}',
  -- Words of the name, as private.words_of has them, for the search.
  search tsvector not null,

  -- Why the lead looks like spam; most have no flag. A flag refuses nothing, it tells the team.
  flags text[] not null default '{}',
  -- The visitor's network address, which the burst flag compares; it is emptied when the permission's address is.
  address text,

  -- Where the person may be: a key such as 'KY/America/Chicago|KY/America/New_York', the places of the ZIP code first, as `private.place_of`
  -- has it. Calling hours are looked up by it.
  place text not null,
  -- The key by which attempts to reach one number are counted: that number, or the lead's id where there is none.
  number_key text not null,

  -- Open: no outcome, operator's review or withdrawal has ended the work. Callback: the person asked to be called again at callback_at.
  stage text not null default 'open',
  callback_at timestamptz,
  -- The time zone in which the callback was agreed, and whether the person asked for a time outside the calling hours.
  callback_zone text,
  callback_asked_for boolean not null default false,
  -- When the last outcome was recorded that leaves the work unfinished: no answer, a message left, or a callback agreed.
  tried_at timestamptz,
  -- The outcome recorded last.
  outcome text,

  -- What other tables say of the lead, repeated here so that lists and counts are read in the order of an index.
  reviewed_at timestamptz,
  withdrawn_at timestamptz,
  -- Whether a delivery of the lead was made, or belongs to a channel that is not retired (private.owed_deliveries).
  is_owed boolean not null default false,
  -- The first attempt to reach the person, for the reports and the alert (private.unnotified_leads).
  first_called_at timestamptz,
  -- The campaign's words, the variant of the article and the kind of device, which are copied from the permission again whenever they
  -- change there.
  utm jsonb,
  variant text,
  device text not null default 'unknown',

  constraint stage_is_known check (stage in ('open', 'callback', 'closed')),
  constraint callback_has_a_time check ((stage = 'callback') = (callback_at is not null)),
  constraint withdrawn_lead_is_closed check (withdrawn_at is null or stage = 'closed')
) with (autovacuum_vacuum_scale_factor = 0.01);

-- The order of the queue: first the leads without an attempt, in the order in which they came; then those with one, the oldest
-- attempt first.
create index lead_work_open on private.lead_work ((tried_at is not null), coalesce(tried_at, created_at), lead_id)
where stage = 'open';
-- For the queue while few places may be called, and for its list of leads whose place may not be called now.
create index lead_work_open_by_place on private.lead_work (place, lead_id) where stage = 'open';
create index lead_work_untried on private.lead_work (created_at) where stage <> 'closed' and tried_at is null;
create index lead_work_callbacks on private.lead_work (callback_at, lead_id) where stage = 'callback';
create index lead_work_by_reference on private.lead_work (private.from_its_end(lead_id) collate "C");
create index lead_work_by_time on private.lead_work (created_at, lead_id);
create index lead_work_by_phone on private.lead_work (phone_digits, created_at) where phone_digits <> '';
create index lead_work_by_other_numbers on private.lead_work using gin (other_numbers) where other_numbers <> '{}';
create index lead_work_by_email on private.lead_work (email_key, created_at);
create index lead_work_by_other_addresses on private.lead_work using gin (other_addresses) where other_addresses <> '{}';
create index lead_work_by_search on private.lead_work using gin (search);
create index lead_work_by_address on private.lead_work (address, created_at, lead_id) where address is not null;
create index lead_work_flagged on private.lead_work (created_at, lead_id) where flags <> '{}';
create index lead_work_withdrawn on private.lead_work (created_at, lead_id) where withdrawn_at is not null;
create index lead_work_withdrawn_unreviewed on private.lead_work (created_at, lead_id)
where withdrawn_at is not null and reviewed_at is null;
-- Those that still wait for their review.
create index lead_work_waiting on private.lead_work (created_at, lead_id) where reviewed_at is null and withdrawn_at is null;
create index lead_work_by_outcome on private.lead_work (outcome, created_at, lead_id) where outcome is not null;

-- The first review of a lead: the thank-you page promises it within 24 hours, so its time never changes.
create table private.reviews (
  lead_id uuid primary key references public.leads on delete cascade,
  reviewed_at timestamptz not null default now(),
  outcome text,
  -- The member's outcome that wrote this row last (private.outcomes): only its undo changes the row back. Null: the operator's command.
  outcome_id uuid
) with (autovacuum_vacuum_scale_factor = 0.01);

-- Numbers that must not be called, with each time that somebody said so, because each lead's proof says which stop ended its
-- permission. A lead that comes after the last stop gives a new permission; a stop that a clock dated ahead holds until that time.
create table private.stop_list (
  phone_digits text,
  stopped_at timestamptz not null default now(),
  -- Who recorded it; the name stays when a member is removed. No id: the operator, by command.
  member_id uuid,
  who text not null default 'operator',

  primary key (phone_digits, stopped_at),
  constraint phone_digits_are_digits check (phone_digits ~ '^[0-9]{7,20}$')
);
create index stop_list_by_time on private.stop_list (stopped_at);

alter table private.lead_work enable row level security;
alter table private.reviews enable row level security;
alter table private.stop_list enable row level security;
create policy "The delivery may read flags" on private.lead_work for select to leads_delivery using (true);
create policy "The delivery may see what was reviewed" on private.reviews for select to leads_delivery using (true);
revoke all on private.lead_work, private.reviews, private.stop_list from public, anon, leads_intake, leads_delivery, leads_team;
grant select on private.lead_work, private.reviews to leads_delivery;
-- No grant to write for any role: functions of the owner do that.

-- The key by which two e-mail addresses count as the same. It ignores case, blanks around the address and invisible characters, and takes
-- full-width characters for plain ones.
create function private.email_key(email text) returns text
language sql immutable parallel safe
return lower(btrim(private.in_ascii(email), e' \t\r\n'));

-- The e-mail addresses in an email_key that is not just one address: "rosa diaz <rosa@a.example>", "mailto:rosa@a.example",
-- two addresses, or one with a dot at its end. Empty where it is one address alone, as it almost always is.
create function private.other_addresses(email_key text) returns text[]
language sql immutable parallel safe
set search_path = pg_catalog, pg_temp
return case
  when strpos(email_key, '@') = 0
    or email_key ~ '^[^\s<>()\[\],;:"|/\\?@]+@[^\s<>()\[\],;:"|/\\?@]+$' and email_key = btrim(email_key, '.''') then '{}'
  else array(
    select distinct btrim(m[1], '.''')
    from regexp_matches(
      regexp_replace(email_key, '\s?@\s?', '@', 'g'), '([^\s<>()\[\],;:"|/\\?@]+@[^\s<>()\[\],;:"|/\\?@]+)', 'g'
    ) as m
  )
end;

-- Copies the time of a lead's first review to lead_work, which ends the work on an open lead.
create function private.copy_review_to_work() returns trigger
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  of_lead uuid := case when tg_op = 'DELETE' then old.lead_id else new.lead_id end;
  at timestamptz := case when tg_op <> 'DELETE' then new.reviewed_at end;
begin
  if tg_op = 'INSERT' then
    perform private.index_up_to(of_lead);
  end if;
  update private.lead_work w
  set reviewed_at = at, stage = case when tg_op = 'INSERT' and w.stage = 'open' then 'closed' else w.stage end
  where w.lead_id = of_lead
    and (w.reviewed_at is distinct from at or tg_op = 'INSERT' and w.stage = 'open');
  return null;
end $$;

create trigger reviews_10_copy_review_to_work after insert or update of reviewed_at on private.reviews
for each row execute function private.copy_review_to_work();
-- Not when the lead itself is deleted, because its row in lead_work is deleted with it.
create trigger reviews_11_copy_review_to_work after delete on private.reviews
for each row when (pg_trigger_depth() = 0) execute function private.copy_review_to_work();

-- Marks a lead in lead_work as owed when a delivery of it is enqueued.
create function private.mark_owed_in_work() returns trigger
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  perform private.index_up_to(new.lead_id);
  update private.lead_work w set is_owed = true where w.lead_id = new.lead_id and not w.is_owed;
  return null;
end $$;

-- Not for the deliveries that the insert of a lead enqueues by its own trigger, because the row of that lead is written later.
create trigger deliveries_10_mark_owed_in_work after insert on private.deliveries
for each row when (pg_trigger_depth() = 0) execute function private.mark_owed_in_work();

-- Corrects is_owed when a channel is retired or set up again, because what a retired channel did not take is owed to no channel.
create function private.mark_owed_by_channel() returns trigger
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  update private.lead_work w set is_owed = not w.is_owed
  where w.lead_id in (
      -- What the channel did not take: what failed and what waits. Two conditions, because each has an index of its own.
      select d.lead_id from private.deliveries d
      where d.channel = new.name and (d.failed_at is not null or d.delivered_at is null and d.failed_at is null)
    )
    and w.is_owed <> exists (select from private.owed_deliveries o where o.lead_id = w.lead_id);
  return null;
end $$;

create trigger channels_10_mark_owed_in_work after update of retired_at on private.channels
for each row when ((old.retired_at is null) <> (new.retired_at is null)) execute function private.mark_owed_by_channel();

-- All numbers that were typed in a lead.
create function private.numbers_of(w private.lead_work) returns text[]
language sql immutable parallel safe
return array_remove(w.phone_digits || w.other_numbers, '');

-- The keys by which leads have an e-mail address in common: the field as a whole, and each address in it. None where no address was typed,
-- because strangers type the same word there, such as "none".
create function private.addresses_of(w private.lead_work) returns text[]
language sql immutable parallel safe
return case when strpos(w.email_key, '@') > 0 then array[w.email_key] else '{}' end || w.other_addresses;

-- The leads in which one of these numbers was typed.
create function private.leads_with_numbers(numbers text[]) returns setof uuid
language sql stable rows 10
set search_path = pg_catalog, pg_temp
as $$
  select w.lead_id from private.lead_work w where w.phone_digits = any (numbers) and w.phone_digits <> ''
  union
  select w.lead_id from private.lead_work w where w.other_numbers && numbers and w.other_numbers <> '{}'
$$;

-- The stop that ended a lead's permission: the first stop of any of its numbers since the lead came. Null where there is none.
create function private.stop_of(w private.lead_work) returns private.stop_list
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select s.* from private.stop_list s
  where s.phone_digits = any (private.numbers_of(w)) and s.stopped_at >= w.created_at
  order by s.stopped_at limit 1
$$;

-- Stops all numbers of a lead in the operator's name (private.stop_numbers). A lead without a number loses its own permission alone.
-- Returns the ids of the leads whose permission this ended; none when there is no such lead.
create function private.withdraw_permission(lead uuid) returns setof uuid
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  numbers text[] := (
    select typed.numbers || private.numbers_beside(l.name, l.email, typed.numbers)
    from public.leads l cross join lateral (select private.phone_numbers(l.phone) as numbers) typed
    where l.id = lead
  );
begin
  if numbers is null then
    return;
  elsif numbers <> '{}' then
    -- It may be older than stop_numbers looks back.
    perform private.index_up_to(lead);
    return query select private.stop_numbers(numbers);
  else
    return query select private.withdraw_permissions(array[lead]);
  end if;
end $$;

-- Puts numbers on the stop list. No member: the operator, by command.
create function private.put_on_stop_list(numbers text[], member uuid, name text) returns void
language sql
set search_path = pg_catalog, pg_temp
as $$
  insert into private.stop_list (phone_digits, member_id, who) select distinct n, member, name from unnest(numbers) as n
  on conflict do nothing;
$$;

-- Puts numbers on the stop list and withdraws the permission of every lead with one of them. Returns the ids of the leads whose
-- permission this ended. No member: the operator, by command.
create function private.stop_numbers(numbers text[], member uuid default null, name text default 'operator') returns setof uuid
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
begin
  -- Leads of the last moments may have no row yet.
  while private.index_new_leads() > 0 loop end loop;
  perform private.put_on_stop_list(numbers, member, name);
  return query select private.withdraw_permissions(array(select private.leads_with_numbers(numbers)));
end $$;

-- Locks the work on these leads, in one order. A stop, an erasure and what a member does lock the work on a lead first and its other rows
-- later, because two that lock the same rows in two orders wait for each other until PostgreSQL fails one of them.
create function private.lock_leads(leads uuid[]) returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
begin
  perform from private.lead_work w where w.lead_id = any (leads) order by w.lead_id for update;
end $$;

-- Withdraws the permissions of these leads, except those already withdrawn, and returns the ids of the leads whose permission this ended.
create function private.withdraw_permissions(leads uuid[]) returns setof uuid
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  stopped uuid;
begin
  perform private.lock_leads(leads);
  for stopped in
    update private.permissions p set withdrawn_at = now()
    where p.lead_id = any (leads) and p.withdrawn_at is null
    returning p.lead_id
  loop
    perform private.enqueue_event(stopped, 'permission.withdrawn');
    return next stopped;
  end loop;
end $$;

-- Withdraws the permission of each of these leads that still has one although one of its numbers was stopped after the lead came.
create function private.withdraw_stopped_leads(leads uuid[]) returns void
language sql
set search_path = pg_catalog, pg_temp
as $$
  select private.withdraw_permissions(array(
    select w.lead_id from private.lead_work w
    where w.lead_id = any (leads) and w.withdrawn_at is null and (private.stop_of(w)).stopped_at is not null
  ));
$$;

revoke execute on function
  private.email_key, private.other_addresses, private.copy_review_to_work, private.mark_owed_in_work, private.mark_owed_by_channel, private.numbers_of, private.addresses_of,
  private.leads_with_numbers, private.stop_of, private.lock_leads, private.withdraw_permission, private.put_on_stop_list,
  private.stop_numbers, private.withdraw_permissions,
  private.withdraw_stopped_leads
from public;
