-- What campaigns cost, as the provider types it in or brings it as a list of an ad network.

-- What a campaign cost on a day. An empty source or medium stands for every source or medium of the campaign.
create table private.campaign_costs (
  day date not null,
  source text not null,
  medium text not null,
  campaign text not null,
  amount_cents bigint not null,
  recorded_at timestamptz not null default now(),

  primary key (day, source, medium, campaign),
  constraint campaign_is_given check (campaign <> ''),
  constraint source_is_clean check (length(source) <= 60 and source ~ '^([a-z0-9][a-z0-9 ._+-]*|\((other|removed)\)|)$'),
  constraint medium_is_clean check (length(medium) <= 60 and medium ~ '^([a-z0-9][a-z0-9 ._+-]*|\((other|removed)\)|)$'),
  constraint campaign_is_clean check (length(campaign) <= 60 and campaign ~ '^([a-z0-9][a-z0-9 ._+-]*|\((other|removed)\)|)$'),
  constraint amount_is_positive check (amount_cents between 1 and 100000000000)
);

alter table private.campaign_costs enable row level security;
-- No policy and no grant: functions of the owner write and read.
revoke all on private.campaign_costs
from public, anon, leads_intake, leads_delivery, leads_team;

-- Replaces what campaigns cost on days, from an array of {day, source, medium, campaign, amount_cents}; 0 takes the cost away. Returns how
-- many rows it has written and taken away; or, where costs are of days that have begun nowhere on Earth, the first of these days, and records
-- nothing: such a day is mistyped, and its cost would be in no report of the days so far. Raises check_violation for an amount out of range (22003 beyond bigint) and for a campaign without a
-- name, not_null_violation for no amount.
create function private.record_campaign_costs(costs jsonb, out recorded integer, out removed integer, out to_come date)
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
begin
  to_come := (
    select min(c.day) from jsonb_to_recordset(costs) as c (day date, amount_cents bigint)
    where c.day > (now() at time zone 'Pacific/Kiritimati')::date and c.amount_cents is distinct from 0
  );
  if to_come is not null then
    return;
  end if;
  with given as materialized (
    select c.day, private.clean_campaign_word(c.source) as source, private.clean_campaign_word(c.medium) as medium,
      private.clean_campaign_word(c.campaign) as campaign,
      -- A sum would hide an amount that is missing or below zero.
      case
        when count(*) > count(c.amount_cents) then null
        when min(c.amount_cents) < 0 then min(c.amount_cents)
        else sum(c.amount_cents)
      end as amount_cents
    from jsonb_to_recordset(costs) as c (day date, source text, medium text, campaign text, amount_cents bigint)
    group by 1, 2, 3, 4
  ),
  taken as (
    delete from private.campaign_costs k using given g
    where g.amount_cents = 0 and (k.day, k.source, k.medium, k.campaign) = (g.day, g.source, g.medium, g.campaign)
    returning 1
  ),
  written as (
    insert into private.campaign_costs as k (day, source, medium, campaign, amount_cents)
    select g.day, g.source, g.medium, g.campaign, g.amount_cents from given g where g.amount_cents is distinct from 0
    on conflict (day, source, medium, campaign) do update set amount_cents = excluded.amount_cents, recorded_at = now()
    returning 1
  )
  select (select count(*) from written), (select count(*) from taken) into recorded, removed;
end $$;

-- Returns {recorded, removed}, as private.record_campaign_costs counts them, or {to_come}, the first day for which it records nothing.
create function team.record_campaign_costs(costs jsonb) returns jsonb
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  actor private.actor := private.require_manager();
  done record;
begin
  if jsonb_array_length(costs) > 10000 then
    raise exception using errcode = 'check_violation', message = 'At most 10,000 costs are recorded at once.';
  end if;
  select * into done from private.record_campaign_costs(costs);
  if done.to_come is not null then
    return jsonb_build_object('to_come', done.to_come);
  end if;
  perform private.audit(actor, 'recorded costs', null, jsonb_build_object('costs', done.recorded, 'removed', done.removed));
  return jsonb_build_object('recorded', done.recorded, 'removed', done.removed);
end $$;

-- For a file of costs that has problems, so that nothing of it is recorded: raises PT403 for whoever may not record costs, and counts as
-- activity.
create function team.require_right_to_costs() returns void
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  perform private.require_manager();
end $$;

revoke execute on function private.record_campaign_costs, team.record_campaign_costs, team.require_right_to_costs from public;
grant execute on function team.record_campaign_costs, team.require_right_to_costs to leads_team;
