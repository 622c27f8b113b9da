-- Who has which lead: two members never get the same one.

-- Claims a lead for a member unless another has it; true when the member has it now. A claim of their own is renewed.
create function private.claim_lead(lead uuid, member uuid) returns boolean
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
begin
  insert into private.claims as c (lead_id, member_id)
  -- A removal of the member at this moment waits, and then takes the claim away.
  select lead, m.id from private.members m where m.id = member and m.removed_at is null for share
  on conflict (lead_id) do update
    set member_id = excluded.member_id, until = excluded.until,
      claimed_at = case when c.member_id = excluded.member_id and c.until > now() then c.claimed_at else now() end
    where c.member_id = excluded.member_id or c.until <= now();
  return found;
end $$;

create function private.holder_of(lead uuid) returns jsonb
language sql stable
set search_path = pg_catalog, pg_temp
return (
  select jsonb_build_object('id', m.id, 'name', m.name)
  from private.claims c join private.members m on m.id = c.member_id
  where c.lead_id = lead and c.until > now()
);

-- A lead that "take next" gave to a member in the last 10 minutes, and that the member has neither opened nor called since, because the
-- answer was lost; the earliest of several. A lead that may no longer be called does not count. A claim made while the clock was ahead
-- does not count either, because an opening that follows it has an earlier time than the claim, and would be overlooked.
create function private.unopened_lead_of(member uuid) returns uuid
language sql stable
set search_path = pg_catalog, pg_temp
return (
  select c.lead_id
  from private.claims c join private.lead_work w using (lead_id) join private.place_windows p using (place)
  where c.member_id = member and c.until > now()
    and (
      w.stage = 'open' and p.callable
      or w.stage = 'callback' and w.callback_at <= now()
        and private.callback_may_be_made(w.callback_asked_for, w.callback_at, p.callable, p.reason)
    )
    and not exists (select from private.exhausted_numbers() e where e.number_key = w.number_key)
    and c.claimed_at between now() - interval '10 minutes' and now() + interval '1 minute'
    and exists (
      select from private.audit_log a
      where a.lead_id = c.lead_id and a.member_id = member and a.action = 'took next lead' and a.at = c.claimed_at
    )
    and not exists (
      select from private.audit_log a
      where a.lead_id = c.lead_id and a.member_id = member and a.action in ('opened lead', 'called') and a.at >= c.claimed_at
    )
  order by c.claimed_at, c.lead_id limit 1
);

-- Claims the first lead of the queue that may be called, that nobody has, and whose number is that of no lead that a colleague has. What the
-- member has let go in the last 12 hours comes after all others, because somebody else is to call it. Two members never get the same
-- one: the claim's primary key makes the second member's call wait for the first one's commit and then go on to the next lead.
create function team.take_next() returns jsonb
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  actor private.actor := private.require_member();
  candidate uuid;
  let_go uuid[];
begin
  perform private.refresh_place_windows();
  candidate := private.unopened_lead_of(actor.member_id);
  if candidate is not null then
    return jsonb_build_object('id', candidate);
  end if;
  perform private.index_new_leads();
  perform private.refresh_place_windows();
  -- A removal of the member at this moment waits, and then takes the claim away.
  perform from private.members m where m.id = actor.member_id and m.removed_at is null for share;
  if not found then return jsonb_build_object('id', null); end if;
  -- A claim that ends later than a claim of this minute was made while the clock was ahead. It is shortened, because it would withhold
  -- the lead too long.
  update private.claims c set until = private.claim_ends() where c.until > private.claim_ends() + interval '1 minute';
  let_go := array(
    select a.lead_id from private.audit_log a
    where a.member_id = actor.member_id and a.action = 'released lead' and a.at between now() - interval '12 hours' and now()
  );
  for candidate in
    select q.lead_id
    from generate_series(1, 2) as section
    cross join lateral private.queue_section(section, '{"unclaimed": true}', actor, null, 100) with ordinality
      as q (lead_id, was_tried, sort_time, nth)
    order by q.lead_id = any (let_go), section, q.nth
  loop
    -- Waits for an erasure of this moment, because a lead that is gone cannot be claimed.
    perform from public.leads l where l.id = candidate for key share;
    continue when not found;
    insert into private.claims as c (lead_id, member_id) values (candidate, actor.member_id)
    on conflict (lead_id) do update
      set member_id = excluded.member_id, until = excluded.until, claimed_at = excluded.claimed_at
      where c.until <= now();
    if found then
      -- Another member may have closed it, or agreed a callback, since this query began.
      perform from private.lead_work w
      where w.lead_id = candidate and (w.stage = 'open' or w.stage = 'callback' and w.callback_at <= now());
      if found then
        perform private.audit(actor, 'took next lead', candidate);
        perform private.notify_inbox_of_leads(array[candidate]);
        return jsonb_build_object('id', candidate);
      end if;
      delete from private.claims c where c.lead_id = candidate;
    end if;
  end loop;
  return jsonb_build_object('id', null);
end $$;

create function team.claim(lead uuid) returns jsonb
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  actor private.actor := private.require_member();
  w private.lead_work := private.work_of(lead::text);
  holder jsonb;
begin
  while not private.claim_lead(w.lead_id, actor.member_id) loop
    holder := private.holder_of(lead);
    if holder is not null then
      return jsonb_build_object('refused', 'claimed', 'held_by', holder);
    end if;
    -- Nobody has it: this member was removed meanwhile, or the claim of another has just ended.
    actor := private.require_member();
  end loop;
  perform private.audit(actor, 'claimed lead', lead);
  perform private.notify_inbox_of_leads(array[lead]);
  return jsonb_build_object('until', (select c.until from private.claims c where c.lead_id = lead));
end $$;

create function team.release(lead uuid) returns void
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  actor private.actor := private.require_member();
begin
  delete from private.claims c where c.lead_id = lead and c.member_id = actor.member_id;
  if found then
    perform private.audit(actor, 'released lead', lead);
    perform private.notify_inbox_of_leads(array[lead]);
  end if;
end $$;

-- Counts as activity, and renews the member's claim of the lead on their screen, if any.
create function team.keep_alive(lead uuid) returns void
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  actor private.actor := private.require_session();
begin
  update private.claims c set until = private.claim_ends()
  where c.lead_id = lead and c.member_id = actor.member_id and c.until > now();
end $$;

revoke execute on function
  private.unopened_lead_of, private.claim_lead, private.holder_of, team.take_next, team.claim, team.release, team.keep_alive
from public;
grant execute on function team.take_next, team.claim, team.release, team.keep_alive to leads_team;
