-- What a list shows of a lead: no phone number, no e-mail address and no health answer.

-- Whether a callback may be made at this moment outside the calling hours, because the person asked for its time: from a quarter of an
-- hour before it until two hours after it, and not in a paused state. (A body after `return` is parsed when the function is created, so it
-- needs no search_path and can be inlined.)
create function private.is_asked_for_now(callback_asked_for boolean, callback_at timestamptz, reason text) returns boolean
language sql stable
return coalesce(
  callback_asked_for and reason is distinct from 'paused'
    and now() between callback_at - interval '15 minutes' and callback_at + interval '2 hours',
  false
);

-- Whether a callback that is due may be made: within the calling hours, or because the person asked for this time.
create function private.callback_may_be_made(callback_asked_for boolean, callback_at timestamptz, is_callable boolean, reason text)
returns boolean
language sql stable
return is_callable or private.is_asked_for_now(callback_asked_for, callback_at, reason);

-- The section of the queue that a lead is in: 1 callback due, 2 may be called now, 3 may not be called now; 4 where it is closed,
-- and in none.
create function private.section_of(
  stage text, callback_at timestamptz, callback_asked_for boolean, is_callable boolean, reason text, next_attempt_at timestamptz,
  is_withdrawn boolean
)
returns integer
language sql stable
return case
  when stage = 'closed' or is_withdrawn then 4
  when stage = 'callback' and callback_at <= now() and next_attempt_at is null
    and private.callback_may_be_made(callback_asked_for, callback_at, is_callable, reason) then 1
  when stage = 'open' and is_callable and next_attempt_at is null then 2
  else 3
end;

-- The numbers that were called three times in 24 hours, and when they may be called again.
create function private.exhausted_numbers() returns table (number_key text, until timestamptz)
language sql stable rows 20
set search_path = pg_catalog, pg_temp
as $$
  select x.number_key, x.at + interval '24 hours'
  from (
    select c.number_key, c.at, row_number() over (partition by c.number_key order by c.at desc) as nth
    from private.calls c
    -- A call of a time further ahead was logged while the clock was wrong, and would count until a day after that time.
    where c.at between now() - interval '24 hours' and now() + interval '24 hours'
  ) x
  where x.nth = 3;
$$;

-- What a list shows of the ZIP code that a visitor typed: its five digits only.
create function private.zip_shown(zip_code text) returns text
language sql immutable
return coalesce(private.zip_in(zip_code), '');

-- What a visitor typed, or `otherwise` where it holds only blanks and invisible characters: \s and Default_Ignorable_Code_Point of Unicode,
-- and the empty pattern of Braille. Such a text is stored, because only a text of blanks counts as missing, and its person may still be
-- called; but no one could see it or press it. A joiner (200c, 200d) within a name stays. The marks that reverse the direction of writing
-- (061c, 200e, 200f, 202a to 202e, 2066 to 2069) are removed, because a member reads a number from the screen.
create function private.shown(typed text, otherwise text) returns text
language sql immutable
return case
  when typed ~ '[^\u0001-\u0020\u007f-\u00a0\u00ad\u034f\u061c\u115f\u1160\u1680\u17b4\u17b5\u180b-\u180f\u2000-\u200f\u2028-\u202f\u205f-\u206f\u2800\u3000\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]'
    then regexp_replace(typed, '[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]', '', 'g')
  else otherwise
end;

-- A text without the e-mail addresses in it, with blanks around an at sign or not.
create function private.without_addresses(typed text) returns text
language sql immutable
return regexp_replace(
  replace(typed, '…', '...'), '[^[:space:]]+[[:space:]]*@[[:space:]]*[^[:space:].]+[.][^[:space:]]+|[^[:space:]]*@[^[:space:]]*', '…', 'g'
);

-- The numbers of ten digits or more in two texts.
create function private.long_numbers_in(one text, other text, known text[]) returns text[]
language sql immutable
set search_path = pg_catalog, pg_temp
as $$
  select array(
    select distinct n.number from unnest(private.phone_numbers(one) || private.phone_numbers(other)) as n (number)
    where length(n.number) >= 10 and n.number <> all (known)
  );
$$;

-- The numbers of ten digits or more in the name, and beside the addresses in the e-mail field: a member reads them and may call them, so a
-- stop reaches them. Shorter ones may be a date of birth, which strangers share. `known` are those of the phone field. Every lead is indexed
-- with this, and almost none has such a number, so the texts are taken apart only where they may hold one.
create function private.numbers_beside(name text, email text, known text[]) returns text[]
language sql immutable
return case
  -- Fewer than ten digits, and no characters that may be digits of another script. Without a search_path the planner puts this into the query.
  when octet_length(name || email) = length(name || email)
    and length(translate(name || email, '0123456789', '')) > length(name || email) - 10 then '{}'
  -- A person writes a number within the first hundred characters; what a program sends must not cost more than its length.
  else private.long_numbers_in(left(name, 100), private.without_addresses(left(email, 100)), known)
end;

-- A text without the phone numbers in it, whatever but letters divides a number.
create function private.without_numbers(typed text) returns text
language sql immutable
return regexp_replace(typed, '[+]?[0-9]([^0-9[:alpha:]…]*[0-9]){6,}', '…', 'g');

create function private.without_contacts(typed text) returns text
language sql immutable
return private.without_numbers(private.without_addresses(typed));

-- The first 500 characters of what a visitor typed, without the e-mail addresses and the phone numbers, in the digits of any script, that
-- are in it; `otherwise` where nobody could see the text.
create function private.shown_without_contacts(typed text, otherwise text) returns text
language sql immutable
return case
  when private.without_contacts(private.in_ascii(left(typed, 500))) = replace(private.in_ascii(left(typed, 500)), '…', '...')
    then private.shown(left(typed, 500), otherwise)
  else private.without_contacts(private.in_ascii(left(typed, 500)))
end;

-- A name as a list shows it. Some people type everything into one field: what is hidden here is shown during a call.
create function private.name_shown(name text) returns text
language sql immutable
return private.shown_without_contacts(name, '(no name)');

-- What stands beside the addresses in an e-mail field, also where only a sign stands between.
create function private.beside_addresses(email text) returns text
language sql immutable
return private.without_addresses(regexp_replace(private.in_ascii(left(email, 500)), '[^[:alnum:]@._-]', ' ', 'g'));

-- The first 500 characters of an e-mail field as the lead's page shows it before a call: whole, unless a phone number was typed beside an
-- address, in its place, or after its at sign.
create function private.email_shown(email text) returns text
language sql immutable
return case
  when private.without_numbers(private.beside_addresses(email)) = private.beside_addresses(email)
    and private.in_ascii(left(email, 500)) !~ '@[^@]*[0-9]([^0-9[:alpha:]@]*[0-9]){6}'
    then private.shown(left(email, 500), '(blank)')
  else private.shown_without_contacts(email, '(blank)')
end;

create function private.place_json(zip text, w private.place_windows) returns jsonb
language sql immutable
return jsonb_build_object(
  'zip', zip, 'states', w.states, 'zones', w.zones, 'likeliest_state', nullif(split_part(w.place, '/', 1), 'unknown'), 'callable', w.callable, 'callable_at', w.callable_at,
  'callable_until', w.callable_until, 'reason', w.reason, 'blocking_state', w.blocking_state, 'blocking_zone', w.blocking_zone
);

-- The calling window of a place at any moment, computed and not read from place_windows. It decides whether a call or a callback is
-- allowed.
create function private.place_at(place_key text, moment timestamptz) returns private.place_windows
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select c.place, c.callable, case when not c.callable then c.next_callable_at end, c.callable_until,
    c.states, c.zones, c.reason,
    nullif(c.blocking_state, 'unknown'), c.blocking_zone, moment
  from private.calling_window(place_key, moment) c
$$;

-- The section of a lead by its name in the API, as the queue has it at this moment.
create function private.section_name(w private.lead_work) returns text
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select (array['callback_due', 'callable', 'not_callable', 'closed'])[private.section_of(
    w.stage, w.callback_at, w.callback_asked_for, p.callable, p.reason,
    (select e.until from private.exhausted_numbers() e where e.number_key = w.number_key), w.withdrawn_at is not null
  )]
  from private.place_windows p where p.place = w.place
$$;

-- Rows for a list, in the order of the ids. No phone, e-mail address or health answer is in them.
create function private.rows_of(leads uuid[]) returns jsonb
language sql stable
set search_path = pg_catalog, pg_temp
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
      'callback_zone', w.callback_zone,
      'outcome', w.outcome,
      'claim', case when c.lead_id is not null then jsonb_build_object(
        'member', jsonb_build_object('id', m.id, 'name', m.name), 'until', c.until
      ) end,
      'flags', to_jsonb(w.flags),
      'withdrawn', p.withdrawn_at is not null,
      'section', (array['callback_due', 'callable', 'not_callable', 'closed'])[private.section_of(
        w.stage, w.callback_at, w.callback_asked_for, win.callable, win.reason, e.until, p.withdrawn_at is not null
      )],
      'asked_for_now', w.stage = 'callback' and e.until is null
        and private.is_asked_for_now(w.callback_asked_for, w.callback_at, win.reason),
      'next_attempt_at', e.until
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

create function team.rows(leads uuid[]) returns jsonb
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  perform private.require_session(is_activity => false);
  perform private.refresh_place_windows();
  return jsonb_build_object('rows', private.rows_of(leads));
end $$;

revoke execute on function
  private.is_asked_for_now, private.callback_may_be_made, private.section_of, private.exhausted_numbers, private.zip_shown, private.shown, private.without_addresses,
  private.numbers_beside, private.long_numbers_in, private.without_numbers, private.without_contacts, private.shown_without_contacts, private.name_shown, private.beside_addresses, private.email_shown, private.place_json,
  private.place_at, private.section_name, private.rows_of, team.rows
from public;
grant execute on function team.rows to leads_team;
-- No grant on any table: what a member may see and do is what these functions do.
