-- Tallies of leads and deliveries, because with millions a count takes seconds, and the status is asked for every few seconds. Each change adds a
-- row that says by how much; now and then the rows are added up. An insert of a lead adds none: the newest leads, which have no
-- row in `private.lead_work` yet, are counted at each reading.

-- Each row is a change, so that no two transactions wait for each other.
create table private.lead_tallies (
  leads bigint not null default 0,
  -- Neither reviewed nor withdrawn.
  waiting bigint not null default 0,
  -- `unowed` are owed to no channel, and `untold` are those of them that wait.
  unowed bigint not null default 0,
  untold bigint not null default 0,
  erased bigint not null default 0
);

-- How many leads the queue has of each place where a person may be.
create table private.queue_tallies (
  place text not null,
  -- `open` are in stage open, `unfinished` in stage open or callback, and `untried` are the unfinished ones that nobody has tried to reach.
  open bigint not null default 0,
  unfinished bigint not null default 0,
  untried bigint not null default 0
);

create table private.delivery_tallies (
  channel text not null,
  delivered bigint not null default 0,
  failed bigint not null default 0,
  -- Not delivered, and an attempt has failed.
  troubled bigint not null default 0
);

-- The leads by the hour in which they came, in UTC, for counts of the last 24 hours. Those 24 hours begin within an hour, so
-- that hour's leads are counted at each reading. Hours that began more than 26 hours ago are dropped when the rows are added up.
create table private.hour_tallies (
  hour timestamptz not null,
  leads bigint not null default 0,
  waiting bigint not null default 0,
  -- In stage open or callback, and nobody has tried to reach them.
  untried bigint not null default 0
);

alter table private.lead_tallies enable row level security;
alter table private.queue_tallies enable row level security;
alter table private.hour_tallies enable row level security;
alter table private.delivery_tallies enable row level security;
-- No policy and no grant: functions of the owner use them.
revoke all on private.lead_tallies, private.queue_tallies, private.hour_tallies, private.delivery_tallies
from public, anon, leads_intake, leads_delivery, leads_team;

create function private.hour_of(moment timestamptz) returns timestamptz
language sql stable
return date_trunc('hour', moment, 'UTC');

-- One row for all leads of a statement (in queue_tallies one for each place, in hour_tallies for each hour): leads come by the thousand, and whoever counts reads each row until it is summed.
create function private.tally_new_leads() returns trigger
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  insert into private.lead_tallies (leads, waiting, unowed, untold)
  select
    count(*), count(*) filter (where a.reviewed_at is null and a.withdrawn_at is null), count(*) filter (where a.is_owed is false),
    count(*) filter (where a.is_owed is false and a.reviewed_at is null and a.withdrawn_at is null)
  from added a having count(*) > 0;
  insert into private.queue_tallies (place, open, unfinished, untried)
  select a.place, count(*) filter (where a.stage = 'open'), count(*), count(*) filter (where a.tried_at is null)
  from added a where a.stage <> 'closed' group by a.place;
  insert into private.hour_tallies (hour, leads, waiting, untried)
  select
    private.hour_of(a.created_at), count(*), count(*) filter (where a.reviewed_at is null and a.withdrawn_at is null),
    count(*) filter (where a.stage <> 'closed' and a.tried_at is null)
  from added a group by 1;
  return null;
end $$;

create trigger lead_work_20_tally_new_leads after insert on private.lead_work
referencing new table as added
for each statement execute function private.tally_new_leads();

create function private.tally_lead() returns trigger
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  is_kept integer := (tg_op <> 'DELETE')::integer;
  was_waiting integer := (old.reviewed_at is null and old.withdrawn_at is null)::integer;
  is_waiting integer := is_kept * (new.reviewed_at is null and new.withdrawn_at is null)::integer;
  was_unowed integer := (old.is_owed is false)::integer;
  is_unowed integer := is_kept * (new.is_owed is false)::integer;
begin
  insert into private.lead_tallies (leads, waiting, unowed, untold)
  values (is_kept - 1, is_waiting - was_waiting, is_unowed - was_unowed, is_waiting * is_unowed - was_waiting * was_unowed);
  if is_kept = 0 or is_waiting <> was_waiting then
    insert into private.hour_tallies (hour, leads, waiting)
    values (private.hour_of(old.created_at), is_kept - 1, is_waiting - was_waiting);
  end if;
  return null;
end $$;

create trigger lead_work_20_tally_lead after delete on private.lead_work
for each row execute function private.tally_lead();

create trigger lead_work_21_tally_change after update on private.lead_work
for each row when (
  (old.reviewed_at is null, old.withdrawn_at is null, old.is_owed)
  is distinct from (new.reviewed_at is null, new.withdrawn_at is null, new.is_owed)
)
execute function private.tally_lead();

create function private.tally_queue() returns trigger
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  was_untried integer := (old.stage <> 'closed' and old.tried_at is null)::integer;
  is_untried integer := (tg_op <> 'DELETE' and new.stage <> 'closed' and new.tried_at is null)::integer;
begin
  if old.stage <> 'closed' then
    insert into private.queue_tallies (place, open, unfinished, untried)
    values (old.place, -(old.stage = 'open')::integer, -1, -was_untried);
  end if;
  if tg_op <> 'DELETE' and new.stage <> 'closed' then
    insert into private.queue_tallies (place, open, unfinished, untried)
    values (new.place, (new.stage = 'open')::integer, 1, is_untried);
  end if;
  if is_untried <> was_untried then
    insert into private.hour_tallies (hour, untried) values (private.hour_of(old.created_at), is_untried - was_untried);
  end if;
  return null;
end $$;

create trigger lead_work_23_tally_queue after delete on private.lead_work
for each row when (old.stage <> 'closed') execute function private.tally_queue();
create trigger lead_work_24_tally_queue after update on private.lead_work
for each row when ((old.place, old.stage, old.tried_at is null) is distinct from (new.place, new.stage, new.tried_at is null))
execute function private.tally_queue();

create function private.tally_erasures() returns trigger
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  insert into private.lead_tallies (erased) select count(*) from receipts having count(*) > 0;
  return null;
end $$;

create trigger erasures_20_tally_erasures after insert on private.erasures
referencing new table as receipts
for each statement execute function private.tally_erasures();

create function private.tally_delivery() returns trigger
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  if tg_op <> 'INSERT' then
    insert into private.delivery_tallies (channel, delivered, failed, troubled)
    values (
      old.channel, -(old.delivered_at is not null)::integer, -(old.failed_at is not null)::integer,
      -(old.delivered_at is null and old.last_error is not null)::integer
    );
  end if;
  if tg_op <> 'DELETE' then
    insert into private.delivery_tallies (channel, delivered, failed, troubled)
    values (
      new.channel, (new.delivered_at is not null)::integer, (new.failed_at is not null)::integer,
      (new.delivered_at is null and new.last_error is not null)::integer
    );
  end if;
  return null;
end $$;

-- A delivery of a new lead is neither delivered nor failed, so its insert does not fire this trigger.
create trigger deliveries_20_tally_insert after insert on private.deliveries
for each row when (new.delivered_at is not null or new.failed_at is not null or new.last_error is not null)
execute function private.tally_delivery();

create trigger deliveries_21_tally_change after update on private.deliveries
for each row when (
  (old.channel, old.delivered_at is null, old.failed_at is null, old.last_error is null)
  is distinct from (new.channel, new.delivered_at is null, new.failed_at is null, new.last_error is null)
)
execute function private.tally_delivery();

create trigger deliveries_22_tally_delete after delete on private.deliveries
for each row when (old.delivered_at is not null or old.failed_at is not null or old.last_error is not null)
execute function private.tally_delivery();

-- A truncate fires no trigger for the rows.
create function private.clear_tallies() returns trigger
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  if tg_relid = 'private.deliveries'::regclass then
    delete from private.delivery_tallies;
  elsif tg_relid = 'private.erasures'::regclass then
    insert into private.lead_tallies (erased) select -coalesce(sum(t.erased), 0) from private.lead_tallies t;
  else
    insert into private.lead_tallies (leads, waiting, unowed, untold)
    select -coalesce(sum(t.leads), 0), -coalesce(sum(t.waiting), 0), -coalesce(sum(t.unowed), 0), -coalesce(sum(t.untold), 0)
    from private.lead_tallies t;
    delete from private.queue_tallies;
    delete from private.hour_tallies;
  end if;
  return null;
end $$;

create trigger lead_work_29_clear_tallies after truncate on private.lead_work
for each statement execute function private.clear_tallies();
create trigger deliveries_29_clear_tallies after truncate on private.deliveries
for each statement execute function private.clear_tallies();
create trigger erasures_29_clear_tallies after truncate on private.erasures
for each statement execute function private.clear_tallies();

-- Replaces the rows by their sums. A reader sees either the rows or their sum.
create function private.add_up_tallies(only_of_this_transaction boolean default false) returns void
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  mine constant xid := pg_current_xact_id()::xid;
begin
  if not only_of_this_transaction then
    -- private.recount must not replace what is added up at this moment.
    perform pg_advisory_xact_lock(hashtextextended('private.lead_tallies', 0));
  end if;
  with removed as (delete from private.lead_tallies t where not only_of_this_transaction or t.xmin = mine returning t.*)
  insert into private.lead_tallies (leads, waiting, unowed, untold, erased)
  select sum(g.leads), sum(g.waiting), sum(g.unowed), sum(g.untold), sum(g.erased) from removed g having count(*) > 0;
  with removed as (delete from private.queue_tallies t where not only_of_this_transaction or t.xmin = mine returning t.*)
  insert into private.queue_tallies (place, open, unfinished, untried)
  select g.place, sum(g.open), sum(g.unfinished), sum(g.untried) from removed g group by g.place
  having (sum(g.open), sum(g.unfinished), sum(g.untried)) <> (0, 0, 0);
  with removed as (delete from private.hour_tallies t where not only_of_this_transaction or t.xmin = mine returning t.*)
  insert into private.hour_tallies (hour, leads, waiting, untried)
  select g.hour, sum(g.leads), sum(g.waiting), sum(g.untried) from removed g
  where g.hour > now() - interval '26 hours' group by g.hour;
  with removed as (delete from private.delivery_tallies t where not only_of_this_transaction or t.xmin = mine returning t.*)
  insert into private.delivery_tallies (channel, delivered, failed, troubled)
  select g.channel, sum(g.delivered), sum(g.failed), sum(g.troubled) from removed g group by g.channel;
end $$;

-- Counts everything anew, once a day and after a restoration, so that no error in a tally lasts. Reads every row.
create function private.recount() returns void
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  insert into private.place_windows (place) select distinct w.place from private.lead_work w on conflict do nothing;
  update private.lead_work w
  set reviewed_at = s.reviewed_at, withdrawn_at = s.withdrawn_at, is_owed = s.is_owed,
    stage = case when s.withdrawn_at is null then w.stage else 'closed' end,
    callback_at = case when s.withdrawn_at is null then w.callback_at end
  from (
    select x.lead_id, r.reviewed_at, p.withdrawn_at, d.lead_id is not null as is_owed
    from private.lead_work x
    left join private.reviews r on r.lead_id = x.lead_id
    left join private.permissions p on p.lead_id = x.lead_id
    left join (select distinct y.lead_id from private.owed_deliveries y) d on d.lead_id = x.lead_id
    where (x.reviewed_at, x.withdrawn_at, x.is_owed) is distinct from (r.reviewed_at, p.withdrawn_at, d.lead_id is not null)
  ) s
  where w.lead_id = s.lead_id;
  perform pg_advisory_xact_lock(hashtextextended('private.lead_tallies', 0));
  -- One statement sees one moment: the rows that it removes are those whose leads it counts.
  with removed as (delete from private.lead_tallies)
  insert into private.lead_tallies (leads, waiting, unowed, untold, erased)
  select count(*), count(*) filter (where w.reviewed_at is null and w.withdrawn_at is null), count(*) filter (where not w.is_owed),
    count(*) filter (where w.reviewed_at is null and w.withdrawn_at is null and not w.is_owed),
    (select count(*) from private.erasures)
  from private.lead_work w;
  with removed as (delete from private.queue_tallies)
  insert into private.queue_tallies (place, open, unfinished, untried)
  select w.place, count(*) filter (where w.stage = 'open'), count(*), count(*) filter (where w.tried_at is null)
  from private.lead_work w where w.stage <> 'closed' group by w.place;
  with removed as (delete from private.hour_tallies)
  insert into private.hour_tallies (hour, leads, waiting, untried)
  select private.hour_of(w.created_at), count(*), count(*) filter (where w.reviewed_at is null and w.withdrawn_at is null),
    count(*) filter (where w.stage <> 'closed' and w.tried_at is null)
  from private.lead_work w where w.created_at > now() - interval '26 hours' group by 1;
  with removed as (delete from private.delivery_tallies)
  insert into private.delivery_tallies (channel, delivered, failed, troubled)
  select d.channel, count(d.delivered_at), count(d.failed_at),
    count(*) filter (where d.delivered_at is null and d.last_error is not null)
  from private.deliveries d group by d.channel;
end $$;

revoke execute on function
  private.hour_of, private.tally_new_leads, private.tally_lead, private.tally_queue, private.tally_erasures, private.tally_delivery,
  private.clear_tallies, private.add_up_tallies, private.recount
from public;
grant execute on function private.add_up_tallies, private.recount to leads_delivery;
