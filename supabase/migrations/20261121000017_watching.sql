-- What is watched from outside the team: the figures that a monitoring program reads. No session is asked for, so no figure is about
-- a person.

-- As the inbox's health page has them: counts, times and names of channels, and no sentence.
create function team.metrics() returns jsonb
language plpgsql
security definer
set search_path = ''
as $$
declare
  figures jsonb := private.figures();
begin
  return figures - 'backup_failure' || jsonb_build_object('channels', (
    select coalesce(jsonb_agg(c.channel - 'last_error'), '[]') from jsonb_array_elements(figures -> 'channels') as c (channel)
  ));
end $$;

revoke execute on function team.metrics from public;
grant execute on function team.metrics to leads_team;
