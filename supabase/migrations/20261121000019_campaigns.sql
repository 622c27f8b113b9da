-- What the ads bring, as counts of page loads. No row is about a visitor: a row is a sum, and nothing in it tells one visitor from
-- another. The web process adds to these counts and can do nothing else with them; the team's side reads them beside its leads.

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
  constraint source_is_clean check (source ~ '^([a-z0-9][a-z0-9 ._+-]{0,59}|\((other|removed)\)|)$'),
  constraint medium_is_clean check (medium ~ '^([a-z0-9][a-z0-9 ._+-]{0,59}|\((other|removed)\)|)$'),
  constraint campaign_is_clean check (campaign ~ '^([a-z0-9][a-z0-9 ._+-]{0,59}|\((other|removed)\)|)$'),
  constraint variant_is_a_word check (variant ~ '^[a-z0-9-]{0,40}$'),
  -- no-script: a browser that runs no script, whichever device it is on.
  constraint device_is_known check (device in ('phone', 'tablet', 'computer', 'no-script', 'bot', 'unknown')),
  -- served, prefetched: by the server. The others: seen in the browser. A reload or a return is no view.
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
  constraint variant_is_a_word check (variant ~ '^[a-z0-9-]{0,40}$'),
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

-- What a campaign cost on a day, as the provider typed it in. An empty source or medium: the provider named none.
create table private.campaign_costs (
  day date not null,
  source text not null,
  medium text not null,
  campaign text not null,
  amount_cents bigint not null,
  recorded_at timestamptz not null default now(),

  primary key (day, source, medium, campaign),
  constraint campaign_is_given check (campaign <> ''),
  constraint source_is_clean check (source ~ '^([a-z0-9][a-z0-9 ._+-]{0,59}|\((other|removed)\)|)$'),
  constraint medium_is_clean check (medium ~ '^([a-z0-9][a-z0-9 ._+-]{0,59}|\((other|removed)\)|)$'),
  constraint campaign_is_clean check (campaign ~ '^([a-z0-9][a-z0-9 ._+-]{0,59}|\((other|removed)\)|)$'),
  constraint amount_is_positive check (amount_cents between 1 and 100000000000)
);

alter table private.page_counts enable row level security;
alter table private.vital_counts enable row level security;
alter table private.campaign_names enable row level security;
alter table private.campaign_costs enable row level security;
-- No policy and no grant: functions of the owner add and read.
revoke all on private.page_counts, private.vital_counts, private.campaign_names, private.campaign_costs
from public, anon, leads_intake, leads_delivery, leads_team;

-- A campaign's word as it is counted, from the value of utm_source, utm_medium or utm_campaign as it stands in an address, or from the
-- provider's own list of costs. Lower-case letters, digits, blanks and the characters . _ + - remain, at most 60 in all. What has the
-- shape of an e-mail address, of a phone number or of an id of one click becomes "(removed)". This is the one place where such words
-- are cleaned: for the counts, for the leads and for the costs.
create function private.clean_campaign_word(raw text) returns text
language plpgsql immutable
set search_path = ''
as $$
declare
  word text := left(raw, 200);
  pass integer;
  part text;
  parts text[];
  code integer;
  digit_run text;
  digits text;
begin
  if word is null or word in ('', '(other)', '(removed)') then
    return coalesce(word, '');
  end if;
  -- The accents of Spanish and its neighbours, typed or percent-encoded as UTF-8.
  word := lower(translate(word, 'áàâãäéèêëíìîïóòôõöúùûüñçÁÀÂÃÄÉÈÊËÍÌÎÏÓÒÔÕÖÚÙÛÜÑÇ+', 'aaaaaeeeeiiiiooooouuuuncaaaaaeeeeiiiiooooouuuunc '));
  if strpos(word, '%c3%') > 0 then
    foreach part in array array[
      'a1a', 'a0a', 'a2a', 'a3a', 'a4a', 'a9e', 'a8e', 'aae', 'abe', 'adi', 'aci', 'aei', 'afi', 'b3o', 'b2o', 'b4o', 'b5o', 'b6o',
      'bau', 'b9u', 'bbu', 'bcu', 'b1n', 'a7c', '81a', '80a', '82a', '83a', '84a', '89e', '88e', '8ae', '8be', '8di', '8ci', '8ei', '8fi',
      '93o', '92o', '94o', '95o', '96o', '9au', '99u', '9bu', '9cu', '91n', '87c'
    ] loop
      word := replace(word, '%c3%' || left(part, 2), right(part, 1));
    end loop;
  end if;
  -- Twice, because some ad networks encode a value that is encoded already.
  for pass in 1..2 loop
    exit when strpos(word, '%') = 0;
    parts := string_to_array(word, '%');
    word := parts[1];
    foreach part in array parts[2:] loop
      if part ~ '^[0-9a-f]{2}' then
        code := get_byte(decode(left(part, 2), 'hex'), 0);
        word := word || case when code between 32 and 126 then lower(chr(code)) else '-' end || substr(part, 3);
      else
        word := word || '-' || part;
      end if;
    end loop;
  end loop;
  if strpos(word, '@') > 0 then
    return '(removed)';
  end if;
  -- Seven digits or more, with up to three other characters between two of them. A day such as 2026-11-21 has eight, and an ad
  -- network's number of a campaign has 16 or more without another character between them.
  if length(translate(word, '0123456789', '')) <= length(word) - 7 then
    for digit_run in select m[1] from regexp_matches(word, '([0-9](?:[^0-9a-z]{0,3}[0-9])*)', 'g') as m loop
      digits := regexp_replace(digit_run, '[^0-9]', '', 'g');
      if length(digits) >= 7 and not (length(digit_run) = length(digits) and length(digits) >= 16)
        and not (length(digits) = 8 and (digits like '20%' or right(digits, 4) like '20%')) then
        return '(removed)';
      end if;
    end loop;
  end if;
  -- Letters and digits that alternate five times and more are an id of one click or of one person, not a name.
  if length(word) >= 20
    and length(word) - length(regexp_replace(word, '[a-z][0-9]|[0-9][a-z]', '', 'g')) >= 10 then
    return '(removed)';
  end if;
  word := regexp_replace(word, '[^a-z0-9 ._+-]+', '-', 'g');
  word := regexp_replace(word, ' {2,}', ' ', 'g');
  return rtrim(left(ltrim(word, ' ._+-'), 60), ' ._-');
end $$;

-- The kind of device that a User-Agent names. campaigns/device.ts has the same rule for the counts.
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

-- Adds counts to this hour and this day by the database's clock. `pages` is an array of {source, medium, campaign, variant, device, step,
-- n}, with the words as they stand in the addresses; `vitals` one of {variant, device, vital, bucket, n}. Raises check_violation for a
-- value outside the closed lists, and adds nothing then. Rows are added in one order and by one call at a time, so that processes that
-- add at once cannot deadlock. The commit does not wait for the disk, because a crash may cost seconds of counts.
create function private.add_counts(pages json, vitals json) returns void
language plpgsql
security definer
set search_path = ''
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
      coalesce(p.variant, '') as variant, p.device, p.step, least(p.n, 1000000) as n
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
    where g.campaign <> '(other)' and not exists (
      select from private.campaign_names c
      where (c.source, c.medium, c.campaign, c.variant) = (g.source, g.medium, g.campaign, g.variant)
    )
    group by 1, 2, 3, 4
    order by sum(g.n) desc, 1, 2, 3, 4
    limit greatest(0, 500 - (select count(*) from private.campaign_names c where c.first_day = today))
    returning source, medium, campaign, variant
  ),
  named as (
    select g.*, exists (
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
    case when x.is_known then x.campaign else '(other)' end, x.variant, x.device, x.step, sum(x.n)
  from named x
  group by 3, 4, 5, 6, 7, 8
  order by 3, 4, 5, 6, 7, 8
  on conflict (day, hour, source, medium, campaign, variant, device, step) do update set n = c.n + excluded.n;

  insert into private.vital_counts as c (day, variant, device, vital, bucket, n)
  select today, coalesce(v.variant, ''), v.device, v.vital, v.bucket, sum(least(v.n, 1000000))
  from json_to_recordset(vitals) as v (variant text, device text, vital text, bucket smallint, n bigint)
  group by 2, 3, 4, 5
  order by 2, 3, 4, 5
  on conflict (day, variant, device, vital, bucket) do update set n = c.n + excluded.n;
end $$;

-- Adds the hours of days that are more than eight days old up to days, and deletes names that were not used for 90 days. Returns how many
-- rows of hours that were.
create function private.roll_up_counts(moment timestamptz default now()) returns integer
language plpgsql
security definer
set search_path = ''
as $$
declare
  today date := (moment at time zone 'UTC')::date;
  rolled_up integer;
begin
  perform pg_advisory_xact_lock(hashtext('private.add_counts'));
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
    delete from private.campaign_names x
    where x.first_day < today - 90 and not exists (
      select from private.page_counts c
      where c.day >= today - 90
        and (c.source, c.medium, c.campaign, c.variant) = (x.source, x.medium, x.campaign, x.variant)
    );
  end if;
  return rolled_up;
end $$;

-- Of leads without a row in lead_work yet (private.leads_to_index), those of these times, as the reports ask for them.
create function private.new_report_leads(new_leads uuid[], begins timestamptz, ends timestamptz)
returns table (
  created_at timestamptz, source text, medium text, campaign text, variant text, device text, is_reviewed boolean, is_from_program boolean
)
language plpgsql stable
set search_path = ''
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

-- How many leads came in these times by campaign, variant, device and outcome, and how many of them are reviewed. Of the days whose
-- sums stand (private.report_days) it reads the sums, so that a year of leads costs no more than its days. The words are those of the
-- addresses, not cleaned; an empty outcome is none yet. A campaign may have several rows. `new_leads` have no row in lead_work yet.
create function private.lead_groups(begins timestamptz, ends timestamptz, new_leads uuid[])
returns table (
  source text, medium text, campaign text, variant text, device text, outcome text, stored bigint, reviewed bigint,
  from_programs bigint, reviewed_from_programs bigint
)
language plpgsql stable
set search_path = ''
set plan_cache_mode = force_custom_plan
-- A year of sums is too much to sort.
set enable_mergejoin = off
as $$
begin
  return query
    with parts as materialized (select p.* from private.report_parts(begins, ends) p)
    select c.source, c.medium, c.campaign, c.variant, c.device, c.outcome, sum(c.leads), sum(c.reviewed), sum(c.from_programs),
      sum(c.reviewed_from_programs)
    from parts p join private.report_campaigns c on c.day = p.day
    where c.day >= private.utc_day(begins)
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
set search_path = ''
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
-- campaign's costs are shared out among its rows by their views, to the cent; costs that match no row get a row of their own, with an
-- empty device. Leads whose words were never counted belong to "(other)" where there are such counts. `new_leads` have no row in
-- lead_work yet; null looks for them.
create function private.campaign_rows(
  begins timestamptz, ends timestamptz, first_day date, last_day date, new_leads uuid[] default null
)
returns table (
  source text, medium text, campaign text, variant text, device text,
  served bigint, prefetched bigint, views bigint, reloaded bigint, returned bigint, half_read bigint, form_seen bigint, began bigint,
  pressed bigint, stored bigint, reviewed bigint, outcomes jsonb, cost_cents bigint, is_matched boolean
)
language plpgsql stable
set search_path = ''
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
  lead_groups as materialized (
    select g.source as raw_source, g.medium as raw_medium, g.campaign as raw_campaign, g.variant, g.device,
      nullif(g.outcome, '') as outcome, g.stored, g.reviewed
    from private.lead_groups(from_hour, ends, coalesce(new_leads, array(select private.leads_to_index()))) g
  ),
  words as (
    select x.raw_source, x.raw_medium, x.raw_campaign, private.clean_campaign_word(x.raw_source) as source,
      private.clean_campaign_word(x.raw_medium) as medium, private.clean_campaign_word(x.raw_campaign) as campaign
    from (select distinct g.raw_source, g.raw_medium, g.raw_campaign from lead_groups g) x
  ),
  lead_names as (
    select g.variant, g.device, g.outcome, g.stored, g.reviewed,
      case when x.is_other then '(other)' else x.source end as source,
      case when x.is_other then '(other)' else x.medium end as medium,
      case when x.is_other then '(other)' else x.campaign end as campaign
    from lead_groups g
    join (
      select w.*, exists (select from counted o where o.campaign = '(other)') and not exists (
        select from counted c where (c.source, c.medium, c.campaign) = (w.source, w.medium, w.campaign)
      ) as is_other
      from words w
    ) x on (x.raw_source, x.raw_medium, x.raw_campaign) = (g.raw_source, g.raw_medium, g.raw_campaign)
  ),
  leads as (
    select o.source, o.medium, o.campaign, o.variant, o.device, sum(o.stored) as stored, sum(o.reviewed) as reviewed,
      coalesce(jsonb_object_agg(o.outcome, o.stored) filter (where o.outcome is not null), '{}') as outcomes
    from (
      select n.source, n.medium, n.campaign, n.variant, n.device, n.outcome, sum(n.stored) as stored, sum(n.reviewed) as reviewed
      from lead_names n
      group by 1, 2, 3, 4, 5, 6
    ) o
    group by 1, 2, 3, 4, 5
  ),
  both_sides as materialized (
    select coalesce(c.source, l.source) as source, coalesce(c.medium, l.medium) as medium, coalesce(c.campaign, l.campaign) as campaign,
      coalesce(c.variant, l.variant) as variant, coalesce(c.device, l.device) as device,
      coalesce(c.served, 0) as served, coalesce(c.prefetched, 0) as prefetched, coalesce(c.views, 0) as views,
      coalesce(c.reloaded, 0) as reloaded, coalesce(c.returned, 0) as returned, coalesce(c.half_read, 0) as half_read,
      coalesce(c.form_seen, 0) as form_seen, coalesce(c.began, 0) as began, coalesce(c.pressed, 0) as pressed,
      coalesce(l.stored, 0) as stored, coalesce(l.reviewed, 0) as reviewed, coalesce(l.outcomes, '{}') as outcomes
    from counted c
    full join leads l on (l.source, l.medium, l.campaign, l.variant, l.device) = (c.source, c.medium, c.campaign, c.variant, c.device)
  ),
  costs as materialized (
    select k.source, k.medium, k.campaign, sum(k.amount_cents) as cents
    from private.campaign_costs k
    where k.day between first_day and last_day
    group by 1, 2, 3
  ),
  -- Bots are paid for as well, and bring nothing: the cost is shared out among the loads of readers.
  weights as (
    select b.source, b.medium, b.campaign, b.variant, b.device, k.source as named_source, k.medium as named_medium, k.cents,
      case
        when sum(case when b.device = 'bot' then 0 else b.views end) over cost > 0
          then case when b.device = 'bot' then 0 else b.views end
        when sum(b.stored) over cost > 0 then b.stored
        else 1
      end as weight
    from both_sides b
    join costs k on k.campaign = b.campaign and k.source in ('', b.source) and k.medium in ('', b.medium)
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
  from both_sides b
  left join shares s on (s.source, s.medium, s.campaign, s.variant, s.device) = (b.source, b.medium, b.campaign, b.variant, b.device)
  union all
  select k.source, k.medium, k.campaign, '', '', 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, '{}', k.cents::bigint, false
  from costs k
  where not exists (
    select from both_sides b where b.campaign = k.campaign and k.source in ('', b.source) and k.medium in ('', b.medium)
  )
  order by 3, 1, 2, 4, 5;
end $$;

-- Replaces what campaigns cost on days, from an array of {day, source, medium, campaign, amount_cents}; 0 takes the cost away. Returns how
-- many are recorded now. Raises check_violation for an amount or a campaign that cannot be.
create function private.record_campaign_costs(costs jsonb) returns integer
language plpgsql
set search_path = ''
as $$
declare
  recorded integer;
begin
  with given as materialized (
    select c.day, private.clean_campaign_word(c.source) as source, private.clean_campaign_word(c.medium) as medium,
      private.clean_campaign_word(c.campaign) as campaign, sum(c.amount_cents) as amount_cents
    from jsonb_to_recordset(costs) as c (day date, source text, medium text, campaign text, amount_cents bigint)
    group by 1, 2, 3, 4
  ),
  removed as (
    delete from private.campaign_costs k using given g
    where g.amount_cents = 0 and (k.day, k.source, k.medium, k.campaign) = (g.day, g.source, g.medium, g.campaign)
  ),
  written as (
    insert into private.campaign_costs as k (day, source, medium, campaign, amount_cents)
    select g.day, g.source, g.medium, g.campaign, g.amount_cents from given g where g.amount_cents <> 0
    on conflict (day, source, medium, campaign) do update set amount_cents = excluded.amount_cents, recorded_at = now()
    returning 1
  )
  select count(*) into recorded from written;
  return recorded;
end $$;

-- What the ads brought on these days in a time zone: the rows of `private.campaign_rows`; views, presses of the button and leads by day,
-- and by weekday and hour; the web vitals; and the costs as they were typed in. By hour there are views of the last eight days alone.
create function team.campaigns(since text, until text, zone text) returns jsonb
language plpgsql
security definer
set search_path = ''
as $$
declare
  actor private.actor := private.require_manager();
  begins timestamptz := private.day_begins(since, zone);
  ends timestamptz := private.day_begins(until, zone) + interval '1 day';
  new_leads constant uuid[] := array(select private.leads_to_index());
  report jsonb;
begin
  perform private.audit(actor, 'read campaigns', null, jsonb_build_object('since', since, 'until', until));
  with counts as materialized (
    select c.day, c.hour at time zone zone as at, c.views, c.pressed
    from private.page_hours(begins, ends, since::date, until::date) c
  ),
  stored as materialized (
    select h.hour at time zone zone as at, h.leads as n from private.lead_hours(begins, ends, new_leads) h
  ),
  days as (
    select x.day, sum(x.views) as views, sum(x.pressed) as pressed, sum(x.stored) as stored
    from (
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
        -- They are kept by day of UTC: those of the days that these times touch.
        where c.day between private.utc_day(begins) and private.utc_day(ends - interval '1 second')
        group by 1, 2, 3, 4
      ) v
    ), '[]'),
    'costs', coalesce((
      select jsonb_agg(jsonb_build_object(
        'day', k.day, 'source', k.source, 'medium', k.medium, 'campaign', k.campaign, 'amount_cents', k.amount_cents
      ) order by k.day, k.campaign, k.source, k.medium)
      from private.campaign_costs k where k.day between since::date and until::date
    ), '[]')
  ) into report;
  return report;
end $$;

create function team.record_campaign_costs(costs jsonb) returns integer
language plpgsql
security definer
set search_path = ''
as $$
declare
  actor private.actor := private.require_manager();
  recorded integer;
begin
  if jsonb_array_length(costs) > 10000 then
    raise exception using errcode = 'check_violation', message = 'At most 10,000 costs are recorded at once.';
  end if;
  recorded := private.record_campaign_costs(costs);
  perform private.audit(actor, 'recorded costs', null, jsonb_build_object('costs', recorded));
  return recorded;
end $$;

revoke execute on function
  private.clean_campaign_word, private.device_of, private.add_counts, private.roll_up_counts, private.new_report_leads, private.lead_groups,
  private.lead_hours, private.campaign_rows, private.record_campaign_costs, team.campaigns, team.record_campaign_costs
from public;
grant execute on function private.add_counts to leads_intake;
grant execute on function private.roll_up_counts to leads_delivery;
grant execute on function team.campaigns, team.record_campaign_costs to leads_team;
-- No right for leads_intake to read a count, and none for anon to add one: a browser's word comes through the web process alone.
