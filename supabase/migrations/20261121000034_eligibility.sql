-- Whether a person may be eligible for a device that Medicare covers, from the answers that a member writes down.

-- What the answers mean. Neither `unknown` nor an answer that is missing is taken for a yes. `today` is the date where the person is.
-- Source: LCD L33822 and article A52464, read on 2026-11-21.
create function private.eligibility(answers jsonb, today date, out result text, out reasons text[])
language plpgsql immutable
set search_path = pg_catalog, pg_temp
as $$
declare
  insulin_and_lows text[] := array[
    coalesce(answers ->> 'insulin', 'unknown'), coalesce(answers ->> 'recurrent_lows', 'unknown'),
    coalesce(answers ->> 'low_with_help', 'unknown')
  ];
  visit date := (answers ->> 'visit_on')::date;
  obstacles text[] := array_remove(array[
    case answers ->> 'diabetes' when 'yes' then null when 'no' then 'no diabetes' else 'diabetes not known' end,
    case when not 'yes' = any (insulin_and_lows) then
      case when 'unknown' = any (insulin_and_lows) then 'insulin and lows not known' else 'no insulin and no problematic lows' end
    end,
    case when answers ->> 'plan' in ('part_b', 'advantage') then null when answers ->> 'plan' = 'none' then 'no Part B' else 'plan not known' end
  ], null);
  needs_visit boolean := visit is null or visit < (today - interval '6 months')::date or visit > today;
begin
  result := case when cardinality(obstacles) > 0 then 'not_now' when needs_visit then 'needs_visit' else 'likely' end;
  reasons := obstacles || array_remove(array[
    case when needs_visit then
      case
        when answers ->> 'visit_planned' = 'yes' then 'visit is planned'
        when visit > today then 'visit is in the future'
        else 'no visit within 6 months'
      end
    end,
    case when answers ->> 'plan' = 'advantage' then 'Advantage plan has its own rules' end,
    case answers ->> 'trained' when 'yes' then null when 'no' then 'somebody has to be trained' else 'training not known' end,
    case when coalesce(btrim(answers ->> 'prescriber'), '') = '' then 'prescriber not known' end
  ], null);
end $$;

-- The answers that are asked for and no other, so that the lead's page can show them. Raises a refusal for a value that is none.
create function private.eligibility_answers(given jsonb) returns jsonb
language plpgsql immutable
set search_path = pg_catalog, pg_temp
as $$
begin
  if not coalesce(
    array['yes', 'no', 'unknown'] @> array[
      given ->> 'diabetes', given ->> 'insulin', given ->> 'recurrent_lows', given ->> 'low_with_help', given ->> 'visit_planned',
      given ->> 'trained'
    ]
    and given ->> 'plan' in ('part_b', 'advantage', 'none', 'unknown') and length(given ->> 'prescriber') <= 200,
    false
  ) then
    raise exception using errcode = 'PT400', message = 'not a value';
  end if;
  return jsonb_build_object(
    'diabetes', given ->> 'diabetes', 'insulin', given ->> 'insulin', 'recurrent_lows', given ->> 'recurrent_lows',
    'low_with_help', given ->> 'low_with_help', 'visit_on', (given ->> 'visit_on')::date, 'visit_planned', given ->> 'visit_planned',
    'trained', given ->> 'trained', 'plan', given ->> 'plan', 'prescriber', given ->> 'prescriber'
  );
end $$;

create function team.record_eligibility(lead uuid, given jsonb) returns jsonb
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  actor private.actor := private.require_member();
  w private.lead_work := private.work_of(lead::text);
  checked private.eligibility_checks;
  answers constant jsonb := private.eligibility_answers(given);
  -- The zone where the person most likely is: while it is evening there, the database may have the next day's date.
  zone constant text := substr(split_part(w.place, '|', 1), strpos(w.place, '/') + 1);
begin
  perform private.refuse_medicare_number(answers ->> 'prescriber');
  w := private.lock_work(lead);
  -- The member sent the same again, because our response was lost. The lock has waited for the first transaction, which may have begun
  -- after this one, so its time may be later than now().
  select * into checked from private.eligibility_checks c where c.lead_id = lead order by c.at desc limit 1;
  if checked.member_id = actor.member_id and checked.answers = answers and checked.at between now() - interval '5 minutes' and clock_timestamp() then
    return private.check_json(checked);
  end if;
  insert into private.eligibility_checks (lead_id, member_id, answers, result, reasons)
  select lead, actor.member_id, answers, e.result, e.reasons from private.eligibility(answers, (now() at time zone zone)::date) e
  returning * into checked;
  perform private.audit(actor, 'checked eligibility', w.lead_id);
  perform private.notify_inbox_of_leads(array[lead]);
  return private.check_json(checked);
end $$;

revoke execute on function private.eligibility, private.eligibility_answers, team.record_eligibility from public;
grant execute on function team.record_eligibility to leads_team;
