-- What managers do in the inbox, and the operator by command: members, a lead taken back, erasing, exporting, paused states, reports,
-- the audit log, and the health of the machine. Each act is in the audit log.

create function team.members() returns jsonb
language plpgsql
security definer
set search_path = ''
as $$
declare
  actor private.actor := private.acting_manager();
begin
  return jsonb_build_object('members', coalesce((
    select jsonb_agg(jsonb_build_object(
      'id', m.id, 'name', m.name, 'role', m.role, 'created_at', m.created_at, 'removed_at', m.removed_at, 'joined_at', m.joined_at,
      'last_seen_at', (select max(s.last_seen_at) from private.sessions s where s.member_id = m.id),
      'passkeys', (select count(*) from private.passkeys p where p.member_id = m.id),
      'oidc', exists (select from private.company_accounts a where a.member_id = m.id),
      'claims', (select count(*) from private.claims c where c.member_id = m.id and c.until > now())
    ) order by m.removed_at nulls first, lower(m.name))
    from private.members m
  ), '[]'));
end $$;

-- False for oneself.
create function team.remove_member(member uuid) returns boolean
language plpgsql
security definer
set search_path = ''
as $$
declare
  actor private.actor := private.acting_manager();
  m private.members;
begin
  if member = actor.member_id then
    return false;
  end if;
  update private.members x set removed_at = now() where x.id = member and x.removed_at is null returning * into m;
  if not found then
    raise exception using errcode = 'PT404', message = 'There is no such member.';
  end if;
  perform private.end_access(member);
  delete from private.claims c where c.member_id = member;
  perform private.audit(actor, 'removed member', null, jsonb_build_object('member', m.name));
  perform private.tell_inbox('{"kind": "team"}');
  perform private.tell_inbox_of_leads('{}');
  return true;
end $$;

create function team.take_back(lead uuid) returns void
language plpgsql
security definer
set search_path = ''
as $$
declare
  actor private.actor := private.acting_manager();
  holder jsonb := private.holder_of(lead);
begin
  delete from private.claims c where c.lead_id = lead;
  if holder is not null then
    perform private.audit(actor, 'took lead back', lead, jsonb_build_object('from', holder ->> 'name'));
    perform private.tell_inbox_of_leads(array[lead]);
  end if;
end $$;

-- For good, with everything kept about the lead. False when the reference typed to confirm it is another.
create function team.erase_lead(lead uuid, confirmed text) returns boolean
language plpgsql
security definer
set search_path = ''
as $$
declare
  actor private.actor := private.acting_manager();
begin
  if not exists (select from public.leads l where l.id = lead) then
    raise exception using errcode = 'PT404', message = 'There is no such lead.';
  elsif lower(btrim(confirmed)) not in (right(lead::text, 8), lead::text) then
    return false;
  end if;
  perform private.erase_leads(array[lead], 'asked');
  perform private.audit(actor, 'erased lead', lead);
  perform private.tell_inbox_of_leads(array[lead]);
  return true;
end $$;

-- Says in the audit log that these days are about to be exported, and returns the entry, which the export asks for.
create function team.record_export(since text, until text) returns bigint
language plpgsql
security definer
set search_path = ''
as $$
begin
  return private.audit(
    private.acting_manager(), 'exported leads', null, jsonb_build_object('since', since::date, 'until', until::date)
  );
end $$;

-- The leads that came on the days of the entry, the last one included, oldest first.
create function team.export_leads(entry bigint, zone text) returns jsonb
language plpgsql
security definer
set search_path = ''
as $$
declare
  actor private.actor := private.acting_manager();
  since text;
  until text;
  exported jsonb;
begin
  perform private.lead_of_entry(entry, actor, 'exported leads');
  select a.details ->> 'since', a.details ->> 'until' into since, until from private.audit_log a where a.id = entry;
  select coalesce(jsonb_agg(jsonb_build_object(
    'id', l.id, 'created_at', l.created_at, 'name', l.name, 'email', l.email, 'phone', l.phone, 'zip_code', l.zip_code,
    'has_medicare', l.has_medicare, 'has_diabetes', l.has_diabetes, 'withdrawn_at', p.withdrawn_at,
    'reviewed_at', r.reviewed_at, 'outcome', r.outcome, 'marks', coalesce(to_jsonb(w.flags), '[]')
  ) order by l.created_at, l.id), '[]')
  into exported
  from public.leads l
  left join private.permissions p on p.lead_id = l.id
  left join private.reviews r on r.lead_id = l.id
  left join private.lead_work w on w.lead_id = l.id
  where l.created_at >= private.day_begins(since, zone) and l.created_at < private.day_begins(until, zone) + interval '1 day';
  return exported;
end $$;

create function team.paused_states() returns jsonb
language plpgsql
security definer
set search_path = ''
as $$
begin
  perform private.acting(is_activity => false);
  return jsonb_build_object('states', coalesce((
    select jsonb_agg(jsonb_build_object(
      'state', p.state, 'paused_at', p.paused_at, 'paused_by', p.paused_by, 'reason', p.reason
    ) order by p.state)
    from private.paused_states p
  ), '[]'));
end $$;

-- Raises PT404 for a state that there is none of.
create function team.pause_state(which text, why text) returns void
language plpgsql
security definer
set search_path = ''
as $$
declare
  actor private.actor := private.acting_manager();
begin
  if not exists (select from private.calling_rules r where r.state = which) then
    raise exception using errcode = 'PT404', message = 'There is no such state.';
  end if;
  insert into private.paused_states (state, paused_by, reason) values (which, actor.name, why)
  on conflict (state) do update set reason = excluded.reason;
  perform private.audit(actor, 'paused state', null, jsonb_build_object('state', which));
  perform private.tell_inbox('{"kind": "team"}');
  perform private.tell_inbox_of_leads('{}');
end $$;

create function team.resume_state(which text) returns void
language plpgsql
security definer
set search_path = ''
as $$
declare
  actor private.actor := private.acting_manager();
begin
  delete from private.paused_states p where p.state = which;
  if found then
    perform private.audit(actor, 'resumed state', null, jsonb_build_object('state', which));
    perform private.tell_inbox('{"kind": "team"}');
    perform private.tell_inbox_of_leads('{}');
  end if;
end $$;

-- How the promise was kept, how soon people were called, and what came of it, for the leads of these days in a time zone.
create function team.reports(since text, until text, zone text) returns jsonb
language plpgsql
security definer
set search_path = ''
as $$
declare
  actor private.actor := private.acting_manager();
  begins timestamptz := private.day_begins(since, zone);
  ends timestamptz := private.day_begins(until, zone) + interval '1 day';
  report jsonb;
begin
  perform private.audit(actor, 'read reports', null, jsonb_build_object('since', since, 'until', until));
  with work as materialized (
    select w.lead_id, w.created_at, w.outcome, r.reviewed_at, p.withdrawn_at, p.utm,
      c.called_at,
      case
        when r.reviewed_at <= w.created_at + interval '24 hours' then 'kept'
        -- Whoever withdrew within the 24 hours is owed no review.
        when r.reviewed_at is null and p.withdrawn_at <= w.created_at + interval '24 hours' then 'withdrawn'
        when w.created_at <= now() - interval '24 hours' then 'missed'
        else 'open'
      end as promise
    from private.lead_work w
    left join private.reviews r on r.lead_id = w.lead_id
    left join private.permissions p on p.lead_id = w.lead_id
    left join (
      select x.lead_id, min(x.at) as called_at from private.calls x where x.at >= begins group by x.lead_id
    ) c on c.lead_id = w.lead_id
    where w.created_at >= begins and w.created_at < ends
  ),
  calls as materialized (
    select c.at, coalesce(o.outcome not in ('no_answer', 'left_message', 'wrong_number'), false) as reached
    from private.calls c left join private.outcomes o on o.call_id = c.id
    where c.at >= begins and c.at < ends
  ),
  days as (
    select (x.at at time zone zone)::date as day, sum(x.leads) as leads, sum(x.kept) as kept, sum(x.missed) as missed, sum(x.calls) as calls
    from (
      select w.created_at as at, 1 as leads, (w.promise = 'kept')::integer as kept, (w.promise = 'missed')::integer as missed, 0 as calls
      from work w
      union all select c.at, 0, 0, 0, 1 from calls c
    ) x
    group by 1
  ),
  hours as (
    select extract(isodow from x.at at time zone zone)::integer as weekday, extract(hour from x.at at time zone zone)::integer as hour,
      sum(x.leads) as leads, sum(x.calls) as calls, sum(x.reached) as reached
    from (
      select w.created_at as at, 1 as leads, 0 as calls, 0 as reached from work w
      union all select c.at, 0, 1, c.reached::integer from calls c
    ) x
    group by 1, 2
  ),
  campaigns as (
    select coalesce(w.utm ->> 'utm_source', '') as source, coalesce(w.utm ->> 'utm_medium', '') as medium,
      coalesce(w.utm ->> 'utm_campaign', '') as campaign, count(*) as leads, count(w.reviewed_at) as reviewed,
      count(*) filter (where w.outcome = 'likely_qualifies') as likely,
      count(*) filter (where w.outcome = 'needs_visit') as needs_visit, count(w.withdrawn_at) as withdrawn
    from work w
    group by 1, 2, 3
    order by count(*) desc, 1, 2, 3
    limit 500
  )
  select jsonb_build_object(
    'promises', (
      select jsonb_build_object(
        'kept', count(*) filter (where w.promise = 'kept'),
        'missed', count(*) filter (where w.promise = 'missed'),
        'open', count(*) filter (where w.promise = 'open'),
        'percent', round(100.0 * count(*) filter (where w.promise = 'kept')
          / nullif(count(*) filter (where w.promise in ('kept', 'missed')), 0), 1)
      )
      from work w
    ),
    'first_call', (
      select jsonb_build_object(
        'leads', count(*),
        'median_minutes', percentile_cont(0.5) within group (order by extract(epoch from w.called_at - w.created_at) / 60),
        'p90_minutes', percentile_cont(0.9) within group (order by extract(epoch from w.called_at - w.created_at) / 60)
      )
      from work w where w.called_at is not null
    ),
    'outcomes', coalesce((
      select jsonb_agg(jsonb_build_object('outcome', x.outcome, 'leads', x.leads) order by x.leads desc, x.outcome)
      from (select w.outcome, count(*) as leads from work w where w.outcome is not null group by 1) x
    ), '[]'),
    'days', coalesce((select jsonb_agg(to_jsonb(d) order by d.day) from days d), '[]'),
    'hours', coalesce((select jsonb_agg(to_jsonb(h) order by h.weekday, h.hour) from hours h), '[]'),
    'campaigns', coalesce((select jsonb_agg(to_jsonb(c)) from campaigns c), '[]')
  ) into report;
  return report;
end $$;

-- The audit log, newest first. `filter` and `before` are those of the API (inbox/api-managing.ts).
create function team.audit_log(filter jsonb, before bigint, at_most integer) returns jsonb
language plpgsql
security definer
set search_path = ''
as $$
declare
  actor private.actor := private.acting_manager();
  lead_given text := lower(filter ->> 'lead');
  found_entries jsonb;
  oldest bigint;
  is_more boolean;
begin
  with page as (
    select a.* from private.audit_log a
    where (before is null or a.id < before)
      and (filter ->> 'member' is null or a.member_id = (filter ->> 'member')::uuid)
      and (filter ->> 'action' is null or a.action = filter ->> 'action')
      and (lead_given is null or a.lead_id is not null and right(a.lead_id::text, length(lead_given)) = lead_given)
      and (filter ->> 'since' is null or a.at >= private.day_begins(filter ->> 'since', filter ->> 'zone'))
      and (filter ->> 'until' is null or a.at < private.day_begins(filter ->> 'until', filter ->> 'zone') + interval '1 day')
      and (filter ->> 'from' is null or a.at >= (filter ->> 'from')::timestamptz)
    order by a.id desc
    limit at_most + 1
  ),
  kept as (select p.* from page p order by p.id desc limit at_most)
  select
    coalesce(jsonb_agg(jsonb_build_object(
      'id', k.id, 'at', k.at, 'who', jsonb_build_object('id', k.member_id, 'name', k.who), 'action', k.action,
      'lead', case when k.lead_id is not null then jsonb_build_object('id', k.lead_id, 'reference', right(k.lead_id::text, 8)) end,
      'details', k.details
    ) order by k.id desc), '[]'),
    min(k.id), (select count(*) > at_most from page)
  into found_entries, oldest, is_more
  from kept k;
  return jsonb_build_object(
    'entries', found_entries, 'next', case when is_more then oldest end,
    'actions', (select coalesce(jsonb_agg(distinct x.action), '[]') from (select a.action from private.audit_log a order by a.id desc limit 10000) x)
  );
end $$;

-- Reading a whole audit log is itself an act.
create function team.note_audit_export(entries integer) returns void
language plpgsql
security definer
set search_path = ''
as $$
begin
  perform private.audit(private.acting_manager(), 'exported audit log', null, jsonb_build_object('entries', entries));
end $$;

-- What was tried to reach a person, for the operator's command.
create function team.call_log(lead uuid) returns jsonb
language plpgsql
security definer
set search_path = ''
as $$
declare
  actor private.actor := private.acting_manager();
begin
  perform private.audit(actor, 'read call log', lead);
  return private.call_log_of(lead);
end $$;

-- Whether every lead reaches the team and is reviewed in time, counted as delivery/counts.ts counts it for `leads status`.
create function private.figures() returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  leads jsonb;
  channels jsonb;
  backup private.backup_state;
begin
  select jsonb_build_object(
    'stored', count(*),
    'unreviewed', count(*) filter (where s.is_waiting),
    'overdue', count(*) filter (where s.is_waiting and s.created_at < now() - interval '24 hours'),
    'untold', count(*) filter (where s.is_waiting and s.is_untold)
  ) into leads
  from (
    select l.created_at, d.lead_id is null as is_untold, r.lead_id is null and p.lead_id is null as is_waiting
    from public.leads l
    left join (select distinct x.lead_id from private.deliveries x) d on d.lead_id = l.id
    left join private.reviews r on r.lead_id = l.id
    left join private.permissions p on p.lead_id = l.id and p.withdrawn_at is not null
  ) s;
  select coalesce(jsonb_agg(to_jsonb(x) order by x.channel), '[]') into channels
  from (
    select c.name as channel, c.enabled,
      count(d.delivered_at) as delivered, count(d.failed_at) as failed,
      count(d.id) - count(d.delivered_at) - count(d.failed_at) as pending,
      min(d.created_at) filter (where d.delivered_at is null and d.failed_at is null) as oldest_pending,
      count(d.id) filter (
        where d.delivered_at is null and d.failed_at is null and d.created_at < now() - interval '15 minutes'
      ) as stuck,
      case when count(d.last_error) > 0 then c.last_failure end as last_error
    from private.channels c left join private.deliveries d on d.channel = c.name
    where c.retired_at is null
    group by c.name
  ) x;
  select * into backup from private.backup_state;
  return leads || jsonb_build_object(
    'problems', array_remove(array[
      case when (leads ->> 'untold')::integer > 0 and not channels @> '[{"enabled": true}]' then 'no channel' end,
      case when exists (select from jsonb_array_elements(channels) as c where (c ->> 'failed')::integer > 0) then 'failed' end,
      case when exists (select from jsonb_array_elements(channels) as c where (c ->> 'stuck')::integer > 0) then 'stuck' end,
      case when (leads ->> 'overdue')::integer > 0 then 'overdue' end,
      case when backup.enabled and (backup.failure is not null or backup.taken_at < now() - interval '36 hours') then 'backup' end
    ], null),
    'erased', (select count(*) from private.erasures),
    'channels', channels,
    'last_backup_at', backup.taken_at,
    'backup_failure', backup.failure,
    'schema', private.schema_version(),
    'at', now()
  );
end $$;
revoke execute on function private.figures from public;

create function team.machine() returns jsonb
language plpgsql
security definer
set search_path = ''
as $$
begin
  perform private.acting(is_activity => false);
  return private.figures();
end $$;

-- Has every delivery that failed sent again, as `leads retry --failed` does. Returns how many.
create function team.retry_failed_deliveries() returns integer
language plpgsql
security definer
set search_path = ''
as $$
declare
  actor private.actor := private.acting_manager();
  retried integer;
begin
  update private.deliveries d set failed_at = null, attempts = 0, due_at = now(), claimed_until = null
  from private.channels c
  where c.name = d.channel and c.enabled and d.failed_at is not null;
  get diagnostics retried = row_count;
  perform private.audit(actor, 'retried deliveries', null, jsonb_build_object('deliveries', retried));
  return retried;
end $$;

revoke execute on all functions in schema team from public;
grant execute on all functions in schema team to leads_team;
