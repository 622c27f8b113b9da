-- What is watched: an alert for the operator and the team about unnotified leads, which wait while no channel is set up or none takes
-- a message; and the figures that a monitoring program reads. The inbox shows the alert on every page, and the
-- delivery sends it where ALERT_URL says.

create table private.alert_state (
  only_row boolean primary key default true,
  -- When the alert was raised last; null while there is none.
  alerted_at timestamptz,
  -- The unnotified leads as they were counted last, because a count reads the open leads of days, which takes too long for each page.
  counted_at timestamptz not null default '-infinity',
  leads integer not null default 0,
  oldest_at timestamptz,
  -- What must still be sent to ALERT_URL, and until when one process has the lease to send it. After that another process may send it.
  unsent text,
  sending_until timestamptz,

  constraint there_is_one_row check (only_row),
  constraint unsent_is_known check (unsent in ('began', 'ended'))
);
insert into private.alert_state default values;

alter table private.alert_state enable row level security;
-- No policy and no grant: only the owner's functions use this table.
revoke all on private.alert_state from public, anon, leads_intake, leads_delivery, leads_team;

-- How many leads have waited longer than the settings say while no channel took a message about them, and since when the oldest waits.
-- A lead that the team has called, reviewed or closed waits no more. A lead older than three days is not counted anew. One that was counted
-- before still is, because its alert lasts until a channel takes a message or the team has it.
create function private.unnotified_leads(out leads integer, out oldest_at timestamptz)
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  -- A variable and no subquery, because the planner then knows the time, and sees that few leads are that new.
  since timestamptz := least(now() - interval '3 days', (select a.oldest_at from private.alert_state a));
  until timestamptz := now() - make_interval(mins => (select s.alert_after_minutes from private.settings s));
begin
  select count(*), min(w.created_at) into leads, oldest_at
  from private.lead_work w
  where w.created_at >= since and w.created_at <= until
    and w.stage = 'open' and w.tried_at is null and w.first_called_at is null and w.reviewed_at is null and w.withdrawn_at is null
    and not exists (
      select from private.deliveries d
      where d.lead_id = w.lead_id and d.event in ('lead.created', 'lead.overdue') and d.delivered_at is not null
    );
end $$;

-- `what` is what there is to log about the alert: 'began' when leads are unnotified and every four hours after that, 'ended' when none is
-- any more. `to_send` is the same, or what could not be sent before. Of several processes that ask, one gets the answer; it has half a
-- minute to send, and calls `record_alert` then. A time more than an hour ahead does not count: the clock was ahead for a moment.
create function private.check_alert(out what text, out to_send text, out leads integer, out minutes integer)
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  state private.alert_state;
  oldest_at timestamptz;
begin
  select * into state from private.alert_state for update;
  update private.alert_state a set counted_at = now(), leads = n.leads, oldest_at = n.oldest_at
  from private.unnotified_leads() n
  returning n.leads, n.oldest_at into leads, oldest_at;
  minutes := floor(extract(epoch from now() - oldest_at) / 60);
  if leads > 0 and coalesce(state.alerted_at not between now() - interval '4 hours' and now() + interval '1 hour', true) then
    what := 'began';
    update private.alert_state set alerted_at = now();
  elsif leads = 0 and state.alerted_at is not null then
    what := 'ended';
    update private.alert_state set alerted_at = null;
  end if;
  if what is not null then
    update private.alert_state set unsent = what;
    perform private.notify_inbox('{"kind": "team"}');
  end if;
  update private.alert_state a set sending_until = now() + interval '30 seconds'
  where a.unsent is not null and coalesce(a.sending_until not between now() and now() + interval '1 hour', true)
  returning a.unsent into to_send;
end $$;

-- Records whether an alert was sent. One that began or ended meanwhile is still to be sent.
create function private.record_alert(what text, was_sent boolean) returns void
language sql
security definer
set search_path = pg_catalog, pg_temp
as $$
  update private.alert_state a
  set sending_until = null, unsent = case when was_sent and a.unsent = what then null else a.unsent end
$$;

-- How many leads are unnotified, for each page of the inbox, as the delivery counted them within the last two minutes. Where no delivery
-- runs, one of those who ask counts, and the others get the last count meanwhile.
create function team.alert() returns jsonb
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  perform private.require_session(is_activity => false);
  perform from private.alert_state a
  where a.counted_at not between now() - interval '2 minutes' and now() + interval '1 hour'
  for update skip locked;
  if found then
    update private.alert_state a set counted_at = now(), leads = n.leads, oldest_at = n.oldest_at from private.unnotified_leads() n;
  end if;
  return (select jsonb_build_object('leads', a.leads, 'oldest_at', a.oldest_at) from private.alert_state a);
end $$;

-- For a monitoring program, which has no session, so no figure is about a person: counts, times and names of channels.
create function team.metrics() returns jsonb
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  figures jsonb;
begin
  -- The delivery does this each second. It is repeated here for the case that no delivery runs.
  perform private.index_new_leads();
  figures := private.health_figures();
  return figures - 'backup_failure' || jsonb_build_object(
    'unnotified', (select n.leads from private.unnotified_leads() n),
    'channels', (
      select coalesce(jsonb_agg(c.channel - 'last_error'), '[]') from jsonb_array_elements(figures -> 'channels') as c (channel)
    )
  );
end $$;

revoke execute on function private.unnotified_leads, private.check_alert, private.record_alert, team.alert, team.metrics from public;
grant execute on function private.check_alert, private.record_alert to leads_delivery;
grant execute on function team.alert, team.metrics to leads_team;
