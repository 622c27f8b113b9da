-- What became of the backups that the server makes each day when BACKUP_DIR is set, so that the status and the inbox can show whether
-- a current backup exists; and which backups may be restored into a database that has leads already.

create table private.backup_state (
  only_row boolean primary key default true,
  -- Since when a server makes backups; null while none does. Such a server says so when it starts and every few minutes. The next two are
  -- the machine that said so last, and when. A server that makes none takes it back when it starts; one on another machine, unless it
  -- is the only one, 36 hours later.
  enabled_since timestamptz,
  enabled_by text,
  enabled_at timestamptz,
  -- Until when no other server begins one: a server that makes one sets it, and so does a failure, for the pause after it.
  claimed_until timestamptz,

  -- The newest backup that is whole.
  taken_at timestamptz,
  file_name text,
  bytes bigint,
  leads integer,
  -- How that was verified: restored into a scratch database, or, where PostgreSQL lets us make none, read from end to end.
  verified_by text,

  -- Why no newer one was made, in our own words; null when the newest attempt went well.
  failed_at timestamptz,
  failure text,

  constraint there_is_one_row check (only_row),
  constraint enabled_by_a_machine check (
    (enabled_since is null) = (enabled_by is null) and (enabled_since is null) = (enabled_at is null)
  ),
  constraint verification_is_known check (verified_by in ('restored', 'read')),
  constraint backup_is_described check ((taken_at is null) = (file_name is null) and (taken_at is null) = (verified_by is null)),
  constraint failure_has_a_time check ((failed_at is null) = (failure is null))
);
insert into private.backup_state default values;

alter table private.backup_state enable row level security;
-- No policy and no grant: the server's backups and the operator's commands use this table as the owner, and the inbox through a function.
revoke all on private.backup_state from public, anon, leads_intake, leads_delivery, leads_team;

-- The ids of the databases whose leads and counts this one has: its own and, after a restoration, those of the backup's database. A backup
-- holds them, too. So a second restoration, which would add the same counts again, is recognized.
create table private.database_ids (
  id uuid primary key default gen_random_uuid()
);
insert into private.database_ids default values;

alter table private.database_ids enable row level security;
-- No policy and no grant: backups and the operator's commands use this table, as the owner.
revoke all on private.database_ids from public, anon, leads_intake, leads_delivery, leads_team;
