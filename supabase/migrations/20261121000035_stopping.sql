-- The button "They asked us to stop": it stops the calls about every lead with the same number at once, and gives a proof to print.

-- Stops the calls about a lead, in the name of the actor: withdraws the permission of every lead so far that has one of the numbers, or of
-- this lead alone when there are no numbers. Returns the entry of the audit log.
create function private.stop_calls(actor private.actor, lead uuid, numbers text[]) returns bigint
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  stopped uuid[];
begin
  if numbers = '{}' then
    stopped := array(select private.withdraw_permission(lead));
  else
    stopped := array(select private.stop_numbers(numbers, actor.member_id, actor.name));
  end if;
  return private.audit(actor, 'stopped calls', lead, jsonb_build_object('leads', cardinality(stopped)));
end $$;

-- Stops the calls about a lead. Returns the entry of the audit log, for which team.stop_proof returns the proof.
create function team.stop_lead(lead uuid) returns bigint
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  actor private.actor := private.require_session();
  w private.lead_work := private.work_of(lead::text);
begin
  return private.stop_calls(actor, lead, private.numbers_of(w));
end $$;

-- Puts every number in the text on the stop list, so that none is called any more. Returns the entry of the audit log, for which
-- team.stopped_number withdraws the permissions and counts them; a count returned here would tell whether a lead has the number, and the
-- transaction could be rolled back. Refuses a text without a number, and one with more than five: a person gives one or two, and
-- thousands would be a search for the numbers that leads have.
create function team.stop_number(phone text) returns jsonb
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  actor private.actor := private.require_session();
  numbers text[] := private.phone_numbers(phone);
begin
  if numbers = '{}' then
    return '{"refused": "no number"}';
  elsif cardinality(numbers) > 5 then
    return '{"refused": "too many numbers"}';
  end if;
  perform private.put_on_stop_list(numbers, actor.member_id, actor.name);
  return jsonb_build_object('entry', private.audit(actor, 'stopped calls'));
end $$;

-- Withdraws the permissions that the stop of an entry ends, and returns how many they are. The same actor wrote the entry at most a minute
-- ago, in an earlier transaction, by team.stop_number. Where this is never called, private.index_new_leads withdraws them.
create function team.stopped_number(entry bigint) returns integer
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  actor private.actor := private.require_session();
  stop private.audit_log;
  leads uuid[];
  ended integer;
begin
  perform private.lead_of_audit_entry(entry, actor, 'stopped calls');
  select * into stop from private.audit_log a where a.id = entry;
  -- Leads of the last moments may have no row yet.
  while private.index_new_leads() > 0 loop end loop;
  leads := array(
    select private.leads_with_numbers(array_agg(s.phone_digits)) from private.stop_list s
    where s.stopped_at = stop.at and s.member_id is not distinct from stop.member_id
  );
  perform private.withdraw_stopped_leads(leads);
  -- Counted so because another process may have withdrawn them since the stop.
  ended := (select count(*) from private.permissions p where p.lead_id = any (leads) and p.withdrawn_at >= stop.at);
  update private.audit_log a set details = jsonb_build_object('leads', ended) where a.id = entry and a.details = '{}';
  return ended;
end $$;

-- The proof of a stop: when and by whom the calls about a lead were stopped, and which leads are withdrawn, of this lead and those that
-- share a number with it.
create function private.stop_proof(w private.lead_work) returns jsonb
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select jsonb_build_object(
    'stopped_at', coalesce(
      private.stopped_at(w), (select p.withdrawn_at from private.permissions p where p.lead_id = w.lead_id),
      -- A lead that has neither a number nor a recorded permission.
      (select min(a.at) from private.audit_log a where a.action = 'stopped calls' and a.lead_id = w.lead_id)
    ),
    'stopped_by', coalesce((
      select jsonb_build_object('id', s.member_id, 'name', s.who) from private.stop_of(w) s where s.stopped_at is not null
    ), (
      select jsonb_build_object('id', a.member_id, 'name', a.who) from private.audit_log a
      where a.action = 'stopped calls' and a.lead_id = w.lead_id
        -- A press of a member after the operator had withdrawn the permission stopped nothing.
        and a.at <= coalesce((select p.withdrawn_at from private.permissions p where p.lead_id = w.lead_id), a.at)
      order by a.id limit 1
    ), '{"id": null, "name": "operator"}'),
    'leads', coalesce((
      select jsonb_agg(jsonb_build_object(
        'id', x.lead_id, 'reference', right(x.lead_id::text, 8), 'withdrawn_at', p.withdrawn_at,
        'channels', coalesce((
          select jsonb_agg(jsonb_build_object(
            'channel', d.channel, 'told_at', d.delivered_at, 'failed', d.failed_at is not null
          ) order by d.channel)
          from private.deliveries d where d.lead_id = x.lead_id and d.event = 'permission.withdrawn'
        ), '[]')
      ) order by x.created_at)
      from private.lead_work x join private.permissions p on p.lead_id = x.lead_id
      where p.withdrawn_at is not null
        and (x.lead_id = w.lead_id or x.lead_id = any (array(select private.leads_with_numbers(private.numbers_of(w)))))
    ), '[]')
  );
$$;

-- Says in the audit log that the actor is about to read the proof of a lead, and returns the entry. Raises PT404 for a lead about which
-- nobody has stopped the calls.
create function team.record_stop_proof(lead uuid) returns bigint
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  actor private.actor := private.require_session();
  w private.lead_work := private.work_of(lead::text);
begin
  if private.stop_proof(w) ->> 'stopped_at' is null then
    raise exception using errcode = 'PT404', message = 'Nobody asked to stop calls about this lead.';
  end if;
  return private.audit(actor, 'read stop proof', lead);
end $$;

-- The proof for the lead that an entry of the audit log names. The same actor wrote the entry at most a minute ago, in an earlier
-- transaction, by team.record_stop_proof or by the stop itself.
create function team.stop_proof(entry bigint) returns jsonb
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  actor private.actor := private.require_session();
  act constant text := coalesce(
    (select a.action from private.audit_log a where a.id = entry and a.action = 'stopped calls'), 'read stop proof'
  );
begin
  return private.stop_proof(private.work_of(private.lead_of_audit_entry(entry, actor, act)::text));
end $$;

revoke execute on function
  private.stop_calls, private.stop_proof, team.stop_lead, team.stop_number, team.stopped_number, team.record_stop_proof,
  team.stop_proof
from public;
grant execute on function team.stop_lead, team.stop_number, team.stopped_number, team.record_stop_proof, team.stop_proof to leads_team;
