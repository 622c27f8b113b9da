-- What managers do in the inbox, and the operator by command: members, a lead taken back, erasing, exporting, paused states, reports,
-- the audit log, and the health of the delivery. Each act is in the audit log.

create function team.members() returns jsonb
language plpgsql
security definer
set search_path = ''
as $$
declare
  actor private.actor := private.require_manager();
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
  actor private.actor := private.require_manager();
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
  perform private.notify_inbox('{"kind": "team"}');
  perform private.notify_inbox_of_leads('{}');
  return true;
end $$;

create function team.take_back(lead uuid) returns void
language plpgsql
security definer
set search_path = ''
as $$
declare
  actor private.actor := private.require_manager();
  holder jsonb := private.holder_of(lead);
begin
  delete from private.claims c where c.lead_id = lead;
  if holder is not null then
    perform private.audit(actor, 'took lead back', lead, jsonb_build_object('from', holder ->> 'name'));
    perform private.notify_inbox_of_leads(array[lead]);
  end if;
end $$;

-- For good, with everything kept about the lead. False when the reference typed to confirm it is another.
create function team.erase_lead(lead uuid, confirmed text) returns boolean
language plpgsql
security definer
set search_path = ''
as $$
declare
  actor private.actor := private.require_manager();
begin
  if not exists (select from public.leads l where l.id = lead) then
    raise exception using errcode = 'PT404', message = 'There is no such lead.';
  elsif lower(btrim(confirmed)) not in (right(lead::text, 8), lead::text) then
    return false;
  end if;
  perform private.erase_leads(array[lead], 'asked');
  perform private.audit(actor, 'erased lead', lead);
  perform private.notify_inbox_of_leads(array[lead]);
  return true;
end $$;

-- Says in the audit log that these days are about to be exported, and returns the entry, which each page of the export asks for.
create function team.record_export(since text, until text) returns bigint
language plpgsql
security definer
set search_path = ''
as $$
declare
  actor private.actor := private.require_manager();
begin
  -- The pages are read in the order of lead_work, which the leads of the last second are not in.
  perform private.index_new_leads(null);
  return private.audit(actor, 'exported leads', null, jsonb_build_object('since', since::date, 'until', until::date));
end $$;

-- A page of the leads that came on the days of the entry, the last one included, and before the entry was written, oldest first.
-- `after` is the `next` of the page before, which is null with the last page. A download may take an hour.
create function team.export_leads(entry bigint, zone text, after text, at_most integer) returns jsonb
language plpgsql
security definer
set search_path = ''
set plan_cache_mode = force_custom_plan
as $$
declare
  actor private.actor := private.require_manager();
  begins timestamptz;
  ends timestamptz;
  after_lead uuid := '00000000-0000-0000-0000-000000000000';
  exported jsonb;
  next text;
begin
  perform private.lead_of_entry(entry, actor, 'exported leads', '1 hour');
  select
    private.day_begins(a.details ->> 'since', zone),
    least(private.day_begins(a.details ->> 'until', zone) + interval '1 day', a.at)
  into begins, ends
  from private.audit_log a where a.id = entry;
  if after is not null then
    begins := split_part(after, '|', 1)::timestamptz;
    after_lead := split_part(after, '|', 2)::uuid;
  end if;
  with page as (
    select l.*, p.withdrawn_at, r.reviewed_at, r.outcome, w.flags, w.created_at as came_at
    from private.lead_work w
    join public.leads l on l.id = w.lead_id
    left join private.permissions p on p.lead_id = w.lead_id
    left join private.reviews r on r.lead_id = w.lead_id
    where (w.created_at, w.lead_id) > (begins, after_lead) and w.created_at < ends
    order by w.created_at, w.lead_id
    limit at_most
  )
  select
    coalesce(jsonb_agg(jsonb_build_object(
      'id', p.id, 'created_at', p.created_at, 'name', p.name, 'email', p.email, 'phone', p.phone, 'zip_code', p.zip_code,
      'has_medicare', p.has_medicare, 'has_diabetes', p.has_diabetes, 'withdrawn_at', p.withdrawn_at,
      'reviewed_at', p.reviewed_at, 'outcome', p.outcome, 'marks', p.flags
    ) order by p.came_at, p.id), '[]'),
    case when count(*) = at_most then (array_agg(concat_ws('|', p.came_at, p.id) order by p.came_at desc, p.id desc))[1] end
  into exported, next
  from page p;
  return jsonb_build_object('leads', exported, 'next', next);
end $$;

create function team.paused_states() returns jsonb
language plpgsql
security definer
set search_path = ''
as $$
begin
  perform private.require_session(is_activity => false);
  return jsonb_build_object('states', coalesce((
    select jsonb_agg(jsonb_build_object(
      'state', p.state, 'paused_at', p.paused_at, 'paused_by', p.paused_by, 'reason', p.reason
    ) order by p.state)
    from private.paused_states p
  ), '[]'));
end $$;

-- Raises PT404 for an unknown state.
create function team.pause_state(which text, why text) returns void
language plpgsql
security definer
set search_path = ''
as $$
declare
  actor private.actor := private.require_manager();
begin
  if not exists (select from private.calling_rules r where r.state = which) then
    raise exception using errcode = 'PT404', message = 'There is no such state.';
  end if;
  insert into private.paused_states (state, paused_by, reason) values (which, actor.name, why)
  on conflict (state) do update set reason = excluded.reason;
  perform private.audit(actor, 'paused state', null, jsonb_build_object('state', which));
  perform private.notify_inbox('{"kind": "team"}');
  perform private.notify_inbox_of_leads('{}');
end $$;

create function team.resume_state(which text) returns void
language plpgsql
security definer
set search_path = ''
as $$
declare
  actor private.actor := private.require_manager();
begin
  delete from private.paused_states p where p.state = which;
  if found then
    perform private.audit(actor, 'resumed state', null, jsonb_build_object('state', which));
    perform private.notify_inbox('{"kind": "team"}');
    perform private.notify_inbox_of_leads('{}');
  end if;
end $$;

-- How the promise was kept, how soon people were called, and what came of it, for the leads of these days in a time zone.
create function team.reports(since text, until text, zone text) returns jsonb
language plpgsql
security definer
set search_path = ''
as $$
declare
  actor private.actor := private.require_manager();
  begins timestamptz := private.day_begins(since, zone);
  ends timestamptz := private.day_begins(until, zone) + interval '1 day';
begin
  perform private.audit(actor, 'read reports', null, jsonb_build_object('since', since, 'until', until));
  return private.report(begins, ends, zone);
end $$;

-- The actions that the audit log has, each found by a look at the index, which is in their order.
create function private.audited_actions() returns jsonb
language sql stable
set search_path = ''
as $$
  with recursive actions as (
    select (select min(a.action) from private.audit_log a) as action
    union all
    select (select min(a.action) from private.audit_log a where a.action > x.action) from actions x where x.action is not null
  )
  select coalesce(jsonb_agg(x.action order by x.action), '[]') from actions x where x.action is not null;
$$;
revoke execute on function private.audited_actions from public;

-- A page of the audit log, newest first; `next` is null with the last page. With `at_most` 0 only counts what the filter leaves.
create function private.audit_page(
  filter jsonb, before bigint, at_most integer, out entries jsonb, out next bigint, out total bigint
)
language plpgsql stable
set search_path = ''
set plan_cache_mode = force_custom_plan
as $$
declare
  lead_given text := reverse(replace(lower(filter ->> 'lead'), '-', ''));
  -- The leads whose ids end so, also those that are erased.
  leads uuid[] := case when lead_given is not null then array(
    select w.lead_id from private.lead_work w
    where private.from_its_end(w.lead_id) collate "C" >= lead_given and private.from_its_end(w.lead_id) collate "C" < lead_given || 'g'
    union
    select e.lead_id from private.erasures e
    where private.from_its_end(e.lead_id) collate "C" >= lead_given and private.from_its_end(e.lead_id) collate "C" < lead_given || 'g'
  ) end;
  before_at timestamptz := (select a.at from private.audit_log a where a.id = before);
  since timestamptz := private.day_begins(filter ->> 'since', filter ->> 'zone');
  until timestamptz := private.day_begins(filter ->> 'until', filter ->> 'zone') + interval '1 day';
  oldest bigint;
  is_more boolean;
begin
  -- In the order of time, which the indexes have for each filter.
  with left_by_filter as not materialized (
    select a.* from private.audit_log a
    where (before is null or (a.at, a.id) < (before_at, before))
      and (filter ->> 'member' is null or a.member_id = (filter ->> 'member')::uuid)
      and (filter ->> 'action' is null or a.action = filter ->> 'action')
      and (leads is null or a.lead_id = any (leads))
      and (since is null or a.at >= since)
      and (until is null or a.at < until)
      and (filter ->> 'from' is null or a.at >= (filter ->> 'from')::timestamptz)
  ),
  page as (select * from left_by_filter f order by f.at desc, f.id desc limit case when at_most > 0 then at_most + 1 else 0 end),
  kept as (select p.* from page p order by p.at desc, p.id desc limit at_most)
  select
    coalesce(jsonb_agg(jsonb_build_object(
      'id', k.id, 'at', k.at, 'who', jsonb_build_object('id', k.member_id, 'name', k.who), 'action', k.action,
      'lead', case when k.lead_id is not null then jsonb_build_object('id', k.lead_id, 'reference', right(k.lead_id::text, 8)) end,
      'details', k.details
    ) order by k.at desc, k.id desc), '[]'),
    (array_agg(k.id order by k.at, k.id))[1], (select count(*) > at_most from page),
    case when at_most = 0 then (select count(*) from left_by_filter) end
  into entries, oldest, is_more, total
  from kept k;
  next := case when is_more then oldest end;
end $$;
revoke execute on function private.audit_page from public;

-- The audit log, newest first. `filter` and `before` are those of the API (inbox/api-managing.ts).
create function team.audit_log(filter jsonb, before bigint, at_most integer) returns jsonb
language plpgsql
security definer
set search_path = ''
as $$
declare
  actor private.actor := private.require_manager();
begin
  return (
    select jsonb_build_object('entries', p.entries, 'next', p.next, 'actions', private.audited_actions())
    from private.audit_page(filter, before, at_most) p
  );
end $$;

-- Reading a whole audit log is itself an act: says in it that what the filter leaves is about to be exported, and returns the entry,
-- which each page of the export asks for.
create function team.record_audit_export(filter jsonb) returns bigint
language plpgsql
security definer
set search_path = ''
as $$
declare
  actor private.actor := private.require_manager();
begin
  return private.audit(
    actor, 'exported audit log', null, (select jsonb_build_object('entries', p.total) from private.audit_page(filter, null, 0) p)
  );
end $$;

-- A page of what was in the log before the entry was written. `before` is the `next` of the page before.
create function team.export_audit_log(entry bigint, filter jsonb, before bigint, at_most integer) returns jsonb
language plpgsql
security definer
set search_path = ''
as $$
declare
  actor private.actor := private.require_manager();
begin
  perform private.lead_of_entry(entry, actor, 'exported audit log', '1 hour');
  return (
    select jsonb_build_object('entries', p.entries, 'next', p.next)
    from private.audit_page(filter, coalesce(before, entry), at_most) p
  );
end $$;

-- What was tried to reach a person, for the operator's command.
create function team.call_log(lead uuid) returns jsonb
language plpgsql
security definer
set search_path = ''
as $$
declare
  actor private.actor := private.require_manager();
begin
  perform private.audit(actor, 'read call log', lead);
  return private.call_log_of(lead);
end $$;

-- Whether every lead reaches the team and is reviewed in time, as `leads status` says it.
create function private.health_figures() returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  leads jsonb;
  channels jsonb;
  backup private.backup_state;
begin
  select jsonb_build_object(
    'stored', c.stored, 'erased', c.erased, 'unreviewed', c.waiting, 'overdue', c.overdue, 'untold', c.untold
  ) into leads from private.lead_counts() c;
  select coalesce(jsonb_agg(jsonb_build_object(
    'channel', d.channel, 'enabled', d.is_enabled, 'delivered', d.delivered, 'failed', d.failed, 'pending', d.pending,
    'oldest_pending', d.oldest_pending, 'stuck', d.stuck, 'last_error', d.last_error
  ) order by d.channel), '[]') into channels
  from private.delivery_counts() d where not d.is_retired;
  select * into backup from private.backup_state;
  return leads || jsonb_build_object(
    'problems', array_remove(array[
      case when (leads ->> 'untold')::integer > 0 and not channels @> '[{"enabled": true}]' then 'no channel' end,
      case when exists (select from jsonb_array_elements(channels) as c where (c ->> 'failed')::integer > 0) then 'failed' end,
      case when exists (select from jsonb_array_elements(channels) as c where (c ->> 'stuck')::integer > 0) then 'stuck' end,
      case when (leads ->> 'overdue')::integer > 0 then 'overdue' end,
      case when backup.enabled and (backup.failure is not null or backup.taken_at < now() - interval '36 hours') then 'backup' end
    ], null),
    'channels', channels,
    'last_backup_at', backup.taken_at,
    'backup_failure', backup.failure,
    'schema', private.schema_version(),
    'at', now()
  );
end $$;
revoke execute on function private.health_figures from public;

create function team.health() returns jsonb
language plpgsql
security definer
set search_path = ''
as $$
begin
  perform private.require_session(is_activity => false);
  return private.health_figures();
end $$;

-- Has every delivery that failed sent again, as `leads retry --failed` does. Returns how many.
create function team.retry_failed_deliveries() returns integer
language plpgsql
security definer
set search_path = ''
as $$
declare
  actor private.actor := private.require_manager();
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
