-- Experiments with the article: half of its page loads show the original, half a variant. The pages' own list of them
-- (content/experiments.ts) is synced to this table when the program starts, and the team's side reads here what each one brought.

-- Ended experiments stay, because leads remember their variant. An experiment has one row, which names its variant; the other
-- half of its loads is called 'original'.
create table private.experiments (
  variant text primary key,
  language text not null,
  started_on date not null,
  -- The day after its last day. One that is stopped on its first day ends on that day, and counts nothing. Null while it runs.
  ended_on date,
  -- What it was planned for: the share of the original's loads that becomes a lead, and the relative lift that is to be found.
  planned_rate double precision not null,
  planned_lift double precision not null,

  constraint variant_is_a_word check (variant ~ '^[a-z0-9-]{1,40}$' and variant <> 'original'),
  constraint experiment_ends_after_its_start check (ended_on >= started_on),
  constraint plan_has_an_effect check (planned_rate > 0 and planned_rate < 1 and planned_lift > -1 and planned_lift <> 0)
);

alter table private.experiments enable row level security;
-- No policy and no grant: only the owner, to whom row-level security does not apply, and the owner's functions use this table.
revoke all on private.experiments from public, anon, leads_intake, leads_delivery, leads_team;

-- Whether a name that a page states as its variant is of a listed experiment. A request can state any name, and a lead keeps only these.
create function private.is_listed_variant(named text) returns boolean
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
begin
  return exists (select from private.experiments e where named in (e.variant, 'original'));
end $$;

-- What each experiment has brought so far, the newest first: for the original and the variant the page loads in which a reader saw the
-- page, and the leads of its days (in UTC) with what came of them. Bots count on neither side.
create function team.experiments(entry bigint default null) returns jsonb
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  actor private.actor := private.require_manager();
  new_leads constant uuid[] := array(select private.leads_to_index());
  report jsonb;
begin
  perform private.audit_reading(actor, 'read experiments', '{}', entry);
  with sides as materialized (
    select e.variant as experiment, s.shown
    from private.experiments e cross join lateral (values ('original'), (e.variant)) as s (shown)
  ),
  loads as (
    select s.experiment, s.shown, sum(p.views) as loads
    from private.experiments e
    cross join lateral private.page_sums(
      e.started_on::timestamp at time zone 'UTC', coalesce(e.ended_on, 'infinity')::timestamp at time zone 'UTC',
      e.started_on, coalesce(e.ended_on, 'infinity') - 1
    ) p
    join sides s on (s.experiment, s.shown) = (e.variant, p.variant)
    where p.device <> 'bot'
    group by 1, 2
  ),
  leads as (
    select s.experiment, s.shown, sum(g.stored - g.from_programs) as stored, sum(g.reviewed - g.reviewed_from_programs) as reviewed,
      sum(g.stored - g.from_programs) filter (where g.outcome = 'likely_qualifies') as qualified
    from private.experiments e
    cross join lateral private.lead_groups(
      e.started_on::timestamp at time zone 'UTC', coalesce(e.ended_on, 'infinity')::timestamp at time zone 'UTC',
      new_leads
    ) g
    join sides s on (s.experiment, s.shown) = (e.variant, g.variant)
    where g.device <> 'bot'
    group by 1, 2
  ),
  results as (
    select s.experiment, s.shown, jsonb_build_object(
      'loads', coalesce(o.loads, 0), 'stored', coalesce(l.stored, 0), 'reviewed', coalesce(l.reviewed, 0),
      'qualified', coalesce(l.qualified, 0)
    ) as counts
    from sides s
    left join loads o on (o.experiment, o.shown) = (s.experiment, s.shown)
    left join leads l on (l.experiment, l.shown) = (s.experiment, s.shown)
  )
  select coalesce(jsonb_agg(jsonb_build_object(
    'variant', e.variant, 'language', e.language, 'started_on', e.started_on, 'ended_on', e.ended_on,
    'plan', jsonb_build_object('rate', e.planned_rate, 'lift', e.planned_lift),
    'days', extract(epoch from least(now(), e.ended_on::timestamp at time zone 'UTC') - e.started_on::timestamp at time zone 'UTC') / 86400,
    'original', (select r.counts from results r where r.experiment = e.variant and r.shown = 'original'),
    'changed', (select r.counts from results r where r.experiment = e.variant and r.shown = e.variant)
  ) order by e.started_on desc, e.variant), '[]')
  into report
  from private.experiments e;
  return report;
end $$;

revoke execute on function private.is_listed_variant, team.experiments from public;
grant execute on function team.experiments to leads_team;
