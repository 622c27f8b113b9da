-- How well the delivery works, as each member sees it, and a second try for what has failed, which a manager starts.

-- The names of the present problems, the most urgent first (team/problems.ts explains each), from the counts of leads and of channels. A
-- backup is made each 24 hours. It is missing when 36 hours have passed since the newest one and since the servers began to make backups.
-- A time more than an hour in the future does not count, because a clock that was ahead for a moment wrote it.
create function private.problems(leads jsonb, channels jsonb) returns text[]
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select array_remove(array[
    case when (leads ->> 'untold')::integer > 0 and not channels @> '[{"enabled": true}]' then 'no channel' end,
    case when exists (select from jsonb_array_elements(channels) as c where (c ->> 'failed')::integer > 0) then 'failed' end,
    case when exists (select from jsonb_array_elements(channels) as c where (c ->> 'stuck')::integer > 0) then 'stuck' end,
    case when (leads ->> 'overdue')::integer > 0 then 'overdue' end,
    case when exists (
      select from private.backup_state b
      where b.enabled_since is not null
        and (b.failure is not null or not exists (
          select from unnest(array[b.taken_at, b.enabled_since]) as t (at)
          where t.at between now() - interval '36 hours' and now() + interval '1 hour'
        ))
    ) then 'backup' end
  ], null)
$$;

-- Whether every lead reaches the team and is reviewed in time, as `leads status` says it.
create function private.health_figures() returns jsonb
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  leads jsonb;
  channels jsonb;
  backup private.backup_state;
begin
  select jsonb_build_object(
    'stored', c.stored, 'erased', c.erased, 'unreviewed', c.waiting, 'overdue', c.overdue, 'untold', c.untold
  ) into leads from private.lead_counts() c;
  select coalesce(jsonb_agg(jsonb_build_object(
    'channel', d.channel, 'enabled', d.is_enabled, 'delivered', d.delivered, 'failed', d.failed, 'pending', d.pending,
    'oldest_pending', d.oldest_pending, 'stuck', d.stuck, 'last_error', d.last_error
  ) order by d.channel), '[]') into channels
  from private.delivery_counts() d where not d.is_retired;
  select * into backup from private.backup_state;
  return leads || jsonb_build_object(
    'problems', private.problems(leads, channels),
    'channels', channels,
    'last_backup_at', backup.taken_at,
    'backup_failure', backup.failure,
    'schema', private.schema_version(),
    'at', now()
  );
end $$;

create function team.health() returns jsonb
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  perform private.require_session(is_activity => false);
  return private.health_figures();
end $$;

-- Has every delivery that failed on a channel that is not retired sent again, as `leads retry --failed` does. Returns how many.
create function team.retry_failed_deliveries() returns integer
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  actor private.actor := private.require_manager();
  retried integer;
begin
  retried := private.requeue_failed();
  perform private.audit(actor, 'retried deliveries', null, jsonb_build_object('deliveries', retried));
  return retried;
end $$;

revoke execute on function private.problems, private.health_figures, team.health, team.retry_failed_deliveries from public;
grant execute on function team.health, team.retry_failed_deliveries to leads_team;
