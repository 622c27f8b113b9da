-- What the delivery enqueues some time after the insert: word of the leads that is owed to no channel, and the alerts about leads that wait
-- too long.

-- Enqueues word of the leads of the last three days where it is owed to no channel, because none was set up when they came, or it was
-- retired before it took the message; an alert that a lead is overdue is not word of it. Older leads, those that the team has reviewed and
-- those of people who withdrew the permission are left to `leads retry`. Returns the number of deliveries. Before that it makes due what a
-- clock that was ahead has put off, by hours or by years: the first attempt waits for 90 seconds at most, a later one for six
-- hours (delivery/backoff.ts), and neither a claim (delivery/dispatcher.ts) nor the pause of a channel lasts for two minutes.
create function private.enqueue_missed_deliveries(moment timestamptz default now()) returns integer
language plpgsql
security definer
set search_path = ''
as $$
declare
  made integer;
begin
  update private.deliveries d set due_at = moment, claimed_until = null
  where d.delivered_at is null and d.failed_at is null
    and (
      d.due_at > moment + case d.attempts when 0 then interval '2 minutes' else '7 hours' end
      or d.claimed_until > moment + interval '2 minutes'
    );
  update private.channels c set cooldown_until = null where c.cooldown_until > moment + interval '2 minutes';
  insert into private.deliveries (lead_id, channel)
  select l.id, c.name
  from public.leads l cross join private.channels c
  where c.enabled
    and l.created_at > moment - interval '3 days'
    -- Looked up lead by lead (offset 0): with millions of reviews the planner would otherwise read all of them, to join them.
    and not exists (select from private.owed_deliveries d where d.lead_id = l.id and d.event = 'lead.created' offset 0)
    and not exists (select from private.reviews r where r.lead_id = l.id offset 0)
    and not exists (select from private.permissions p where p.lead_id = l.id and p.withdrawn_at is not null offset 0)
  -- A concurrent erasure of the lead waits for this lock, and then deletes what is enqueued here.
  for key share of l
  on conflict do nothing;
  get diagnostics made = row_count;
  return made;
end $$;

-- Enqueues an alert about each lead that has waited 20 hours unreviewed, once, unless the person withdrew the permission. Leads older
-- than 44 hours get none, because their 24 hours are long over; `leads status` counts them. An alert that still waits, as in an outage, is
-- taken back where the lead was reviewed or its permission withdrawn meanwhile.
create function private.enqueue_overdue_alerts(moment timestamptz default now()) returns integer
language plpgsql
security definer
set search_path = ''
as $$
declare
  made integer;
begin
  delete from private.deliveries d
  where (d.lead_id, d.channel, d.event) in (
    select o.lead_id, o.channel, o.event from private.deliveries o
    -- Not one that was tried: its receiver may have heard of the lead, and is owed word of an erasure then.
    where o.event = 'lead.overdue' and o.delivered_at is null and o.failed_at is null and o.claimed_until is null and o.attempts = 0
      and (
        exists (select from private.reviews r where r.lead_id = o.lead_id)
        or exists (select from private.permissions p where p.lead_id = o.lead_id and p.withdrawn_at is not null)
      )
    -- A dispatcher may be claiming one of these at this moment, and an erasure deleting it.
    for update of o skip locked
  );
  insert into private.deliveries (event, lead_id, channel)
  select 'lead.overdue', l.id, c.name
  from public.leads l cross join private.channels c
  where c.enabled
    and l.created_at <= moment - interval '20 hours'
    and l.created_at > moment - interval '44 hours'
    and not exists (select from private.reviews r where r.lead_id = l.id offset 0)
    and not exists (select from private.permissions p where p.lead_id = l.id and p.withdrawn_at is not null offset 0)
  -- A concurrent erasure of the lead waits for this lock, and then deletes what is enqueued here.
  for key share of l
  on conflict do nothing;
  get diagnostics made = row_count;
  return made;
end $$;

revoke execute on function private.enqueue_missed_deliveries, private.enqueue_overdue_alerts from public;
grant execute on function private.enqueue_missed_deliveries, private.enqueue_overdue_alerts to leads_delivery;
