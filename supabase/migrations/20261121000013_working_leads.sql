-- How a member works leads: the queue, the claim, the call, the outcome, the stop. Each function finds out who acts, checks what the
-- law and the team's rules ask, and writes the audit log, so that no fault of the inbox can call whom nobody may call, or look unseen.

-- Who has a lead, and until when. A claim ends by itself, so that an absent colleague keeps nobody waiting.
create table private.claims (
  lead_id uuid primary key references public.leads on delete cascade,
  member_id uuid not null references private.members,
  claimed_at timestamptz not null default now(),
  until timestamptz not null default now() + interval '20 minutes'
);
create index claims_of_member on private.claims (member_id);

-- Each time a number was shown to be called: at most three in 24 hours to one number.
create table private.calls (
  id uuid primary key default gen_random_uuid(),
  lead_id uuid not null references public.leads on delete cascade,
  -- The digits of the number, or the lead's id where too few were typed to compare by.
  number_key text not null,
  member_id uuid not null references private.members,
  at timestamptz not null default now(),
  -- "The person asked for this time": why a call outside the hours was made.
  asked_for_this_time boolean not null default false,
  -- The transaction that logged it: the number is told in a later one, so that no attempt can be rolled back after a look at it.
  xact xid8 not null default pg_current_xact_id()
);
create index calls_of_lead on private.calls (lead_id, at);
create index calls_by_number on private.calls (number_key, at);
create index calls_by_time on private.calls (at);

create table private.outcomes (
  id uuid primary key default gen_random_uuid(),
  lead_id uuid not null references public.leads on delete cascade,
  -- Null: a review without a call.
  call_id uuid unique references private.calls on delete cascade,
  member_id uuid not null references private.members,
  at timestamptz not null default now(),
  outcome text not null,
  note text not null default '',
  callback_at timestamptz,
  callback_zone text,
  callback_asked_for boolean not null default false,
  -- What the lead's work was before, for an undo: stage, callback and whether this outcome was the first review.
  before jsonb not null,

  constraint outcome_is_known check (outcome in (
    'likely_qualifies', 'needs_visit', 'does_not_qualify', 'not_interested', 'callback', 'no_answer', 'left_message', 'wrong_number'
  )),
  constraint callback_has_a_time check ((outcome = 'callback') = (callback_at is not null)),
  constraint note_has_at_most_2000_characters check (char_length(note) <= 2000)
);
create index outcomes_of_lead on private.outcomes (lead_id, at);
create index outcomes_by_time on private.outcomes (at);

-- What was asked on the phone, and what it means (LCD L33822, article A52464). There is no column for a Medicare number.
create table private.eligibility_checks (
  id uuid primary key default gen_random_uuid(),
  lead_id uuid not null references public.leads on delete cascade,
  member_id uuid not null references private.members,
  at timestamptz not null default now(),
  answers jsonb not null,
  result text not null,
  reasons text[] not null,

  constraint result_is_known check (result in ('likely', 'needs_visit', 'not_now'))
);
create index eligibility_checks_of_lead on private.eligibility_checks (lead_id, at);

alter table private.claims enable row level security;
alter table private.calls enable row level security;
alter table private.outcomes enable row level security;
alter table private.eligibility_checks enable row level security;
-- No policy and no grant: the owner and functions of the owner come in here.
revoke all on private.claims, private.calls, private.outcomes, private.eligibility_checks
from public, anon, leads_intake, leads_delivery, leads_team;

-- The calling hours of each place that a lead has, worked out when they change and not at each look at the queue.
create table private.place_windows (
  place text primary key,
  callable boolean not null default false,
  callable_at timestamptz,
  callable_until timestamptz,
  states text[] not null default '{}',
  zones text[] not null default '{}',
  reason text,
  blocking_state text,
  blocking_zone text,
  -- Until when the row holds: to the end or the beginning of the hours, and no longer than an hour, because the reason changes at
  -- midnight.
  holds_until timestamptz not null default '-infinity'
);
create index place_windows_by_age on private.place_windows (holds_until);
alter table private.place_windows enable row level security;
-- No policy and no grant: functions of the owner use it.
revoke all on private.place_windows from public, anon, leads_intake, leads_delivery, leads_team;

create function private.add_place_windows() returns trigger
language plpgsql
security definer
set search_path = ''
as $$
begin
  insert into private.place_windows (place) select distinct a.place from added a on conflict do nothing;
  return null;
end $$;

create trigger lead_work_10_add_place_windows after insert on private.lead_work
referencing new table as added
for each statement execute function private.add_place_windows();

create function private.refresh_place_windows() returns void
language plpgsql
set search_path = ''
as $$
declare
  stale text[] := array(select p.place from private.place_windows p where p.holds_until <= now() for update skip locked);
begin
  if stale = '{}' then
    return;
  end if;
  update private.place_windows p
  set callable = c.callable, callable_at = case when not c.callable then c.next_callable_at end, callable_until = c.callable_until,
    states = array(select distinct s from unnest(c.states) as s where s <> 'unknown'), zones = c.zones, reason = c.reason,
    blocking_state = nullif(c.blocking_state, 'unknown'), blocking_zone = c.blocking_zone,
    holds_until = least(c.callable_until, case when not c.callable then c.next_callable_at end, now() + interval '1 hour')
  from private.calling_windows(stale) c
  where p.place = c.place;
end $$;

create function private.forget_place_windows() returns trigger
language plpgsql
security definer
set search_path = ''
as $$
begin
  update private.place_windows set holds_until = '-infinity';
  return null;
end $$;

create trigger paused_states_10_forget_place_windows after insert or update or delete on private.paused_states
for each statement execute function private.forget_place_windows();

-- Whichever way a permission is withdrawn, nobody works the lead any more.
create function private.close_withdrawn_lead() returns trigger
language plpgsql
security definer
set search_path = ''
as $$
begin
  update private.lead_work w set stage = 'closed', callback_at = null where w.lead_id = new.lead_id and w.stage <> 'closed';
  delete from private.claims c where c.lead_id = new.lead_id;
  perform private.tell_inbox_of_leads(array[new.lead_id]);
  return null;
end $$;

create trigger permissions_10_close_withdrawn_lead after update on private.permissions
for each row when (old.withdrawn_at is null and new.withdrawn_at is not null)
execute function private.close_withdrawn_lead();

-- A review by command ends the work on a lead, as an outcome does that a member records.
create function private.close_reviewed_lead() returns trigger
language plpgsql
security definer
set search_path = ''
as $$
begin
  update private.lead_work w set stage = 'closed' where w.lead_id = new.lead_id and w.stage = 'open';
  return null;
end $$;

create trigger reviews_10_close_reviewed_lead after insert on private.reviews
for each row execute function private.close_reviewed_lead();

-- Where the queue has a lead: 1 a callback that is due, 2 may be called now, 3 may not be called now, 4 nobody is to call.
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

-- What is asked of a visitor's text before it is shown in a list: only the five digits of a ZIP code.
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

-- The place of a lead at any moment, worked out anew: what a call and a callback are decided by.
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

-- Every lead that is not closed and may not be called now, with when it may.
create view private.not_callable as
select w.lead_id, w.created_at, w.stage, w.outcome, w.place, w.tried_at, w.flags,
  coalesce(greatest(p.callable_at, e.until, w.callback_at), 'infinity') as callable_at
from private.lead_work w
join private.place_windows p on p.place = w.place
left join (select * from private.exhausted_numbers()) e on e.number_key = w.number_key
where w.stage <> 'closed' and private.section_of(w.stage, w.callback_at, w.callback_asked_for, p.callable, e.until, false) = 3;
revoke all on private.not_callable from public, anon, leads_intake, leads_delivery, leads_team;

-- A day in a time zone as the moment it begins; null for null. Raises 22023 for a zone that is none.
create function private.day_begins(day text, zone text) returns timestamptz
language sql stable
set search_path = ''
return (day::date)::timestamp at time zone coalesce(zone, 'America/New_York');

-- How many leads each section of the queue has, and how many are late. The conditions of private.section_of stand here in the open,
-- because a call of it for each lead of the queue takes seconds.
create function private.queue_counts(actor private.actor) returns jsonb
language plpgsql stable
set search_path = ''
as $$
declare
  exhausted text[] := array(select e.number_key from private.exhausted_numbers() e);
begin
  return (
    select jsonb_build_object(
      'callback_due', c.callback_due, 'callable', c.callable, 'not_callable', c.leads - c.callback_due - c.callable, 'late', c.late,
      'mine', (select count(*) from private.claims x where x.member_id = actor.member_id and x.until > now())
    )
    from (
      select count(*) as leads,
        count(*) filter (
          where w.stage = 'callback' and w.callback_at <= now() and (w.callback_asked_for or p.callable)
            and w.number_key <> all (exhausted)
        ) as callback_due,
        count(*) filter (where w.stage = 'open' and p.callable and w.number_key <> all (exhausted)) as callable,
        count(*) filter (where w.tried_at is null and w.created_at < now() - interval '24 hours') as late
      from private.lead_work w
      join private.place_windows p on p.place = w.place
      where w.stage <> 'closed'
    ) c
  );
end $$;

-- The ids of one section, in its order, that `filter` lets through. `after` is the sort key of the last row of the page before: two
-- values and the id. Each section is read in the order of an index, so that a page costs the rows it has and not the whole queue.
create function private.queue_section(
  section integer, filter jsonb, actor private.actor, after text[], at_most integer
)
returns table (lead_id uuid, is_later boolean, sort_time timestamptz)
language plpgsql stable
set search_path = ''
as $$
declare
  callable_places text[] := array(select p.place from private.place_windows p where p.callable);
  exhausted text[] := array(select e.number_key from private.exhausted_numbers() e);
  conditions constant text := $conditions$
    ($1 ->> 'stage' is null or w.stage = $1 ->> 'stage')
    and ($1 ->> 'outcome' is null or w.outcome = $1 ->> 'outcome')
    and ($1 ->> 'state' is null or '|' || w.place like '%|' || ($1 ->> 'state') || '/%')
    and (($1 ->> 'mine')::boolean is not true or exists (
      select from private.claims c where c.lead_id = w.lead_id and c.member_id = $2 and c.until > now()))
    and (($1 ->> 'late')::boolean is not true or w.tried_at is null and w.created_at < now() - interval '24 hours')
    and ($1 ->> 'flagged' is null or (w.flags <> '{}') = ($1 ->> 'flagged')::boolean)
    and ($1 ->> 'since' is null or w.created_at >= private.day_begins($1 ->> 'since', $1 ->> 'zone'))
    and ($1 ->> 'until' is null or w.created_at < private.day_begins($1 ->> 'until', $1 ->> 'zone') + interval '1 day')
  $conditions$;
begin
  return query execute case section
    when 1 then $query$
      select w.lead_id, false, w.callback_at
      from private.lead_work w
      where w.stage = 'callback' and w.callback_at <= now()
        and (w.callback_asked_for or w.place = any ($5)) and w.number_key <> all ($6)
        and ($3 is null or (w.callback_at, w.lead_id) > ($3[2]::timestamptz, $3[3]::uuid))
        and $query$ || conditions || $query$
      order by w.callback_at, w.lead_id limit $4
    $query$
    when 2 then $query$
      select w.lead_id, w.tried_at is not null, coalesce(w.tried_at, w.created_at)
      from private.lead_work w
      where w.stage = 'open' and w.place = any ($5) and w.number_key <> all ($6)
        and ($3 is null or ((w.tried_at is not null), coalesce(w.tried_at, w.created_at), w.lead_id)
          > ($3[1]::boolean, $3[2]::timestamptz, $3[3]::uuid))
        and $query$ || conditions || $query$
      order by (w.tried_at is not null), coalesce(w.tried_at, w.created_at), w.lead_id limit $4
    $query$
    else $query$
      select w.lead_id, false, w.callable_at
      from private.not_callable w
      where ($3 is null or (w.callable_at, w.lead_id) > ($3[2]::timestamptz, $3[3]::uuid))
        and $query$ || conditions || $query$
      order by w.callable_at, w.lead_id limit $4
    $query$
  end
  using filter, actor.member_id, after, at_most, callable_places, exhausted;
end $$;

-- `filter`, `after` and `at_most` are those of the API (inbox/api-work.ts).
create function team.queue(filter jsonb, after text, at_most integer) returns jsonb
language plpgsql
security definer
set search_path = ''
as $$
declare
  actor private.actor := private.acting(is_activity => false);
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
  actor private.actor := private.acting();
  given text := btrim(words);
  digits text := private.phone_digits(words);
  cursor_parts text[] := string_to_array(after, '|');
  kind text;
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
    condition := '(right(w.lead_id::text, 8) = lower($1) or w.phone_digits = $2)';
  elsif given ~ '^[0-9a-fA-F]{8}$' then
    kind := 'reference';
    condition := 'right(w.lead_id::text, 8) = lower($1)';
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
      where %s
        and ($3 is null or (w.created_at, w.lead_id) < ($4[1]::timestamptz, $4[2]::uuid))
        and ($5 ->> 'stage' is null or w.stage = $5 ->> 'stage')
        and ($5 ->> 'outcome' is null or w.outcome = $5 ->> 'outcome')
        and ($5 ->> 'state' is null or '|' || w.place like '%%|' || ($5 ->> 'state') || '/%%')
        and ($5 ->> 'flagged' is null or (w.flags <> '{}') = ($5 ->> 'flagged')::boolean)
        and ($5 ->> 'since' is null or w.created_at >= private.day_begins($5 ->> 'since', $5 ->> 'zone'))
        and ($5 ->> 'until' is null or w.created_at < private.day_begins($5 ->> 'until', $5 ->> 'zone') + interval '1 day')
        and (($5 ->> 'mine')::boolean is not true or exists (
          select from private.claims c where c.lead_id = w.lead_id and c.member_id = $6 and c.until > now()))
        and (($5 ->> 'late')::boolean is not true or (w.created_at < now() - interval '24 hours'
          and not exists (select from private.reviews r where r.lead_id = w.lead_id and r.reviewed_at <= w.created_at + interval '24 hours')))
        and ($5 ->> 'withdrawn' is null or ($5 ->> 'withdrawn')::boolean = exists (
          select from private.permissions p where p.lead_id = w.lead_id and p.withdrawn_at is not null))
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
  perform private.acting(is_activity => false);
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
      select * into w from private.lead_work x where right(x.lead_id::text, 8) = wanted order by x.created_at desc limit 1;
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

-- A member's own connection only: the operator has no claims and calls nobody.
create function private.acting_member() returns private.actor
language plpgsql
set search_path = ''
as $$
declare
  actor private.actor := private.acting();
begin
  if actor.member_id is null then
    raise exception using errcode = 'PT403', message = 'Only a member may do that.';
  end if;
  return actor;
end $$;

-- Claims the first lead of the queue that may be called and that nobody has. Two members never get the same one: the claim's
-- primary key lets the second wait for the first one's commit and then pass on to the next lead.
create function team.take_next() returns jsonb
language plpgsql
security definer
set search_path = ''
as $$
declare
  actor private.actor := private.acting_member();
  candidate uuid;
begin
  perform private.index_new_leads();
  perform private.refresh_place_windows();
  for candidate in
    select q.lead_id
    from generate_series(1, 2) as section
    cross join lateral private.queue_section(section, '{}', actor, null, 200) with ordinality as q (lead_id, is_later, sort_time, nth)
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
        perform private.tell_inbox_of_leads(array[candidate]);
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
  actor private.actor := private.acting_member();
  w private.lead_work := private.work_of(lead::text);
begin
  if not private.claim_lead(w.lead_id, actor.member_id) then
    return jsonb_build_object('refused', 'claimed', 'held_by', private.holder_of(lead));
  end if;
  perform private.audit(actor, 'claimed lead', lead);
  perform private.tell_inbox_of_leads(array[lead]);
  return jsonb_build_object('until', (select c.until from private.claims c where c.lead_id = lead));
end $$;

create function team.release(lead uuid) returns void
language plpgsql
security definer
set search_path = ''
as $$
declare
  actor private.actor := private.acting_member();
begin
  delete from private.claims c where c.lead_id = lead and c.member_id = actor.member_id;
  if found then
    perform private.audit(actor, 'released lead', lead);
    perform private.tell_inbox_of_leads(array[lead]);
  end if;
end $$;

-- Counts as activity, and renews the member's claim of the lead on their screen, if any.
create function team.keep_alive(lead uuid) returns void
language plpgsql
security definer
set search_path = ''
as $$
declare
  actor private.actor := private.acting();
begin
  update private.claims c set until = now() + interval '20 minutes'
  where c.lead_id = lead and c.member_id = actor.member_id and c.until > now();
end $$;

-- Whether the number of a lead is on the stop list since the lead was given.
create function private.stopped_at(w private.lead_work) returns timestamptz
language sql stable
set search_path = ''
return (select s.stopped_at from private.stop_list s where s.phone_digits = w.phone_digits and s.stopped_at >= w.created_at);

-- How the number is dialled; empty where what was typed holds no number.
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

create function private.log_of(lead uuid) returns jsonb
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

-- Says in the audit log that the actor is about to open a lead, or its health answers. Returns the entry, which the functions that
-- open it ask for.
create function team.record_opening(id_or_reference text, health_answers boolean) returns bigint
language plpgsql
security definer
set search_path = ''
as $$
declare
  actor private.actor := private.acting();
  w private.lead_work := private.work_of(id_or_reference);
begin
  return private.audit(actor, case when health_answers then 'read health answers' else 'opened lead' end, w.lead_id);
end $$;

-- A lead opened. The number is not in it unless the member has a call with it under way; the health answers are not in it.
create function team.open_lead(entry bigint) returns jsonb
language plpgsql
security definer
set search_path = ''
as $$
declare
  actor private.actor := private.acting();
  w private.lead_work := private.work_of(private.lead_of_entry(entry, actor, 'opened lead')::text);
  permission jsonb := private.permission_json(w.lead_id);
  stopped timestamptz := private.stopped_at(w);
  may_reach boolean := permission ->> 'withdrawn_at' is null and stopped is null;
begin
  perform private.refresh_place_windows();
  update private.claims c set until = now() + interval '20 minutes'
  where c.lead_id = w.lead_id and c.member_id = actor.member_id and c.until > now();
  return private.rows_of(array[w.lead_id]) -> 0 || (
    select jsonb_build_object(
      -- Whole, when it may be: what was typed beside it can be a number.
      'name', case when may_reach then l.name else private.name_shown(l.name) end,
      'email', case when may_reach then l.email end,
      'zip_code', case when may_reach then l.zip_code else private.zip_shown(l.zip_code) end,
      'permission', permission,
      'stopped_at', stopped,
      'calls', private.log_of(w.lead_id),
      'attempts_today', (
        select count(*) from private.calls c where c.number_key = w.number_key and c.at > now() - interval '24 hours'
      ),
      'checks', coalesce((
        select jsonb_agg(private.check_json(c) order by c.at desc) from private.eligibility_checks c where c.lead_id = w.lead_id
      ), '[]'),
      'others', private.others_of(w),
      'under_way', private.number_told(
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
  actor private.actor := private.acting();
  lead uuid := private.lead_of_entry(entry, actor, 'read health answers');
begin
  return (
    select jsonb_build_object('has_medicare', l.has_medicare, 'has_diabetes', l.has_diabetes) from public.leads l where l.id = lead
  );
end $$;

-- Checks permission, stop list, attempts, calling hours and claim, and then logs the attempt and returns its id, for which
-- team.number_of_call tells the number. Otherwise returns why not and when.
create function team.start_call(lead uuid, asked boolean) returns jsonb
language plpgsql
security definer
set search_path = ''
as $$
declare
  actor private.actor := private.acting_member();
  w private.lead_work := private.work_of(lead::text);
  win private.place_windows;
  refused text;
  next_at timestamptz;
  may_be_asked_for boolean := false;
  is_asked boolean;
  under_way private.calls;
  started private.calls;
begin
  -- Two calls to one number are counted one after the other.
  perform pg_advisory_xact_lock(hashtextextended(w.number_key, 1));
  select * into w from private.lead_work x where x.lead_id = lead for update;
  win := private.place_at(w.place, now());
  under_way := private.call_under_way(lead, actor.member_id);
  -- A due callback for a time that the person asked for carries that reason with it.
  is_asked := coalesce(asked, false) or coalesce(
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
  perform private.tell_inbox_of_leads(array[lead]);
  return jsonb_build_object('call_id', started.id);
end $$;

-- The number of a call that the member has logged and that has no outcome yet; null when there is none, or the person has withdrawn.
-- This function alone tells a number.
create function private.number_told(of_call uuid, member uuid) returns jsonb
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
  told jsonb := private.number_told(of_call, (private.acting_member()).member_id);
begin
  if told is null then
    raise exception using errcode = 'PT404', message = 'There is no such call under way.';
  end if;
  return told;
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
create function team.record_outcome(lead uuid, of_call uuid, what text, words text, callback jsonb) returns jsonb
language plpgsql
security definer
set search_path = ''
as $$
declare
  actor private.actor := private.acting_member();
  w private.lead_work := private.work_of(lead::text);
  call_back_at timestamptz;
  call_back_asked boolean := coalesce((callback ->> 'asked_for_this_time')::boolean, false);
  win private.place_windows;
  refused text;
  recorded private.outcomes;
  is_first_review boolean;
  is_withdrawn boolean := exists (select from private.permissions p where p.lead_id = lead and p.withdrawn_at is not null);
begin
  perform private.refuse_medicare_number(words);
  select * into w from private.lead_work x where x.lead_id = lead for update;
  call_back_at := (callback ->> 'at')::timestamp at time zone (callback ->> 'zone');
  win := private.place_at(w.place, coalesce(call_back_at, now()));
  if (what = 'callback') <> (callback is not null) then
    raise exception using errcode = 'PT400', message = 'callback';
  end if;
  if what in ('no_answer', 'left_message', 'wrong_number') and of_call is null then
    refused := 'not_your_call';
  elsif of_call is not null and (
    not exists (select from private.calls c where c.id = of_call and c.lead_id = lead and c.member_id = actor.member_id)
    or exists (select from private.outcomes o where o.call_id = of_call)
  ) then
    refused := 'not_your_call';
  elsif what = 'callback' then
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
  insert into private.reviews (lead_id, outcome) values (lead, replace(what, '_', ' '))
  on conflict (lead_id) do update set outcome = excluded.outcome;
  insert into private.outcomes (
    lead_id, call_id, member_id, outcome, note, callback_at, callback_zone, callback_asked_for, before
  )
  values (
    lead, of_call, actor.member_id, what, coalesce(words, ''), call_back_at, callback ->> 'zone', call_back_asked and not win.callable,
    to_jsonb(w) - 'search' || jsonb_build_object('is_first_review', is_first_review)
  )
  returning * into recorded;
  update private.lead_work x
  set outcome = what,
    stage = case
      when is_withdrawn then 'closed'
      when what = 'callback' then 'callback'
      when what in ('no_answer', 'left_message') then 'open'
      else 'closed'
    end,
    callback_at = call_back_at, callback_zone = callback ->> 'zone', callback_asked_for = recorded.callback_asked_for,
    tried_at = case when what in ('no_answer', 'left_message') then now() else x.tried_at end
  where x.lead_id = lead;
  delete from private.claims c where c.lead_id = lead and c.member_id = actor.member_id;
  perform private.audit(actor, 'recorded outcome', lead, jsonb_build_object('outcome', what, 'first_review', is_first_review));
  perform private.tell_inbox_of_leads(array[lead]);
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
  actor private.actor := private.acting_member();
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
  perform private.tell_inbox_of_leads(array[o.lead_id]);
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
  actor private.actor := private.acting_member();
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

-- "They asked us to stop": at once, for every lead that was given with the number so far. Works for the operator too.
create function private.stop_by(actor private.actor, lead uuid, digits text) returns integer
language plpgsql
set search_path = ''
as $$
declare
  stopped uuid[];
begin
  if digits = '' then
    stopped := array(select private.withdraw_permission(lead));
  else
    stopped := array(select private.stop_number(digits));
    update private.stop_list s set member_id = actor.member_id, who = actor.name where s.phone_digits = digits;
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
  actor private.actor := private.acting();
  w private.lead_work := private.work_of(lead::text);
begin
  perform private.stop_by(actor, lead, w.phone_digits);
  return private.stop_proof(w);
end $$;

-- Returns how many permissions that ended; null when the text holds no number.
create function team.stop_number(phone text) returns integer
language plpgsql
security definer
set search_path = ''
as $$
declare
  actor private.actor := private.acting();
  digits text := private.phone_digits(phone);
begin
  if digits = '' then
    return null;
  end if;
  return private.stop_by(actor, null, digits);
end $$;

create function private.stop_proof(w private.lead_work) returns jsonb
language sql stable
set search_path = ''
as $$
  select jsonb_build_object(
    'stopped_at', coalesce(
      private.stopped_at(w), (select p.withdrawn_at from private.permissions p where p.lead_id = w.lead_id)
    ),
    'stopped_by', coalesce((
      select jsonb_build_object('id', s.member_id, 'name', s.who) from private.stop_list s where s.phone_digits = w.phone_digits
    ), (
      select jsonb_build_object('id', a.member_id, 'name', a.who) from private.audit_log a
      where a.action = 'stopped calls' and a.lead_id = w.lead_id
      order by a.id desc limit 1
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
        and (x.lead_id = w.lead_id or (x.phone_digits = w.phone_digits and w.phone_digits <> ''))
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
  actor private.actor := private.acting();
  w private.lead_work := private.work_of(lead::text);
  proof jsonb := private.stop_proof(w);
begin
  if proof ->> 'stopped_at' is null then
    raise exception using errcode = 'PT404', message = 'Nobody asked to stop calls about this lead.';
  end if;
  perform private.audit(actor, 'read stop proof', lead);
  return proof;
end $$;

-- Without a session, because it tells nothing: an inbox that shows new leads within a second has to look for them by itself.
create function team.index_new_leads() returns integer
language sql
security definer
set search_path = ''
as $$
  select private.index_new_leads();
$$;

revoke execute on function
  private.add_place_windows, private.refresh_place_windows, private.forget_place_windows, private.close_withdrawn_lead,
  private.place_at, private.queue_counts, private.queue_section, private.close_reviewed_lead, private.section_of,
  private.exhausted_numbers, private.name_shown, private.zip_shown, private.place_json, private.rows_of, private.day_begins,
  private.name_query, private.work_of, private.claim_lead, private.holder_of, private.acting_member, private.stopped_at,
  private.tel_of, private.call_under_way, private.log_of, private.check_json, private.permission_json, private.others_of,
  private.number_told, private.holds_medicare_number, private.refuse_medicare_number, private.eligibility,
  private.stop_by, private.stop_proof
from public;
revoke execute on all functions in schema team from public;
grant execute on all functions in schema team to leads_team;
-- No grant on any table: what a member may see and do is what these functions do.
