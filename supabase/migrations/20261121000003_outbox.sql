-- A stored lead is owed to every channel, and the debt is written by the insert itself: they commit
-- together or not at all, whichever way the lead came in. The worker settles deliveries; nothing drops one.

-- A channel is a way the team hears of leads. The program says at its start which are set up.
create table private.channels (
  name text primary key,
  enabled boolean not null default false,
  -- After an e-mail the channel rests a little, so that a burst of leads makes one digest and not fifty mails. It
  -- stands here and not in a worker's memory, because several may share a channel and a function has no memory.
  resting_until timestamptz,

  constraint channel_is_known check (name in ('email', 'webhook'))
);
insert into private.channels (name) values ('email'), ('webhook');

create table private.deliveries (
  -- Also the message's id on every try, so that a receiver can tell a repetition.
  id uuid primary key default gen_random_uuid(),
  event text not null default 'lead.created',
  -- Not a reference: word of an erased lead is owed after the lead is gone.
  lead_id uuid not null,
  channel text not null,
  created_at timestamptz not null default now(),

  -- The work: when to try next, how often it was tried, until when a worker holds it.
  due_at timestamptz not null default now(),
  attempts integer not null default 0,
  claimed_until timestamptz,

  -- The outcome; pending while neither is set.
  delivered_at timestamptz,
  failed_at timestamptz,
  -- A code or a short reason of our own, never another program's message, which may quote a lead.
  last_error text,

  -- A check and not a reference: a reference is looked up for each delivery, and the channels are these.
  constraint channel_is_known check (channel in ('email', 'webhook')),
  constraint event_is_known
    check (event in ('lead.created', 'lead.overdue', 'lead.erased', 'permission.withdrawn')),
  constraint one_delivery_an_event_and_channel unique (lead_id, event, channel),
  constraint delivered_or_failed_but_not_both check (delivered_at is null or failed_at is null),
  constraint attempts_are_counted_up check (attempts >= 0)
);

-- The worker's question, asked often: what is due on this channel? Settled deliveries leave the index.
create index deliveries_due on private.deliveries (channel, due_at)
where delivered_at is null and failed_at is null;

-- The status' question: what has failed?
create index deliveries_failed on private.deliveries (failed_at) where failed_at is not null;

alter table private.channels enable row level security;
alter table private.deliveries enable row level security;
-- No policy and no grant: only the owner comes in here.
revoke all on private.channels, private.deliveries from public, anon, leads_intake;

create function private.owe_deliveries() returns trigger
language plpgsql
security definer
set search_path = ''
as $$
begin
  insert into private.deliveries (lead_id, channel)
  select s.id, c.name from stored s cross join private.channels c where c.enabled;
  return null;
end $$;

-- Once a statement, not once a row: the intake stores many leads in one.
create trigger leads_40_owe_deliveries after insert on public.leads
referencing new table as stored
for each statement execute function private.owe_deliveries();

revoke execute on function private.owe_deliveries from public;
