-- The outbox: each stored lead is owed to every channel that is set up, and the insert itself writes the deliveries: they commit
-- together or not at all, whichever way the lead came in. The dispatcher settles deliveries. A delivery is deleted only when its
-- lead is erased, or when it is an alert that was not sent yet and is not needed any more.

-- A channel is a way the team hears of leads. The program syncs its registry of channels to this table when it starts.
create table private.channels (
  name text primary key,
  enabled boolean not null default false,
  -- After a message by e-mail or chat the channel pauses a little, so that a burst of leads makes one digest and not fifty. It stands
  -- here and not in a process's memory, because several may share a channel and a hosted function has no memory.
  cooldown_until timestamptz,
  -- A channel that the operator gave up: what was pending on it is settled as failed, and nothing more is owed to it until it
  -- is set up again.
  retired_at timestamptz,
  -- Why the last attempt that failed did so: a code or a short reason of our own, for the team's status.
  last_failure text,
  last_failure_at timestamptz,

  constraint name_is_a_word check (name ~ '^[a-z][a-z0-9-]{0,30}$'),
  constraint retired_is_not_enabled check (not enabled or retired_at is null)
);

create table private.deliveries (
  -- Not a reference, because the message that a lead was erased is sent after the lead is gone.
  lead_id uuid not null,
  channel text not null,
  event text not null default 'lead.created',
  -- The message's id on every attempt, so that a receiver can tell a repetition.
  id uuid not null default gen_random_uuid(),
  created_at timestamptz not null default now(),

  -- The work: when to try next, how often it was tried, until when a dispatcher holds it.
  due_at timestamptz not null default now(),
  attempts integer not null default 0,
  claimed_until timestamptz,

  -- The outcome; pending while neither is set.
  delivered_at timestamptz,
  failed_at timestamptz,
  -- A code or a short reason of our own, never another program's message, which may quote a lead.
  last_error text,

  primary key (lead_id, channel, event),
  constraint event_is_known
    check (event in ('lead.created', 'lead.overdue', 'lead.erased', 'permission.withdrawn')),
  constraint delivered_or_failed_but_not_both check (delivered_at is null or failed_at is null),
  constraint attempts_are_not_negative check (attempts >= 0)
) with (autovacuum_vacuum_scale_factor = 0.01);

do $$
begin
  -- See `public.leads`: ids that grow with time.
  if current_setting('server_version_num')::integer >= 180000 then
    alter table private.deliveries alter id set default uuidv7();
  end if;
end $$;

-- What is due on this channel, and how long has it been owed? Asked often. Settled deliveries leave the index.
create index deliveries_due on private.deliveries (channel, due_at) include (created_at)
where delivered_at is null and failed_at is null;

-- What has failed?
create index deliveries_failed on private.deliveries (failed_at) where failed_at is not null;

-- The digits of an id without its dashes, the last one first: a reference is the end of an id, and is found by an index of this.
create function private.from_its_end(id uuid) returns text
language sql immutable parallel safe
set search_path = pg_catalog, pg_temp
return reverse(replace(id::text, '-', ''));
revoke execute on function private.from_its_end from public;

-- A receipt that a lead was erased, without anything about the person.
create table private.erasures (
  lead_id uuid primary key,
  erased_at timestamptz not null default now(),
  reason text not null,

  constraint reason_is_known check (reason in ('asked', 'age'))
);

-- Finds an erased lead by its reference, as an index of private.lead_work finds one that is there.
create index erasures_by_reference on private.erasures (private.from_its_end(lead_id) collate "C");

alter table private.channels enable row level security;
alter table private.deliveries enable row level security;
alter table private.erasures enable row level security;
create policy "The delivery may see and pause a channel, and note its failures" on private.channels for all to leads_delivery using (true);
create policy "The delivery may settle deliveries" on private.deliveries for all to leads_delivery using (true);
create policy "The delivery may count erasures" on private.erasures for select to leads_delivery using (true);
revoke all on private.channels, private.deliveries, private.erasures
from public, anon, leads_intake, leads_delivery, leads_team;
grant select on private.channels, private.deliveries, private.erasures to leads_delivery;
grant update (cooldown_until, last_failure, last_failure_at) on private.channels to leads_delivery;
grant update (due_at, attempts, claimed_until, delivered_at, failed_at, last_error) on private.deliveries to leads_delivery;
-- No grant to insert or delete a delivery, or to set a channel up: functions of the owner do that.

-- Enters the channels that a program knows, and which of them are set up. One that is set up again is no longer retired. Each lead pays for
-- each channel, so that many would keep leads from being stored: raises PT400 where there would be more than 20.
create function private.sync_channels(known text[], set_up text[]) returns void
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  if cardinality(array(select c.name from private.channels c union select unnest(known))) > 20 then
    raise exception using errcode = 'PT400', message = 'There are more than 20 channels.';
  end if;
  insert into private.channels (name) select unnest(known) on conflict do nothing;
  update private.channels c
  set enabled = c.name = any (set_up), retired_at = case when c.name = any (set_up) then null else c.retired_at end
  -- Written only when it changes, because every process does this when it starts.
  where c.enabled <> (c.name = any (set_up));
end $$;

-- The deliveries by which a lead counts as owed: all, delivered and failed ones too, except those that a retired channel did not take. A
-- lead that has none of these is owed to no channel.
create view private.owed_deliveries as
select d.* from private.deliveries d
where d.delivered_at is not null or d.channel <> all (select c.name from private.channels c where c.retired_at is not null);
revoke all on private.owed_deliveries from public, anon, leads_intake, leads_delivery, leads_team;

create function private.enqueue_deliveries() returns trigger
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  insert into private.deliveries (lead_id, channel)
  select s.id, c.name from stored s cross join private.channels c
  where c.enabled and s.id::text is distinct from current_setting('leads.repeated', true);
  return null;
end $$;

-- Once a statement, not once a row: the intake stores many leads in one.
create trigger leads_40_enqueue_deliveries after insert on public.leads
referencing new table as stored
for each statement execute function private.enqueue_deliveries();

-- Whether the receiver may have heard of the lead. A delivery that is tried again counts its attempts anew, and keeps the error of the earlier
-- ones; a late success takes that error away.
create function private.may_have_reached(d private.deliveries) returns boolean
language sql immutable
return d.attempts > 0 or d.last_error is not null or d.delivered_at is not null;

-- Whichever way a lead is erased (by a command, in the inbox, in a table editor, with Supabase's secret key), nothing more is owed about
-- it but a message about the erasure, with the lead's id alone, to every channel that may have heard of the lead; a receipt stays; and no
-- page of the inbox shows the lead any longer. On a retired channel the message has failed, and can be tried again when the channel is set
-- up again.
create function private.settle_erasure() returns trigger
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  gone constant uuid[] := array(
    select e.id from erased e where e.id::text is distinct from current_setting('leads.repeated', true)
  );
begin
  -- Before the rows, as private.retire_channel does, because the two would otherwise wait for each other.
  perform pg_advisory_xact_lock_shared(hashtext('private.retire_channel'));
  -- A dispatcher may be claiming one of these at this moment: wait for it, so that the next statement sees its attempt.
  perform from private.deliveries d join erased e on e.id = d.lead_id order by d.lead_id, d.channel, d.event for update of d;
  insert into private.deliveries (event, lead_id, channel, due_at, failed_at, last_error)
  -- In 90 seconds, because a dispatcher may be sending a message about the lead now, and holds it no longer than that.
  select distinct 'lead.erased', d.lead_id, d.channel, now() + interval '90 seconds',
    case when c.retired_at is not null then now() end, case when c.retired_at is not null then 'channel retired' end
  from private.deliveries d
  join erased e on e.id = d.lead_id
  join private.channels c on c.name = d.channel
  where private.may_have_reached(d)
  on conflict do nothing;
  delete from private.deliveries d using erased e where d.lead_id = e.id and d.event <> 'lead.erased';
  insert into private.erasures (lead_id, reason)
  select id, coalesce(nullif(current_setting('leads.erasure_reason', true), ''), 'asked') from unnest(gone) as id
  on conflict do nothing;
  if gone <> '{}' then
    perform private.notify_inbox_of_leads(gone);
  end if;
  return null;
end $$;

create trigger leads_95_settle_erasure after delete on public.leads
referencing old table as erased
for each statement execute function private.settle_erasure();

-- Erases leads with everything kept and owed about them, and returns the ids of those that were there.
create function private.erase_leads(leads uuid[], reason text) returns setof uuid
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
begin
  perform set_config('leads.erasure_reason', reason, true);
  perform private.lock_leads(leads);
  return query delete from public.leads l where l.id = any (leads) returning l.id;
  -- Added up at once. The job does it only in the next minute, and until then each count would read a row for each erased lead.
  perform private.add_up_tallies(only_of_this_transaction => true);
  perform set_config('leads.erasure_reason', '', true);
end $$;

-- Enqueues an event about one lead for each channel that is set up, and for each that may have heard of the lead, unless the channel is
-- retired or has the same event already. Returns how many deliveries it added. They are due at once: where another message about the lead is
-- under way, the claim (delivery/claim.ts) has this one wait until that one has arrived or its lease is over.
create function private.enqueue_event(lead uuid, what text) returns integer
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  made integer;
begin
  perform pg_advisory_xact_lock_shared(hashtext('private.retire_channel'));
  insert into private.deliveries (event, lead_id, channel)
  select what, lead, c.name
  from private.channels c
  where c.retired_at is null
    and (c.enabled or exists (
      select from private.deliveries d
      where d.lead_id = lead and d.channel = c.name and private.may_have_reached(d)
    ))
  on conflict do nothing;
  get diagnostics made = row_count;
  return made;
end $$;

-- Has everything that failed sent again, except on retired channels: with all its attempts, and after what is due already. The last error
-- stays until the next outcome, because it says that the receiver may have heard of the lead. Returns how many deliveries that is.
create function private.requeue_failed() returns integer
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  requeued integer;
begin
  update private.deliveries d set failed_at = null, attempts = 0, due_at = now(), claimed_until = null
  where d.failed_at is not null and d.channel <> all (select c.name from private.channels c where c.retired_at is not null);
  get diagnostics requeued = row_count;
  return requeued;
end $$;

-- Retires a channel that the operator gave up, settles what is pending on it as failed, and returns how many deliveries that was. Leads
-- that are then owed to no channel are left to `enqueue_missed_deliveries`. Returns null, and does nothing, where there is no such channel
-- or where a server has set it up, because that server would send what is pending.
create function private.retire_channel(channel_name text) returns integer
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  settled integer;
begin
  update private.channels set retired_at = coalesce(retired_at, now()) where name = channel_name and not enabled;
  if not found then return null; end if;
  -- Waits for the erasures and the events (private.enqueue_event) that add messages under this lock. Later ones wait, and see that the
  -- channel is retired. An insert of leads, or an enqueueing of what was missed or is overdue, that began while the channel was set up does
  -- not take the lock, because each insert would pay for it: what it adds stays pending until the channel is retired once more.
  perform pg_advisory_xact_lock(hashtext('private.retire_channel'));
  update private.deliveries
  -- One that was never tried keeps no error, because an error says that the receiver may have heard of the lead.
  set failed_at = now(), claimed_until = null,
    last_error = case when private.may_have_reached(deliveries) then 'channel retired' end
  where channel = channel_name and delivered_at is null and failed_at is null;
  get diagnostics settled = row_count;
  return settled;
end $$;

revoke execute on function
  private.sync_channels, private.enqueue_deliveries, private.may_have_reached, private.settle_erasure, private.erase_leads, private.enqueue_event,
  private.requeue_failed, private.retire_channel
from public;
grant execute on function private.sync_channels to leads_delivery;
