-- On hosted Supabase no process of ours stays running: a delivery is made when a request comes to submit-lead. A visitor's call
-- may never come (the page is closed, the network gone), and an attempt that failed must be made again. So the database itself
-- makes a wake-up call each minute, where pg_cron and pg_net are. Without them nothing calls. Without submit-lead this table stays empty.

create table private.wake_up_call (
  only_row boolean primary key default true,

  -- Where submit-lead is, and the anonymous key it accepts. That key is public by nature, so it needs no vault; the request
  -- holds nothing else, and no word of a lead. submit-lead writes both at the first request after each start, whichever key the request
  -- has, because after a change of the key these calls, which have the old key, may be the only requests.
  url text not null,
  key text not null,

  constraint there_is_one_row check (only_row),
  constraint url_is_of_submit_lead check (url ~ '^https?://[^/?#]+/functions/v1/submit-lead$')
);

alter table private.wake_up_call enable row level security;
-- No policy and no grant: only the owner uses this table.
revoke all on private.wake_up_call from public, anon, leads_intake, leads_delivery, leads_team;

-- Calls submit-lead. pg_net sends after the commit and does not wait for the answer, so this takes no time.
create function private.call_submit_lead() returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
begin
  perform net.http_post(
    url := w.url,
    headers := jsonb_build_object('content-type', 'application/json', 'authorization', 'Bearer ' || w.key),
    body := '{}'::jsonb,
    timeout_milliseconds := 5000
  )
  from private.wake_up_call w;
end $$;

-- Notes where submit-lead is, and schedules the call and two daily jobs. pg_cron starts the daily jobs, because a process of submit-lead
-- lives for minutes and does not know when they were done last. Returns false, and schedules nothing, where pg_cron or pg_net is missing.
create function private.schedule_wake_up_call(submit_lead_url text, anonymous_key text) returns boolean
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  call constant text := 'select private.call_submit_lead()';
  count constant text := 'select private.index_missed_leads(), private.recount()';
  names constant text[] := array['call submit-lead', 'remove old records of calls to submit-lead', 'count leads anew'];
begin
  insert into private.wake_up_call as w (url, key) values (submit_lead_url, anonymous_key)
  on conflict (only_row) do update set url = excluded.url, key = excluded.key
  where (w.url, w.key) <> (excluded.url, excluded.key);
  if to_regclass('cron.job') is null or to_regclass('net.http_request_queue') is null then
    return false;
  end if;
  if (select count(*) from cron.job j where j.jobname = any (names) and j.active) < 3 then
    -- To schedule a job again does not activate one that was deactivated.
    perform cron.unschedule(j.jobid) from cron.job j where j.command = call or j.jobname = any (names);
    perform cron.schedule(names[1], '* * * * *', call);
    -- pg_cron keeps a line of every run, for ever.
    perform cron.schedule(names[2], '17 4 * * *', format(
      -- Also those of the other two jobs from before they were scheduled anew, when they had other ids.
      'delete from cron.job_run_details where (jobid in (select jobid from cron.job where jobname = any (%L)) or command in (%L, %L)) and coalesce(end_time, start_time) < now() - interval ''3 days''',
      names, call, count));
    perform cron.schedule(names[3], '37 4 * * *', count);
  end if;
  return true;
end $$;

revoke execute on function private.call_submit_lead, private.schedule_wake_up_call from public;

-- Supabase has the extensions and lets `postgres` create them. Anywhere else the operator decides.
do $$
begin
  if exists (select from pg_roles where rolname = 'supabase_admin') then
    create extension if not exists pg_cron with schema pg_catalog;
    create extension if not exists pg_net with schema extensions;
  end if;
exception
  -- Whatever the reason: leads come in and go out without them, only later. `npm run doctor` tells when they are missing.
  when others then raise notice 'pg_cron and pg_net could not be created (%)', sqlstate;
end $$;
