-- When a person may be called. The database and not the inbox decides it, because every way to the number goes through the database.
-- A call to a person who may be in several places is lawful only when it is lawful in each of them.

-- The nth weekday (1 is Monday) of a month.
create function private.nth_weekday(year integer, month integer, weekday integer, nth integer) returns date
language sql immutable parallel safe
set search_path = pg_catalog, pg_temp
return make_date(year, month, 1)
  + mod(weekday + 7 - extract(isodow from make_date(year, month, 1))::integer, 7) + 7 * (nth - 1);

-- Easter Sunday of the Gregorian calendar, by the rule of Meeus, Jones and Butcher.
create function private.easter_sunday(year integer) returns date
language plpgsql immutable parallel safe
set search_path = pg_catalog, pg_temp
as $$
declare
  a integer := year % 19;
  b integer := year / 100;
  c integer := year % 100;
  h integer := (19 * a + b - b / 4 - (b - (b + 8) / 25 + 1) / 3 + 15) % 30;
  l integer := (32 + 2 * (b % 4) + 2 * (c / 4) - h - c % 4) % 7;
  m integer := (a + 11 * h + 22 * l) / 451;
begin
  return make_date(year, (h + l - 7 * m + 114) / 31, (h + l - 7 * m + 114) % 31 + 1);
end $$;

-- The holidays of a year on which a state bars calls: the federal ones (5 U.S.C. 6103) and its own. What a governor proclaims is
-- not known here; a manager pauses the state for that day. A holiday with a fixed date that falls on a weekend is barred on its
-- own day and on the working day beside it, which for New Year's Day may lie in the year before.
create function private.state_holidays(year integer) returns table (state text, day date, name text)
language sql immutable parallel safe
set search_path = pg_catalog, pg_temp
as $$
  with named (name, day, states) as (
    values
      ('New Year''s Day', make_date(year, 1, 1), 'AL LA MS PA'),
      ('Battle of New Orleans', make_date(year, 1, 8), 'LA'),
      ('Birthday of Martin Luther King, Jr.', private.nth_weekday(year, 1, 1, 3), 'AL LA MS PA'),
      ('Washington''s Birthday', private.nth_weekday(year, 2, 1, 3), 'AL LA MS PA'),
      -- In Alabama in the counties of Mobile and Baldwin alone, which a place does not tell apart.
      ('Mardi Gras', private.easter_sunday(year) - 47, 'AL LA'),
      ('Good Friday', private.easter_sunday(year) - 2, 'LA PA'),
      ('Confederate Memorial Day', private.nth_weekday(year, 4, 1, 4), 'AL'),
      ('Confederate Memorial Day', private.nth_weekday(year, 5, 1, 1) - 7, 'MS'),
      ('Memorial Day', private.nth_weekday(year, 6, 1, 1) - 7, 'AL LA MS PA'),
      ('Jefferson Davis'' Birthday', private.nth_weekday(year, 6, 1, 1), 'AL'),
      ('Flag Day', make_date(year, 6, 14), 'PA'),
      ('Juneteenth', make_date(year, 6, 19), 'AL LA MS PA'),
      ('Independence Day', make_date(year, 7, 4), 'AL LA MS PA'),
      ('Huey P. Long Day', make_date(year, 8, 30), 'LA'),
      ('Labor Day', private.nth_weekday(year, 9, 1, 1), 'AL LA MS PA'),
      ('Columbus Day', private.nth_weekday(year, 10, 1, 2), 'AL LA MS PA'),
      ('All Saints'' Day', make_date(year, 11, 1), 'LA'),
      ('Election Day', private.nth_weekday(year, 11, 1, 1) + 1, 'LA PA'),
      ('Veterans Day', make_date(year, 11, 11), 'AL LA MS PA'),
      ('Thanksgiving Day', private.nth_weekday(year, 11, 4, 4), 'AL LA MS PA'),
      ('Acadian Day', private.nth_weekday(year, 11, 4, 4) + 1, 'LA'),
      ('Rosa Parks Day', make_date(year, 12, 1), 'AL'),
      ('Christmas Day', make_date(year, 12, 25), 'AL LA MS PA')
  ),
  observed as (
    select n.name, n.day, n.states from named n
    union all
    select n.name, n.day - 1, n.states from named n where extract(isodow from n.day) = 6
    union all
    select n.name, n.day + 1, n.states from named n where extract(isodow from n.day) = 7
  )
  select unnest(string_to_array(o.states, ' ')), o.day, o.name from observed o
$$;

-- For each place key: may a call begin at this moment, and if not, when next within 14 days.
--   next_callable_at  the first moment, this one included, that every place of the key allows; null when there is none in 14 days
--   callable_until    when the hours under way end; null when a call is not lawful now
--   local_time        on the clocks of the first place, as 2026-11-21T08:30
--   states, zones     each once, the likeliest first; `unknown` is no state
--   reason            null when lawful; else paused, holiday, sunday, outside_hours or unknown_zip
--   blocking_state    the state that forbids the call, or unknown; null when lawful
--   blocking_zone     that state's zone, in whose time the next callable moment is told
-- One row for each key given. A key that is null, empty or not made by place_of counts as an unknown ZIP code.
create function private.calling_windows(place_keys text[], moment timestamptz default now())
returns table (
  place text, callable boolean, next_callable_at timestamptz, callable_until timestamptz, local_time text,
  states text[], zones text[], reason text, blocking_state text, blocking_zone text
)
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  with key_places as (
    select k.nth, coalesce(p.place, 'unknown/America/New_York') as place, m.rank
    from unnest(place_keys) with ordinality as k (key, nth)
    cross join lateral unnest(string_to_array(coalesce(nullif(k.key, ''), 'unknown/America/New_York'), '|'))
      with ordinality as m (place, rank)
    left join private.places p on p.place = m.place
  ),
  holidays as materialized (
    select distinct h.state, h.day
    from generate_series(
      extract(year from moment - interval '2 days')::integer, extract(year from moment + interval '18 days')::integer
    ) as y (year)
    cross join lateral private.state_holidays(y.year) h
  ),
  days as (
    select p.place, p.state, p.zone, n.ahead, d.day, h.state is not null as is_holiday, q.state is not null as is_paused,
      case extract(isodow from d.day) when 7 then r.on_sundays when 6 then r.on_saturdays else r.on_weekdays end as hours
    from private.places p
    join private.calling_rules r on r.state = p.state
    left join private.paused_states q on q.state = p.state
    cross join generate_series(0, 14) as n (ahead)
    cross join lateral (select (moment at time zone p.zone)::date + n.ahead as day) d
    left join holidays h on h.state = p.state and h.day = d.day and not r.may_call_on_state_holidays
    where p.place in (select m.place from key_places m)
  ),
  open_times as (
    select d.place, d.state, d.zone,
      coalesce(
        range_agg(tstzrange(
          (d.day + make_interval(hours => lower(d.hours))) at time zone d.zone,
          (d.day + make_interval(hours => upper(d.hours))) at time zone d.zone
        )) filter (where d.hours is not null and not d.is_holiday and not d.is_paused),
        '{}'
      ) as times,
      case
        when bool_or(d.is_paused) then 1
        when bool_or(d.is_holiday and d.ahead = 0) then 2
        when d.state = 'unknown' then 5
        when bool_or(d.hours is null and d.ahead = 0) then 3
        else 4
      end as obstacle
    from days d
    group by d.place, d.state, d.zone
  ),
  keys as (
    select m.nth,
      range_intersect_agg(o.times) * tstzrange(moment, null)::tstzmultirange as times,
      array_agg(o.state order by m.rank) as states,
      array_agg(o.zone order by m.rank) as zones,
      -- The gravest obstacle, and among equals the likeliest place.
      min(o.obstacle * 1000 + m.rank) filter (where not o.times @> moment) as obstacle
    from key_places m
    join open_times o on o.place = m.place
    group by m.nth
  )
  select place_keys[k.nth], k.obstacle is null, lower(k.times),
    case when k.obstacle is null then (select upper(unnest(k.times)) limit 1) end,
    to_char(moment at time zone k.zones[1], 'YYYY-MM-DD"T"HH24:MI'),
    array(
      select t.state from unnest(k.states) with ordinality as t (state, nth)
      where t.state <> 'unknown' group by t.state order by min(t.nth)
    ),
    array(select t.zone from unnest(k.zones) with ordinality as t (zone, nth) group by t.zone order by min(t.nth)),
    (array['paused', 'holiday', 'sunday', 'outside_hours', 'unknown_zip'])[k.obstacle / 1000],
    k.states[k.obstacle % 1000], k.zones[k.obstacle % 1000]
  from keys k
$$;

-- Returns the row of calling_windows for one place key.
create function private.calling_window(place_key text, moment timestamptz default now())
returns table (
  place text, callable boolean, next_callable_at timestamptz, callable_until timestamptz, local_time text,
  states text[], zones text[], reason text, blocking_state text, blocking_zone text
)
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select * from private.calling_windows(array[place_key], moment)
$$;

revoke execute on function
  private.nth_weekday, private.easter_sunday, private.state_holidays, private.calling_windows, private.calling_window
from public;
