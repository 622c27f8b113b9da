-- The queue: whom to call next, in which order, and how many wait.

-- The moment at which a day begins in a time zone, by default New York's; null for no day. Raises 22023 for an unknown zone.
create function private.day_begins(day text, zone text) returns timestamptz
language sql stable
set search_path = pg_catalog, pg_temp
return (day::date)::timestamp at time zone coalesce(zone, 'America/New_York');

-- The moment at which a day ends in a time zone. A day has 23 to 25 hours, so its end is the beginning of the next one.
create function private.day_ends(day text, zone text) returns timestamptz
language sql stable
set search_path = pg_catalog, pg_temp
return (day::date + 1)::timestamp at time zone coalesce(zone, 'America/New_York');

-- How many leads each section of the queue has, and how many are late: from the tallies of each place (private.queue_tallies). Leads whose
-- number was called three times are not callable, which the tallies do not know.
create function private.queue_counts(actor private.actor) returns jsonb
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
declare
  exhausted text[] := array(select e.number_key from private.exhausted_numbers() e);
  a_day_ago constant timestamptz := now() - interval '24 hours';
  first_whole_hour constant timestamptz := private.hour_of(a_day_ago) + interval '1 hour';
  callback_due bigint := (
    select count(*) from private.lead_work w join private.place_windows p on p.place = w.place
    where w.stage = 'callback' and w.callback_at <= now() and w.number_key <> all (exhausted)
      and private.callback_may_be_made(w.callback_asked_for, w.callback_at, p.callable, p.reason)
  );
  callable_exhausted bigint := (
    select count(*) from (
      select w.place, w.stage from private.lead_work w where w.phone_digits = any (exhausted) and w.phone_digits <> ''
      union all
      -- The key of a lead without a number is its id, of 36 characters.
      select w.place, w.stage from private.lead_work w
      where w.lead_id = any (array(select e::uuid from unnest(exhausted) as e where length(e) = 36))
    ) w
    join private.place_windows p on p.place = w.place
    where w.stage = 'open' and p.callable
  );
begin
  return (
    select jsonb_build_object(
      'callback_due', callback_due, 'callable', c.callable - callable_exhausted,
      'not_callable', c.unfinished - callback_due - c.callable + callable_exhausted,
      'late', c.untried - (select coalesce(sum(h.untried), 0) from private.hour_tallies h where h.hour >= first_whole_hour) - (
        select count(*) from private.lead_work w
        where w.stage <> 'closed' and w.tried_at is null and w.created_at >= a_day_ago and w.created_at < first_whole_hour
      ),
      'mine', (
        select count(*) from private.claims x join private.lead_work w using (lead_id)
        where x.member_id = actor.member_id and x.until > now() and w.stage <> 'closed'
      )
    )
    from (
      select coalesce(sum(t.unfinished), 0) as unfinished, coalesce(sum(t.untried), 0) as untried,
        coalesce(sum(t.open) filter (where p.callable), 0) as callable
      from private.queue_tallies t join private.place_windows p on p.place = t.place
    ) c
  );
end $$;

-- The leads of one section that `filter` lets through, in the section's order. Beside the filter of the API it takes `unclaimed`, for leads
-- that nobody has claimed. `after` is the sort key of the last row of the page before: was_tried, sort_time, lead_id. A page costs its own
-- rows and not the whole queue, because open leads are read in the order of an index, in the last section place by place.
create function private.queue_section(
  section integer, filter jsonb, actor private.actor, after text[], at_most integer
)
returns table (lead_id uuid, was_tried boolean, sort_time timestamptz)
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
declare
  callable_places text[] := array(
    select p.place from private.place_windows p
    where p.callable and (filter ->> 'state' is null or '|' || p.place like '%|' || (filter ->> 'state') || '/%')
  );
  -- For `unclaimed`, also the numbers of leads that a colleague has, because a person may have sent the form twice.
  exhausted text[] := array(
    select e.number_key from private.exhausted_numbers() e
    union all
    select o.number_key from private.claims c join private.lead_work o using (lead_id)
    where (filter ->> 'unclaimed')::boolean and c.until > now() and c.member_id <> actor.member_id
  );
  mine uuid[] := case when (filter ->> 'mine')::boolean then array(
    select c.lead_id from private.claims c where c.member_id = actor.member_id and c.until > now()
  ) end;
  -- The query itself leaves claimed leads out, because more of them than a page holds may stand first in a section.
  claimed uuid[] := case when (filter ->> 'unclaimed')::boolean then array(
    select c.lead_id from private.claims c where c.until > now()
  ) end;
  places_condition constant text := $condition$
    ($1 ->> 'state' is null or '|' || p.place like '%|' || ($1 ->> 'state') || '/%')
  $condition$;
  conditions constant text := $conditions$
    ($1 ->> 'stage' is null or w.stage = $1 ->> 'stage')
    and ($1 ->> 'outcome' is null or w.outcome = $1 ->> 'outcome')
    and ($2 is null or w.lead_id = any ($2))
    and ($7 is null or w.lead_id <> all ($7))
    and (($1 ->> 'late')::boolean is not true or w.tried_at is null and w.created_at < now() - interval '24 hours')
    -- The queue has nobody who withdrew the permission.
    and ($1 ->> 'withdrawn')::boolean is not true
    and ($1 ->> 'flagged' is null or (w.flags <> '{}') = ($1 ->> 'flagged')::boolean)
    and ($1 ->> 'since' is null or w.created_at >= private.day_begins($1 ->> 'since', $1 ->> 'zone'))
    and ($1 ->> 'until' is null or w.created_at < private.day_ends($1 ->> 'until', $1 ->> 'zone'))
  $conditions$;
begin
  return query execute case section
    when 1 then $query$
      select w.lead_id, false, w.callback_at
      from private.lead_work w join private.place_windows p on p.place = w.place
      where w.stage = 'callback' and w.callback_at <= now()
        and private.callback_may_be_made(w.callback_asked_for, w.callback_at, p.callable, p.reason) and w.number_key <> all ($5)
        and ($3 is null or (w.callback_at, w.lead_id) > ($3[2]::timestamptz, $3[3]::uuid))
        and $query$ || places_condition || ' and ' || conditions || $query$
      order by w.callback_at, w.lead_id limit $4
    $query$
    when 2 then $query$
      select w.lead_id, w.tried_at is not null, coalesce(w.tried_at, w.created_at)
      from private.lead_work w
      where w.stage = 'open' and w.place = any ($6) and w.number_key <> all ($5)
        and ($3 is null or ((w.tried_at is not null), coalesce(w.tried_at, w.created_at), w.lead_id)
          > ($3[1]::boolean, $3[2]::timestamptz, $3[3]::uuid))
        and $query$ || conditions || $query$
      order by (w.tried_at is not null), coalesce(w.tried_at, w.created_at), w.lead_id limit $4
    $query$
    -- Open leads of one place may all be called from the same moment on. A callback or a number called three times may be later; a
    -- callback that the person asked for may be earlier.
    else $query$
      with places as materialized (
        select p.place, p.callable, p.reason, coalesce(p.callable_at, 'infinity') as callable_at from private.place_windows p
        where $query$ || places_condition || $query$
      )
      select x.lead_id, false, x.callable_at
      from (
        select open.lead_id, p.callable_at
        from places p
        cross join lateral (
          select w.lead_id from private.lead_work w
          where w.stage = 'open' and w.place = p.place and w.number_key <> all ($5)
            and w.lead_id > case when p.callable_at = $3[2]::timestamptz then $3[3]::uuid else '00000000-0000-0000-0000-000000000000' end
            and $query$ || conditions || $query$
          order by w.lead_id limit $4
        ) open
        where not p.callable and ($3 is null or p.callable_at >= $3[2]::timestamptz)
        union all
        select w.lead_id, coalesce(greatest(
          case
            when p.callable or w.callback_asked_for and p.reason is distinct from 'paused' and w.callback_at > now() - interval '2 hours'
              then null
            else p.callable_at
          end, e.until, w.callback_at), 'infinity')
        from private.lead_work w
        join places p on p.place = w.place
        left join private.exhausted_numbers() e on e.number_key = w.number_key
        where w.stage = 'callback' and not (
            w.callback_at <= now() and e.until is null
            and private.callback_may_be_made(w.callback_asked_for, w.callback_at, p.callable, p.reason)
          )
          and $query$ || conditions || $query$
        union all
        select w.lead_id, greatest(case when p.callable then null else p.callable_at end, e.until)
        from private.exhausted_numbers() e
        join private.lead_work w
          on w.phone_digits = e.number_key and w.phone_digits <> '' or w.lead_id = case when length(e.number_key) = 36 then e.number_key::uuid end
        join places p on p.place = w.place
        where w.stage = 'open' and $query$ || conditions || $query$
      ) x
      where $3 is null or (x.callable_at, x.lead_id) > ($3[2]::timestamptz, $3[3]::uuid)
      order by x.callable_at, x.lead_id limit $4
    $query$
  end
  using filter, mine, after, at_most, exhausted, callable_places, claimed;
end $$;

-- `filter`, `after` and `at_most` are those of the API (inbox/api-queue.ts).
create function team.queue(filter jsonb, after text, at_most integer) returns jsonb
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  actor private.actor := private.require_session(is_activity => false);
  after_key text[] := string_to_array(after, '|');
  wanted integer := array_position(array['callback_due', 'callable', 'not_callable'], filter ->> 'section');
  section integer := greatest(coalesce(after_key[1]::integer, 1), coalesce(wanted, 1));
  found_row record;
  page uuid[] := '{}';
  last_key text;
  next_key text;
begin
  perform private.refresh_place_windows();
  while section <= coalesce(wanted, 3) and next_key is null loop
    for found_row in
      select * from private.queue_section(
        section, filter, actor, case when after_key[1]::integer = section then after_key[2:] end, at_most + 1 - cardinality(page)
      )
    loop
      if cardinality(page) = at_most then
        next_key := last_key;
        exit;
      end if;
      page := page || found_row.lead_id;
      last_key := concat_ws('|', section, found_row.was_tried, found_row.sort_time, found_row.lead_id);
    end loop;
    section := section + 1;
  end loop;
  return jsonb_build_object(
    'rows', private.rows_of(page), 'next', next_key, 'counts', private.queue_counts(actor), 'at', now()
  );
end $$;

create function team.newest_lead() returns jsonb
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  perform private.require_session(is_activity => false);
  return jsonb_build_object('created_at', (
    -- A later time than now was set by a clock that was ahead for a moment.
    select max(w.created_at) from private.lead_work w where w.created_at <= now()
  ));
end $$;

-- Without a session, because the inbox itself calls it again and again, to show new leads soon. It tells only how many leads it found.
create function team.index_new_leads() returns integer
language sql
security definer
set search_path = pg_catalog, pg_temp
as $$
  select private.index_new_leads_unless_busy();
$$;

revoke execute on function
  private.day_begins, private.day_ends, private.queue_counts, private.queue_section, team.queue, team.newest_lead, team.index_new_leads
from public;
grant execute on function team.queue, team.newest_lead, team.index_new_leads to leads_team;
