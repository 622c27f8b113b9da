-- Opening a lead. Each function of the schema `team` here writes the audit log or requires an entry in it, so that a fault of the inbox
-- cannot open a lead without one.

-- When one of a lead's numbers was first put on the stop list after the lead came; otherwise null.
create function private.stopped_at(w private.lead_work) returns timestamptz
language sql stable
set search_path = pg_catalog, pg_temp
return (private.stop_of(w)).stopped_at;

-- The number that is dialled (private.phone_digits) as a tel: link: with +1 before ten digits, and with a plus sign where the visitor typed
-- a country code after 011, 00 or a plus sign. Empty when the visitor typed no number.
create function private.tel_of(digits text, typed text) returns text
language sql immutable
set search_path = pg_catalog, pg_temp
return case
  when digits = '' then ''
  when digits like '011%' then 'tel:+' || substr(digits, 4)
  when length(digits) = 10 then 'tel:+1' || digits
  when private.without_inland_zero(private.in_ascii(typed)) ~ ('([+]|(?<![0-9])(011|00))[^0-9[:alpha:]#,;]*' || array_to_string(string_to_array(digits, null), '[^0-9]*')) then 'tel:+' || digits
  else 'tel:' || digits
end;

-- Whether a call is under way: begun within the last hour, and without an outcome. One that is dated more than an hour ahead does not
-- count: it was begun while the clock was ahead, and would be under way for too long.
create function private.is_under_way(c private.calls) returns boolean
language sql stable
set search_path = pg_catalog, pg_temp
return c.at between now() - interval '1 hour' and now() + interval '1 hour'
  and not exists (select from private.outcomes o where o.call_id = c.id);

create function private.call_under_way(lead uuid, member uuid) returns private.calls
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select c.* from private.calls c
  where c.lead_id = lead and c.member_id = member and private.is_under_way(c)
  order by c.at desc limit 1;
$$;

create function private.call_log_of(lead uuid) returns jsonb
language sql stable
set search_path = pg_catalog, pg_temp
return coalesce((
  select jsonb_agg(entry order by at)
  from (
    select c.at, jsonb_build_object(
      'id', c.id, 'member', jsonb_build_object('id', m.id, 'name', m.name), 'at', c.at, 'called', true,
      'asked_for_this_time', c.asked_for_this_time, 'outcome_id', o.id, 'outcome', o.outcome, 'outcome_at', o.at,
      'undo_until', private.undo_until(o), 'note', coalesce(o.note, ''), 'callback_at', o.callback_at, 'callback_zone', o.callback_zone
    ) as entry
    from private.calls c
    join private.members m on m.id = c.member_id
    left join private.outcomes o on o.call_id = c.id
    where c.lead_id = lead
    union all
    select o.at, jsonb_build_object(
      'id', o.id, 'member', jsonb_build_object('id', m.id, 'name', m.name), 'at', o.at, 'called', false,
      'asked_for_this_time', false, 'outcome_id', o.id, 'outcome', o.outcome, 'outcome_at', o.at,
      'undo_until', private.undo_until(o), 'note', o.note, 'callback_at', o.callback_at, 'callback_zone', o.callback_zone
    )
    from private.outcomes o join private.members m on m.id = o.member_id
    where o.lead_id = lead and o.call_id is null
  ) entries
), '[]');

create function private.check_json(c private.eligibility_checks) returns jsonb
language sql stable
set search_path = pg_catalog, pg_temp
return jsonb_build_object(
  'id', c.id, 'at', c.at, 'answers', c.answers, 'result', c.result, 'reasons', to_jsonb(c.reasons),
  'member', (select jsonb_build_object('id', m.id, 'name', m.name) from private.members m where m.id = c.member_id)
);

create function private.permission_json(lead uuid) returns jsonb
language sql stable
set search_path = pg_catalog, pg_temp
return (
  select jsonb_build_object(
    'given_at', p.given_at, 'withdrawn_at', p.withdrawn_at, 'wording', private.wording_of(p.notice_hash),
    'text', n.text, 'language', n.language, 'page', nullif(concat(p.page_origin, p.page_path), ''),
    'address', p.address, 'browser', p.browser
  )
  from private.permissions p left join private.notices n on n.hash = p.notice_hash
  where p.lead_id = lead
);

-- Says in the audit log that the actor is about to open a lead, or its health answers. Returns the entry's id, which the
-- functions that open it require.
create function team.record_opening(id_or_reference text, health_answers boolean) returns bigint
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  actor private.actor := private.require_session();
  w private.lead_work := private.work_of(id_or_reference);
begin
  return private.audit(actor, case when health_answers then 'read health answers' else 'opened lead' end, w.lead_id);
end $$;

-- A lead as its page has it. The phone field, a number or e-mail address typed into the name, and a number typed into the e-mail field are in
-- it only while the member has a call about the lead under way that may go on, and no other member has the lead. The health answers never are.
create function private.lead_json(w private.lead_work, entry bigint, member uuid) returns jsonb
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
declare
  permission jsonb := private.permission_json(w.lead_id);
  stopped timestamptz := private.stopped_at(w);
  may_be_contacted boolean := permission is not null and permission ->> 'withdrawn_at' is null and stopped is null;
  under_way jsonb := private.number_of_started_call((private.call_under_way(w.lead_id, member)).id, member);
begin
  return private.rows_of(array[w.lead_id]) -> 0 || (
    select jsonb_build_object(
      'entry', entry,
      -- Some people type their number beside their name, e-mail address or ZIP code, and nobody may be called by it before the call is logged.
      'name', case when under_way ->> 'phone' is null then private.name_shown(l.name) else private.shown(l.name, '(no name)') end,
      'email', case
        when not may_be_contacted then null
        when under_way ->> 'phone' is null then private.email_shown(l.email)
        else private.shown(l.email, '(blank)')
      end,
      'zip_code', case when may_be_contacted then private.shown_without_contacts(l.zip_code, '(blank)') else private.zip_shown(l.zip_code) end,
      'permission', permission,
      'stopped_at', stopped,
      'call_log', private.call_log_of(w.lead_id),
      'log_only_outcomes', coalesce((
        select jsonb_agg(o.id) from private.outcomes o where o.lead_id = w.lead_id and private.was_for_the_log(o)
      ), '[]'),
      'recent_attempts', (
        select count(*) from private.calls c where c.number_key = w.number_key and c.at between now() - interval '24 hours' and now() + interval '24 hours'
      ),
      'checks', coalesce((
        select jsonb_agg(private.check_json(c) order by c.at desc) from private.eligibility_checks c where c.lead_id = w.lead_id
      ), '[]'),
      'others', private.others_of(w),
      'under_way', under_way
    )
    from public.leads l where l.id = w.lead_id
  );
end $$;

-- Opens a lead, and renews the member's claim of it.
create function team.open_lead(entry bigint) returns jsonb
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  actor private.actor := private.require_session();
  w private.lead_work := private.work_of(private.lead_of_audit_entry(entry, actor, 'opened lead')::text);
begin
  perform private.refresh_place_windows();
  update private.claims c set until = private.claim_ends()
  where c.lead_id = w.lead_id and c.member_id = actor.member_id and c.until > now();
  return private.lead_json(w, entry, actor.member_id);
end $$;

-- Loads a lead again that the member has opened since this session began; `entry` is that opening. The page asks by itself when something has
-- changed, so this writes no further entry, is no activity, and renews no claim.
create function team.opened_lead(entry bigint) returns jsonb
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  actor private.actor := private.require_session(is_activity => false);
  session_age interval := (select now() - s.created_at from private.sessions s where s.id = actor.session_id);
  w private.lead_work := private.work_of(private.lead_of_audit_entry(entry, actor, 'opened lead', session_age)::text);
begin
  perform private.refresh_place_windows();
  return private.lead_json(w, entry, actor.member_id);
end $$;

-- Other leads with the same number or e-mail address; each keeps its own permission.
create function private.others_of(w private.lead_work) returns jsonb
language sql stable
set search_path = pg_catalog, pg_temp
return coalesce((
  select jsonb_agg(jsonb_build_object(
    'id', o.lead_id, 'reference', right(o.lead_id::text, 8), 'created_at', o.created_at, 'stage', o.stage, 'outcome', o.outcome,
    'same', case when o.by_phone and o.by_email then 'phone and email' when o.by_phone then 'phone' else 'email' end,
    'withdrawn', exists (select from private.permissions p where p.lead_id = o.lead_id and p.withdrawn_at is not null)
  ) order by o.created_at desc)
  from (
    select x.*, private.numbers_of(x) && private.numbers_of(w) as by_phone,
      private.addresses_of(x) && private.addresses_of(w) as by_email
    from private.lead_work x
    where x.lead_id <> w.lead_id and (
      x.phone_digits = any (private.numbers_of(w)) and x.phone_digits <> ''
      or x.other_numbers && private.numbers_of(w) and x.other_numbers <> '{}'
      or x.email_key = any (private.addresses_of(w))
      or x.other_addresses && private.addresses_of(w) and x.other_addresses <> '{}'
    )
    order by x.created_at desc limit 50
  ) o
), '[]');

create function team.open_health_answers(entry bigint) returns jsonb
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  actor private.actor := private.require_session();
  lead uuid := (private.work_of(private.lead_of_audit_entry(entry, actor, 'read health answers')::text)).lead_id;
begin
  return (
    select jsonb_build_object('has_medicare', l.has_medicare, 'has_diabetes', l.has_diabetes) from public.leads l where l.id = lead
  );
end $$;

revoke execute on function
  private.stopped_at, private.tel_of, private.is_under_way, private.call_under_way, private.call_log_of, private.check_json,
  private.permission_json, private.lead_json, private.others_of, team.record_opening, team.open_lead, team.opened_lead,
  team.open_health_answers
from public;
grant execute on function team.record_opening, team.open_lead, team.opened_lead, team.open_health_answers to leads_team;
-- No grant on any table: what a member may see and do is what these functions do.
