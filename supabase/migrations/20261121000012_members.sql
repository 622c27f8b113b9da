-- Who works in the inbox. The inbox logs in as `leads_team` and has no right to any table: it calls functions of the schema `team`,
-- which find out from the session who acts, and write the audit log in the same transaction.

create table private.members (
  id uuid primary key default gen_random_uuid(),
  name text not null,
  role text not null default 'member',
  created_at timestamptz not null default now(),
  joined_at timestamptz,
  removed_at timestamptz,

  constraint role_is_known check (role in ('member', 'manager')),
  constraint name_is_short_and_given check (name = btrim(name) and char_length(name) between 1 and 100)
);

-- The operator's commands name a member by name.
create unique index members_by_name on private.members (lower(name)) where removed_at is null;

-- No policy and no grant: only the owner and the owner's functions use this table.
alter table private.members enable row level security;
revoke all on private.members from public, anon, leads_intake, leads_delivery, leads_team;
