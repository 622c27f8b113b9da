-- What came of a call or a review, and taking it back.

-- Whether a text holds what looks like a Medicare number (CMS: 1EG4-TE5-MK73, before 2020 a number such as 123-45-6789A). Its letters may
-- be small, capital or of full width, and it may be divided in any usual way. Blanks divide the older one only as 123 45 6789 A or
-- 123 456 789A, because nine digits with other blanks may be an order's number, or a date with or without its hour. People are told to
-- refuse callers who ask for the number, so it is not kept.
create function private.holds_medicare_number(words text) returns boolean
language sql immutable
set search_path = pg_catalog, pg_temp
return normalize(words, nfkc) ~* (
  '(?<![0-9])[1-9][^0-9a-z]?[ac-hj-np-rt-y][^0-9a-z]?[0-9ac-hj-np-rt-y][^0-9a-z]?[0-9]'
  || '[^0-9a-z]{0,5}[ac-hj-np-rt-y][^0-9a-z]?[0-9ac-hj-np-rt-y][^0-9a-z]?[0-9]'
  || '[^0-9a-z]{0,5}[ac-hj-np-rt-y][^0-9a-z]?[ac-hj-np-rt-y][^0-9a-z]?[0-9][^0-9a-z]?[0-9](?![0-9])'
  || '|(?<![0-9])(?!([0-9]{1,2}[^0-9a-z]){2}(20)?[0-9]{2}[^0-9a-z]|20[0-9]{2}[^0-9a-z][0-9]{1,2}[^0-9a-z][0-9]{1,2}[^0-9a-z])'
  || '(([0-9][^0-9a-z[:space:]/@,]{0,3}){8}[0-9][^0-9a-z[:space:]]{0,3}|[0-9]{3}[^0-9a-z]{1,3}[0-9]{3}[^0-9a-z]{1,3}[0-9]{3}'
  || '|[0-9]{3}[^0-9a-z]{1,3}[0-9]{2}[^0-9a-z]{1,3}[0-9]{4}[^0-9a-z]{0,3})[a-z][0-9a-z]?(?![0-9a-z])'
);

create function private.refuse_medicare_number(words text) returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
begin
  if private.holds_medicare_number(words) then
    raise exception using errcode = 'PT400', message = 'medicare number';
  end if;
end $$;

-- Why a member may not record an outcome; null when they may. Only a call can end in "no answer", "left message" or "wrong number". While
-- another member is on the phone with the person, no review is recorded; a member's own call may still get its outcome.
create function private.outcome_refusal(lead uuid, of_call uuid, new_outcome text, member uuid) returns text
language sql stable
set search_path = pg_catalog, pg_temp
return case
  when of_call is null then case
    when new_outcome in ('no_answer', 'left_message', 'wrong_number') then 'needs_call'
    when exists (
      select from private.claims c
      where c.lead_id = lead and c.member_id <> member and c.until > now() and (private.call_under_way(lead, c.member_id)).id is not null
    ) then 'under_call'
  end
  when not exists (select from private.calls c where c.id = of_call and c.lead_id = lead and c.member_id = member) then 'not_your_call'
  when exists (select from private.outcomes o where o.call_id = of_call) then 'call_has_outcome'
end;

-- Why a callback cannot be set for a moment; null when it can. `win`: the calling window of that moment.
-- `next_attempt_at` is when a further attempt may be made, where three were made: nobody's wish makes it earlier.
create function private.callback_refusal(
  moment timestamptz, is_asked boolean, win private.place_windows, is_withdrawn boolean, next_attempt_at timestamptz
)
returns text
language sql stable
set search_path = pg_catalog, pg_temp
return case
  when is_withdrawn then 'withdrawn'
  when moment <= now() then 'callback_past'
  when moment > now() + interval '90 days' then 'callback_too_far'
  when moment < next_attempt_at then 'callback_not_callable'
  when not win.callable and not (is_asked and win.reason <> 'paused') then 'callback_not_callable'
end;

-- Whether the outcome of a call goes into the call log alone, and changes neither the lead's work nor its review: a call or a review after
-- that call has an outcome already, or the call reached nobody and the lead was finished before.
create function private.is_for_the_log(w private.lead_work, of_call uuid, new_outcome text) returns boolean
language sql stable
set search_path = pg_catalog, pg_temp
return of_call is not null and (
  w.stage = 'closed' and w.outcome is not null and new_outcome in ('no_answer', 'left_message')
  or exists (
    select from private.outcomes o
    left join private.calls oc on oc.id = o.call_id
    join private.calls c on c.id = of_call
    where o.lead_id = w.lead_id and coalesce(oc.at, o.at) > c.at
  )
);

create function private.was_for_the_log(o private.outcomes) returns boolean
language sql immutable
return coalesce((o.before ->> 'is_for_the_log')::boolean, false);

-- The latest outcome of a lead, when the same member has just sent the same: the answer was lost, and they sent it again.
create function private.outcome_sent_before(sent private.outcomes) returns private.outcomes
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select o.* from private.outcomes o
  where o.id = (
    select x.id from private.outcomes x
    where x.lead_id = sent.lead_id and (x.member_id = sent.member_id or not private.was_for_the_log(x))
    order by x.at desc limit 1
  )
    and private.undo_until(o) > now()
    and (o.call_id, o.member_id, o.outcome, o.note, o.callback_at, o.callback_zone)
      is not distinct from (sent.call_id, sent.member_id, sent.outcome, sent.note, sent.callback_at, sent.callback_zone);
$$;

create function private.outcome_json(o private.outcomes) returns jsonb
language sql immutable
set search_path = pg_catalog, pg_temp
return jsonb_build_object('outcome_id', o.id, 'undo_until', private.undo_until(o), 'callback_at', o.callback_at);

-- Records an outcome and, unless it goes into the call log alone (private.is_for_the_log), what it means for the lead's work. A
-- lead's first outcome is the review within 24 hours that the thank-you page promises. `callback` holds at (a local time), zone and
-- asked_for_this_time. Ends the member's own claim. What is sent again is recorded once.
create function team.record_outcome(lead uuid, of_call uuid, new_outcome text, note_text text, callback jsonb) returns jsonb
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  actor private.actor := private.require_member();
  w private.lead_work := private.work_of(lead::text);
  call_back_at timestamptz;
  call_back_asked boolean := coalesce((callback ->> 'asked_for_this_time')::boolean, false);
  win private.place_windows;
  next_attempt_at timestamptz;
  refused text;
  recorded private.outcomes;
  outcome_words constant text := replace(new_outcome, '_', ' ');
  review private.reviews;
  is_for_the_log boolean;
begin
  perform private.refuse_medicare_number(note_text);
  w := private.lock_work(lead);
  call_back_at := (callback ->> 'at')::timestamp at time zone (callback ->> 'zone');
  win := private.place_at(w.place, coalesce(call_back_at, now()));
  next_attempt_at := (select e.until from private.exhausted_numbers() e where e.number_key = w.number_key and e.until > call_back_at);
  if (new_outcome = 'callback') <> (callback is not null) then
    raise exception using errcode = 'PT400', message = 'callback';
  end if;
  recorded.lead_id := lead;
  recorded.call_id := of_call;
  recorded.member_id := actor.member_id;
  recorded.outcome := new_outcome;
  recorded.note := coalesce(note_text, '');
  recorded.callback_at := call_back_at;
  recorded.callback_zone := callback ->> 'zone';
  recorded := private.outcome_sent_before(recorded);
  if recorded.id is not null then
    return private.outcome_json(recorded);
  end if;
  refused := coalesce(
    private.outcome_refusal(lead, of_call, new_outcome, actor.member_id),
    case when new_outcome = 'callback' then private.callback_refusal(
      call_back_at, call_back_asked, win, w.withdrawn_at is not null, next_attempt_at
    ) end
  );
  if refused is not null then
    return jsonb_build_object(
      'refused', refused,
      'reason', case when refused = 'callback_not_callable' then case when next_attempt_at is null then win.reason else 'attempts' end end,
      'next_at', case when refused = 'callback_not_callable' then case
        when next_attempt_at is null then win.callable_at
        else (select c.next_callable_at from private.calling_window(w.place, next_attempt_at) c)
      end end,
      'place', case when refused = 'callback_not_callable' then (
        select private.place_json(private.zip_shown(l.zip_code), win) from public.leads l where l.id = lead
      ) end
    );
  end if;
  select * into review from private.reviews r where r.lead_id = lead;
  is_for_the_log := private.is_for_the_log(w, of_call, new_outcome);
  insert into private.outcomes (
    lead_id, call_id, member_id, outcome, note, callback_at, callback_zone, callback_asked_for, before
  )
  values (
    lead, of_call, actor.member_id, new_outcome, coalesce(note_text, ''), call_back_at, callback ->> 'zone', call_back_asked and not win.callable,
    jsonb_build_object(
      'stage', w.stage, 'outcome', w.outcome, 'callback_at', w.callback_at, 'callback_zone', w.callback_zone,
      'callback_asked_for', w.callback_asked_for, 'tried_at', w.tried_at, 'is_first_review', review.lead_id is null,
      'review_outcome', review.outcome, 'review_outcome_id', review.outcome_id, 'is_for_the_log', is_for_the_log,
      'had_claim', exists (select from private.claims c where c.lead_id = lead and c.member_id = actor.member_id and c.until > now())
    )
  )
  returning * into recorded;
  insert into private.reviews as r (lead_id, outcome, outcome_id) values (lead, outcome_words, recorded.id)
  on conflict (lead_id) do update set outcome = excluded.outcome, outcome_id = excluded.outcome_id
  where not is_for_the_log;
  update private.lead_work x
  set outcome = new_outcome,
    stage = case
      when x.withdrawn_at is not null then 'closed'
      when new_outcome = 'callback' then 'callback'
      when new_outcome in ('no_answer', 'left_message') then 'open'
      else 'closed'
    end,
    callback_at = call_back_at, callback_zone = callback ->> 'zone', callback_asked_for = recorded.callback_asked_for,
    tried_at = case when new_outcome in ('no_answer', 'left_message', 'callback') then now() else x.tried_at end
  where x.lead_id = lead and not is_for_the_log;
  delete from private.claims c where c.lead_id = lead and c.member_id = actor.member_id;
  perform private.audit(actor, 'recorded outcome', lead, jsonb_build_object('outcome', new_outcome, 'first_review', review.lead_id is null));
  perform private.notify_inbox_of_leads(array[lead]);
  return private.outcome_json(recorded);
end $$;

-- Takes the member's own latest outcome of a lead back within its time (private.undo_until). Returns null, or why not. An outcome that is
-- not there is taken back already: the answer was lost, and the member asked again.
create function team.undo_outcome(outcome_id uuid) returns text
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  actor private.actor := private.require_member();
  o private.outcomes;
  work_before private.lead_work;
  is_reviewed_since boolean;
begin
  -- Under the lock of the lead's work no other outcome of the lead is recorded or taken back.
  perform private.lock_work(x.lead_id) from private.outcomes x where x.id = outcome_id;
  select * into o from private.outcomes x where x.id = outcome_id;
  if o.id is null then
    return null;
  elsif o.member_id <> actor.member_id then
    return 'not_yours';
  elsif not private.was_for_the_log(o) and exists (
    select from private.outcomes later where later.lead_id = o.lead_id and later.at > o.at and not private.was_for_the_log(later)
  ) then
    return 'later_outcome';
  elsif private.undo_until(o) < now() then
    return 'too_late';
  end if;
  delete from private.outcomes x where x.id = o.id;
  -- A review that the operator recorded after this outcome stays, and an open lead stays closed by it.
  is_reviewed_since := exists (select from private.reviews r where r.lead_id = o.lead_id and r.outcome_id is distinct from o.id);
  if (o.before ->> 'is_first_review')::boolean then
    delete from private.reviews r where r.lead_id = o.lead_id and r.outcome_id = o.id;
  else
    update private.reviews r
    set outcome = o.before ->> 'review_outcome', outcome_id = (o.before ->> 'review_outcome_id')::uuid
    where r.lead_id = o.lead_id and r.outcome_id = o.id;
  end if;
  work_before := jsonb_populate_record(null::private.lead_work, o.before);
  if work_before.stage = 'open' and is_reviewed_since then
    work_before.stage := 'closed';
  end if;
  update private.lead_work w
  set outcome = work_before.outcome, tried_at = work_before.tried_at, callback_zone = work_before.callback_zone,
    callback_asked_for = work_before.callback_asked_for,
    stage = case when w.withdrawn_at is null then work_before.stage else 'closed' end,
    callback_at = case when w.withdrawn_at is null then work_before.callback_at end
  where w.lead_id = o.lead_id and not private.was_for_the_log(o);
  -- An outcome that went into the log alone may be of a call that is long over, after which the member gave the lead back.
  perform private.claim_lead(w.lead_id, actor.member_id)
  from private.lead_work w
  where w.lead_id = o.lead_id and w.withdrawn_at is null
    and (not private.was_for_the_log(o) or (o.before ->> 'had_claim')::boolean);
  perform private.audit(actor, 'took outcome back', o.lead_id, jsonb_build_object('outcome', o.outcome));
  perform private.notify_inbox_of_leads(array[o.lead_id]);
  return null;
end $$;

revoke execute on function
  private.holds_medicare_number, private.refuse_medicare_number, private.outcome_refusal, private.callback_refusal, private.is_for_the_log,
  private.was_for_the_log, private.outcome_sent_before, private.outcome_json,
  team.record_outcome, team.undo_outcome
from public;
grant execute on function team.record_outcome, team.undo_outcome to leads_team;
