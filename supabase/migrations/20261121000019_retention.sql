-- How long things are kept. Leads older than retention_days are erased, and permissions older than permission_days lose their
-- circumstances (address, browser, page, campaign words). Each run carries out a plan that was stored a day before, because a mistyped
-- setting must not erase everything at once. While even the newest lead is past the age, nothing is erased before this database has run
-- on nearly as many days since that lead came, because the clock may have jumped ahead. After those days a site without visitors erases its
-- leads too.

create table private.retention_plan (
  only_row boolean primary key default true,
  planned_at timestamptz not null default now(),
  -- The settings that the plan was made with: another setting needs another plan.
  retention_days integer,
  permission_days integer,
  -- Leads, and circumstances of permissions, that are older than these times are erased; null erases none.
  leads_before timestamptz,
  circumstances_before timestamptz,
  -- Up to which lead this plan has emptied circumstances.
  walked_to timestamptz not null,
  walked_to_lead uuid not null,
  -- How many were that old when the plan was made.
  leads integer not null,
  circumstances integer not null,

  constraint there_is_one_row check (only_row)
);

-- Up to which lead no circumstances are left, so that no plan reads again what an earlier one emptied.
create table private.emptied_circumstances (
  only_row boolean primary key default true,
  up_to timestamptz not null default '-infinity',
  up_to_lead uuid not null default '00000000-0000-0000-0000-000000000000',

  constraint there_is_one_row check (only_row)
);
insert into private.emptied_circumstances default values;

-- The days, in UTC, on which the retention ran, as far back as the longest age that is set.
create table private.retention_run_days (
  day date primary key
);

alter table private.retention_plan enable row level security;
alter table private.emptied_circumstances enable row level security;
alter table private.retention_run_days enable row level security;
-- No policy and no grant: only the owner's functions use these tables.
revoke all on private.retention_plan, private.emptied_circumstances, private.retention_run_days
from public, anon, leads_intake, leads_delivery, leads_team;

-- Whether anything is left of what a permission's circumstances were.
create function private.has_circumstances(p private.permissions) returns boolean
language sql immutable parallel safe
return p.address is not null or p.browser is not null or p.page_path is not null or p.page_origin is not null or p.utm is not null;

-- Notes that the retention runs on this day, and forgets the days before the longest age that is set. Days before the newest lead stay, because
-- they count again when that lead is erased.
create function private.note_retention_day() returns void
language sql
set search_path = pg_catalog, pg_temp
as $$
  insert into private.retention_run_days values ((now() at time zone 'UTC')::date) on conflict do nothing;
  delete from private.retention_run_days d
  using private.settings s
  where d.day < (now() at time zone 'UTC')::date - coalesce(greatest(s.retention_days, s.permission_days), 0);
$$;

-- Whether what is older than this time may be erased: the newest lead came later, or the retention has run since that lead came on at
-- least nine tenths of `days`. A tenth may be missing, because a server stands still now and then. Null where there is no lead or no age.
create function private.is_age_credible(newest timestamptz, older_than timestamptz, days integer) returns boolean
language sql stable
set search_path = pg_catalog, pg_temp
return newest >= older_than
  or (select count(*) from private.retention_run_days d where d.day > (newest at time zone 'UTC')::date) >= 0.9 * days;

-- Makes the plan for tomorrow and returns how many it holds; no row when a plan with these settings stands already. A plan from more than
-- an hour ahead is replaced, because a clock that was ahead for a moment would otherwise put all erasing off until then. A plan from less
-- than an hour ahead stands, because another process may have made it since this transaction began.
create function private.plan_retention(out leads integer, out circumstances integer)
returns setof record
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  s private.settings;
  leads_before timestamptz;
  circumstances_before timestamptz;
begin
  perform private.note_retention_day();
  select * into s from private.settings;
  perform from private.retention_plan p
  where (p.retention_days, p.permission_days) is not distinct from (s.retention_days, s.permission_days)
    and p.planned_at < now() + interval '1 hour';
  if found then
    return;
  end if;
  leads_before := now() - make_interval(days => s.retention_days - 1);
  circumstances_before := now() - make_interval(days => s.permission_days - 1);
  leads := (select count(*) from public.leads l where l.created_at < leads_before);
  circumstances := (
    select count(*) from private.permissions p
    where p.given_at < circumstances_before and private.has_circumstances(p)
  );
  delete from private.retention_plan;
  insert into private.retention_plan (
    retention_days, permission_days, leads_before, circumstances_before, leads, circumstances, walked_to, walked_to_lead
  )
  select s.retention_days, s.permission_days, leads_before, circumstances_before, leads, circumstances, e.up_to, e.up_to_lead
  from private.emptied_circumstances e
  on conflict do nothing;
  -- When another process made the plan at the same moment, that one returns it.
  if found then
    return next;
  end if;
end $$;

-- Empties the circumstances of the next permissions that are older than the plan says. Walks the leads from the oldest on, at most so many
-- at a time, and remembers how far it came, for this plan and for those of the next days. Returns how many it emptied, and whether it is
-- through.
create function private.empty_circumstances(plan private.retention_plan, at_most integer, out emptied integer, out is_done boolean)
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  leads uuid[];
  from_time constant timestamptz := plan.walked_to;
  from_lead constant uuid := plan.walked_to_lead;
begin
  emptied := 0;
  select array_agg(x.lead_id), max(x.created_at), (array_agg(x.lead_id order by x.created_at desc, x.lead_id desc))[1]
  into leads, plan.walked_to, plan.walked_to_lead
  from (
    select w.lead_id, w.created_at from private.lead_work w
    where (w.created_at, w.lead_id) > (from_time, from_lead) and w.created_at < plan.circumstances_before
    order by w.created_at, w.lead_id limit at_most
  ) x;
  is_done := leads is null;
  if is_done then
    return;
  end if;
  update private.permissions p
  set address = null, browser = null, page_path = null, page_origin = null, utm = null
  where p.lead_id = any (leads) and p.given_at < plan.circumstances_before and private.has_circumstances(p);
  get diagnostics emptied = row_count;
  update private.lead_work w set address = null where w.lead_id = any (leads) and w.address is not null;
  update private.retention_plan set walked_to = plan.walked_to, walked_to_lead = plan.walked_to_lead;
  -- A lead that was stored later than it says it came may have circumstances that are not old yet.
  update private.emptied_circumstances e set up_to = plan.walked_to, up_to_lead = plan.walked_to_lead
  where (e.up_to, e.up_to_lead) = (from_time, from_lead)
    and not exists (select from private.permissions p where p.lead_id = any (leads) and private.has_circumstances(p));
end $$;

-- Erases the oldest leads that came before this time, at most so many, and returns how many that was.
create function private.erase_oldest(before timestamptz, at_most integer) returns integer
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
begin
  return (
    select count(*) from private.erase_leads(
      array(select w.lead_id from private.lead_work w where w.created_at < before order by w.created_at limit at_most), 'age')
  );
end $$;

-- Erases the oldest leads for the operator's command, with its entry in the audit log.
create function private.erase_leads_by_age(days integer, before timestamptz, at_most integer) returns integer
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  erased integer := private.erase_oldest(before, at_most);
begin
  if erased > 0 then
    perform private.audit(
      private.require_session(), 'erased leads by age', null,
      jsonb_build_object('by', 'command', 'older_than_days', days, 'leads', erased)
    );
  end if;
  return erased;
end $$;

-- Carries out a plan that is a day old, in portions so that no lock is held for long: call again until `is_done`. Returns no row when
-- there is no such plan. `refused` says that something is past the age by the clock and stays, because the age is not credible.
create function private.carry_out_retention(
  at_most integer default 2000, out erased integer, out emptied integer, out refused boolean, out is_done boolean
)
returns setof record
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  plan private.retention_plan;
  s private.settings;
  newest timestamptz;
  may_erase boolean;
  may_empty boolean;
begin
  select * into s from private.settings;
  select p.* into plan from private.retention_plan p
  where p.planned_at <= now() - interval '1 day'
    and (p.retention_days, p.permission_days) is not distinct from (s.retention_days, s.permission_days)
  for update;
  if not found then
    return;
  end if;
  -- The newest lead is read from lead_work, where the leads of the last moments have no row yet.
  perform private.index_new_leads(100000);
  newest := (select max(w.created_at) from private.lead_work w);
  erased := 0;
  emptied := 0;
  is_done := true;
  may_erase := private.is_age_credible(newest, plan.leads_before, s.retention_days);
  may_empty := private.is_age_credible(newest, plan.circumstances_before, s.permission_days);
  refused := may_erase is false or may_empty is false and plan.circumstances > 0;
  if may_erase then
    erased := private.erase_oldest(plan.leads_before, at_most);
  end if;
  if may_empty then
    select e.emptied, e.is_done into emptied, is_done from private.empty_circumstances(plan, at_most) e;
  end if;
  -- `erased` may be 0 while old leads are left, because another process may have erased the same portion.
  is_done := is_done and erased = 0
    and (may_erase is not true or not exists (select from private.lead_work w where w.created_at < plan.leads_before));
  if is_done then
    delete from private.retention_plan;
  end if;
  return next;
end $$;

revoke execute on function
  private.has_circumstances, private.note_retention_day, private.is_age_credible, private.plan_retention, private.empty_circumstances, private.erase_oldest, private.erase_leads_by_age, private.carry_out_retention
from public;
grant execute on function private.plan_retention, private.carry_out_retention to leads_delivery;
