-- What the reports add up, summed by day (of UTC), because a report of a year would otherwise read millions of leads while a manager
-- waits. A day is summed once all its leads are older than the 24 hours of the promise. What changes about a lead later marks the day
-- of the lead, and a marked day is read from its leads until it is summed anew, so a report is never behind.

-- The days whose sums stand in the three tables below.
create table private.report_days (
  day date primary key
);

-- A row for each change about a lead of an older day; several a day, so that no two transactions wait for each other.
create table private.report_changes (
  day date not null
);

create table private.report_hours (
  hour timestamptz primary key,
  leads integer not null,
  -- Reviewed within 24 hours; and withdrawn within them, unreviewed.
  kept integer not null,
  excused integer not null,
  calls integer not null,
  reached integer not null
);

create table private.report_campaigns (
  day date not null,
  source text not null,
  medium text not null,
  campaign text not null,
  -- Empty when no experiment ran.
  variant text not null,
  device text not null,
  -- Empty when none is recorded yet.
  outcome text not null,
  leads integer not null,
  reviewed integer not null,
  withdrawn integer not null,
  -- Leads that a program sent, because it filled in the field that no person sees; and of these, reviewed.
  from_programs integer not null,
  reviewed_from_programs integer not null,

  primary key (day, source, medium, campaign, variant, device, outcome)
);

create table private.report_first_calls (
  day date not null,
  -- From the lead to its first call, as private.coarse_minutes has them.
  minutes integer not null,
  leads integer not null,

  primary key (day, minutes)
);

-- The finished days whose page loads are summed in the two tables below. A finished day is counted no further; where somebody writes
-- counts of one all the same, it is summed anew.
create table private.report_page_days (
  day date primary key,
  -- Without bots.
  views bigint not null,
  pressed bigint not null
);

-- A row for the nine steps of `private.page_counts`, of all hours together.
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

-- Without bots, and of the days alone that are kept by hour.
create table private.report_page_hours (
  hour timestamptz primary key,
  views bigint not null,
  pressed bigint not null
);

alter table private.report_days enable row level security;
alter table private.report_changes enable row level security;
alter table private.report_hours enable row level security;
alter table private.report_campaigns enable row level security;
alter table private.report_first_calls enable row level security;
alter table private.report_page_days enable row level security;
alter table private.report_pages enable row level security;
alter table private.report_page_hours enable row level security;
-- No policy and no grant: functions of the owner use them.
revoke all on
  private.report_days, private.report_changes, private.report_hours, private.report_campaigns, private.report_first_calls,
  private.report_page_days, private.report_pages, private.report_page_hours
from public, anon, leads_intake, leads_delivery, leads_team;

-- A body after `return` is parsed when the function is created, so it needs no search_path and can be inlined.
create function private.utc_day(moment timestamptz) returns date
language sql immutable
return (moment at time zone 'UTC')::date;

create function private.mark_report_day() returns trigger
language plpgsql
security definer
set search_path = ''
as $$
declare
  yesterday constant date := private.utc_day(now()) - 1;
begin
  insert into private.report_changes (day)
  select distinct d.day from (
    values
      (case when tg_table_name = 'lead_work' then private.utc_day((to_jsonb(old) ->> 'created_at')::timestamptz) end),
      (case when tg_table_name = 'lead_work' then private.utc_day((to_jsonb(new) ->> 'created_at')::timestamptz) end),
      (case when tg_table_name = 'calls' then private.utc_day((to_jsonb(old) ->> 'at')::timestamptz) end),
      (case when tg_table_name = 'calls' then private.utc_day((to_jsonb(new) ->> 'at')::timestamptz) end),
      -- A call may be the first one of its lead.
      ((
        select private.utc_day(w.created_at) from private.lead_work w
        where tg_table_name = 'calls' and w.lead_id = (coalesce(to_jsonb(new), to_jsonb(old)) ->> 'lead_id')::uuid
      ))
  ) d (day)
  where d.day < yesterday;
  return null;
end $$;

create trigger lead_work_30_mark_report_day after insert on private.lead_work
for each row when (new.created_at < now() - interval '24 hours') execute function private.mark_report_day();
create trigger lead_work_31_mark_report_day after delete on private.lead_work
for each row when (old.created_at < now() - interval '24 hours') execute function private.mark_report_day();
create trigger lead_work_32_mark_report_day after update on private.lead_work
for each row when (
  old.created_at < now() - interval '24 hours'
  and (old.outcome, old.reviewed_at, old.withdrawn_at, old.utm, old.variant, old.device)
    is distinct from (new.outcome, new.reviewed_at, new.withdrawn_at, new.utm, new.variant, new.device)
)
execute function private.mark_report_day();
create trigger calls_30_mark_report_day after insert or update or delete on private.calls
for each row execute function private.mark_report_day();

create function private.delete_page_sums() returns trigger
language plpgsql
security definer
set search_path = ''
as $$
begin
  if tg_op = 'TRUNCATE' then
    delete from private.report_page_days;
  else
    delete from private.report_page_days r where r.day in (old.day, new.day);
  end if;
  return null;
end $$;

create trigger page_counts_30_delete_sums after insert or update on private.page_counts
for each row when (new.day < private.utc_day(now())) execute function private.delete_page_sums();
create trigger page_counts_31_delete_sums after delete on private.page_counts
for each row when (old.day < private.utc_day(now())) execute function private.delete_page_sums();
create trigger page_counts_39_delete_sums after truncate on private.page_counts
for each statement execute function private.delete_page_sums();

-- Minutes to the minute within an hour, then to five, to thirty, and to six hours: few values, and each within a tenth. Inlined, because
-- it is asked of each lead.
create function private.coarse_minutes(duration interval) returns integer
language sql immutable
return (
  case
    when duration < interval '1 hour' then round(extract(epoch from duration) / 60)
    when duration < interval '10 hours' then round(extract(epoch from duration) / 300) * 5
    when duration < interval '3 days' then round(extract(epoch from duration) / 1800) * 30
    else round(extract(epoch from duration) / 21600) * 360
  end
)::integer;

-- What the reports ask of each lead that came in these times. Each call is planned for its times, because the planner would otherwise
-- read the whole table for a day's leads.
create function private.report_leads(begins timestamptz, ends timestamptz)
returns table (
  created_at timestamptz, promise text, outcome text, is_reviewed boolean, is_withdrawn boolean,
  source text, medium text, campaign text, variant text, device text, is_from_program boolean, called_after integer
)
language plpgsql stable
set search_path = ''
set plan_cache_mode = force_custom_plan
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
begin
  return query
    select w.created_at,
      case
        when w.reviewed_at <= w.created_at + interval '24 hours' then 'kept'
        -- Whoever withdrew within the 24 hours is owed no review.
        when w.reviewed_at is null and w.withdrawn_at <= w.created_at + interval '24 hours' then 'excused'
        when w.created_at <= now() - interval '24 hours' then 'missed'
        else 'open'
      end,
      w.outcome, w.reviewed_at is not null, w.withdrawn_at is not null,
      coalesce(w.utm ->> 'utm_source', ''), coalesce(w.utm ->> 'utm_medium', ''), coalesce(w.utm ->> 'utm_campaign', ''),
      coalesce(w.variant, ''), w.device, 'honeypot filled' = any (w.flags),
      private.coarse_minutes(w.first_called_at - w.created_at)
    from private.lead_work w
    where w.created_at >= begins and w.created_at < ends;
end $$;

create function private.report_calls(begins timestamptz, ends timestamptz) returns table (at timestamptz, is_reached boolean)
language plpgsql stable
set search_path = ''
set plan_cache_mode = force_custom_plan
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
begin
  return query
    select c.at, coalesce(o.outcome not in ('no_answer', 'left_message', 'wrong_number'), false)
    from private.calls c left join private.outcomes o on o.call_id = c.id
    where c.at >= begins and c.at < ends;
end $$;

-- Sums one day anew.
create function private.sum_up_report_day(of_day date) returns void
language plpgsql
set search_path = ''
set plan_cache_mode = force_custom_plan
as $$
declare
  begins constant timestamptz := of_day::timestamp at time zone 'UTC';
  ends constant timestamptz := begins + interval '24 hours';
begin
  delete from private.report_hours h where h.hour >= begins and h.hour < ends;
  delete from private.report_campaigns c where c.day = of_day;
  delete from private.report_first_calls f where f.day = of_day;
  with leads as materialized (select * from private.report_leads(begins, ends)),
  hours as (
    insert into private.report_hours (hour, leads, kept, excused, calls, reached)
    select date_trunc('hour', x.at, 'UTC'), sum(x.leads), sum(x.kept), sum(x.excused), sum(x.calls), sum(x.reached)
    from (
      select l.created_at as at, 1 as leads, (l.promise = 'kept')::integer as kept, (l.promise = 'excused')::integer as excused,
        0 as calls, 0 as reached
      from leads l
      union all select c.at, 0, 0, 0, 1, c.is_reached::integer from private.report_calls(begins, ends) c
    ) x
    group by 1
  ),
  campaigns as (
    insert into private.report_campaigns (
      day, source, medium, campaign, variant, device, outcome, leads, reviewed, withdrawn, from_programs, reviewed_from_programs
    )
    select of_day, l.source, l.medium, l.campaign, l.variant, l.device, coalesce(l.outcome, ''), count(*),
      count(*) filter (where l.is_reviewed), count(*) filter (where l.is_withdrawn), count(*) filter (where l.is_from_program),
      count(*) filter (where l.is_from_program and l.is_reviewed)
    from leads l group by 2, 3, 4, 5, 6, 7
  )
  insert into private.report_first_calls (day, minutes, leads)
  select of_day, l.called_after, count(*) from leads l where l.called_after is not null group by 2;
  insert into private.report_days (day) values (of_day) on conflict do nothing;
end $$;

-- The page loads of a day by campaign, variant and device, as far as they are of its hours from `since` to before `until`; a day that is
-- rolled up has no hours, and is read as a whole.
create function private.pages_of_day(of_day date, since integer, until integer) returns setof private.report_pages
language plpgsql stable
set search_path = ''
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

-- The days whose page loads belong to these times: of the days that are kept by hour, those with hours from `begins` to before `ends`,
-- with the first of them and the one after the last; of those that are rolled up, the days from `first_day` to `last_day`. `is_summed`: the
-- whole day belongs to these times, and its sums stand.
create function private.page_days(begins timestamptz, ends timestamptz, first_day date, last_day date)
returns table (day date, since integer, until integer, is_by_hour boolean, is_summed boolean)
language plpgsql stable
set search_path = ''
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

-- The page loads of these times (private.page_days) by campaign, variant and device. A campaign has a row for each day that is not summed.
create function private.page_sums(begins timestamptz, ends timestamptz, first_day date, last_day date)
returns setof private.report_pages
language plpgsql stable
set search_path = ''
set plan_cache_mode = force_custom_plan
set enable_mergejoin = off
as $$
begin
  return query
    with days as materialized (select p.* from private.page_days(begins, ends, first_day, last_day) p)
    select max(p.day), p.source, p.medium, p.campaign, p.variant, p.device, sum(p.served)::bigint, sum(p.prefetched)::bigint,
      sum(p.views)::bigint, sum(p.reloaded)::bigint, sum(p.returned)::bigint, sum(p.half_read)::bigint, sum(p.form_seen)::bigint,
      sum(p.began)::bigint, sum(p.pressed)::bigint
    from days d join private.report_pages p on p.day = d.day
    where d.is_summed and p.day >= least(private.utc_day(begins), first_day)
    group by p.source, p.medium, p.campaign, p.variant, p.device
    union all
    select p.* from days d cross join lateral private.pages_of_day(d.day, d.since, d.until) p where not d.is_summed;
end $$;

-- The views and presses of readers, without bots, in these times (private.page_days): by hour of UTC, and with an empty hour by day
-- where a day is rolled up.
create function private.page_hours(begins timestamptz, ends timestamptz, first_day date, last_day date)
returns table (day date, hour timestamptz, views bigint, pressed bigint)
language plpgsql stable
set search_path = ''
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
    select d.day, case when d.is_by_hour then (d.day + make_interval(hours => c.hour)) at time zone 'UTC' end,
      sum(case when c.step = 'view' then c.n else 0 end)::bigint, sum(case when c.step = 'pressed' then c.n else 0 end)::bigint
    from days d
    join private.page_counts c on c.day = d.day and (c.hour = -1 or c.hour >= d.since and c.hour < d.until)
    where not d.is_summed and c.step in ('view', 'pressed') and c.device <> 'bot'
    group by d.day, d.is_by_hour, c.hour;
end $$;

-- Sums the page loads of finished days, at most so many, and returns how many days that was.
create function private.sum_up_page_days(at_most integer) returns integer
language plpgsql
set search_path = ''
as $$
declare
  -- The day ended a while ago, because counts are added to the day in which their transaction began.
  last_finished constant date := private.utc_day(now() - interval '10 minutes') - 1;
  first_day constant date := (select min(c.day) from private.page_counts c);
  chosen date[] := array(
    select d::date from generate_series(first_day, last_finished, interval '1 day') as d
    where not exists (select from private.report_page_days r where r.day = d::date)
    order by 1 desc limit at_most
  );
  of_day date;
begin
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
  return cardinality(chosen);
end $$;

-- Sums the days that are marked or not summed yet, at most so many of leads and of page loads, and returns how many that was.
create function private.sum_up_report_days(at_most integer default 20) returns integer
language plpgsql
security definer
set search_path = ''
as $$
declare
  first_day constant date := (select private.utc_day(min(w.created_at)) from private.lead_work w);
  chosen date[];
  of_day date;
  page_days integer;
begin
  -- One process does it; another need not wait, because the work is done then.
  if not pg_try_advisory_xact_lock(hashtextextended('private.report_days', 0)) then
    return 0;
  end if;
  page_days := private.sum_up_page_days(at_most);
  chosen := array(
    select x.day from (
      select c.day from private.report_changes c
      union
      select d::date from generate_series(first_day, private.utc_day(now()) - 2, interval '1 day') as d
      where not exists (select from private.report_days r where r.day = d::date)
    ) x
    order by x.day desc limit at_most
  );
  -- Removed first: a change that is committed later marks its day again.
  delete from private.report_changes c where c.day = any (chosen);
  foreach of_day in array chosen loop
    perform private.sum_up_report_day(of_day);
  end loop;
  return cardinality(chosen) + page_days;
end $$;

-- The whole days of these times (of UTC) whose sums stand; and with an empty day, the times between whose leads have to be read.
create function private.report_parts(begins timestamptz, ends timestamptz)
returns table (day date, since timestamptz, until timestamptz)
language plpgsql stable
set search_path = ''
as $$
declare
  first_at constant timestamptz := (
    select least((select min(w.created_at) from private.lead_work w), (select min(c.at) from private.calls c))
  );
  starts constant timestamptz := greatest(begins, first_at);
  stops constant timestamptz := least(ends, now() + interval '1 minute');
begin
  if first_at is null then
    return;
  end if;
  return query
    select r.day, greatest(begins, d at time zone 'UTC'), least(ends, (d + interval '1 day') at time zone 'UTC')
    from generate_series(private.utc_day(starts)::timestamp, private.utc_day(stops)::timestamp, interval '1 day') as d
    left join private.report_days r on r.day = d::date
      and d at time zone 'UTC' >= begins and (d + interval '1 day') at time zone 'UTC' <= ends
      and not exists (select from private.report_changes c where c.day = d::date);
end $$;

-- The report of these times, in the days and hours of a time zone. Sums are of whole hours, so in a zone that differs from UTC by half
-- an hour an older lead counts for the hour before.
create function private.report(begins timestamptz, ends timestamptz, zone text) returns jsonb
language plpgsql stable
set search_path = ''
set plan_cache_mode = force_custom_plan
set enable_mergejoin = off
as $$
declare
  report jsonb;
begin
  with days_and_times as materialized (select p.* from private.report_parts(begins, ends) p),
  summed as materialized (select p.day from days_and_times p where p.day is not null),
  read as materialized (select p.since, p.until from days_and_times p where p.day is null),
  leads as materialized (select l.* from read r cross join lateral private.report_leads(r.since, r.until) l),
  hours as materialized (
    select h.hour as at, h.leads, h.kept, h.leads - h.kept - h.excused as missed, 0 as open, h.calls, h.reached
    from private.report_hours h join summed s on s.day = private.utc_day(h.hour)
    where h.hour >= begins and h.hour < ends
    union all
    select date_trunc('hour', l.created_at at time zone zone) at time zone zone, count(*)::integer,
      count(*) filter (where l.promise = 'kept')::integer, count(*) filter (where l.promise = 'missed')::integer,
      count(*) filter (where l.promise = 'open')::integer, 0, 0
    from leads l group by 1
    union all
    select date_trunc('hour', c.at at time zone zone) at time zone zone, 0, 0, 0, 0, count(*)::integer,
      count(*) filter (where c.is_reached)::integer
    from read r cross join lateral private.report_calls(r.since, r.until) c group by 1
  ),
  outcomes as materialized (
    select c.source, c.medium, c.campaign, nullif(c.outcome, '') as outcome, sum(c.leads) as leads, sum(c.reviewed) as reviewed,
      sum(c.withdrawn) as withdrawn
    from (
      select c.source, c.medium, c.campaign, c.outcome, c.leads, c.reviewed, c.withdrawn
      from private.report_campaigns c join summed s on s.day = c.day
      union all
      select l.source, l.medium, l.campaign, coalesce(l.outcome, ''), count(*), count(*) filter (where l.is_reviewed),
        count(*) filter (where l.is_withdrawn)
      from leads l group by 1, 2, 3, 4
    ) c
    group by 1, 2, 3, 4
  ),
  first_calls as materialized (
    select f.minutes, sum(f.leads) as leads, sum(sum(f.leads)) over (order by f.minutes) as up_to, sum(sum(f.leads)) over () as all_leads
    from (
      select f.minutes, f.leads from private.report_first_calls f join summed s on s.day = f.day
      union all select l.called_after, count(*) from leads l where l.called_after is not null group by 1
    ) f
    group by f.minutes
  ),
  days as (
    select (h.at at time zone zone)::date as day, sum(h.leads) as leads, sum(h.kept) as kept, sum(h.missed) as missed, sum(h.calls) as calls
    from hours h group by 1
  ),
  hours_of_week as (
    select extract(isodow from h.at at time zone zone)::integer as weekday, extract(hour from h.at at time zone zone)::integer as hour,
      sum(h.leads) as leads, sum(h.calls) as calls, sum(h.reached) as reached
    from hours h group by 1, 2
  ),
  campaigns as (
    select o.source, o.medium, o.campaign, sum(o.leads) as leads, sum(o.reviewed) as reviewed,
      coalesce(sum(o.leads) filter (where o.outcome = 'likely_qualifies'), 0) as likely,
      coalesce(sum(o.leads) filter (where o.outcome = 'needs_visit'), 0) as needs_visit, sum(o.withdrawn) as withdrawn
    from outcomes o
    group by 1, 2, 3
    order by sum(o.leads) desc, 1, 2, 3
    limit 500
  )
  select jsonb_build_object(
    'promises', (
      select jsonb_build_object(
        'kept', coalesce(sum(h.kept), 0), 'missed', coalesce(sum(h.missed), 0), 'open', coalesce(sum(h.open), 0),
        'percent', round(100.0 * sum(h.kept) / nullif(sum(h.kept) + sum(h.missed), 0), 1)
      )
      from hours h
    ),
    'first_call', (
      select jsonb_build_object(
        'leads', coalesce(max(f.all_leads), 0),
        'median_minutes', min(f.minutes) filter (where f.up_to >= 0.5 * f.all_leads),
        'p90_minutes', min(f.minutes) filter (where f.up_to >= 0.9 * f.all_leads)
      )
      from first_calls f
    ),
    'outcomes', coalesce((
      select jsonb_agg(jsonb_build_object('outcome', x.outcome, 'leads', x.leads) order by x.leads desc, x.outcome)
      from (select o.outcome, sum(o.leads) as leads from outcomes o where o.outcome is not null group by 1) x
    ), '[]'),
    'days', coalesce((select jsonb_agg(to_jsonb(d) order by d.day) from days d), '[]'),
    'hours', coalesce((select jsonb_agg(to_jsonb(h) order by h.weekday, h.hour) from hours_of_week h), '[]'),
    'campaigns', coalesce((select jsonb_agg(to_jsonb(c)) from campaigns c), '[]')
  ) into report;
  return report;
end $$;

revoke execute on function
  private.utc_day, private.mark_report_day, private.delete_page_sums, private.coarse_minutes, private.report_leads, private.report_calls, private.report_parts,
  private.pages_of_day, private.page_days, private.page_sums, private.page_hours, private.sum_up_page_days, private.sum_up_report_day, private.sum_up_report_days, private.report
from public;
grant execute on function private.sum_up_report_days to leads_delivery;
