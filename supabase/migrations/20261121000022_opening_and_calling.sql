-- Opening a lead, calling, and recording the outcome. Each function finds out who acts, checks what the law and the team's rules ask,
-- and writes the audit log, so that a fault of the inbox can neither show a number that must not be called nor read without an entry.

-- When the number of a lead was put on the stop list, if that was after the lead came; otherwise null.
create function private.stopped_at(w private.lead_work) returns timestamptz
language sql stable
set search_path = ''
return (select s.stopped_at from private.stop_list s where s.phone_digits = w.phone_digits and s.stopped_at >= w.created_at);

-- The number as a tel: link; empty when the visitor typed no number.
create function private.tel_of(digits text) returns text
language sql immutable
set search_path = ''
return case when length(digits) = 10 then 'tel:+1' || digits when digits <> '' then 'tel:' || digits else '' end;

create function private.call_under_way(lead uuid, member uuid) returns private.calls
language sql stable
set search_path = ''
as $$
  select c.* from private.calls c
  where c.lead_id = lead and c.member_id = member and c.at > now() - interval '1 hour'
    and not exists (select from private.outcomes o where o.call_id = c.id)
  order by c.at desc limit 1;
$$;

create function private.call_log_of(lead uuid) returns jsonb
language sql stable
set search_path = ''
return coalesce((
  select jsonb_agg(entry order by entry ->> 'at')
  from (
    select jsonb_build_object(
      'id', c.id, 'member', jsonb_build_object('id', m.id, 'name', m.name), 'at', c.at, 'called', true,
      'asked_for_this_time', c.asked_for_this_time, 'outcome_id', o.id, 'outcome', o.outcome, 'outcome_at', o.at,
      'note', coalesce(o.note, ''), 'callback_at', o.callback_at, 'callback_zone', o.callback_zone
    ) as entry
    from private.calls c
    join private.members m on m.id = c.member_id
    left join private.outcomes o on o.call_id = c.id
    where c.lead_id = lead
    union all
    select jsonb_build_object(
      'id', o.id, 'member', jsonb_build_object('id', m.id, 'name', m.name), 'at', o.at, 'called', false,
      'asked_for_this_time', false, 'outcome_id', o.id, 'outcome', o.outcome, 'outcome_at', o.at,
      'note', o.note, 'callback_at', o.callback_at, 'callback_zone', o.callback_zone
    )
    from private.outcomes o join private.members m on m.id = o.member_id
    where o.lead_id = lead and o.call_id is null
  ) entries
), '[]');

create function private.check_json(c private.eligibility_checks) returns jsonb
language sql stable
set search_path = ''
return jsonb_build_object(
  'id', c.id, 'at', c.at, 'answers', c.answers, 'result', c.result, 'reasons', to_jsonb(c.reasons),
  'member', (select jsonb_build_object('id', m.id, 'name', m.name) from private.members m where m.id = c.member_id)
);

create function private.permission_json(lead uuid) returns jsonb
language sql stable
set search_path = ''
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
set search_path = ''
as $$
declare
  actor private.actor := private.require_session();
  w private.lead_work := private.work_of(id_or_reference);
begin
  return private.audit(actor, case when health_answers then 'read health answers' else 'opened lead' end, w.lead_id);
end $$;

-- Opens a lead. The answer has the number only while the member has a call to it under way, and never the health answers.
create function team.open_lead(entry bigint) returns jsonb
language plpgsql
security definer
set search_path = ''
as $$
declare
  actor private.actor := private.require_session();
  w private.lead_work := private.work_of(private.lead_of_entry(entry, actor, 'opened lead')::text);
  permission jsonb := private.permission_json(w.lead_id);
  stopped timestamptz := private.stopped_at(w);
  may_be_contacted boolean := permission ->> 'withdrawn_at' is null and stopped is null;
begin
  perform private.refresh_place_windows();
  update private.claims c set until = now() + interval '20 minutes'
  where c.lead_id = w.lead_id and c.member_id = actor.member_id and c.until > now();
  return private.rows_of(array[w.lead_id]) -> 0 || (
    select jsonb_build_object(
      -- Some people type their number beside their name or ZIP code.
      'name', case when may_be_contacted then l.name else private.name_shown(l.name) end,
      'email', case when may_be_contacted then l.email end,
      'zip_code', case when may_be_contacted then l.zip_code else private.zip_shown(l.zip_code) end,
      'permission', permission,
      'stopped_at', stopped,
      'calls', private.call_log_of(w.lead_id),
      'attempts_today', (
        select count(*) from private.calls c where c.number_key = w.number_key and c.at > now() - interval '24 hours'
      ),
      'checks', coalesce((
        select jsonb_agg(private.check_json(c) order by c.at desc) from private.eligibility_checks c where c.lead_id = w.lead_id
      ), '[]'),
      'others', private.others_of(w),
      'under_way', private.number_of_started_call(
        (private.call_under_way(w.lead_id, actor.member_id)).id, actor.member_id
      )
    )
    from public.leads l where l.id = w.lead_id
  );
end $$;

-- Other leads with the same number or e-mail address; each keeps its own permission.
create function private.others_of(w private.lead_work) returns jsonb
language sql stable
set search_path = ''
return coalesce((
  select jsonb_agg(jsonb_build_object(
    'id', o.lead_id, 'reference', right(o.lead_id::text, 8), 'created_at', o.created_at, 'stage', o.stage, 'outcome', o.outcome,
    'same', case when o.by_phone and o.by_email then 'phone and email' when o.by_phone then 'phone' else 'email' end,
    'withdrawn', exists (select from private.permissions p where p.lead_id = o.lead_id and p.withdrawn_at is not null)
  ) order by o.created_at desc)
  from (
    select x.*, x.phone_digits = w.phone_digits and w.phone_digits <> '' as by_phone, x.email_key = w.email_key as by_email
    from private.lead_work x
    where (x.phone_digits = w.phone_digits and w.phone_digits <> '' and x.phone_digits <> '' or x.email_key = w.email_key)
      and x.lead_id <> w.lead_id
    order by x.created_at desc limit 50
  ) o
), '[]');

create function team.open_health_answers(entry bigint) returns jsonb
language plpgsql
security definer
set search_path = ''
as $$
declare
  actor private.actor := private.require_session();
  lead uuid := private.lead_of_entry(entry, actor, 'read health answers');
begin
  return (
    select jsonb_build_object('has_medicare', l.has_medicare, 'has_diabetes', l.has_diabetes) from public.leads l where l.id = lead
  );
end $$;

-- Checks permission, stop list, attempts, calling hours and claim, and then logs the attempt and returns its id, for which
-- team.number_of_call tells the number. Otherwise returns why not and when.
create function team.start_call(lead uuid, asked_for_this_time boolean) returns jsonb
language plpgsql
security definer
set search_path = ''
as $$
declare
  actor private.actor := private.require_member();
  w private.lead_work := private.work_of(lead::text);
  win private.place_windows;
  refused text;
  next_at timestamptz;
  may_be_asked_for boolean := false;
  is_asked boolean;
  under_way private.calls;
  started private.calls;
begin
  -- Calls to one number wait for each other here, because two at once could both count as the third.
  perform pg_advisory_xact_lock(hashtextextended(w.number_key, 1));
  select * into w from private.lead_work x where x.lead_id = lead for update;
  win := private.place_at(w.place, now());
  under_way := private.call_under_way(lead, actor.member_id);
  -- A callback that is due at a time that the person asked for has that reason already.
  is_asked := coalesce(asked_for_this_time, false) or coalesce(
    w.stage = 'callback' and w.callback_asked_for
      and now() between w.callback_at - interval '15 minutes' and w.callback_at + interval '2 hours', false);
  next_at := (select e.until from private.exhausted_numbers() e where e.number_key = w.number_key);
  if exists (select from private.permissions p where p.lead_id = lead and p.withdrawn_at is not null)
    or not exists (select from private.permissions p where p.lead_id = lead) then
    refused := 'withdrawn';
    next_at := null;
  elsif private.stopped_at(w) is not null then
    refused := 'stopped';
    next_at := null;
  elsif private.holder_of(lead) ->> 'id' <> actor.member_id::text then
    refused := 'claimed';
    next_at := (select c.until from private.claims c where c.lead_id = lead);
  elsif under_way.at > now() - interval '10 minutes' then
    -- The same call, asked for again: a second tab, a lost answer.
    perform private.claim_lead(lead, actor.member_id);
    return jsonb_build_object('call_id', under_way.id);
  elsif next_at is not null then
    refused := 'attempts';
    next_at := (select c.next_callable_at from private.calling_window(w.place, next_at) c);
  elsif not win.callable and not (is_asked and win.reason <> 'paused') then
    refused := win.reason;
    next_at := win.callable_at;
    may_be_asked_for := win.reason <> 'paused';
  end if;
  if refused is not null then
    perform private.audit(actor, 'call refused', lead, jsonb_build_object('reason', refused));
    return jsonb_build_object(
      'refused', refused, 'next_at', next_at,
      'place', (select private.place_json(private.zip_shown(l.zip_code), win) from public.leads l where l.id = lead),
      'due_at', w.created_at + interval '24 hours',
      'reviewed', exists (select from private.reviews r where r.lead_id = lead),
      'may_be_asked_for', may_be_asked_for,
      'held_by', case when refused = 'claimed' then private.holder_of(lead) end
    );
  end if;
  perform private.claim_lead(lead, actor.member_id);
  insert into private.calls (lead_id, number_key, member_id, asked_for_this_time)
  values (lead, w.number_key, actor.member_id, not win.callable)
  returning * into started;
  perform private.audit(actor, 'called', lead, jsonb_build_object('asked_for_this_time', started.asked_for_this_time));
  perform private.notify_inbox_of_leads(array[lead]);
  return jsonb_build_object('call_id', started.id);
end $$;

-- The number of a call that the member has logged and that has no outcome yet; null when there is none, or the person has withdrawn.
-- Beside it only the export of a manager returns numbers.
create function private.number_of_started_call(of_call uuid, member uuid) returns jsonb
language sql stable
set search_path = ''
return (
  select jsonb_build_object('call_id', c.id, 'phone', l.phone, 'tel', private.tel_of(w.phone_digits), 'at', c.at)
  from private.calls c
  join public.leads l on l.id = c.lead_id
  join private.lead_work w on w.lead_id = c.lead_id
  join private.permissions p on p.lead_id = c.lead_id
  where c.id = of_call and c.member_id = member and c.at > now() - interval '1 hour'
    and c.xact is distinct from pg_current_xact_id_if_assigned()
    and p.withdrawn_at is null and private.stopped_at(w) is null
    and not exists (select from private.outcomes o where o.call_id = c.id)
);

create function team.number_of_call(of_call uuid) returns jsonb
language plpgsql
security definer
set search_path = ''
as $$
declare
  number jsonb := private.number_of_started_call(of_call, (private.require_member()).member_id);
begin
  if number is null then
    raise exception using errcode = 'PT404', message = 'There is no such call under way.';
  end if;
  return number;
end $$;

-- Whether a text holds what looks like a Medicare number (CMS: 1EG4-TE5-MK73). People are told to refuse callers who ask for it,
-- so it is not kept.
create function private.holds_medicare_number(words text) returns boolean
language sql immutable
set search_path = ''
return words ~* '\m[1-9][ac-hj-np-rt-y][0-9ac-hj-np-rt-y][0-9][ -]?[ac-hj-np-rt-y][0-9ac-hj-np-rt-y][0-9][ -]?[ac-hj-np-rt-y]{2}[0-9]{2}\M';

create function private.refuse_medicare_number(words text) returns void
language plpgsql
set search_path = ''
as $$
begin
  if private.holds_medicare_number(words) then
    raise exception using errcode = 'PT400', message = 'medicare number';
  end if;
end $$;

-- Records an outcome, the first of which is the review that the page promised. `callback` holds at (a local time), zone and
-- asked_for_this_time. Ends the claim.
create function team.record_outcome(lead uuid, of_call uuid, new_outcome text, note_text text, callback jsonb) returns jsonb
language plpgsql
security definer
set search_path = ''
as $$
declare
  actor private.actor := private.require_member();
  w private.lead_work := private.work_of(lead::text);
  call_back_at timestamptz;
  call_back_asked boolean := coalesce((callback ->> 'asked_for_this_time')::boolean, false);
  win private.place_windows;
  refused text;
  recorded private.outcomes;
  is_first_review boolean;
  is_withdrawn boolean := exists (select from private.permissions p where p.lead_id = lead and p.withdrawn_at is not null);
begin
  perform private.refuse_medicare_number(note_text);
  select * into w from private.lead_work x where x.lead_id = lead for update;
  call_back_at := (callback ->> 'at')::timestamp at time zone (callback ->> 'zone');
  win := private.place_at(w.place, coalesce(call_back_at, now()));
  if (new_outcome = 'callback') <> (callback is not null) then
    raise exception using errcode = 'PT400', message = 'callback';
  end if;
  if new_outcome in ('no_answer', 'left_message', 'wrong_number') and of_call is null then
    refused := 'not_your_call';
  elsif of_call is not null and (
    not exists (select from private.calls c where c.id = of_call and c.lead_id = lead and c.member_id = actor.member_id)
    or exists (select from private.outcomes o where o.call_id = of_call)
  ) then
    refused := 'not_your_call';
  elsif new_outcome = 'callback' then
    refused := case
      when is_withdrawn then 'withdrawn'
      when call_back_at <= now() then 'callback_past'
      when call_back_at > now() + interval '90 days' then 'callback_too_far'
      when not win.callable and not (call_back_asked and win.reason <> 'paused') then 'callback_not_callable'
    end;
  end if;
  if refused is not null then
    return jsonb_build_object(
      'refused', refused,
      'reason', case when refused = 'callback_not_callable' then win.reason end,
      'next_at', case when refused = 'callback_not_callable' then win.callable_at end,
      'place', case when refused = 'callback_not_callable' then (
        select private.place_json(private.zip_shown(l.zip_code), win) from public.leads l where l.id = lead
      ) end
    );
  end if;
  is_first_review := not exists (select from private.reviews r where r.lead_id = lead);
  insert into private.reviews (lead_id, outcome) values (lead, replace(new_outcome, '_', ' '))
  on conflict (lead_id) do update set outcome = excluded.outcome;
  insert into private.outcomes (
    lead_id, call_id, member_id, outcome, note, callback_at, callback_zone, callback_asked_for, before
  )
  values (
    lead, of_call, actor.member_id, new_outcome, coalesce(note_text, ''), call_back_at, callback ->> 'zone', call_back_asked and not win.callable,
    jsonb_build_object(
      'stage', w.stage, 'outcome', w.outcome, 'callback_at', w.callback_at, 'callback_zone', w.callback_zone,
      'callback_asked_for', w.callback_asked_for, 'tried_at', w.tried_at, 'is_first_review', is_first_review
    )
  )
  returning * into recorded;
  update private.lead_work x
  set outcome = new_outcome,
    stage = case
      when is_withdrawn then 'closed'
      when new_outcome = 'callback' then 'callback'
      when new_outcome in ('no_answer', 'left_message') then 'open'
      else 'closed'
    end,
    callback_at = call_back_at, callback_zone = callback ->> 'zone', callback_asked_for = recorded.callback_asked_for,
    tried_at = case when new_outcome in ('no_answer', 'left_message') then now() else x.tried_at end
  where x.lead_id = lead;
  delete from private.claims c where c.lead_id = lead and c.member_id = actor.member_id;
  perform private.audit(actor, 'recorded outcome', lead, jsonb_build_object('outcome', new_outcome, 'first_review', is_first_review));
  perform private.notify_inbox_of_leads(array[lead]);
  return jsonb_build_object(
    'outcome_id', recorded.id, 'undo_until', recorded.at + interval '5 minutes', 'callback_at', recorded.callback_at
  );
end $$;

-- Takes the member's own latest outcome of a lead back within five minutes. Returns null, or why not.
create function team.undo_outcome(outcome_id uuid) returns text
language plpgsql
security definer
set search_path = ''
as $$
declare
  actor private.actor := private.require_member();
  o private.outcomes;
begin
  select * into o from private.outcomes x where x.id = outcome_id for update;
  if o.id is null then
    raise exception using errcode = 'PT404', message = 'There is no such outcome.';
  elsif o.member_id <> actor.member_id then
    return 'not yours';
  elsif o.at < now() - interval '5 minutes'
    or exists (select from private.outcomes later where later.lead_id = o.lead_id and later.at > o.at) then
    return 'too late';
  end if;
  delete from private.outcomes x where x.id = o.id;
  if (o.before ->> 'is_first_review')::boolean then
    delete from private.reviews r where r.lead_id = o.lead_id;
  else
    update private.reviews r set outcome = replace(o.before ->> 'outcome', '_', ' ')
    where r.lead_id = o.lead_id and o.before ->> 'outcome' is not null;
  end if;
  update private.lead_work w
  set (stage, outcome, callback_at, callback_zone, callback_asked_for, tried_at) = (
    select b.stage, b.outcome, b.callback_at, b.callback_zone, b.callback_asked_for, b.tried_at
    from jsonb_populate_record(null::private.lead_work, o.before) b
  )
  where w.lead_id = o.lead_id
    and not exists (select from private.permissions p where p.lead_id = w.lead_id and p.withdrawn_at is not null);
  perform private.claim_lead(o.lead_id, actor.member_id);
  perform private.audit(actor, 'took outcome back', o.lead_id, jsonb_build_object('outcome', o.outcome));
  perform private.notify_inbox_of_leads(array[o.lead_id]);
  return null;
end $$;

-- What the answers mean. `unknown` is never taken for a yes. Source: LCD L33822 and article A52464, read on 2026-11-21.
create function private.eligibility(answers jsonb, today date, out result text, out reasons text[])
language plpgsql immutable
set search_path = ''
as $$
declare
  lows text[] := array[answers ->> 'insulin', answers ->> 'recurrent_lows', answers ->> 'low_with_help'];
  visit date := (answers ->> 'visit_on')::date;
  obstacles text[] := array_remove(array[
    case answers ->> 'diabetes' when 'no' then 'no diabetes' when 'unknown' then 'diabetes not known' end,
    case when not 'yes' = any (lows) then
      case when 'unknown' = any (lows) then 'insulin and lows not known' else 'no insulin and no problematic lows' end
    end,
    case answers ->> 'plan' when 'none' then 'no Part B' when 'unknown' then 'plan not known' end
  ], null);
  needs_visit boolean := visit is null or visit < (today - interval '6 months')::date or visit > today;
begin
  result := case when cardinality(obstacles) > 0 then 'not_now' when needs_visit then 'needs_visit' else 'likely' end;
  reasons := obstacles || array_remove(array[
    case when needs_visit then
      case when answers ->> 'visit_planned' = 'yes' then 'visit is planned' else 'no visit within 6 months' end
    end,
    case when answers ->> 'plan' = 'advantage' then 'Advantage plan has its own rules' end,
    case answers ->> 'trained' when 'no' then 'somebody has to be trained' when 'unknown' then 'training not known' end,
    case when btrim(answers ->> 'prescriber') = '' then 'prescriber not known' end
  ], null);
end $$;

create function team.record_eligibility(lead uuid, given jsonb) returns jsonb
language plpgsql
security definer
set search_path = ''
as $$
declare
  actor private.actor := private.require_member();
  w private.lead_work := private.work_of(lead::text);
  checked private.eligibility_checks;
begin
  perform private.refuse_medicare_number(given ->> 'prescriber');
  insert into private.eligibility_checks (lead_id, member_id, answers, result, reasons)
  select lead, actor.member_id, given, e.result, e.reasons from private.eligibility(given, current_date) e
  returning * into checked;
  perform private.audit(actor, 'checked eligibility', w.lead_id);
  return private.check_json(checked);
end $$;

revoke execute on function
  private.stopped_at, private.tel_of, private.call_under_way, private.call_log_of, private.check_json, private.permission_json,
  private.others_of, private.number_of_started_call, private.holds_medicare_number, private.refuse_medicare_number, private.eligibility
from public;
revoke execute on all functions in schema team from public;
grant execute on all functions in schema team to leads_team;
-- No grant on any table: what a member may see and do is what these functions do.
