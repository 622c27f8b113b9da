-- Page loads summed by finished day (of UTC), because a report of a year would otherwise read each count of it while a manager waits.
-- Nothing is added to a finished day any more. Where somebody changes its counts all the same, the day is summed anew, unless the change
-- is under way while the day is being summed.

-- The finished days whose page loads are summed in the two tables below.
create table private.report_page_days (
  day date primary key,
  -- Without bots.
  views bigint not null,
  pressed bigint not null
);

-- The nine steps of `private.page_counts`, of all hours together.
create table private.report_pages (
  day date not null,
  source text not null,
  medium text not null,
  campaign text not null,
  variant text not null,
  device text not null,
  served bigint not null,
  prefetched bigint not null,
  views bigint not null,
  reloaded bigint not null,
  returned bigint not null,
  half_read bigint not null,
  form_seen bigint not null,
  began bigint not null,
  pressed bigint not null,

  primary key (day, source, medium, campaign, variant, device)
);

-- Without bots, and only of the days that are kept by hour.
create table private.report_page_hours (
  hour timestamptz primary key,
  views bigint not null,
  pressed bigint not null
);

alter table private.report_page_days enable row level security;
alter table private.report_pages enable row level security;
alter table private.report_page_hours enable row level security;
-- No policy and no grant: functions of the owner use them.
revoke all on private.report_page_days, private.report_pages, private.report_page_hours
from public, anon, leads_intake, leads_delivery, leads_team;

-- A body after `return` is parsed when the function is created, so it needs no search_path and can be inlined.
create function private.utc_day(moment timestamptz) returns date
language sql immutable
return (moment at time zone 'UTC')::date;

-- Takes the day out of report_page_days, so that its sums do not count until it is summed anew.
create function private.invalidate_page_sums() returns trigger
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  if tg_op = 'TRUNCATE' then
    delete from private.report_page_days;
  else
    delete from private.report_page_days r where r.day in (old.day, new.day);
  end if;
  return null;
end $$;

create trigger page_counts_30_invalidate_sums after insert on private.page_counts
for each row when (new.day < private.utc_day(now())) execute function private.invalidate_page_sums();
create trigger page_counts_32_invalidate_sums after update on private.page_counts
for each row when (least(old.day, new.day) < private.utc_day(now())) execute function private.invalidate_page_sums();
create trigger page_counts_31_invalidate_sums after delete on private.page_counts
for each row when (old.day < private.utc_day(now())) execute function private.invalidate_page_sums();
create trigger page_counts_39_invalidate_sums after truncate on private.page_counts
for each statement execute function private.invalidate_page_sums();

-- The page loads of a day by campaign, variant and device, as far as they are of its hours from `since` to before `until`; a day that is
-- rolled up has no hours, and is read as a whole.
create function private.pages_of_day(of_day date, since integer, until integer) returns setof private.report_pages
language plpgsql stable
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_custom_plan
as $$
begin
  return query
    select of_day, s.source, s.medium, s.campaign, s.variant, s.device,
      sum(case when s.step = 'served' then s.n else 0 end)::bigint, sum(case when s.step = 'prefetched' then s.n else 0 end)::bigint,
      sum(case when s.step = 'view' then s.n else 0 end)::bigint, sum(case when s.step = 'reload' then s.n else 0 end)::bigint,
      sum(case when s.step = 'return' then s.n else 0 end)::bigint, sum(case when s.step = 'half_read' then s.n else 0 end)::bigint,
      sum(case when s.step = 'form_seen' then s.n else 0 end)::bigint, sum(case when s.step = 'began' then s.n else 0 end)::bigint,
      sum(case when s.step = 'pressed' then s.n else 0 end)::bigint
    from (
      select c.source, c.medium, c.campaign, c.variant, c.device, c.step, sum(c.n) as n
      from private.page_counts c
      where c.day = of_day and (c.hour = -1 or c.hour >= since and c.hour < until)
      group by 1, 2, 3, 4, 5, 6
    ) s
    group by s.source, s.medium, s.campaign, s.variant, s.device;
end $$;

-- The days whose page loads belong to these times. A day that is kept by hour is one of them if an hour of it begins at `begins` or
-- later and before `ends`: `since` is the first such hour, and `until` the hour after the last. A day that is rolled up is one of them if
-- it is between `first_day` and `last_day`.
-- `is_summed`: the whole day belongs to these times, and its sums are valid.
create function private.page_days(begins timestamptz, ends timestamptz, first_day date, last_day date)
returns table (day date, since integer, until integer, is_by_hour boolean, is_summed boolean)
language plpgsql stable
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set enable_bitmapscan = off
as $$
declare
  from_time constant timestamp := begins at time zone 'UTC';
  to_time constant timestamp := ends at time zone 'UTC';
  first_counted constant date := (select min(c.day) from private.page_counts c);
  last_counted constant date := (select max(c.day) from private.page_counts c);
begin
  if first_counted is null then
    return;
  end if;
  return query
    with counted as materialized (
      select g::date as day, exists (select from private.page_counts c where c.day = g::date and c.hour >= 0) as is_by_hour,
        ceil(extract(epoch from greatest(from_time, g) - g) / 3600)::integer as since,
        ceil(extract(epoch from least(to_time, g + interval '1 day') - g) / 3600)::integer as until
      from generate_series(
        greatest(least(from_time::date, first_day), first_counted)::timestamp,
        least(greatest(to_time::date, last_day), last_counted)::timestamp, interval '1 day'
      ) g
      where g < to_time and g + interval '1 day' > from_time or g::date between first_day and last_day
    )
    select d.day, d.since, d.until, d.is_by_hour,
      (not d.is_by_hour or d.since = 0 and d.until = 24) and exists (select from private.report_page_days r where r.day = d.day)
    from counted d
    where case
      when d.is_by_hour then d.since < d.until and d.day + interval '1 day' > from_time and d.day < to_time
      else d.day between first_day and last_day
    end;
end $$;

-- The page loads of these times (private.page_days) by campaign, variant and device. Whole months and days are read from their sums.
-- Each combination has at most one row for the months, one for the other summed days, and one for each day that is not summed.
create function private.page_sums(begins timestamptz, ends timestamptz, first_day date, last_day date)
returns setof private.report_pages
language plpgsql stable
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_custom_plan
set enable_mergejoin = off
as $$
begin
  return query
    with days as materialized (select p.* from private.page_days(begins, ends, first_day, last_day) p),
    months as materialized (
      select m.month from private.page_months_of(array(select d.day from days d where d.is_summed)) m
    )
    select max(p.month), p.source, p.medium, p.campaign, p.variant, p.device, sum(p.served)::bigint, sum(p.prefetched)::bigint,
      sum(p.views)::bigint, sum(p.reloaded)::bigint, sum(p.returned)::bigint, sum(p.half_read)::bigint, sum(p.form_seen)::bigint,
      sum(p.began)::bigint, sum(p.pressed)::bigint
    from months m join private.report_page_months p on p.month = m.month
    group by p.source, p.medium, p.campaign, p.variant, p.device
    union all
    select max(p.day), p.source, p.medium, p.campaign, p.variant, p.device, sum(p.served)::bigint, sum(p.prefetched)::bigint,
      sum(p.views)::bigint, sum(p.reloaded)::bigint, sum(p.returned)::bigint, sum(p.half_read)::bigint, sum(p.form_seen)::bigint,
      sum(p.began)::bigint, sum(p.pressed)::bigint
    from private.report_pages p
    -- An array, because the planner would read all days if the table were joined with these few.
    where p.day = any (array(
      select d.day from days d where d.is_summed and private.month_of(d.day) not in (select m.month from months m)
    ))
    group by p.source, p.medium, p.campaign, p.variant, p.device
    union all
    select p.* from days d cross join lateral private.pages_of_day(d.day, d.since, d.until) p where not d.is_summed;
end $$;

-- The views and presses of readers, without bots, in these times (private.page_days): by hour of UTC. A day that is rolled up has one
-- row, whose hour is null.
create function private.page_hours(begins timestamptz, ends timestamptz, first_day date, last_day date)
returns table (day date, hour timestamptz, views bigint, pressed bigint)
language plpgsql stable
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_custom_plan
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
begin
  return query
    with days as materialized (select p.* from private.page_days(begins, ends, first_day, last_day) p)
    select d.day, h.hour, h.views, h.pressed
    from days d
    join private.report_page_hours h
      on h.hour >= d.day::timestamp at time zone 'UTC' and h.hour < (d.day + 1)::timestamp at time zone 'UTC'
    where d.is_summed and d.is_by_hour
    union all
    select d.day, null, r.views, r.pressed
    from days d join private.report_page_days r on r.day = d.day
    where d.is_summed and not d.is_by_hour
    union all
    select d.day, case when c.hour >= 0 then (d.day + make_interval(hours => c.hour)) at time zone 'UTC' end,
      sum(case when c.step = 'view' then c.n else 0 end)::bigint, sum(case when c.step = 'pressed' then c.n else 0 end)::bigint
    from days d
    join private.page_counts c on c.day = d.day and (c.hour = -1 or c.hour >= d.since and c.hour < d.until)
    where not d.is_summed and c.step in ('view', 'pressed') and c.device <> 'bot'
    group by d.day, c.hour;
end $$;

-- Sums the page loads of at most `at_most` finished days, the latest first, and returns how many days that was.
create function private.sum_up_page_days(at_most integer) returns integer
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  -- Ten minutes after the end of a day, because a transaction that began before its end still adds to it.
  last_finished constant date := private.utc_day(now() - interval '10 minutes') - 1;
  first_day constant date := (select min(c.day) from private.page_counts c);
  chosen date[] := array(
    select d::date from generate_series(first_day, last_finished, interval '1 day') as d
    where not exists (select from private.report_page_days r where r.day = d::date)
    order by 1 desc limit at_most
  );
  of_day date;
begin
  -- These days are not over: they were summed while the clock was ahead for a moment.
  delete from private.report_page_days r where r.day > last_finished;
  foreach of_day in array chosen loop
    delete from private.report_pages p where p.day = of_day;
    delete from private.report_page_hours h
    where h.hour >= of_day::timestamp at time zone 'UTC' and h.hour < (of_day + 1)::timestamp at time zone 'UTC';
    insert into private.report_pages select * from private.pages_of_day(of_day, 0, 24);
    insert into private.report_page_hours (hour, views, pressed)
    select (of_day + make_interval(hours => c.hour)) at time zone 'UTC', sum(case when c.step = 'view' then c.n else 0 end),
      sum(case when c.step = 'pressed' then c.n else 0 end)
    from private.page_counts c
    where c.day = of_day and c.hour >= 0 and c.step in ('view', 'pressed') and c.device <> 'bot'
    group by c.hour;
    insert into private.report_page_days (day, views, pressed)
    select of_day, coalesce(sum(p.views), 0), coalesce(sum(p.pressed), 0)
    from private.report_pages p
    where p.day = of_day and p.device <> 'bot';
  end loop;
  perform private.sum_up_page_months(chosen);
  return cardinality(chosen);
end $$;

revoke execute on function
  private.utc_day, private.invalidate_page_sums, private.pages_of_day, private.page_days, private.page_sums,
  private.page_hours, private.sum_up_page_days
from public;
