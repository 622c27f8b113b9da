-- What a member does with a lead leaves rows here: who has it, each call, each outcome, each eligibility check. Only functions of the
-- schema `team`, and what they call, add them. Also what the queue needs to know of the places where people are (place_windows).

-- The time at which a claim ends if it is made or renewed now.
create function private.claim_ends() returns timestamptz
language sql stable
return now() + interval '20 minutes';

-- Who has a lead, and until when. A claim ends by itself, so that an absent colleague keeps nobody waiting.
create table private.claims (
  lead_id uuid primary key references public.leads on delete cascade,
  member_id uuid not null references private.members,
  claimed_at timestamptz not null default now(),
  until timestamptz not null default private.claim_ends()
);
create index claims_of_member on private.claims (member_id);

-- Each time a number was shown to be called: at most three in 24 hours to one number.
create table private.calls (
  id uuid primary key default gen_random_uuid(),
  lead_id uuid not null references public.leads on delete cascade,
  -- As private.lead_work has it.
  number_key text not null,
  member_id uuid not null references private.members,
  at timestamptz not null default now(),
  -- "The person asked for this time": why a call outside the hours was made.
  asked_for_this_time boolean not null default false,
  -- It was about a lead that is erased, and is kept as an attempt to call the number (private.keep_attempts).
  is_of_erased_lead boolean not null default false,
  -- The transaction that logged it. The number is returned in a later one only, so that the attempt cannot be rolled back after the
  -- number was seen.
  xact xid8 not null default pg_current_xact_id()
) with (autovacuum_vacuum_scale_factor = 0.01);
create index calls_of_lead on private.calls (lead_id, at);
create index calls_by_number on private.calls (number_key, at);
create index calls_by_time on private.calls (at);

create table private.outcomes (
  id uuid primary key default gen_random_uuid(),
  lead_id uuid not null references public.leads on delete cascade,
  -- Null: a review without a call.
  call_id uuid unique references private.calls on delete cascade,
  member_id uuid not null references private.members,
  -- The moment of the insert and not of its transaction's start: when one outcome waits for another, the one that waited is the later one.
  at timestamptz not null default clock_timestamp(),
  outcome text not null,
  note text not null default '',
  callback_at timestamptz,
  callback_zone text,
  callback_asked_for boolean not null default false,
  -- What the lead's work and review were before, for an undo.
  before jsonb not null,

  constraint outcome_is_known check (outcome in (
    'likely_qualifies', 'needs_visit', 'does_not_qualify', 'not_interested', 'callback', 'no_answer', 'left_message', 'wrong_number'
  )),
  constraint callback_has_a_time check ((outcome = 'callback') = (callback_at is not null)),
  constraint note_has_at_most_2000_characters check (char_length(note) <= 2000)
) with (autovacuum_vacuum_scale_factor = 0.01);
create index outcomes_of_lead on private.outcomes (lead_id, at);
create index outcomes_by_time on private.outcomes (at);

-- Until when an outcome can be taken back.
create function private.undo_until(o private.outcomes) returns timestamptz
language sql immutable
return o.at + interval '5 minutes';

-- What was asked on the phone, and what it means (LCD L33822, article A52464). There is no column for a Medicare number.
create table private.eligibility_checks (
  id uuid primary key default gen_random_uuid(),
  lead_id uuid not null references public.leads on delete cascade,
  member_id uuid not null references private.members,
  at timestamptz not null default now(),
  answers jsonb not null,
  result text not null,
  reasons text[] not null,

  constraint result_is_known check (result in ('likely', 'needs_visit', 'not_now'))
);
create index eligibility_checks_of_lead on private.eligibility_checks (lead_id, at);

alter table private.claims enable row level security;
alter table private.calls enable row level security;
alter table private.outcomes enable row level security;
alter table private.eligibility_checks enable row level security;
-- No policy and no grant: only the owner and the owner's functions use these tables.
revoke all on private.claims, private.calls, private.outcomes, private.eligibility_checks
from public, anon, leads_intake, leads_delivery, leads_team;

-- Whether each place key that a lead has (private.lead_work) may be called now, and until or from when. A reading of the queue computes
-- only the rows that do not hold any longer (private.refresh_place_windows).
create table private.place_windows (
  place text primary key,
  callable boolean not null default false,
  callable_at timestamptz,
  callable_until timestamptz,
  states text[] not null default '{}',
  zones text[] not null default '{}',
  reason text,
  blocking_state text,
  blocking_zone text,
  -- Until when the row holds: until calling hours end or begin, but at most until the next full hour, because the reason may change at
  -- midnight of any zone.
  holds_until timestamptz not null default '-infinity'
);
create index place_windows_by_age on private.place_windows (holds_until);
alter table private.place_windows enable row level security;
-- No policy and no grant: only the owner's functions use this table.
revoke all on private.place_windows from public, anon, leads_intake, leads_delivery, leads_team;

create function private.add_place_windows() returns trigger
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  -- In one order, because two processes that add the same places in two orders would wait for each other.
  insert into private.place_windows (place) select distinct a.place from added a order by a.place on conflict do nothing;
  return null;
end $$;

create trigger lead_work_10_add_place_windows after insert on private.lead_work
referencing new table as added
for each statement execute function private.add_place_windows();

-- Computes anew the rows that hold no longer. Also those that hold for more than 61 minutes: they were computed while the clock was ahead.
-- It is not 60, because another process may have computed a row since this transaction began.
create function private.refresh_place_windows() returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  stale text[] := array(
    select p.place from private.place_windows p where p.holds_until <= now() or p.holds_until > now() + interval '61 minutes'
    for update skip locked
  );
begin
  if stale = '{}' then
    return;
  end if;
  update private.place_windows p
  set callable = c.callable, callable_at = case when not c.callable then c.next_callable_at end, callable_until = c.callable_until,
    states = c.states, zones = c.zones, reason = c.reason,
    blocking_state = nullif(c.blocking_state, 'unknown'), blocking_zone = c.blocking_zone,
    holds_until = least(c.callable_until, case when not c.callable then c.next_callable_at end, date_trunc('hour', now()) + interval '1 hour')
  from private.calling_windows(stale) c
  where p.place = c.place;
end $$;

create function private.expire_place_windows() returns trigger
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  update private.place_windows set holds_until = '-infinity';
  return null;
end $$;

create trigger paused_states_10_expire_place_windows after insert or update or delete on private.paused_states
for each statement execute function private.expire_place_windows();

-- The attempts of the last 24 hours count for a number, so those of a lead that is erased go to another lead with the number, if there is one:
-- each with its outcome, without the note, and without a meaning for the other lead's work.
create function private.keep_attempts() returns trigger
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  with kept as (
    update private.calls c set lead_id = other.lead_id, is_of_erased_lead = true
    from (
      select x.id, (
        -- Another lead may be erased by the same statement.
        select w.lead_id from private.lead_work w join public.leads l on l.id = w.lead_id
        where w.phone_digits = x.number_key and w.number_key = x.number_key and w.lead_id <> old.id
        order by w.created_at desc limit 1
      ) as lead_id
      from private.calls x
      where x.lead_id = old.id and x.at > now() - interval '24 hours'
    ) other
    where c.id = other.id and other.lead_id is not null
    returning c.id, c.lead_id
  )
  update private.outcomes o set lead_id = k.lead_id, note = '', before = '{"is_for_the_log": true}'
  from kept k where o.call_id = k.id;
  return old;
end $$;

create trigger leads_80_keep_attempts before delete on public.leads
for each row execute function private.keep_attempts();

-- Closes the work on a lead whose permission is withdrawn, however it was withdrawn.
create function private.close_withdrawn_lead() returns trigger
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  if new.withdrawn_at is null then
    update private.lead_work w set withdrawn_at = null where w.lead_id = new.lead_id;
    return null;
  end if;
  perform private.index_up_to(new.lead_id);
  update private.lead_work w
  set stage = 'closed', callback_at = null, withdrawn_at = new.withdrawn_at
  where w.lead_id = new.lead_id and (w.stage <> 'closed' or w.withdrawn_at is distinct from new.withdrawn_at);
  delete from private.claims c where c.lead_id = new.lead_id;
  perform private.notify_inbox_of_leads(array[new.lead_id]);
  return null;
end $$;

create trigger permissions_10_close_withdrawn_lead after update on private.permissions
for each row when (old.withdrawn_at is distinct from new.withdrawn_at)
execute function private.close_withdrawn_lead();

-- Copies a lead's campaign words, variant and device to lead_work when they are emptied or corrected.
create function private.copy_campaign_to_work() returns trigger
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  update private.lead_work w
  set utm = new.utm, variant = new.variant, device = coalesce(new.device, private.device_of(new.browser))
  where w.lead_id = new.lead_id
    and (w.utm, w.variant, w.device) is distinct from (new.utm, new.variant, coalesce(new.device, private.device_of(new.browser)));
  return null;
end $$;

create trigger permissions_20_copy_campaign_to_work after update on private.permissions
for each row when ((old.utm, old.variant, old.device, old.browser) is distinct from (new.utm, new.variant, new.device, new.browser))
execute function private.copy_campaign_to_work();

-- Copies the time of a lead's first call to lead_work. A call that is kept of an erased lead is none of its calls, and may have been made
-- before it came.
create function private.copy_first_call_to_work() returns trigger
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  of_lead constant uuid := case when tg_op = 'DELETE' then old.lead_id else new.lead_id end;
  first_at constant timestamptz := (select min(c.at) from private.calls c where c.lead_id = of_lead and not c.is_of_erased_lead);
begin
  update private.lead_work w set first_called_at = first_at where w.lead_id = of_lead and w.first_called_at is distinct from first_at;
  return null;
end $$;

create trigger calls_10_copy_first_call_to_work after insert or update of at on private.calls
for each row execute function private.copy_first_call_to_work();
-- Not when the lead itself is deleted, because its row in lead_work is deleted with it.
create trigger calls_11_copy_first_call_to_work after delete on private.calls
for each row when (pg_trigger_depth() = 0) execute function private.copy_first_call_to_work();

revoke execute on function
  private.claim_ends, private.undo_until, private.add_place_windows, private.refresh_place_windows, private.expire_place_windows,
  private.close_withdrawn_lead, private.copy_campaign_to_work, private.copy_first_call_to_work, private.keep_attempts
from public;
