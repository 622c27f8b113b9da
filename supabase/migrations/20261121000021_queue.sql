-- The queue and the search: whom to call next, who has which lead, and what a list may show. No list holds a phone number, an
-- e-mail address or a health answer, and two members never get the same lead.

-- The section of the queue that a lead is in: 1 callback due, 2 may be called now, 3 may not be called now, 4 must not be called.
-- A body after `return` is parsed when the function is created, so it needs no search_path and can be inlined.
create function private.section_of(
  stage text, callback_at timestamptz, callback_asked_for boolean, is_callable boolean, attempts_until timestamptz, is_withdrawn boolean
)
returns integer
language sql stable
return case
  when stage = 'closed' or is_withdrawn then 4
  when stage = 'callback' and callback_at <= now() and (is_callable or callback_asked_for) and attempts_until is null then 1
  when stage = 'open' and is_callable and attempts_until is null then 2
  else 3
end;

-- The numbers that were called three times in 24 hours, and when they may be called again.
create function private.exhausted_numbers() returns table (number_key text, until timestamptz)
language sql stable rows 20
set search_path = ''
as $$
  select x.number_key, x.at + interval '24 hours'
  from (
    select c.number_key, c.at, row_number() over (partition by c.number_key order by c.at desc) as nth
    from private.calls c
    where c.at > now() - interval '24 hours'
  ) x
  where x.nth = 3;
$$;

-- What a list shows of the ZIP code that a visitor typed: its five digits only.
create function private.zip_shown(zip_code text) returns text
language sql immutable
return coalesce(private.zip_in(zip_code), '');

-- A name as a list shows it. Some people type everything into one field: a number or an e-mail address in a name stays hidden until the
-- lead is opened.
create function private.name_shown(name text) returns text
language sql immutable
return regexp_replace(regexp_replace(left(name, 500), '[^[:space:]]*@[^[:space:]]*', '…', 'g'), '[+]?[0-9]([ ().-]*[0-9]){6,}', '…', 'g');

create function private.place_json(zip text, w private.place_windows) returns jsonb
language sql immutable
return jsonb_build_object(
  'zip', zip, 'states', w.states, 'zones', w.zones, 'callable', w.callable, 'callable_at', w.callable_at,
  'callable_until', w.callable_until, 'reason', w.reason, 'blocking_state', w.blocking_state, 'blocking_zone', w.blocking_zone
);

-- The calling window of a place at any moment, computed and not read from place_windows. It decides whether a call or a callback is
-- allowed.
create function private.place_at(place_key text, moment timestamptz) returns private.place_windows
language sql stable
set search_path = ''
as $$
  select c.place, c.callable, case when not c.callable then c.next_callable_at end, c.callable_until,
    array(select distinct s from unnest(c.states) as s where s <> 'unknown'), c.zones, c.reason,
    nullif(c.blocking_state, 'unknown'), c.blocking_zone, moment
  from private.calling_window(place_key, moment) c
$$;

-- Rows for a list, in the order of the ids. No phone, e-mail address or health answer is in them.
create function private.rows_of(leads uuid[]) returns jsonb
language sql stable
set search_path = ''
as $$
  with work as (
    select w.*, given.nth
    from unnest(leads) with ordinality as given (lead_id, nth)
    join private.lead_work w on w.lead_id = given.lead_id
  ),
  exhausted as materialized (select * from private.exhausted_numbers())
  select coalesce(jsonb_agg(
    jsonb_build_object(
      'id', w.lead_id,
      'reference', right(w.lead_id::text, 8),
      'name', private.name_shown(l.name),
      'place', private.place_json(private.zip_shown(l.zip_code), win),
      'created_at', w.created_at,
      'due_at', w.created_at + interval '24 hours',
      'reviewed_at', r.reviewed_at,
      'stage', w.stage,
      'callback_at', w.callback_at,
      'outcome', w.outcome,
      'claim', case when c.lead_id is not null then jsonb_build_object(
        'member', jsonb_build_object('id', m.id, 'name', m.name), 'until', c.until
      ) end,
      'flags', to_jsonb(w.flags),
      'withdrawn', p.withdrawn_at is not null,
      'section', (array['callback_due', 'callable', 'not_callable', 'closed'])[private.section_of(
        w.stage, w.callback_at, w.callback_asked_for, win.callable, e.until, p.withdrawn_at is not null
      )],
      'attempts_until', e.until
    ) order by w.nth
  ), '[]')
  from work w
  join public.leads l on l.id = w.lead_id
  join private.place_windows win on win.place = w.place
  left join private.permissions p on p.lead_id = w.lead_id
  left join private.reviews r on r.lead_id = w.lead_id
  left join exhausted e on e.number_key = w.number_key
  left join private.claims c on c.lead_id = w.lead_id and c.until > now()
  left join private.members m on m.id = c.member_id
$$;

-- The moment at which a day begins in a time zone; null for null. Raises 22023 for an unknown zone.
create function private.day_begins(day text, zone text) returns timestamptz
language sql stable
set search_path = ''
return (day::date)::timestamp at time zone coalesce(zone, 'America/New_York');

-- How many leads each section of the queue has, and how many are late: from the tallies of each place (private.queue_tallies), less
-- those whose number was called three times.
create function private.queue_counts(actor private.actor) returns jsonb
language plpgsql stable
set search_path = ''
as $$
declare
  exhausted text[] := array(select e.number_key from private.exhausted_numbers() e);
  not_late constant timestamptz := now() - interval '24 hours';
  callback_due bigint := (
    select count(*) from private.lead_work w join private.place_windows p on p.place = w.place
    where w.stage = 'callback' and w.callback_at <= now() and (w.callback_asked_for or p.callable) and w.number_key <> all (exhausted)
  );
  callable_exhausted bigint := (
    select count(*) from (
      select w.place, w.stage from private.lead_work w where w.phone_digits = any (exhausted) and w.phone_digits <> ''
      union all
      -- Without digits to compare by, the number's key is the lead's id.
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
      'late', c.untried - (
        select count(*) from private.lead_work w where w.stage <> 'closed' and w.tried_at is null and w.created_at >= not_late
      ),
      'mine', (select count(*) from private.claims x where x.member_id = actor.member_id and x.until > now())
    )
    from (
      select coalesce(sum(t.unfinished), 0) as unfinished, coalesce(sum(t.untried), 0) as untried,
        coalesce(sum(t.open) filter (where p.callable), 0) as callable
      from private.queue_tallies t join private.place_windows p on p.place = t.place
    ) c
  );
end $$;

-- The ids of one section, in its order, that `filter` lets through. `after` is the sort key of the last row of the page before: two
-- values and the id. Each section is read in the order of an index, the last one in that of each place, so that a page costs the rows it
-- has and not the whole queue.
create function private.queue_section(
  section integer, filter jsonb, actor private.actor, after text[], at_most integer
)
returns table (lead_id uuid, is_later boolean, sort_time timestamptz)
language plpgsql stable
set search_path = ''
as $$
declare
  callable_places text[] := array(
    select p.place from private.place_windows p
    where p.callable and (filter ->> 'state' is null or '|' || p.place like '%|' || (filter ->> 'state') || '/%')
  );
  exhausted text[] := array(select e.number_key from private.exhausted_numbers() e);
  mine uuid[] := case when (filter ->> 'mine')::boolean then array(
    select c.lead_id from private.claims c where c.member_id = actor.member_id and c.until > now()
  ) end;
  places_condition constant text := $condition$
    ($1 ->> 'state' is null or '|' || p.place like '%|' || ($1 ->> 'state') || '/%')
  $condition$;
  conditions constant text := $conditions$
    ($1 ->> 'stage' is null or w.stage = $1 ->> 'stage')
    and ($1 ->> 'outcome' is null or w.outcome = $1 ->> 'outcome')
    and ($2 is null or w.lead_id = any ($2))
    and (($1 ->> 'late')::boolean is not true or w.tried_at is null and w.created_at < now() - interval '24 hours')
    and ($1 ->> 'flagged' is null or (w.flags <> '{}') = ($1 ->> 'flagged')::boolean)
    and ($1 ->> 'since' is null or w.created_at >= private.day_begins($1 ->> 'since', $1 ->> 'zone'))
    and ($1 ->> 'until' is null or w.created_at < private.day_begins($1 ->> 'until', $1 ->> 'zone') + interval '1 day')
  $conditions$;
begin
  return query execute case section
    when 1 then $query$
      select w.lead_id, false, w.callback_at
      from private.lead_work w join private.place_windows p on p.place = w.place
      where w.stage = 'callback' and w.callback_at <= now()
        and (w.callback_asked_for or p.callable) and w.number_key <> all ($5)
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
    -- Open leads of a place may all be called at one moment; a callback, and a number that was called three times, have a later one.
    else $query$
      with places as materialized (
        select p.place, p.callable, coalesce(p.callable_at, 'infinity') as callable_at from private.place_windows p
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
        select w.lead_id, coalesce(greatest(case when p.callable then null else p.callable_at end, e.until, w.callback_at), 'infinity')
        from private.lead_work w
        join places p on p.place = w.place
        left join private.exhausted_numbers() e on e.number_key = w.number_key
        where w.stage = 'callback' and not (w.callback_at <= now() and (p.callable or w.callback_asked_for) and e.until is null)
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
  using filter, mine, after, at_most, exhausted, callable_places;
end $$;

-- `filter`, `after` and `at_most` are those of the API (inbox/api-work.ts).
create function team.queue(filter jsonb, after text, at_most integer) returns jsonb
language plpgsql
security definer
set search_path = ''
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
      last_key := concat_ws('|', section, found_row.is_later, found_row.sort_time, found_row.lead_id);
    end loop;
    section := section + 1;
  end loop;
  return jsonb_build_object(
    'rows', private.rows_of(page), 'next', next_key, 'counts', private.queue_counts(actor), 'at', now()
  );
end $$;

-- The words of a search as a prefix query on names; null when there are none.
create function private.name_query(words text) returns tsquery
language sql immutable
set search_path = ''
return (
  select to_tsquery('simple', string_agg('''' || replace(replace(word, '\', '\\'), '''', '''''') || ''':*', ' & '))
  from regexp_split_to_table(lower(btrim(words)), '[^[:alnum:]]+') as word
  where word <> ''
);

-- By name, whole phone number, whole e-mail address, id or reference, newest first. The kind of the search goes to the audit log, its
-- words do not.
create function team.search(words text, filter jsonb, after text, at_most integer) returns jsonb
language plpgsql
security definer
set search_path = ''
as $$
declare
  actor private.actor := private.require_session();
  given text := btrim(words);
  digits text := private.phone_digits(words);
  cursor_parts text[] := string_to_array(after, '|');
  kind text;
  reference_condition constant text := $condition$
    private.from_its_end(w.lead_id) collate "C" >= reverse(lower($1)) and private.from_its_end(w.lead_id) collate "C" < reverse(lower($1)) || 'g'
  $condition$;
  condition text;
  page_ids uuid[];
  next_key text;
begin
  perform private.refresh_place_windows();
  if given = '' then
    kind := 'none';
    condition := 'true';
  elsif strpos(given, '@') > 0 then
    kind := 'email';
    condition := 'w.email_key = lower($1)';
  elsif given ~ '^[0-9a-fA-F]{8}$' and digits <> '' then
    kind := 'reference or phone';
    condition := reference_condition || ' or w.phone_digits = $2';
  elsif given ~ '^[0-9a-fA-F]{8}$' then
    kind := 'reference';
    condition := reference_condition;
  elsif given ~ '^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$' then
    kind := 'id';
    condition := 'w.lead_id = $1::uuid';
  elsif digits <> '' and given !~ '[[:alpha:]]' then
    kind := 'phone';
    condition := 'w.phone_digits = $2';
  elsif private.name_query(given) is not null then
    kind := 'name';
    condition := 'w.search @@ private.name_query($1)';
  else
    kind := 'name';
    condition := 'false';
  end if;
  execute format($query$
    with page as (
      select w.lead_id, w.created_at, row_number() over (order by w.created_at desc, w.lead_id desc) as nth
      from private.lead_work w
      where (%s)
        and ($3 is null or (w.created_at, w.lead_id) < ($4[1]::timestamptz, $4[2]::uuid))
        and ($5 ->> 'stage' is null or w.stage = $5 ->> 'stage')
        and ($5 ->> 'outcome' is null or w.outcome = $5 ->> 'outcome')
        and ($5 ->> 'state' is null or '|' || w.place like '%%|' || ($5 ->> 'state') || '/%%')
        and ($5 ->> 'flagged' is null or (w.flags <> '{}') = ($5 ->> 'flagged')::boolean)
        and ($5 ->> 'since' is null or w.created_at >= private.day_begins($5 ->> 'since', $5 ->> 'zone'))
        and ($5 ->> 'until' is null or w.created_at < private.day_begins($5 ->> 'until', $5 ->> 'zone') + interval '1 day')
        and (($5 ->> 'mine')::boolean is not true or exists (
          select from private.claims c where c.lead_id = w.lead_id and c.member_id = $6 and c.until > now()))
        and (($5 ->> 'late')::boolean is not true
          or (w.created_at < now() - interval '24 hours' and coalesce(w.reviewed_at - w.created_at > interval '24 hours', true)))
        and (($5 ->> 'withdrawn')::boolean is not true or w.withdrawn_at is not null)
        and (($5 ->> 'withdrawn')::boolean is not false or w.withdrawn_at is null)
      order by w.created_at desc, w.lead_id desc
      limit $7 + 1
    )
    select
      (select array_agg(p.lead_id order by p.nth) from page p where p.nth <= $7),
      (select concat_ws('|', p.created_at, p.lead_id) from page p
        where p.nth = $7 and exists (select from page further where further.nth > $7))
  $query$, condition)
  into page_ids, next_key
  using given, digits, after, cursor_parts, coalesce(filter, '{}'), actor.member_id, at_most;
  -- For each page, because a page can be asked for without the one before it.
  if kind <> 'none' then
    perform private.audit(actor, 'searched', null, jsonb_build_object('by', kind, 'found', coalesce(cardinality(page_ids), 0)));
  end if;
  return jsonb_build_object('rows', private.rows_of(page_ids), 'next', next_key);
end $$;

create function team.rows(leads uuid[]) returns jsonb
language plpgsql
security definer
set search_path = ''
as $$
begin
  perform private.require_session(is_activity => false);
  perform private.refresh_place_windows();
  return jsonb_build_object('rows', private.rows_of(leads));
end $$;

-- Finds a lead's work by id or reference; of several with one reference the newest. Raises PT404.
create function private.work_of(id_or_reference text) returns private.lead_work
language plpgsql
set search_path = ''
as $$
declare
  w private.lead_work;
  wanted text := lower(id_or_reference);
begin
  for attempt in 1..2 loop
    if length(wanted) = 36 then
      select * into w from private.lead_work x where x.lead_id = wanted::uuid;
    else
      select * into w from private.lead_work x
      where private.from_its_end(x.lead_id) collate "C" >= reverse(wanted) and private.from_its_end(x.lead_id) collate "C" < reverse(wanted) || 'g'
      order by x.created_at desc limit 1;
    end if;
    exit when found;
    -- A lead of this second may have no row yet.
    perform private.index_new_leads();
  end loop;
  if w.lead_id is null then
    raise exception using errcode = 'PT404', message = 'There is no such lead.';
  end if;
  return w;
end $$;

-- Claims a lead for a member unless another has it; true when the member has it now. A claim of their own is renewed.
create function private.claim_lead(lead uuid, member uuid) returns boolean
language plpgsql
set search_path = ''
as $$
begin
  insert into private.claims as c (lead_id, member_id) values (lead, member)
  on conflict (lead_id) do update
    set member_id = excluded.member_id, until = excluded.until,
      claimed_at = case when c.member_id = excluded.member_id and c.until > now() then c.claimed_at else now() end
    where c.member_id = excluded.member_id or c.until <= now();
  return found;
end $$;

create function private.holder_of(lead uuid) returns jsonb
language sql stable
set search_path = ''
return (
  select jsonb_build_object('id', m.id, 'name', m.name)
  from private.claims c join private.members m on m.id = c.member_id
  where c.lead_id = lead and c.until > now()
);

-- Claims the first lead of the queue that may be called and that nobody has. Two members never get the same one: the claim's
-- primary key lets the second wait for the first one's commit and then pass on to the next lead.
create function team.take_next() returns jsonb
language plpgsql
security definer
set search_path = ''
as $$
declare
  actor private.actor := private.require_member();
  candidate uuid;
begin
  perform private.index_new_leads();
  perform private.refresh_place_windows();
  for candidate in
    select q.lead_id
    from generate_series(1, 2) as section
    cross join lateral private.queue_section(section, '{}', actor, null, 100) with ordinality as q (lead_id, is_later, sort_time, nth)
    where not exists (select from private.claims c where c.lead_id = q.lead_id and c.until > now())
    order by section, q.nth
  loop
    insert into private.claims as c (lead_id, member_id) values (candidate, actor.member_id)
    on conflict (lead_id) do update
      set member_id = excluded.member_id, until = excluded.until, claimed_at = excluded.claimed_at
      where c.until <= now();
    if found then
      -- Another member may have closed it since this query began.
      perform from private.lead_work w where w.lead_id = candidate and w.stage <> 'closed';
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
set search_path = ''
as $$
declare
  actor private.actor := private.require_member();
  w private.lead_work := private.work_of(lead::text);
begin
  if not private.claim_lead(w.lead_id, actor.member_id) then
    return jsonb_build_object('refused', 'claimed', 'held_by', private.holder_of(lead));
  end if;
  perform private.audit(actor, 'claimed lead', lead);
  perform private.notify_inbox_of_leads(array[lead]);
  return jsonb_build_object('until', (select c.until from private.claims c where c.lead_id = lead));
end $$;

create function team.release(lead uuid) returns void
language plpgsql
security definer
set search_path = ''
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
set search_path = ''
as $$
declare
  actor private.actor := private.require_session();
begin
  update private.claims c set until = now() + interval '20 minutes'
  where c.lead_id = lead and c.member_id = actor.member_id and c.until > now();
end $$;

-- Without a session, because it tells nothing: an inbox that shows new leads within a second has to look for them by itself.
create function team.index_new_leads() returns integer
language sql
security definer
set search_path = ''
as $$
  select private.index_new_leads_unless_busy();
$$;

revoke execute on function
  private.section_of, private.exhausted_numbers, private.zip_shown, private.name_shown, private.place_json,
  private.place_at, private.rows_of, private.day_begins, private.queue_counts, private.queue_section, private.name_query,
  private.work_of, private.claim_lead, private.holder_of
from public;
revoke execute on all functions in schema team from public;
grant execute on all functions in schema team to leads_team;
-- No grant on any table: what a member may see and do is what these functions do.
