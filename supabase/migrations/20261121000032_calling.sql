-- Calling. Each team function finds out who acts, and checks what the law and the team's rules ask, so that a fault of the inbox cannot show a
-- number that must not be called.

-- The call under way that a member may ask for again, in a second tab or after a lost answer: theirs, of the last 10 minutes.
create function private.resumable_call(lead uuid, member uuid) returns private.calls
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select c.* from private.call_under_way(lead, member) c where c.at > now() - interval '10 minutes';
$$;

-- Whether a call that was begun may still be made: the hours may have ended since, or a manager paused the state, which no wish overrides.
create function private.may_go_on(c private.calls, win private.place_windows, is_asked boolean) returns boolean
language sql immutable
set search_path = pg_catalog, pg_temp
return win.callable or (is_asked or c.asked_for_this_time) and win.reason <> 'paused';

-- The claim of another member on another lead with the same number, if it came before the member's own or its call is under way: a person who
-- sent the form twice is not phoned by two members at once.
create function private.claim_on_number(w private.lead_work, member uuid) returns private.claims
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select c.* from private.claims c join private.lead_work o using (lead_id)
  left join private.claims own on own.lead_id = w.lead_id and own.member_id = member and own.until > now()
  where o.number_key = w.number_key and c.lead_id <> w.lead_id and c.member_id <> member and c.until > now()
    and (
      (c.claimed_at, c.lead_id) < (coalesce(own.claimed_at, now()), w.lead_id)
      or (private.call_under_way(c.lead_id, c.member_id)).id is not null
    )
  order by c.until desc limit 1;
$$;

-- Why a member may not call a lead now, and when they may; null when they may. `may_be_asked_for`: the person's own wish would allow it.
-- `held_lead`: the lead that another member has, where that is the reason.
create function private.call_refusal(
  w private.lead_work, win private.place_windows, is_asked boolean, member uuid,
  out refused text, out next_at timestamptz, out may_be_asked_for boolean, out held_lead uuid
)
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
declare
  next_attempt_at constant timestamptz := (select e.until from private.exhausted_numbers() e where e.number_key = w.number_key);
  started constant private.calls := private.resumable_call(w.lead_id, member);
  other_claim constant private.claims := private.claim_on_number(w, member);
begin
  may_be_asked_for := false;
  if not exists (select from private.permissions p where p.lead_id = w.lead_id and p.withdrawn_at is null) then
    refused := 'withdrawn';
  elsif private.stopped_at(w) is not null then
    refused := 'stopped';
  elsif private.holder_of(w.lead_id) ->> 'id' <> member::text then
    refused := 'claimed';
    next_at := (select c.until from private.claims c where c.lead_id = w.lead_id);
    held_lead := w.lead_id;
  elsif started.id is not null and private.may_go_on(started, win, is_asked) then
    return;
  -- A call that was begun is one of the attempts itself, and may need the person's wish, but no further attempt.
  elsif started.id is null and next_attempt_at is not null then
    refused := 'attempts';
    next_at := (select c.next_callable_at from private.calling_window(w.place, next_attempt_at) c);
  elsif other_claim.lead_id is not null then
    refused := 'number_claimed';
    next_at := other_claim.until;
    held_lead := other_claim.lead_id;
  elsif not win.callable and not (is_asked and win.reason <> 'paused') then
    refused := win.reason;
    next_at := win.callable_at;
    may_be_asked_for := win.reason <> 'paused';
  end if;
end $$;

-- Checks permission, stop list, attempts, calling hours and claim, and then logs the attempt and returns its id, for which
-- team.number_of_call tells the number. A call that the member may ask for again is returned and not logged anew. Otherwise returns why
-- the member may not call, and when they may.
create function team.start_call(lead uuid, asked_for_this_time boolean) returns jsonb
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  actor private.actor := private.require_member();
  w private.lead_work := private.work_of(lead::text);
  win private.place_windows;
  refusal record;
  is_asked boolean;
  started private.calls;
begin
  -- Calls to one number wait for each other here, because two at once could both count as the third.
  perform pg_advisory_xact_lock(hashtextextended(w.number_key, 1));
  w := private.lock_work(lead);
  win := private.place_at(w.place, now());
  -- A callback that is due at a time that the person asked for needs no further word of the member.
  is_asked := coalesce(asked_for_this_time, false)
    or w.stage = 'callback' and private.is_asked_for_now(w.callback_asked_for, w.callback_at, win.reason);
  refusal := private.call_refusal(w, win, is_asked, actor.member_id);
  -- The check above cannot see a claim that is not committed yet.
  if refusal.refused is null and not private.claim_lead(lead, actor.member_id) then
    refusal.refused := 'claimed';
    refusal.next_at := (select c.until from private.claims c where c.lead_id = lead);
    refusal.held_lead := lead;
  end if;
  if refusal.refused is not null then
    perform private.audit(actor, 'call refused', lead, jsonb_build_object('reason', refusal.refused));
    return jsonb_build_object(
      'refused', refusal.refused, 'next_at', refusal.next_at,
      'place', (select private.place_json(private.zip_shown(l.zip_code), win) from public.leads l where l.id = lead),
      'due_at', w.created_at + interval '24 hours',
      'reviewed', exists (select from private.reviews r where r.lead_id = lead),
      'may_be_asked_for', refusal.may_be_asked_for,
      'held_by', private.holder_of(refusal.held_lead)
    );
  end if;
  started := private.resumable_call(lead, actor.member_id);
  if started.id is not null then
    -- It was begun within the hours, which have ended since, so it now rests on the person's wish.
    if not private.may_go_on(started, win, false) then
      update private.calls c set asked_for_this_time = true where c.id = started.id;
      perform private.audit(actor, 'called', lead, jsonb_build_object('asked_for_this_time', true));
    end if;
    return jsonb_build_object('call_id', started.id);
  end if;
  insert into private.calls (lead_id, number_key, member_id, asked_for_this_time)
  values (lead, w.number_key, actor.member_id, not win.callable)
  returning * into started;
  perform private.audit(actor, 'called', lead, jsonb_build_object('asked_for_this_time', started.asked_for_this_time));
  perform private.notify_inbox_of_leads(array[lead]);
  return jsonb_build_object('call_id', started.id);
end $$;

-- A member's call that is under way, with its number, or without it when it may not be called any more (private.may_go_on) or another
-- member has the lead. An earlier transaction logged it, so that no rollback undoes a call whose number was seen. Null for any other call,
-- and when the person has withdrawn the permission or the number was stopped since. Beside this only the export of a manager returns numbers.
create function private.number_of_started_call(of_call uuid, member uuid) returns jsonb
language sql stable
set search_path = pg_catalog, pg_temp
return (
  select jsonb_build_object(
    'call_id', c.id, 'at', c.at,
    'phone', case when may_be_seen then private.shown(l.phone, '(blank)') end,
    'tel', case when may_be_seen then private.tel_of(w.phone_digits, l.phone) end
  )
  from private.calls c
  join public.leads l on l.id = c.lead_id
  join private.lead_work w on w.lead_id = c.lead_id
  join private.permissions p on p.lead_id = c.lead_id
  cross join lateral (
    select private.may_go_on(c, private.place_at(w.place, now()), false)
      and coalesce(private.holder_of(c.lead_id) ->> 'id' = member::text, true) as may_be_seen
  ) x
  where c.id = of_call and c.member_id = member and private.is_under_way(c)
    and c.xact is distinct from pg_current_xact_id_if_assigned()
    and p.withdrawn_at is null and private.stopped_at(w) is null
);

create function team.number_of_call(of_call uuid) returns jsonb
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  number jsonb := private.number_of_started_call(of_call, (private.require_member()).member_id);
begin
  if number ->> 'phone' is null then
    raise exception using errcode = 'PT404', message = 'No call under way may be made now: it is over, it is not lawful any more, or another member has the lead.';
  end if;
  return number;
end $$;

revoke execute on function
  private.resumable_call, private.may_go_on, private.claim_on_number, private.call_refusal, private.number_of_started_call, team.start_call, team.number_of_call
from public;
grant execute on function team.start_call, team.number_of_call to leads_team;
