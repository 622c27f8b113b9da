-- What the provider's team does with a lead: review it, note a withdrawn permission, erase a person.

create table private.reviews (
  lead_id uuid primary key references public.leads on delete cascade,
  reviewed_at timestamptz not null default now(),
  outcome text
);

-- A receipt that a lead was erased, without anything about whom it was.
create table private.erasures (
  lead_id uuid primary key,
  erased_at timestamptz not null default now(),
  reason text not null,

  constraint reason_is_known check (reason in ('asked', 'age'))
);

alter table private.reviews enable row level security;
alter table private.erasures enable row level security;
-- No policy and no grant: only the owner comes in here.
revoke all on private.reviews, private.erasures from public, anon, leads_intake;

-- Lists show those who withdrew their permission first; there are few of them.
create index permissions_withdrawn on private.permissions (lead_id) where withdrawn_at is not null;

-- No index by e-mail address: every insert would pay for what a person's wish to be erased needs once in a while.

-- Why a lead looks like spam, one row a mark. Nothing is refused for a mark; the team sees it. Derived when read,
-- so that the insert does not pay for it, and so that the first leads of a burst are marked once there is one.
create view private.marks as
-- A field that no person sees was filled in.
select p.lead_id, 'trap filled' as mark from private.permissions p where p.trap_filled
union all
select l.id, 'link in name' from public.leads l where l.name ~* '(https?:|www\.|[a-z0-9-]+\.(com|net|org|ru|info|xyz|top|shop)\M)'
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
revoke all on private.marks from public, anon, leads_intake;
-- With the rights of whoever looks, not of its owner. PostgreSQL 14 does not know that yet; there the line above holds.
do $$
begin
  if current_setting('server_version_num')::integer >= 150000 then
    alter view private.marks set (security_invoker = true);
  end if;
end $$;

-- For the burst mark: who else came from this address about then?
create index permissions_by_address on private.permissions (address, given_at) where address is not null;

-- Whichever way a lead goes (by the team's command, in a table editor, with Supabase's secret key), nothing more is owed
-- about it but word of the erasure, by its id alone, to every channel that may have heard of it; and a receipt stays.
create function private.settle_an_erasure() returns trigger
language plpgsql
security definer
set search_path = ''
as $$
begin
  insert into private.deliveries (event, lead_id, channel, due_at)
  -- A minute later: a message about the lead that is under way this moment must not come after it.
  select distinct 'lead.erased', d.lead_id, d.channel, now() + interval '1 minute'
  from private.deliveries d
  join erased e on e.id = d.lead_id
  -- A retry starts the count over, the error of the earlier tries stays.
  where d.attempts > 0 or d.last_error is not null
  on conflict do nothing;
  delete from private.deliveries d using erased e where d.lead_id = e.id and d.event <> 'lead.erased';
  insert into private.erasures (lead_id, reason) select e.id, 'asked' from erased e on conflict do nothing;
  return null;
end $$;

create trigger leads_95_settle_an_erasure after delete on public.leads
referencing old table as erased
for each statement execute function private.settle_an_erasure();

-- Erases a lead with everything kept and owed about it. False when there is no such lead.
create function private.erase_lead(lead uuid, why text) returns boolean
language plpgsql
set search_path = ''
as $$
begin
  delete from public.leads where id = lead;
  if not found then
    return false;
  end if;
  update private.erasures set reason = why where lead_id = lead;
  return true;
end $$;

-- Records that a person withdrew the permission, once, and owes word of it to every enabled channel.
-- False when there is no such lead or it was withdrawn before.
create function private.withdraw_permission(lead uuid) returns boolean
language plpgsql
set search_path = ''
as $$
begin
  update private.permissions set withdrawn_at = now() where lead_id = lead and withdrawn_at is null;
  if not found then
    return false;
  end if;
  insert into private.deliveries (event, lead_id, channel)
  select 'permission.withdrawn', lead, c.name from private.channels c where c.enabled;
  return true;
end $$;

revoke execute on function private.settle_an_erasure, private.erase_lead, private.withdraw_permission from public;
