-- The notifications to the inbox processes, by which open pages show a change at once.

-- Notifies the inbox processes of a change when the transaction commits. A message holds its kind and ids at most, no word about a person.
create function private.notify_inbox(message jsonb) returns void
language sql
set search_path = pg_catalog, pg_temp
as $$
  select pg_notify('team', message::text);
$$;

-- Notifies the inbox processes that leads are new, have changed or were erased. A message without ids says that any lead may have changed.
create function private.notify_inbox_of_leads(leads uuid[], are_new boolean default false) returns void
language sql
set search_path = pg_catalog, pg_temp
as $$
  -- More than 100 ids are left out, because a notification holds 8,000 bytes; without ids the page loads the list anew.
  select pg_notify('team', jsonb_build_object(
    'kind', 'leads',
    'new', case when are_new and cardinality(leads) <= 100 then to_jsonb(leads) else '[]'::jsonb end,
    'changed', case when not are_new and cardinality(leads) <= 100 then to_jsonb(leads) else '[]'::jsonb end
  )::text);
$$;

revoke execute on function private.notify_inbox, private.notify_inbox_of_leads from public;
