-- "They asked us to stop": at once, for every lead that was given with the number, and with a proof to print.

-- Stops the calls for a member or the operator: withdraws the permission of every lead with one of the numbers so far, or of this lead
-- alone when it holds none. Returns how many permissions that ended.
create function private.stop_calls(actor private.actor, lead uuid, numbers text[]) returns integer
language plpgsql
set search_path = ''
as $$
declare
  stopped uuid[];
begin
  if numbers = '{}' then
    stopped := array(select private.withdraw_permission(lead));
  else
    stopped := array(select private.stop_numbers(numbers, actor.member_id, actor.name));
  end if;
  perform private.audit(actor, 'stopped calls', lead, jsonb_build_object('leads', cardinality(stopped)));
  return cardinality(stopped);
end $$;

create function team.stop_lead(lead uuid) returns jsonb
language plpgsql
security definer
set search_path = ''
as $$
declare
  actor private.actor := private.require_session();
  w private.lead_work := private.work_of(lead::text);
begin
  perform private.stop_calls(actor, lead, private.numbers_of(w));
  return private.stop_proof(w);
end $$;

-- Stops every number in the text. Returns how many permissions that ended; null when there is none.
create function team.stop_number(phone text) returns integer
language plpgsql
security definer
set search_path = ''
as $$
declare
  actor private.actor := private.require_session();
  numbers text[] := private.phone_numbers(phone);
begin
  if numbers = '{}' then
    return null;
  end if;
  return private.stop_calls(actor, null, numbers);
end $$;

-- When and by whom the calls about a lead were stopped, by the stop that ended its permission, and the leads that share a number with it.
create function private.stop_proof(w private.lead_work) returns jsonb
language sql stable
set search_path = ''
as $$
  select jsonb_build_object(
    'stopped_at', coalesce(
      private.stopped_at(w), (select p.withdrawn_at from private.permissions p where p.lead_id = w.lead_id)
    ),
    'stopped_by', coalesce((
      select jsonb_build_object('id', s.member_id, 'name', s.who) from private.stop_of(w) s where s.stopped_at is not null
    ), (
      select jsonb_build_object('id', a.member_id, 'name', a.who) from private.audit_log a
      where a.action = 'stopped calls' and a.lead_id = w.lead_id
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

-- Raises PT404 for a lead whose permission stands.
create function team.stop_proof(lead uuid) returns jsonb
language plpgsql
security definer
set search_path = ''
as $$
declare
  actor private.actor := private.require_session();
  w private.lead_work := private.work_of(lead::text);
  proof jsonb := private.stop_proof(w);
begin
  if proof ->> 'stopped_at' is null then
    raise exception using errcode = 'PT404', message = 'Nobody asked to stop calls about this lead.';
  end if;
  perform private.audit(actor, 'read stop proof', lead);
  return proof;
end $$;

revoke execute on function private.stop_calls, private.stop_proof, team.stop_lead, team.stop_number, team.stop_proof from public;
grant execute on function team.stop_lead, team.stop_number, team.stop_proof to leads_team;
