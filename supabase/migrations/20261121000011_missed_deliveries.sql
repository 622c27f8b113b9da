-- What the delivery enqueues some time after the insert: messages about leads that are owed to no channel, and alerts about leads that wait
-- too long.

-- Enqueues a message about each lead of the last three days that is owed to no channel, because no channel was set up when the lead came,
-- or the channel was retired before it took the message. An alert that the lead is overdue does not count as that message. Older leads,
-- leads that the team has reviewed and leads whose permission is withdrawn are left to `leads retry`. Returns the number of deliveries.
-- First it makes due what a clock that was ahead has put off. It recognizes that by the wait, which is too long: the first attempt waits
-- for 90 seconds at most, a later one for six hours (delivery/backoff.ts), and a claim (delivery/dispatcher.ts) or a channel's pause lasts
-- less than two minutes.
create function private.enqueue_missed_deliveries(moment timestamptz default now()) returns integer
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  made integer;
begin
  moment := private.moment_of_job(moment);
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
-- than 44 hours get none, because their 24 hours are long over; `leads status` counts them. An alert that was never tried is
-- taken back where the lead was reviewed or its permission withdrawn meanwhile.
create function private.enqueue_overdue_alerts(moment timestamptz default now()) returns integer
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  made integer;
begin
  moment := private.moment_of_job(moment);
  delete from private.deliveries d
  where (d.lead_id, d.channel, d.event) in (
    select o.lead_id, o.channel, o.event from private.deliveries o
    -- An alert that was tried stays: its receiver may know of the lead, and this row is why it would be told of an erasure.
    where o.event = 'lead.overdue' and o.delivered_at is null and o.failed_at is null and o.claimed_until is null and not private.may_have_reached(o)
      and (
        exists (select from private.reviews r where r.lead_id = o.lead_id)
        or exists (select from private.permissions p where p.lead_id = o.lead_id and p.withdrawn_at is not null)
      )
    -- Does not wait for a dispatcher that is claiming one of these at this moment, or for an erasure that is deleting it.
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
