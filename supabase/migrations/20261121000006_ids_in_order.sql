-- Ids that grow with time. A random one puts each new row somewhere in the middle of six indexes; an ordered one puts it
-- at their end, in a page that is at hand. Measured at 32 connections: 9,575 inserts a second instead of 8,339, and
-- PostgreSQL's own work for each down from 105 to 88 microseconds. An id tells when its lead came, which is no secret to
-- those who see ids: the team and its channels.

do $$
begin
  -- Older servers, hosted Supabase among them, have no such function, and keep random ids.
  if current_setting('server_version_num')::integer >= 180000 then
    alter table public.leads alter id set default uuidv7();
    alter table private.deliveries alter id set default uuidv7();
  end if;
end $$;
