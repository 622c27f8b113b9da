-- What each campaign brought, from its page loads and its leads to its cost, as a manager reads it for a span of days.

-- The new leads that came in these times, with what the functions below group by. `new_leads` are leads without a row in lead_work yet
-- (private.leads_to_index).
create function private.new_report_leads(new_leads uuid[], begins timestamptz, ends timestamptz)
returns table (
  created_at timestamptz, source text, medium text, campaign text, variant text, device text, is_reviewed boolean, is_from_program boolean
)
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
begin
  return query
    select l.created_at, coalesce(p.utm ->> 'utm_source', ''), coalesce(p.utm ->> 'utm_medium', ''), coalesce(p.utm ->> 'utm_campaign', ''),
      coalesce(p.variant, ''), coalesce(p.device, private.device_of(p.browser)), r.lead_id is not null, coalesce(p.honeypot_filled, false)
    from public.leads l
    left join private.permissions p on p.lead_id = l.id
    left join private.reviews r on r.lead_id = l.id
    where l.id = any (new_leads) and l.created_at >= begins and l.created_at < ends
      -- Another process may have written the row since the caller looked.
      and not exists (select from private.lead_work w where w.lead_id = l.id);
end $$;

-- How many leads came in these times by campaign, variant, device and outcome, and how many of them are reviewed. Months and days that
-- are already summed (private.report_months, private.report_days) are read from their sums, so that a year of leads costs no more than its
-- months. The campaign words are as the page's address has them, not cleaned; an empty outcome is none yet. The same words, variant, device
-- and outcome may have several rows. `new_leads` have no row in lead_work yet. `from_programs` are leads with the field filled in that no
-- person sees.
create function private.lead_groups(begins timestamptz, ends timestamptz, new_leads uuid[])
returns table (
  source text, medium text, campaign text, variant text, device text, outcome text, stored bigint, reviewed bigint,
  from_programs bigint, reviewed_from_programs bigint
)
language plpgsql stable
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_custom_plan
-- A year of sums is too much to sort.
set enable_mergejoin = off
as $$
begin
  return query
    with parts as materialized (select p.* from private.report_parts(begins, ends) p),
    months as materialized (
      select m.month from private.months_of(array(select p.day from parts p where p.day is not null)) m
    )
    select c.source, c.medium, c.campaign, c.variant, c.device, c.outcome, sum(c.leads), sum(c.reviewed), sum(c.from_programs),
      sum(c.reviewed_from_programs)
    from months m join private.report_campaign_months c on c.month = m.month
    group by 1, 2, 3, 4, 5, 6
    union all
    select c.source, c.medium, c.campaign, c.variant, c.device, c.outcome, sum(c.leads), sum(c.reviewed), sum(c.from_programs),
      sum(c.reviewed_from_programs)
    from private.report_campaigns c
    -- An array, because the planner would read every day for a join with a few.
    where c.day = any (array(
      select p.day from parts p where p.day is not null and private.month_of(p.day) not in (select m.month from months m)
    ))
    group by 1, 2, 3, 4, 5, 6
    union all
    select l.source, l.medium, l.campaign, l.variant, l.device, coalesce(l.outcome, ''), count(*), count(*) filter (where l.is_reviewed),
      count(*) filter (where l.is_from_program), count(*) filter (where l.is_from_program and l.is_reviewed)
    from parts p cross join lateral private.report_leads(p.since, p.until) l
    where p.day is null
    group by 1, 2, 3, 4, 5, 6
    union all
    select n.source, n.medium, n.campaign, n.variant, n.device, '', count(*), count(*) filter (where n.is_reviewed),
      count(*) filter (where n.is_from_program), count(*) filter (where n.is_from_program and n.is_reviewed)
    from private.new_report_leads(new_leads, begins, ends) n
    group by 1, 2, 3, 4, 5;
end $$;

-- How many leads came in each hour of these times, in hours of UTC. `new_leads` have no row in lead_work yet.
create function private.lead_hours(begins timestamptz, ends timestamptz, new_leads uuid[]) returns table (hour timestamptz, leads bigint)
language plpgsql stable
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_custom_plan
set enable_seqscan = off
as $$
begin
  return query
    with parts as materialized (select p.* from private.report_parts(begins, ends) p)
    select h.hour, h.leads::bigint
    from private.report_hours h join parts p on p.day = private.utc_day(h.hour)
    where h.hour >= begins and h.hour < ends and h.leads > 0
    union all
    select date_trunc('hour', w.created_at, 'UTC'), count(*)
    from parts p join private.lead_work w on w.created_at >= p.since and w.created_at < p.until
    where p.day is null
    group by 1
    union all
    select date_trunc('hour', n.created_at, 'UTC'), count(*) from private.new_report_leads(new_leads, begins, ends) n group by 1;
end $$;

-- One row for each campaign, variant and device that was counted, gave a lead, or cost something. Counts and leads are those of the
-- hours from `begins` until `ends`; counts that are rolled up, and costs, are those of the days from `first_day` to `last_day`. A
-- campaign's costs are shared out among its rows by the views of readers, to the cent: by their leads where nobody viewed the page, and
-- evenly where nobody sent a lead either. Costs that match no row get a row of their own, with an empty device. Leads whose words no page
-- load and no cost has belong to "(other)" where page loads were counted as "(other)", because their own loads may be among these.
-- `new_leads` have no row in lead_work yet; for null, the function looks for them.
create function private.campaign_rows(
  begins timestamptz, ends timestamptz, first_day date, last_day date, new_leads uuid[] default null
)
returns table (
  source text, medium text, campaign text, variant text, device text,
  served bigint, prefetched bigint, views bigint, reloaded bigint, returned bigint, half_read bigint, form_seen bigint, began bigint,
  pressed bigint, stored bigint, reviewed bigint, outcomes jsonb, cost_cents bigint, is_matched boolean
)
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
declare
  from_hour constant timestamptz := date_trunc('hour', begins, 'UTC');
begin
  return query
  with counted as materialized (
    select p.source, p.medium, p.campaign, p.variant, p.device, sum(p.served) as served, sum(p.prefetched) as prefetched,
      sum(p.views) as views, sum(p.reloaded) as reloaded, sum(p.returned) as returned, sum(p.half_read) as half_read,
      sum(p.form_seen) as form_seen, sum(p.began) as began, sum(p.pressed) as pressed
    from private.page_sums(from_hour, ends, first_day, last_day) p
    group by 1, 2, 3, 4, 5
  ),
  costs as materialized (
    select k.source, k.medium, k.campaign, sum(k.amount_cents) as cents
    from private.campaign_costs k
    where k.day between first_day and last_day
    group by 1, 2, 3
  ),
  lead_groups as materialized (
    select g.source as raw_source, g.medium as raw_medium, g.campaign as raw_campaign, g.variant, g.device,
      nullif(g.outcome, '') as outcome, g.stored, g.reviewed
    from private.lead_groups(from_hour, private.next_hour(ends), coalesce(new_leads, array(select private.leads_to_index()))) g
  ),
  -- Materialized, because each word would otherwise be cleaned anew for each device and outcome.
  words as materialized (
    select x.raw_source, x.raw_medium, x.raw_campaign, private.clean_campaign_word(x.raw_source) as source,
      private.clean_campaign_word(x.raw_medium) as medium, private.clean_campaign_word(x.raw_campaign) as campaign
    from (select distinct g.raw_source, g.raw_medium, g.raw_campaign from lead_groups g) x
  ),
  groups_by_clean_words as (
    select g.variant, g.device, g.outcome, g.stored, g.reviewed,
      case when x.is_other then '(other)' else x.source end as source,
      case when x.is_other then '(other)' else x.medium end as medium,
      case when x.is_other then '(other)' else x.campaign end as campaign
    from lead_groups g
    join (
      select w.*, exists (select from counted o where o.campaign = '(other)')
        -- A load without words is never counted as (other).
        and (w.source, w.medium, w.campaign) <> ('', '', '')
        and not exists (select from counted c where (c.source, c.medium, c.campaign) = (w.source, w.medium, w.campaign))
        and not exists (
          select from costs k where k.campaign = w.campaign and k.source in ('', w.source) and k.medium in ('', w.medium)
        ) as is_other
      from words w
    ) x on (x.raw_source, x.raw_medium, x.raw_campaign) = (g.raw_source, g.raw_medium, g.raw_campaign)
  ),
  leads as (
    select o.source, o.medium, o.campaign, o.variant, o.device, sum(o.stored) as stored, sum(o.reviewed) as reviewed,
      coalesce(jsonb_object_agg(o.outcome, o.stored) filter (where o.outcome is not null), '{}') as outcomes
    from (
      select n.source, n.medium, n.campaign, n.variant, n.device, n.outcome, sum(n.stored) as stored, sum(n.reviewed) as reviewed
      from groups_by_clean_words n
      group by 1, 2, 3, 4, 5, 6
    ) o
    group by 1, 2, 3, 4, 5
  ),
  counts_and_leads as materialized (
    select coalesce(c.source, l.source) as source, coalesce(c.medium, l.medium) as medium, coalesce(c.campaign, l.campaign) as campaign,
      coalesce(c.variant, l.variant) as variant, coalesce(c.device, l.device) as device,
      coalesce(c.served, 0) as served, coalesce(c.prefetched, 0) as prefetched, coalesce(c.views, 0) as views,
      coalesce(c.reloaded, 0) as reloaded, coalesce(c.returned, 0) as returned, coalesce(c.half_read, 0) as half_read,
      coalesce(c.form_seen, 0) as form_seen, coalesce(c.began, 0) as began, coalesce(c.pressed, 0) as pressed,
      coalesce(l.stored, 0) as stored, coalesce(l.reviewed, 0) as reviewed, coalesce(l.outcomes, '{}') as outcomes
    from counted c
    full join leads l on (l.source, l.medium, l.campaign, l.variant, l.device) = (c.source, c.medium, c.campaign, c.variant, c.device)
  ),
  -- Bots are paid for as well, and bring nothing: they have a share only of a cost that nobody else can have.
  weights as (
    select b.source, b.medium, b.campaign, b.variant, b.device, k.source as named_source, k.medium as named_medium, k.cents,
      case
        when sum(r.views) over cost > 0 then r.views
        when sum(r.stored) over cost > 0 then r.stored
        when b.device = 'bot' and bool_or(b.device <> 'bot') over cost then 0
        else 1
      end as weight
    from counts_and_leads b
    join costs k on k.campaign = b.campaign and k.source in ('', b.source) and k.medium in ('', b.medium)
    cross join lateral (
      select case when b.device = 'bot' then 0 else b.views end as views, case when b.device = 'bot' then 0 else b.stored end as stored
    ) r
    window cost as (partition by k.source, k.medium, k.campaign)
  ),
  shares as materialized (
    select x.source, x.medium, x.campaign, x.variant, x.device, sum(x.cents) as cents
    from (
      select w.source, w.medium, w.campaign, w.variant, w.device,
        round(w.cents * sum(w.weight) over up_to_here / sum(w.weight) over whole)
          - round(w.cents * (sum(w.weight) over up_to_here - w.weight) / sum(w.weight) over whole) as cents
      from weights w
      window
        whole as (partition by w.named_source, w.named_medium, w.campaign),
        up_to_here as (
          partition by w.named_source, w.named_medium, w.campaign order by w.source, w.medium, w.variant, w.device
          rows between unbounded preceding and current row
        )
    ) x
    group by 1, 2, 3, 4, 5
  )
  select b.source, b.medium, b.campaign, b.variant, b.device, b.served::bigint, b.prefetched::bigint, b.views::bigint, b.reloaded::bigint,
    b.returned::bigint, b.half_read::bigint, b.form_seen::bigint, b.began::bigint, b.pressed::bigint, b.stored::bigint,
    b.reviewed::bigint, b.outcomes, coalesce(s.cents, 0)::bigint, true
  from counts_and_leads b
  left join shares s on (s.source, s.medium, s.campaign, s.variant, s.device) = (b.source, b.medium, b.campaign, b.variant, b.device)
  union all
  select k.source, k.medium, k.campaign, '', '', 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, '{}', k.cents::bigint, false
  from costs k
  where not exists (
    select from counts_and_leads b where b.campaign = k.campaign and k.source in ('', b.source) and k.medium in ('', b.medium)
  )
  order by 3, 1, 2, 4, 5;
end $$;

-- The first hour of UTC that does not begin before a moment.
create function private.next_hour(moment timestamptz) returns timestamptz
language sql immutable
set search_path = pg_catalog, pg_temp
return date_trunc('hour', moment - interval '1 microsecond', 'UTC') + interval '1 hour';

-- The day before which leads are erased because of their age (retention_days). Null where no page load and no cost, which both stay, is of a
-- day from `since` on and before it.
create function private.leads_erased_before(since date, today date) returns date
language sql stable
set search_path = pg_catalog, pg_temp
return (
  select x.day
  from (select today - s.retention_days as day from private.settings s) x
  where exists (select from private.page_counts c where c.day >= since and c.day < x.day)
    or exists (select from private.campaign_costs k where k.day >= since and k.day < x.day)
);

-- What the ads brought on these days in a time zone: the rows of `private.campaign_rows`; views, presses of the button and leads by day;
-- views and leads by weekday and hour; the web vitals; the costs as they are recorded; and the day of `private.leads_erased_before`. Views by
-- hour exist only for the last eight days. Where the first day begins within an hour of UTC, as in a zone that is half an hour off UTC,
-- `rows` has that whole hour, and `days` and `hours` have none of its page loads and leads. A lead belongs to the day in which its hour of UTC
-- begins.
-- `entry` is what team.record_reading returned; a standby needs it.
create function team.campaigns(since text, until text, zone text, entry bigint default null) returns jsonb
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  actor private.actor := private.require_manager();
  begins timestamptz := private.day_begins(since, zone);
  ends timestamptz := private.day_ends(until, zone);
  new_leads constant uuid[] := array(select private.leads_to_index());
  report jsonb;
begin
  perform private.audit_reading(actor, 'read campaigns', jsonb_build_object('since', since, 'until', until), entry);
  with counts as materialized (
    select c.day, c.hour at time zone zone as at, c.views, c.pressed
    from private.page_hours(begins, ends, since::date, until::date) c
  ),
  stored as materialized (
    select h.hour at time zone zone as at, h.leads as n
    from private.lead_hours(private.next_hour(begins), private.next_hour(ends), new_leads) h
  ),
  days as (
    select x.day, sum(x.views) as views, sum(x.pressed) as pressed, sum(x.stored) as stored
    from (
      -- Days that are rolled up are days of UTC. Where they end, the hours that follow are counted by the zone's own date, so that each load
      -- counts once, and two periods that follow one another have what one of both has. One day is longer or shorter for that.
      select coalesce(c.at::date, c.day) as day, c.views, c.pressed, 0 as stored from counts c
      union all select s.at::date, 0, 0, s.n from stored s
    ) x
    group by 1
  ),
  hours as (
    select x.weekday, x.hour, sum(x.views) as views, sum(x.stored) as stored
    from (
      select extract(isodow from c.at)::integer as weekday, extract(hour from c.at)::integer as hour, c.views, 0 as stored
      from counts c where c.at is not null
      union all select extract(isodow from s.at)::integer, extract(hour from s.at)::integer, 0, s.n from stored s
    ) x
    group by 1, 2
  )
  select jsonb_build_object(
    'rows', coalesce((
      select jsonb_agg(to_jsonb(r) order by r.campaign, r.source, r.medium, r.variant, r.device)
      from private.campaign_rows(begins, ends, since::date, until::date, new_leads) r
    ), '[]'),
    'days', coalesce((select jsonb_agg(to_jsonb(d) order by d.day) from days d), '[]'),
    'hours', coalesce((select jsonb_agg(to_jsonb(h) order by h.weekday, h.hour) from hours h), '[]'),
    'vitals', coalesce((
      select jsonb_agg(to_jsonb(v) order by v.vital, v.variant, v.device, v.bucket)
      from (
        select c.vital, c.variant, c.device, c.bucket, sum(c.n) as n
        from private.vital_counts c
        -- Vital counts are kept by day of UTC, so these are the counts of each day of UTC that these times touch.
        where c.day between private.utc_day(begins) and private.utc_day(ends - interval '1 second')
        group by 1, 2, 3, 4
      ) v
    ), '[]'),
    'costs', coalesce((
      select jsonb_agg(jsonb_build_object(
        'day', k.day, 'source', k.source, 'medium', k.medium, 'campaign', k.campaign, 'amount_cents', k.amount_cents
      ) order by k.day, k.campaign, k.source, k.medium)
      from private.campaign_costs k where k.day between since::date and until::date
    ), '[]'),
    'leads_erased_before', private.leads_erased_before(since::date, (now() at time zone zone)::date)
  ) into report;
  return report;
end $$;

revoke execute on function
  private.new_report_leads, private.lead_groups, private.lead_hours, private.next_hour, private.campaign_rows, private.leads_erased_before,
  team.campaigns
from public;
grant execute on function team.campaigns to leads_team;
