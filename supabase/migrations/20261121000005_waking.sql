-- On hosted Supabase no process of ours stays: a delivery is made when somebody calls submit-lead. A visitor's call may
-- never come (the page is closed, the network gone), and a try that failed must be made again. So the database itself
-- calls each minute, where it can: with pg_cron and pg_net. Everywhere else this table stays empty and nothing calls.

create table private.waking (
  only_row boolean primary key default true,

  -- Where submit-lead is, and the anonymous key it knows. That key is public by nature, so it needs no vault; the
  -- request holds nothing else, and no word of a lead. submit-lead writes both at its start: they cannot go stale.
  url text not null,
  key text not null,

  constraint there_is_one_row check (only_row),
  constraint url_is_of_submit_lead check (url ~ '^https?://[^/?#]+/functions/v1/submit-lead$')
);

alter table private.waking enable row level security;
-- No policy and no grant: only the owner comes in here.
revoke all on private.waking from public, anon, leads_intake;

-- Calls submit-lead. pg_net sends after the commit and does not wait for the answer, so this takes no time.
create function private.wake_submit_lead() returns void
language plpgsql
set search_path = ''
as $$
begin
  perform net.http_post(
    url := w.url,
    headers := jsonb_build_object('content-type', 'application/json', 'authorization', 'Bearer ' || w.key),
    body := '{}'::jsonb,
    timeout_milliseconds := 5000
  )
  from private.waking w;
end $$;

-- Notes where submit-lead is and has it called each minute. False where the extensions are not there to do it.
create function private.wake_each_minute(submit_lead_url text, anonymous_key text) returns boolean
language plpgsql
set search_path = ''
as $$
declare
  wake constant text := 'select private.wake_submit_lead()';
begin
  insert into private.waking as w (url, key) values (submit_lead_url, anonymous_key)
  on conflict (only_row) do update set url = excluded.url, key = excluded.key
  where (w.url, w.key) <> (excluded.url, excluded.key);
  if to_regclass('cron.job') is null or to_regclass('net.http_request_queue') is null then
    return false;
  end if;
  if not exists (select from cron.job j where j.command = wake and j.active) then
    perform cron.schedule('wake submit-lead', '* * * * *', wake);
    -- pg_cron keeps a line of every run, for ever.
    perform cron.schedule('forget old calls of submit-lead', '17 4 * * *', format(
      'delete from cron.job_run_details where command = %L and end_time < now() - interval ''3 days''', wake));
  end if;
  return true;
end $$;

revoke execute on function private.wake_submit_lead, private.wake_each_minute from public;

-- Supabase has the extensions and lets `postgres` create them. Anywhere else they are the operator's to want.
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
