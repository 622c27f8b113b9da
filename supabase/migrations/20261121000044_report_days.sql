-- What the reports add up of leads and calls, summed by day (of UTC), because a report of a year would otherwise read millions of leads
-- while a manager waits. A day is summed once all its leads are older than the 24 hours of the promise. What changes about a lead later
-- marks the day of the lead, and a marked day is read from its leads until it is summed anew, so a report has every lead that the lists
-- have (private.lead_work).

-- The days whose sums stand in report_hours, report_campaigns and report_first_calls.
create table private.report_days (
  day date primary key
);

-- The days whose leads or calls a transaction has changed. Each transaction marks a day with a row of its own, so that no two wait for each
-- other.
create table private.report_changes (
  day date not null
);

create table private.report_hours (
  hour timestamptz primary key,
  leads integer not null,
  -- Leads that were reviewed within 24 hours.
  kept integer not null,
  -- Leads that were not, and whose permission was withdrawn within these 24 hours.
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
  -- Leads with the field filled in that no person sees, so a program sent them; and how many of these are reviewed.
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

alter table private.report_days enable row level security;
alter table private.report_changes enable row level security;
alter table private.report_hours enable row level security;
alter table private.report_campaigns enable row level security;
alter table private.report_first_calls enable row level security;
-- No policy and no grant: functions of the owner use them.
revoke all on private.report_days, private.report_changes, private.report_hours, private.report_campaigns, private.report_first_calls
from public, anon, leads_intake, leads_delivery, leads_team;

create function private.mark_report_day() returns trigger
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  yesterday constant date := private.utc_day(now()) - 1;
  days date[];
begin
  if tg_table_name = 'lead_work' then
    days := array[private.utc_day(old.created_at), private.utc_day(new.created_at)];
  elsif tg_table_name = 'outcomes' then
    -- Whether the person was reached counts on the day of the call; a call that is deleted marks its day itself.
    days := array(select private.utc_day(c.at) from private.calls c where c.id in (old.call_id, new.call_id));
  else
    days := array[
      private.utc_day(old.at), private.utc_day(new.at),
      -- The call may be the first one of its lead.
      (select private.utc_day(w.created_at) from private.lead_work w where w.lead_id = coalesce(new.lead_id, old.lead_id))
    ];
  end if;
  -- A transaction writes one row for a day and not one for each lead, because an erasure changes thousands. It does not rely on a row of
  -- another transaction, because that row may be removed and the day summed before this transaction is committed.
  insert into private.report_changes (day)
  select distinct d.day from unnest(days) as d (day)
  where d.day < yesterday
    and not exists (select from private.report_changes c where c.day = d.day and c.xmin = pg_current_xact_id()::xid);
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
create trigger outcomes_30_mark_report_day after insert or update or delete on private.outcomes
for each row execute function private.mark_report_day();

-- A duration in minutes, in few values: rounded to a minute within an hour, to five minutes within ten hours, to half an hour within three
-- days, and then to six hours. It has no search_path, so that it can be inlined, because it is called for each lead.
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

-- What the reports ask of each lead that came in these times. The query is planned anew for these times (plan_cache_mode), because the
-- planner would otherwise read the whole table for a day's leads.
create function private.report_leads(begins timestamptz, ends timestamptz)
returns table (
  created_at timestamptz, promise text, outcome text, is_reviewed boolean, is_withdrawn boolean,
  source text, medium text, campaign text, variant text, device text, is_from_program boolean, called_after integer
)
language plpgsql stable
set search_path = pg_catalog, pg_temp
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
        when w.withdrawn_at <= w.created_at + interval '24 hours' then 'excused'
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
set search_path = pg_catalog, pg_temp
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
set search_path = pg_catalog, pg_temp
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

-- Sums days that are marked or not summed yet, the latest first: at most `at_most` days of leads and as many of page loads. Returns how
-- many days that was. A day, marked or not, is summed only ten minutes after its last lead is 24 hours old, because a transaction that
-- began before marks no day and may still be under way.
create function private.sum_up_report_days(at_most integer default 20, moment timestamptz default now()) returns integer
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  first_day constant date := (select private.utc_day(min(w.created_at)) from private.lead_work w);
  last_day constant date := private.utc_day(private.moment_of_job(moment) - interval '10 minutes') - 2;
  chosen date[];
  of_day date;
  page_days integer;
begin
  -- One process does it; another need not wait, because the first one does all the work.
  if not pg_try_advisory_xact_lock(hashtextextended('private.report_days', 0)) then
    return 0;
  end if;
  page_days := private.sum_up_page_days(at_most);
  -- These days were summed while the clock was ahead for a moment: leads of theirs are still to come.
  delete from private.report_days r where r.day > last_day;
  chosen := array(
    select x.day from (
      select c.day from private.report_changes c where c.day <= last_day
      union
      select d::date from generate_series(first_day, last_day, interval '1 day') as d
      where not exists (select from private.report_days r where r.day = d::date)
    ) x
    order by x.day desc limit at_most
  );
  -- Removed first: a change that is committed later marks its day again.
  delete from private.report_changes c where c.day = any (chosen);
  foreach of_day in array chosen loop
    perform private.sum_up_report_day(of_day);
  end loop;
  perform private.sum_up_report_months(chosen);
  return cardinality(chosen) + page_days;
end $$;

-- These times divided by day (of UTC). A whole day whose sums stand has its `day`; for any other, `day` is null, and its leads have to be
-- read from `since` to before `until`.
create function private.report_parts(begins timestamptz, ends timestamptz)
returns table (day date, since timestamptz, until timestamptz)
language plpgsql stable
set search_path = pg_catalog, pg_temp
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
    -- Read once, and not for each day.
    with marked as materialized (select distinct c.day from private.report_changes c)
    select case when m.day is null then r.day end,
      greatest(begins, d at time zone 'UTC'), least(ends, (d + interval '1 day') at time zone 'UTC')
    from generate_series(private.utc_day(starts)::timestamp, private.utc_day(stops)::timestamp, interval '1 day') as d
    left join private.report_days r on r.day = d::date
      and d at time zone 'UTC' >= begins and (d + interval '1 day') at time zone 'UTC' <= ends
    left join marked m on m.day = d::date;
end $$;

revoke execute on function
  private.mark_report_day, private.coarse_minutes, private.report_leads, private.report_calls,
  private.sum_up_report_day, private.sum_up_report_days, private.report_parts
from public;
grant execute on function private.sum_up_report_days to leads_delivery;
