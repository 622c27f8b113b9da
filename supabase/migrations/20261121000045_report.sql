-- The report of a manager: promises, outcomes, calls and campaigns of a span of days.

-- The report of these times, its campaigns by their cleaned words, in the days and hours of a time zone. Sums are of whole hours of UTC, so
-- in a zone that differs from UTC by half an hour a lead of a summed day may count for the hour before.
create function private.report(begins timestamptz, ends timestamptz, zone text) returns jsonb
language plpgsql stable
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_custom_plan
set enable_mergejoin = off
as $$
declare
  report jsonb;
begin
  with days_and_times as materialized (select p.* from private.report_parts(begins, ends) p),
  summed as materialized (select p.day from days_and_times p where p.day is not null),
  months as materialized (select m.month from private.months_of(array(select s.day from summed s)) m),
  read as materialized (select p.since, p.until from days_and_times p where p.day is null),
  leads as materialized (select l.* from read r cross join lateral private.report_leads(r.since, r.until) l),
  hours as materialized (
    select h.hour as at, h.leads, h.kept, h.leads - h.kept - h.excused as missed, 0 as open, h.excused,
      h.calls, h.reached
    from private.report_hours h join summed s on s.day = private.utc_day(h.hour)
    where h.hour >= begins and h.hour < ends
    union all
    select date_trunc('hour', l.created_at at time zone zone) at time zone zone, count(*)::integer,
      count(*) filter (where l.promise = 'kept')::integer, count(*) filter (where l.promise = 'missed')::integer,
      count(*) filter (where l.promise = 'open')::integer, count(*) filter (where l.promise = 'excused')::integer, 0, 0
    from leads l group by 1
    union all
    select date_trunc('hour', c.at at time zone zone) at time zone zone, 0, 0, 0, 0, 0, count(*)::integer,
      count(*) filter (where c.is_reached)::integer
    from read r cross join lateral private.report_calls(r.since, r.until) c group by 1
  ),
  of_words as materialized (
    select c.source, c.medium, c.campaign, nullif(c.outcome, '') as outcome, sum(c.leads) as leads, sum(c.reviewed) as reviewed,
      sum(c.withdrawn) as withdrawn
    from (
      select c.source, c.medium, c.campaign, c.outcome, c.leads, c.reviewed, c.withdrawn
      from private.report_campaign_months c join months m on m.month = c.month
      union all
      select c.source, c.medium, c.campaign, c.outcome, c.leads, c.reviewed, c.withdrawn
      from private.report_campaigns c
      -- An array, because the planner would read every day for a join with a few.
      where c.day = any (array(select s.day from summed s where private.month_of(s.day) not in (select m.month from months m)))
      union all
      select l.source, l.medium, l.campaign, coalesce(l.outcome, ''), count(*), count(*) filter (where l.is_reviewed),
        count(*) filter (where l.is_withdrawn)
      from leads l group by 1, 2, 3, 4
    ) c
    group by 1, 2, 3, 4
  ),
  -- Anybody can write any words into a link, so they are cleaned here: once, and not for each outcome.
  words as materialized (
    select x.*, private.clean_campaign_word(x.source) as clean_source, private.clean_campaign_word(x.medium) as clean_medium,
      private.clean_campaign_word(x.campaign) as clean_campaign
    from (select distinct o.source, o.medium, o.campaign from of_words o) x
  ),
  outcomes as materialized (
    select w.clean_source as source, w.clean_medium as medium, w.clean_campaign as campaign, o.outcome, sum(o.leads) as leads,
      sum(o.reviewed) as reviewed, sum(o.withdrawn) as withdrawn
    from of_words o join words w on (w.source, w.medium, w.campaign) = (o.source, o.medium, o.campaign)
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
    select (h.at at time zone zone)::date as day, sum(h.leads) as leads, sum(h.kept) as kept, sum(h.missed) as missed, sum(h.open) as open,
      sum(h.excused) as withdrawn, sum(h.calls) as calls
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
        'withdrawn', coalesce(sum(h.excused), 0),
        -- 0 only when none was kept, and 100 only when all were: a rate that is rounded up to 100 would hide a missed one.
        'percent', case
          when sum(h.kept) > 0 and sum(h.missed) > 0
            then least(greatest(round(100.0 * sum(h.kept) / (sum(h.kept) + sum(h.missed)), 1), 0.1), 99.9)
          else round(100.0 * sum(h.kept) / nullif(sum(h.kept) + sum(h.missed), 0), 1)
        end
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

revoke execute on function private.report from public;
