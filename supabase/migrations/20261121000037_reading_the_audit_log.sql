-- Reading the audit log, as a whole or for one lead, and exporting it. An export is itself in the log.

-- The actions that the audit log has. Each is found by one look into the index, because the index is sorted by action.
create function private.audited_actions() returns jsonb
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  with recursive actions as (
    select (select min(a.action) from private.audit_log a) as action
    union all
    select (select min(a.action) from private.audit_log a where a.action > x.action) from actions x where x.action is not null
  )
  select coalesce(jsonb_agg(x.action order by x.action), '[]') from actions x where x.action is not null;
$$;

-- A page of the audit log, newest first; `next` is null with the last page. With `at_most` 0 only counts what the filter leaves.
create function private.audit_page(
  filter jsonb, before bigint, at_most integer, out entries json, out next bigint, out total bigint
)
language plpgsql stable
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_custom_plan
as $$
declare
  lead_given text := reverse(replace(lower(filter ->> 'lead'), '-', ''));
  -- The leads whose ids end so, also those that are erased. None for fewer than eight digits (a reference), dashes not counted.
  leads uuid[] := case when lead_given is not null then array(
    select w.lead_id from private.lead_work w
    where length(lead_given) >= 8
      and private.from_its_end(w.lead_id) collate "C" >= lead_given and private.from_its_end(w.lead_id) collate "C" < lead_given || 'g'
    union
    select e.lead_id from private.erasures e
    where length(lead_given) >= 8
      and private.from_its_end(e.lead_id) collate "C" >= lead_given and private.from_its_end(e.lead_id) collate "C" < lead_given || 'g'
  ) end;
  before_at timestamptz := (select a.at from private.audit_log a where a.id = before);
  since timestamptz := private.day_begins(filter ->> 'since', filter ->> 'zone');
  until timestamptz := private.day_ends(filter ->> 'until', filter ->> 'zone');
  oldest bigint;
  is_more boolean;
begin
  -- In the order of time, which the indexes have for each filter.
  with left_by_filter as not materialized (
    select a.* from private.audit_log a
    where (before is null or (a.at, a.id) < (before_at, before))
      and case
        when filter ->> 'member' is null then true
        when filter ->> 'member' = 'operator' then a.member_id is null
        else a.member_id = (filter ->> 'member')::uuid
      end
      and (filter ->> 'action' is null or a.action = filter ->> 'action')
      and (leads is null or a.lead_id = any (leads))
      and (since is null or a.at >= since)
      and (until is null or a.at < until)
      and (filter ->> 'from' is null or a.at >= (filter ->> 'from')::timestamptz)
  ),
  page as (select * from left_by_filter f order by f.at desc, f.id desc limit case when at_most > 0 then at_most + 1 else 0 end),
  kept as (select p.* from page p order by p.at desc, p.id desc limit at_most)
  -- As json, because making jsonb takes more than twice as long.
  select
    coalesce(json_agg(json_build_object(
      'id', k.id, 'at', k.at, 'who', json_build_object('id', k.member_id, 'name', k.who), 'action', k.action,
      'lead', case when k.lead_id is not null then json_build_object('id', k.lead_id, 'reference', right(k.lead_id::text, 8)) end,
      'details', k.details
    ) order by k.at desc, k.id desc), '[]'),
    (array_agg(k.id order by k.at, k.id))[1], (select count(*) > at_most from page),
    case when at_most = 0 then (select count(*) from left_by_filter) end
  into entries, oldest, is_more, total
  from kept k;
  next := case when is_more then oldest end;
end $$;

-- The audit log, newest first. `filter` is that of the API, and `before` is the API's `after` (inbox/api-managing.ts).
create function team.audit_log(filter jsonb, before bigint, at_most integer) returns json
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  actor private.actor := private.require_manager();
begin
  return (
    select json_build_object('entries', p.entries, 'next', p.next, 'actions', private.audited_actions())
    from private.audit_page(filter, before, at_most) p
  );
end $$;

-- Returns the parts of a filter for the entry about an export. Each part is checked, because a text of any other kind, such as a person's name,
-- could never be erased from the log. Raises an error for a part that is not what its name says.
create function private.audit_filter(filter jsonb) returns jsonb
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
begin
  if filter ->> 'lead' !~ '^[0-9A-Fa-f-]{8,36}$' or filter ->> 'zone' !~ '^[A-Za-z_]+(/[A-Za-z0-9_+-]+)*$'
    or not private.audited_actions() @> to_jsonb(filter ->> 'action') then
    raise exception using errcode = 'PT400', message = 'not a value';
  end if;
  perform private.day_begins(current_date::text, filter ->> 'zone');
  return jsonb_strip_nulls(jsonb_build_object(
    'since', (filter ->> 'since')::date, 'until', (filter ->> 'until')::date, 'zone', filter ->> 'zone',
    'member', case when filter ->> 'member' = 'operator' then 'operator' else (filter ->> 'member')::uuid::text end,
    'action', filter ->> 'action', 'lead', filter ->> 'lead', 'from', (filter ->> 'from')::timestamptz
  ));
end $$;

-- Writes an entry about the export to the audit log, because reading the whole log is itself an act, and returns the entry's id. Each page of
-- the export takes this id, and reads the filter from the entry.
create function team.record_audit_export(filter jsonb) returns bigint
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  actor private.actor := private.require_manager();
  kept constant jsonb := private.audit_filter(filter);
begin
  return private.audit(
    actor, 'exported audit log', null,
    (select kept || jsonb_build_object('entries', p.total) from private.audit_page(kept, null, 0) p)
  );
end $$;

-- A page of what stands before the entry in the log's order of time. `before` is the `next` of the page before, and null for the first.
create function team.export_audit_log(entry bigint, before bigint, at_most integer) returns json
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  actor private.actor := private.require_manager();
  -- The older of the two entries. Their ids alone do not decide, because a clock that was set back gives a later entry an earlier time.
  begins_before bigint := (select b.id from private.audit_log b where b.id in (entry, before) order by b.at, b.id limit 1);
begin
  perform private.lead_of_audit_entry(entry, actor, 'exported audit log', '1 hour');
  return (
    select json_build_object('entries', p.entries, 'next', p.next)
    from private.audit_log a
    cross join lateral private.audit_page(a.details - 'entries', begins_before, at_most) p
    where a.id = entry
  );
end $$;

-- What was tried to reach a person, for the operator's command. Not granted to the inbox, whose process could read the notes and roll the
-- entry back.
create function team.call_log(lead uuid) returns jsonb
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  actor private.actor := private.require_manager();
begin
  perform private.audit(actor, 'read call log', lead);
  return private.call_log_of(lead);
end $$;

revoke execute on function
  private.audited_actions, private.audit_page, private.audit_filter, team.audit_log, team.record_audit_export, team.export_audit_log,
  team.call_log
from public;
grant execute on function team.audit_log, team.record_audit_export, team.export_audit_log to leads_team;
