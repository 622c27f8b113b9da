-- How the leads and the deliveries stand, from the tallies, and from those few rows that the tallies do not tell of.

-- How the leads stand: `waiting` are neither reviewed nor withdrawn. Of the waiting, `overdue` are older than 24 hours, and `untold`
-- are owed to no channel. `unowed` are all that are owed to none.
create function private.lead_counts(
  out stored bigint, out last_day bigint, out erased bigint, out waiting bigint, out overdue bigint, out untold bigint,
  out unowed bigint
)
language plpgsql stable
security definer
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_custom_plan
as $$
declare
  a_day_ago constant timestamptz := now() - interval '24 hours';
  first_whole_hour constant timestamptz := private.hour_of(a_day_ago) + interval '1 hour';
begin
  with tallied as (
    select coalesce(sum(t.leads), 0) as leads, coalesce(sum(t.waiting), 0) as waiting, coalesce(sum(t.unowed), 0) as unowed,
      coalesce(sum(t.untold), 0) as untold, coalesce(sum(t.erased), 0) as erased
    from private.lead_tallies t
  ),
  -- The leads of the last 24 hours: whole hours from the tallies, and the part of an hour before them from the leads.
  recent as (
    select
      coalesce(sum(h.leads), 0) + (
        select count(*) from private.lead_work w where w.created_at > a_day_ago and w.created_at < first_whole_hour
      ) as leads,
      coalesce(sum(h.waiting), 0) + (
        select count(*) from private.lead_work w
        where w.created_at > a_day_ago and w.created_at < first_whole_hour and w.reviewed_at is null and w.withdrawn_at is null
      ) as waiting
    from private.hour_tallies h where h.hour >= first_whole_hour
  ),
  fresh as (
    select l.created_at, r.lead_id is null and p.withdrawn_at is null as is_waiting,
      not exists (select from private.owed_deliveries d where d.lead_id = l.id) as is_unowed
    from private.leads_to_index() as given (id)
    join public.leads l on l.id = given.id
    left join private.reviews r on r.lead_id = l.id
    left join private.permissions p on p.lead_id = l.id
  )
  select t.leads + count(f.created_at), n.leads + count(*) filter (where f.created_at > a_day_ago), t.erased,
    t.waiting + count(*) filter (where f.is_waiting),
    t.waiting - n.waiting + count(*) filter (where f.is_waiting and f.created_at <= a_day_ago),
    t.untold + count(*) filter (where f.is_waiting and f.is_unowed), t.unowed + count(*) filter (where f.is_unowed)
  into stored, last_day, erased, waiting, overdue, untold, unowed
  from tallied t cross join recent n left join fresh f on true
  group by t.leads, t.waiting, t.unowed, t.untold, t.erased, n.leads, n.waiting;
end $$;

-- How the deliveries of each channel stand. `stuck` are owed for 15 minutes and not made. On a retired channel what was pending is
-- settled, and counts neither as failed nor as stuck. `last_error` is null where no delivery failed or waits after a failed attempt.
create function private.delivery_counts(moment timestamptz default now())
returns table (
  channel text, is_enabled boolean, is_retired boolean, delivered bigint, pending bigint, oldest_pending timestamptz, failed bigint,
  stuck bigint, last_error text, last_error_at timestamptz
)
language sql stable
security definer
set search_path = pg_catalog, pg_temp
as $$
  select c.name, c.enabled, c.retired_at is not null, coalesce(t.delivered, 0), coalesce(d.pending, 0), d.oldest,
    case when c.retired_at is null then coalesce(t.failed, 0) else 0 end,
    case when c.retired_at is null then coalesce(d.stuck, 0) else 0 end,
    case when c.retired_at is null and t.troubled > 0 then c.last_failure end,
    case when c.retired_at is null and t.troubled > 0 then c.last_failure_at end
  from private.channels c
  left join (
    select x.channel, sum(x.delivered)::bigint as delivered, sum(x.failed)::bigint as failed, sum(x.troubled) as troubled
    from private.delivery_tallies x group by x.channel
  ) t on t.channel = c.name
  left join (
    select x.channel, count(*) as pending, min(x.created_at) as oldest,
      count(*) filter (where x.created_at < moment - interval '15 minutes') as stuck
    from private.deliveries x
    where x.delivered_at is null and x.failed_at is null
    group by x.channel
  ) d on d.channel = c.name
  order by c.name;
$$;

revoke execute on function private.lead_counts, private.delivery_counts from public;
grant execute on function private.lead_counts, private.delivery_counts to leads_delivery;
