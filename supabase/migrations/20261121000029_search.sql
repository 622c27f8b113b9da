-- Finding leads by what is known of them.

-- The words of a name, as the index and the search compare them: without accents, in lower case (a database of the locale C makes only
-- English letters lower), and split at everything that is no letter or digit, so that St.John and Garcia/Lopez are two words each.
-- PostgreSQL's own parser takes them for a host and a file. The expressions list characters and use no class such as [:alpha:], which in
-- the locale C holds English letters only. Only the first 100 characters of a word are compared.
create function private.words_of(name text) returns text[]
language plpgsql immutable parallel safe
set search_path = pg_catalog, pg_temp
as $$
begin
  if octet_length(name) <> char_length(name) then
    name := regexp_replace(normalize(private.in_ascii(name), NFD), '[\u0300-\u036f]', '', 'g');
    name := translate(name, 'łŁøØđĐðÐıħĦÆŒẞ', 'lLoOdDdDihHæœß');
    name := replace(replace(replace(name, 'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe');
    name := regexp_replace(name, '[\u0080-\u00bf\u00d7\u00f7\u2000-\u206f\u20a0-\u20cf\u2122\u2190-\u2bff\u3000-\u303f\U0001f000-\U0001faff]', ' ', 'g');
  end if;
  return array(
    select distinct left(word, 100)
    from regexp_split_to_table(lower(name), '[\u0001-\u002f\u003a-\u0060\u007b-\u007f]+') as word
    where word <> ''
  );
end $$;

-- The words of a search as a prefix query on names; null when there are none. A word holds no character that a query gives a meaning.
create function private.name_query(words text) returns tsquery
language sql immutable
set search_path = pg_catalog, pg_temp
return (
  select string_agg('''' || word || ''':*', ' & ')::tsquery from unnest(private.words_of(words)) as word
);

-- What a search looks for, by what the words look like, and the condition on private.lead_work w that finds it: $1 are the words, $2 the
-- phone number in them, $8 the leads that have the number or address among their other_numbers or other_addresses. A reference or id may
-- have dashes or not.
create function private.search_condition(words text, number text, found_among_others uuid[], out kind text, out condition text)
language plpgsql immutable
set search_path = pg_catalog, pg_temp
as $$
declare
  hex_digits constant text := lower(replace(words, '-', ''));
  reference_condition constant text := $condition$
    private.from_its_end(w.lead_id) collate "C" >= reverse(lower(replace($1, '-', '')))
    and private.from_its_end(w.lead_id) collate "C" < reverse(lower(replace($1, '-', ''))) || 'g'
  $condition$;
  -- Left out where there are no such leads, because without an "or" the leads are read in the order of an index.
  or_among_others constant text := case when found_among_others <> '{}' then ' or w.lead_id = any ($8)' else '' end;
  phone_condition constant text := 'w.phone_digits = $2' || or_among_others;
begin
  if words = '' then
    kind := 'none';
    condition := 'true';
  elsif strpos(words, '@') > 0 then
    kind := 'email';
    condition := 'w.email_key = lower($1)' || or_among_others;
  elsif hex_digits ~ '^[0-9]{8}$' then
    kind := 'reference or phone';
    -- Where these digits are no phone number, `number` is empty, and would find the many leads without one.
    condition := reference_condition || case when number <> '' then ' or ' || phone_condition else '' end;
  elsif hex_digits ~ '^[0-9a-f]{32}$' then
    kind := 'id';
    condition := 'w.lead_id = replace($1, ''-'', '''')::uuid';
  -- The last 9 or more digits of an id almost always have a letter among them, and a phone number has none.
  elsif hex_digits ~ '^[0-9a-f]{8,31}$' and hex_digits ~ '[a-f]' then
    kind := 'reference';
    condition := reference_condition;
  elsif number <> '' then
    kind := 'phone';
    condition := phone_condition;
  elsif private.name_query(words) is not null then
    kind := 'name';
    condition := 'w.search @@ private.name_query($1)';
  else
    kind := 'name';
    condition := 'false';
  end if;
end $$;

-- The words of a search from its entry in the audit log, which does not hold them, to the search itself, mostly some milliseconds later.
-- Unlogged, so that no standby and no archive of the write-ahead log ever has them; `leads backup` leaves them out.
create unlogged table private.searches (
  entry bigint primary key,
  at timestamptz not null default now(),
  words text not null
);
-- No policy and no grant: only the owner's functions use this table.
alter table private.searches enable row level security;
revoke all on private.searches from public, anon, leads_intake, leads_delivery, leads_team;

-- Says in the audit log that the actor is about to search, and returns the entry. Null for no words, because that is a list, like the queue.
create function team.record_search(words text) returns bigint
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  actor private.actor := private.require_session();
  plain constant text := btrim(private.in_ascii(words));
  kind text := (select s.kind from private.search_condition(plain, private.phone_digits(words), '{}') s);
  entry bigint;
begin
  if kind = 'none' then
    return null;
  end if;
  -- Those that were never made.
  delete from private.searches s where s.at not between now() - interval '1 minute' and now() + interval '1 minute';
  entry := private.audit(actor, 'searched', null, jsonb_build_object('by', kind));
  insert into private.searches (entry, words) values (entry, record_search.words);
  return entry;
end $$;

-- Returns the words of an entry of the audit log that the actor wrote at most a minute ago, in an earlier transaction, by
-- team.record_search, and forgets them, because each page has its own entry. Raises PT403 without them.
create function private.words_of_search(entry bigint, actor private.actor) returns text
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  found_words text;
begin
  perform private.lead_of_audit_entry(entry, actor, 'searched');
  delete from private.searches s where s.entry = words_of_search.entry returning s.words into found_words;
  if not found then
    raise exception using errcode = 'PT403', message = 'The audit log has to be written first.';
  end if;
  return found_words;
end $$;

-- Finds leads by the words of an entry (team.record_search): name, whole phone number, whole e-mail address, id or reference, in the digits
-- of any script, newest first. Without an entry it is a list, like the queue.
create function team.search(entry bigint, filter jsonb, after text, at_most integer) returns jsonb
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  actor private.actor := private.require_session();
  words text := case when entry is null then '' else private.words_of_search(entry, actor) end;
  number constant text := private.phone_digits(words);
  plain constant text := btrim(private.in_ascii(words));
  found_among_others constant uuid[] := case
    when strpos(plain, '@') > 0 then array(
      select w.lead_id from private.lead_work w where w.other_addresses && array[lower(plain)] and w.other_addresses <> '{}'
    )
    else array(
      select w.lead_id from private.lead_work w where w.other_numbers && array[number] and w.other_numbers <> '{}'
    )
  end;
  cursor_parts text[] := string_to_array(after, '|');
  condition text;
  page_ids uuid[];
  next_key text;
begin
  perform private.refresh_place_windows();
  words := plain;
  select s.condition into condition from private.search_condition(words, number, found_among_others) s;
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
        and ($5 ->> 'until' is null or w.created_at < private.day_ends($5 ->> 'until', $5 ->> 'zone'))
        and (($5 ->> 'mine')::boolean is not true or exists (
          select from private.claims c where c.lead_id = w.lead_id and c.member_id = $6 and c.until > now()))
        and (($5 ->> 'late')::boolean is not true
          or w.stage <> 'closed' and w.tried_at is null and w.created_at < now() - interval '24 hours')
        and ($5 ->> 'section' is null or $5 ->> 'section' = private.section_name(w))
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
  using words, number, after, cursor_parts, coalesce(filter, '{}'), actor.member_id, at_most, found_among_others;
  update private.audit_log a set details = a.details || jsonb_build_object('shown', coalesce(cardinality(page_ids), 0))
  where a.id = search.entry;
  return jsonb_build_object('rows', private.rows_of(page_ids), 'next', next_key);
end $$;

-- Finds a lead's work by id or reference, with or without dashes. Raises PT404, and PT409 for a reference that several leads have.
create function private.work_of(id_or_reference text) returns private.lead_work
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  w private.lead_work;
  another uuid;
  wanted text := lower(replace(id_or_reference, '-', ''));
begin
  -- Fewer digits than a reference has are the end of many ids.
  if wanted !~ '^[0-9a-f]{8,32}$' then
    raise exception using errcode = 'PT404', message = 'There is no such lead.';
  end if;
  for attempt in 1..2 loop
    if length(wanted) = 32 then
      select * into w from private.lead_work x where x.lead_id = wanted::uuid;
    else
      select * into w from private.lead_work x
      where private.from_its_end(x.lead_id) collate "C" >= reverse(wanted) and private.from_its_end(x.lead_id) collate "C" < reverse(wanted) || 'g'
      order by private.from_its_end(x.lead_id) collate "C" limit 1;
      select x.lead_id into another from private.lead_work x
      where private.from_its_end(x.lead_id) collate "C" > private.from_its_end(w.lead_id) collate "C"
        and private.from_its_end(x.lead_id) collate "C" < reverse(wanted) || 'g'
      limit 1;
    end if;
    exit when w.lead_id is not null;
    -- A lead of this second may have no row yet.
    perform private.index_new_leads();
  end loop;
  if w.lead_id is null then
    raise exception using errcode = 'PT404', message = 'There is no such lead.';
  end if;
  if another is not null then
    raise exception using errcode = 'PT409', message = 'Several leads have this reference.';
  end if;
  return w;
end $$;

-- Locks a lead's work until the end of the transaction, and returns it as it is then. Raises PT404 for a lead that was erased meanwhile.
create function private.lock_work(lead uuid) returns private.lead_work
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  w private.lead_work;
begin
  select * into w from private.lead_work x where x.lead_id = lead for update;
  if not found then
    raise exception using errcode = 'PT404', message = 'There is no such lead.';
  end if;
  return w;
end $$;

revoke execute on function
  private.words_of, private.name_query, private.search_condition, private.words_of_search, private.work_of, private.lock_work,
  team.record_search, team.search
from public;
grant execute on function team.record_search, team.search to leads_team;
