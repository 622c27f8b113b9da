-- The sums of leads and page loads for the reports and the page of campaigns, by month as well, because a year has eighty thousand by day.

-- The months whose sums stand in `private.report_campaign_months`, each by its first day. A month is summed once each of its days is.
create table private.report_months (
  month date primary key,

  constraint month_is_its_first_day check (extract(day from month) = 1)
);

-- The sums of `private.report_campaigns` by month.
create table private.report_campaign_months (
  month date not null,
  source text not null,
  medium text not null,
  campaign text not null,
  variant text not null,
  device text not null,
  outcome text not null,
  leads integer not null,
  reviewed integer not null,
  withdrawn integer not null,
  from_programs integer not null,
  reviewed_from_programs integer not null,

  primary key (month, source, medium, campaign, variant, device, outcome)
);

-- The sums of `private.report_pages` by month, of the months whose days are all summed there.
create table private.report_page_months (
  month date not null,
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

  primary key (month, source, medium, campaign, variant, device)
);

alter table private.report_months enable row level security;
alter table private.report_campaign_months enable row level security;
alter table private.report_page_months enable row level security;
-- No policy and no grant: functions of the owner use them.
revoke all on private.report_months, private.report_campaign_months, private.report_page_months
from public, anon, leads_intake, leads_delivery, leads_team;

-- The first day of a day's month.
create function private.month_of(day date) returns date
language sql immutable
return date_trunc('month', day::timestamp)::date;

-- Sums anew the months of these days, where every day of the month is summed.
create function private.sum_up_report_months(days date[]) returns void
language plpgsql
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_custom_plan
as $$
declare
  of_month date;
  next_month date;
begin
  for of_month in select distinct private.month_of(d) from unnest(days) as d loop
    next_month := of_month + interval '1 month';
    delete from private.report_months m where m.month = of_month;
    delete from private.report_campaign_months c where c.month = of_month;
    continue when (select count(*) from private.report_days r where r.day >= of_month and r.day < next_month) < next_month - of_month;
    insert into private.report_months (month) values (of_month);
    insert into private.report_campaign_months (
      month, source, medium, campaign, variant, device, outcome, leads, reviewed, withdrawn, from_programs, reviewed_from_programs
    )
    select of_month, c.source, c.medium, c.campaign, c.variant, c.device, c.outcome, sum(c.leads), sum(c.reviewed), sum(c.withdrawn),
      sum(c.from_programs), sum(c.reviewed_from_programs)
    from private.report_campaigns c
    where c.day >= of_month and c.day < next_month
    group by 2, 3, 4, 5, 6, 7;
  end loop;
end $$;

-- The months whose sums stand and of which every day is among these.
create function private.months_of(days date[]) returns table (month date)
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select m.month
  from unnest(days) as d (day) join private.report_months m on m.month = private.month_of(d.day)
  group by m.month
  having count(*) = (m.month + interval '1 month')::date - m.month
$$;

-- Sums anew the page loads of the months of these days, where every day of the month is summed.
create function private.sum_up_page_months(days date[]) returns void
language plpgsql
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_custom_plan
as $$
declare
  of_month date;
  next_month date;
begin
  for of_month in select distinct private.month_of(d) from unnest(days) as d loop
    next_month := of_month + interval '1 month';
    delete from private.report_page_months p where p.month = of_month;
    continue when (select count(*) from private.report_page_days r where r.day >= of_month and r.day < next_month) < next_month - of_month;
    insert into private.report_page_months (
      month, source, medium, campaign, variant, device, served, prefetched, views, reloaded, returned, half_read, form_seen, began, pressed
    )
    select of_month, p.source, p.medium, p.campaign, p.variant, p.device, sum(p.served), sum(p.prefetched), sum(p.views), sum(p.reloaded),
      sum(p.returned), sum(p.half_read), sum(p.form_seen), sum(p.began), sum(p.pressed)
    from private.report_pages p
    where p.day >= of_month and p.day < next_month
    group by 2, 3, 4, 5, 6;
  end loop;
end $$;

-- The months whose page loads are summed and of which every day is among these. The caller names only days that are summed: a change of a
-- day's counts removes its row of `private.report_page_days`, and its month is summed anew when the day is.
create function private.page_months_of(days date[]) returns table (month date)
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select m.month
  from unnest(days) as d (day) join (select distinct p.month from private.report_page_months p) m on m.month = private.month_of(d.day)
  group by m.month
  having count(*) = (m.month + interval '1 month')::date - m.month
$$;

revoke execute on function
  private.month_of, private.sum_up_report_months, private.months_of, private.sum_up_page_months, private.page_months_of
from public;
