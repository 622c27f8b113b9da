-- What the ads bring, as counts of page loads. No row is about a visitor: a row is a sum, and nothing in it tells one visitor from
-- another. The web process, or submit-lead of a Supabase project, adds to these counts. The web process can do nothing else with them.
-- The team's side reads them beside its leads.

-- By hour for eight days, then by day. Days and hours are those of UTC.
create table private.page_counts (
  day date not null,
  -- -1: the whole day.
  hour smallint not null,
  source text not null,
  medium text not null,
  campaign text not null,
  variant text not null,
  device text not null,
  step text not null,
  n bigint not null,

  primary key (day, hour, source, medium, campaign, variant, device, step),
  constraint hour_is_of_a_day check (hour between -1 and 23),
  -- The length is checked by itself, because a regular expression with {0,60} takes ten times as long.
  constraint source_is_clean check (length(source) <= 60 and source ~ '^([a-z0-9][a-z0-9 ._+-]*|\((other|removed)\)|)$'),
  constraint medium_is_clean check (length(medium) <= 60 and medium ~ '^([a-z0-9][a-z0-9 ._+-]*|\((other|removed)\)|)$'),
  constraint campaign_is_clean check (length(campaign) <= 60 and campaign ~ '^([a-z0-9][a-z0-9 ._+-]*|\((other|removed)\)|)$'),
  constraint variant_is_a_word check (length(variant) <= 40 and variant ~ '^[a-z0-9-]*$'),
  -- no-script: a browser that runs no script, whichever device it is on.
  constraint device_is_known check (device in ('phone', 'tablet', 'computer', 'no-script', 'bot', 'unknown')),
  -- The server counts served and prefetched by itself; a browser reports the others. A reload or a return is no view.
  constraint step_is_known check (
    step in ('served', 'prefetched', 'view', 'reload', 'return', 'half_read', 'form_seen', 'began', 'pressed')
  ),
  constraint n_is_a_count check (n between 1 and 1000000000000)
) with (fillfactor = 70);

-- The web vitals of real page loads, each in eight buckets (campaigns/vital-buckets.ts has their bounds).
create table private.vital_counts (
  day date not null,
  variant text not null,
  device text not null,
  vital text not null,
  bucket smallint not null,
  n bigint not null,

  primary key (day, variant, device, vital, bucket),
  constraint variant_is_a_word check (length(variant) <= 40 and variant ~ '^[a-z0-9-]*$'),
  constraint device_is_known check (device in ('phone', 'tablet', 'computer', 'no-script', 'bot', 'unknown')),
  constraint vital_is_known check (vital in ('lcp', 'cls', 'inp')),
  constraint bucket_is_one_of_eight check (bucket between 0 and 7),
  constraint n_is_a_count check (n between 1 and 1000000000000)
) with (fillfactor = 70);

-- The campaigns that have rows of their own, with the variant shown. Anybody can write any words into an address, so at most 500 a day
-- are new here; the rest is counted as "(other)".
create table private.campaign_names (
  source text not null,
  medium text not null,
  campaign text not null,
  variant text not null,
  first_day date not null,

  primary key (source, medium, campaign, variant)
);
create index campaign_names_by_day on private.campaign_names (first_day);

alter table private.page_counts enable row level security;
alter table private.vital_counts enable row level security;
alter table private.campaign_names enable row level security;
-- No policy and no grant: functions of the owner add and read.
revoke all on private.page_counts, private.vital_counts, private.campaign_names
from public, anon, leads_intake, leads_delivery, leads_team;

-- The kind of device that a User-Agent names. campaigns/device.ts has the same rule, after it has told the bots apart.
create function private.device_of(browser text) returns text
language sql immutable parallel safe
as $$
  select case
    when browser is null or browser = '' then 'unknown'
    when strpos(browser, 'iPad') > 0 or strpos(browser, 'Tablet') > 0 or strpos(browser, 'Silk') > 0
      or (strpos(browser, 'Android') > 0 and strpos(browser, 'Mobile') = 0) then 'tablet'
    when strpos(browser, 'Mobi') > 0 or strpos(browser, 'iPhone') > 0 or strpos(browser, 'iPod') > 0 then 'phone'
    else 'computer'
  end
$$;

-- Adds page counts to this hour, and vitals to this day, by the database's clock. `pages` is an array of {source, medium, campaign,
-- variant, device, step, n}, with the words as they stand in the addresses; `vitals` is an array of {variant, device, vital, bucket, n}.
-- Raises an integrity violation (class 23) for a value that a constraint refuses, and for one below one, and adds nothing then. A value
-- above a thousand million, which no outage brings together, counts as that. Rows are added in one order and by one call at a time, so that
-- processes that add at once cannot deadlock. The commit does not wait for the disk, because to lose some seconds of counts in a crash is
-- acceptable.
create function private.add_counts(pages json, vitals json) returns void
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  today date := (now() at time zone 'UTC')::date;
  this_hour smallint := extract(hour from now() at time zone 'UTC');
begin
  if json_array_length(pages) > 5000 or json_array_length(vitals) > 5000 then
    raise exception using errcode = 'check_violation', message = 'At most 5,000 counts are added at once.';
  end if;
  perform set_config('synchronous_commit', 'off', true);
  perform pg_advisory_xact_lock(hashtext('private.add_counts'));
  with sent as materialized (
    select coalesce(p.source, '') as source, coalesce(p.medium, '') as medium, coalesce(p.campaign, '') as campaign,
      coalesce(p.variant, '') as variant, p.device, p.step,
      case when p.n > 1000000000 then 1000000000 else p.n end as n
    from json_to_recordset(pages) as p (source text, medium text, campaign text, variant text, device text, step text, n bigint)
  ),
  -- Each word is cleaned once, because that costs as much as all the rest, and the rows share their words.
  words as materialized (
    select w.word, private.clean_campaign_word(w.word) as clean
    from (select x.source from sent x union select x.medium from sent x union select x.campaign from sent x) as w (word)
  ),
  given as materialized (
    select s.clean as source, m.clean as medium, c.clean as campaign, x.variant, x.device, x.step, x.n
    from sent x
    join words s on s.word = x.source
    join words m on m.word = x.medium
    join words c on c.word = x.campaign
  ),
  added_names as (
    insert into private.campaign_names (source, medium, campaign, variant, first_day)
    select g.source, g.medium, g.campaign, g.variant, today
    from given g
    where g.campaign <> '(other)' and (g.source, g.medium, g.campaign) <> ('', '', '') and not exists (
      select from private.campaign_names c
      where (c.source, c.medium, c.campaign, c.variant) = (g.source, g.medium, g.campaign, g.variant)
    )
    group by 1, 2, 3, 4
    order by sum(g.n) desc, 1, 2, 3, 4
    limit greatest(0, 500 - (select count(*) from private.campaign_names c where c.first_day = today))
    returning source, medium, campaign, variant
  ),
  named as (
    select g.*, (g.source, g.medium, g.campaign) = ('', '', '') or exists (
      select from private.campaign_names c
      where (c.source, c.medium, c.campaign, c.variant) = (g.source, g.medium, g.campaign, g.variant)
      union all
      select from added_names a
      where (a.source, a.medium, a.campaign, a.variant) = (g.source, g.medium, g.campaign, g.variant)
    ) as is_known
    from given g
  )
  insert into private.page_counts as c (day, hour, source, medium, campaign, variant, device, step, n)
  select today, this_hour,
    case when x.is_known then x.source else '(other)' end, case when x.is_known then x.medium else '(other)' end,
    case when x.is_known then x.campaign else '(other)' end, x.variant, x.device, x.step,
    -- Null, which the table refuses, where one is missing or below one: a sum would hide that.
    case when count(*) = count(*) filter (where x.n >= 1) then sum(x.n) end
  from named x
  group by 3, 4, 5, 6, 7, 8
  order by 3, 4, 5, 6, 7, 8
  on conflict (day, hour, source, medium, campaign, variant, device, step) do update set n = c.n + excluded.n;

  insert into private.vital_counts as c (day, variant, device, vital, bucket, n)
  select today, coalesce(v.variant, ''), v.device, v.vital, v.bucket,
    case when count(*) = count(*) filter (where v.n >= 1) then sum(case when v.n > 1000000000 then 1000000000 else v.n end) end
  from json_to_recordset(vitals) as v (variant text, device text, vital text, bucket smallint, n bigint)
  group by 2, 3, 4, 5
  order by 2, 3, 4, 5
  on conflict (day, variant, device, vital, bucket) do update set n = c.n + excluded.n;
end $$;

-- Replaces the hourly counts of days that are more than eight days old by sums of the day, and deletes the sums of those hours
-- (private.report_page_hours), which are kept only as long as the counts by hour. Where it rolled something up, it also deletes names that
-- were not used for 90 days. Returns the number of hourly rows rolled up.
create function private.roll_up_counts(moment timestamptz default now()) returns integer
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  today constant date := (private.moment_of_job(moment) at time zone 'UTC')::date;
  rolled_up integer;
begin
  -- One process does it; another need not wait, because the first one does all the work.
  if not pg_try_advisory_xact_lock(hashtext('private.roll_up_counts')) then
    return 0;
  end if;
  with hours as (
    delete from private.page_counts c where c.day < today - 8 and c.hour >= 0
    returning c.day, c.source, c.medium, c.campaign, c.variant, c.device, c.step, c.n
  ),
  days as (
    insert into private.page_counts as c (day, hour, source, medium, campaign, variant, device, step, n)
    select h.day, -1, h.source, h.medium, h.campaign, h.variant, h.device, h.step, sum(h.n)
    from hours h
    group by 1, 3, 4, 5, 6, 7, 8
    order by 1, 3, 4, 5, 6, 7, 8
    on conflict (day, hour, source, medium, campaign, variant, device, step) do update set n = c.n + excluded.n
  )
  select count(*) into rolled_up from hours;
  delete from private.report_page_hours h where h.hour < (today - 8)::timestamp at time zone 'UTC';
  if rolled_up > 0 then
    -- This lock is taken last, because whoever counts a page load meanwhile waits for it. The statements above do not need it, because
    -- nothing is added any more to the days that they change.
    perform pg_advisory_xact_lock(hashtext('private.add_counts'));
    delete from private.campaign_names x
    where x.first_day < today - 90 and not exists (
      select from private.page_counts c
      where c.day >= today - 90
        and (c.source, c.medium, c.campaign, c.variant) = (x.source, x.medium, x.campaign, x.variant)
    );
  end if;
  return rolled_up;
end $$;

revoke execute on function private.device_of, private.add_counts, private.roll_up_counts from public;
grant execute on function private.add_counts to leads_intake;
grant execute on function private.roll_up_counts to leads_delivery;
-- No right for leads_intake to read a count, and none for anon to add one: what a browser reports comes through the web process, or
-- through submit-lead of a Supabase project.
