-- A name with a bare domain is marked under more endings, and with other ways to write a link. What stands before the dot
-- has two signs or more: J.Me or T.Ly is a name. All else of the marks is as it was.

create function private.holds_link(words text) returns boolean
language sql immutable parallel safe
return words ~* (
  '(https?:|mailto:|www\.|<a\M|\mt\.me\M|[a-z0-9-]+\.[a-z]{2,}/\S|[a-z0-9-]{2,}\.'
  '(com|net|org|ru|info|xyz|top|shop|biz|io|co|me|ly|online|site|club|dev|app|link|click|live|store|website|space|icu|cc|tk|uk)\M)'
);
revoke execute on function private.holds_link from public;

create or replace view private.marks as
-- A field that no person sees was filled in.
select p.lead_id, 'trap filled' as mark from private.permissions p where p.trap_filled
union all
select l.id, 'link in name' from public.leads l where private.holds_link(l.name)
union all
-- The same name, e-mail address or phone more than five times from one address within ten minutes. Only the nearest
-- ten before and after are looked at, or a flood would make each of its leads cost as many looks as it has leads.
select l.id, 'burst from one address'
from public.leads l
join private.permissions p on p.lead_id = l.id
where p.address is not null and 5 < (
  select count(*)
  from (
    (
      select before.lead_id from private.permissions before
      where before.address = p.address
        and before.given_at between p.given_at - interval '10 minutes' and p.given_at
      order by before.given_at desc limit 10
    )
    union all
    (
      select after.lead_id from private.permissions after
      where after.address = p.address
        and after.given_at > p.given_at and after.given_at <= p.given_at + interval '10 minutes'
      order by after.given_at limit 10
    )
  ) near
  join public.leads other on other.id = near.lead_id
  where other.name = l.name or other.email = l.email or other.phone = l.phone
);

-- Replacing a view forgets its options.
do $$
begin
  if current_setting('server_version_num')::integer >= 150000 then
    alter view private.marks set (security_invoker = true);
  end if;
end $$;
