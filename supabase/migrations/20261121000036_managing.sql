-- What managers do in the inbox: members (the operator too, by command), a lead taken back, erasing, exporting, paused states and reports.
-- Each act is in the audit log.

-- The page of the team loads it by itself when something has changed, so it is no activity. `company_issuer` as
-- private.has_company_account has it.
create function team.members(company_issuer text) returns jsonb
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  actor private.actor := private.require_manager(is_activity => false);
begin
  return jsonb_build_object('members', coalesce((
    select jsonb_agg(jsonb_build_object(
      'id', m.id, 'name', m.name, 'role', m.role, 'created_at', m.created_at, 'removed_at', m.removed_at, 'joined_at', m.joined_at,
      'link_until', (
        select max(i.expires_at) from private.invitations i where i.member_id = m.id and i.used_at is null and private.is_in_time(i)
      ),
      'last_seen_at', (select max(s.last_seen_at) from private.sessions s where s.member_id = m.id),
      'passkeys', (select count(*) from private.passkeys p where p.member_id = m.id),
      'oidc', private.has_company_account(m.id, company_issuer),
      'claims', (select count(*) from private.claims c where c.member_id = m.id and c.until > now())
    ) order by m.removed_at nulls first, lower(m.name))
    from private.members m
  ), '[]'));
end $$;

-- The member of this name, which the operator types: capitals, blanks and invisible characters are no part of it. Null when there is none.
-- Not granted to the inbox, whose pages have the ids.
create function team.member_named(member_name text) returns jsonb
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  actor private.actor := private.require_manager();
begin
  return (
    select jsonb_build_object('id', m.id, 'name', m.name) from private.members m
    where private.member_key(m.name) = private.member_key(private.member_name(member_name)) and m.removed_at is null
  );
end $$;

-- False for oneself.
create function team.remove_member(member uuid) returns boolean
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  actor private.actor := private.require_manager();
  m private.members;
begin
  if member = actor.member_id then
    return false;
  end if;
  -- Of two managers who remove each other, the second waits here, and is no manager after the wait.
  perform from private.members x where x.role = 'manager' and x.removed_at is null order by x.id for no key update;
  actor := private.require_manager();
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

-- Ends the claim of a lead, where this member has it.
create function team.take_back(lead uuid, member uuid) returns void
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  actor private.actor := private.require_manager();
  holder jsonb;
begin
  -- Waits for a member who is claiming the lead, so that the holder named in the audit log is the one who loses it.
  perform from private.claims c where c.lead_id = lead for update;
  holder := private.holder_of(lead);
  if holder ->> 'id' = member::text then
    delete from private.claims c where c.lead_id = lead;
    perform private.audit(actor, 'took lead back', lead, jsonb_build_object('from', holder ->> 'name'));
    perform private.notify_inbox_of_leads(array[lead]);
  end if;
end $$;

-- For good, with everything kept about the lead. Returns false when `confirmed` is neither the lead's reference nor its id.
create function team.erase_lead(lead uuid, confirmed text) returns boolean
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  actor private.actor := private.require_manager();
begin
  if exists (select from public.leads l where l.id = lead)
    and coalesce(lower(btrim(confirmed)), '') not in (right(lead::text, 8), lead::text) then
    return false;
  end if;
  perform private.erase_leads(array[lead], 'asked');
  -- Somebody else may erase the lead at this moment, so the audit log must not name this manager.
  if not found then
    raise exception using errcode = 'PT404', message = 'There is no such lead.';
  end if;
  perform private.audit(actor, 'erased lead', lead);
  return true;
end $$;

-- Says in the audit log that these days are about to be exported, and returns the entry, which each page of the export asks for.
create function team.record_export(since text, until text, zone text) returns bigint
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  actor private.actor := private.require_manager();
begin
  -- Refuses an unknown zone and an impossible day.
  perform private.day_begins(since, zone), private.day_ends(until, zone);
  -- The pages are read in the order of lead_work, which the leads of the last second are not in.
  perform private.index_new_leads(null);
  return private.audit(actor, 'exported leads', null, jsonb_build_object('since', since::date, 'until', until::date, 'zone', zone));
end $$;

-- A page of the leads that came on the days of the entry, the last one included, and before the entry was written, oldest first.
-- `after` is the `next` of the page before; the last page has null there. A made-up `after` reaches no lead before those days. A download
-- may take an hour.
create function team.export_leads(entry bigint, after text, at_most integer) returns json
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_custom_plan
as $$
declare
  actor private.actor := private.require_manager();
  begins timestamptz;
  ends timestamptz;
  after_lead uuid := '00000000-0000-0000-0000-000000000000';
  exported json;
  next text;
begin
  perform private.lead_of_audit_entry(entry, actor, 'exported leads', '1 hour');
  select
    private.day_begins(a.details ->> 'since', a.details ->> 'zone'),
    least(private.day_ends(a.details ->> 'until', a.details ->> 'zone'), a.at)
  into begins, ends
  from private.audit_log a where a.id = entry;
  if after is not null then
    begins := greatest(begins, split_part(after, '|', 1)::timestamptz);
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
  -- As json, because making jsonb takes more than twice as long.
  select
    coalesce(json_agg(json_build_object(
      'id', p.id, 'created_at', p.created_at, 'name', p.name, 'email', p.email, 'phone', p.phone, 'zip_code', p.zip_code,
      'has_medicare', p.has_medicare, 'has_diabetes', p.has_diabetes, 'withdrawn_at', p.withdrawn_at,
      'reviewed_at', p.reviewed_at, 'outcome', p.outcome, 'marks', p.flags
    ) order by p.came_at, p.id), '[]'),
    case when count(*) = at_most then (array_agg(concat_ws('|', p.came_at, p.id) order by p.came_at desc, p.id desc))[1] end
  into exported, next
  from page p;
  return json_build_object('leads', exported, 'next', next);
end $$;

create function team.paused_states() returns jsonb
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
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
set search_path = pg_catalog, pg_temp
as $$
declare
  actor private.actor := private.require_manager();
begin
  if not exists (select from private.calling_rules r where r.state = which) then
    raise exception using errcode = 'PT404', message = 'There is no such state.';
  end if;
  insert into private.paused_states (state, paused_by, reason) values (which, actor.name, why)
  on conflict (state) do update set paused_at = now(), paused_by = excluded.paused_by, reason = excluded.reason;
  perform private.audit(actor, 'paused state', null, jsonb_build_object('state', which));
  perform private.notify_inbox('{"kind": "team"}');
  perform private.notify_inbox_of_leads('{}');
end $$;

create function team.resume_state(which text) returns void
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
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

-- Says in the audit log that a manager is about to read on a standby, and returns the entry, which the standby asks for. Raises PT404 for
-- another reading.
create function team.record_reading(reading text, period jsonb) returns bigint
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  actor private.actor := private.require_manager();
begin
  if reading not in ('read reports', 'read campaigns', 'read experiments') then
    raise exception using errcode = 'PT404', message = 'There is no such reading.';
  end if;
  return private.audit(actor, reading, null, case
    when period ? 'since' then jsonb_build_object('since', (period ->> 'since')::date::text, 'until', (period ->> 'until')::date::text)
    else '{}'
  end);
end $$;

-- How the promise was kept, how soon people were called, and what came of it, for the leads of these days in a time zone.
-- `entry` is what team.record_reading returned; a standby needs it.
create function team.reports(since text, until text, zone text, entry bigint default null) returns jsonb
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  actor private.actor := private.require_manager();
  begins timestamptz := private.day_begins(since, zone);
  ends timestamptz := private.day_ends(until, zone);
begin
  perform private.audit_reading(actor, 'read reports', jsonb_build_object('since', since, 'until', until), entry);
  return private.report(begins, ends, zone);
end $$;

revoke execute on function
  team.members, team.member_named, team.remove_member, team.take_back, team.erase_lead, team.record_export, team.export_leads,
  team.paused_states, team.pause_state, team.resume_state, team.record_reading,
  team.reports
from public;
grant execute on function
  team.members, team.remove_member, team.take_back, team.erase_lead, team.record_export, team.export_leads,
  team.paused_states, team.pause_state, team.resume_state, team.record_reading,
  team.reports
to leads_team;
