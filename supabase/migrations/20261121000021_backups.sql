-- What became of the backups that the server makes each day when BACKUP_DIR is set, so that the status and the inbox can show whether
-- a current backup exists.

create table private.backup_state (
  only_row boolean primary key default true,
  -- Whether a server makes backups. It says so when it starts.
  enabled boolean not null default false,
  -- Until when a server is making one, so that of several on one database a single one does.
  claimed_until timestamptz,

  -- The newest backup that is whole.
  taken_at timestamptz,
  file_name text,
  bytes bigint,
  leads integer,
  -- How that was verified: restored into a scratch database, or, where the server lets us make none, read from end to end.
  verified_by text,

  -- Why no newer one was made, in our own words; null when the newest attempt went well.
  failed_at timestamptz,
  failure text,

  constraint there_is_one_row check (only_row),
  constraint verification_is_known check (verified_by in ('restored', 'read')),
  constraint backup_is_described check ((taken_at is null) = (file_name is null) and (taken_at is null) = (verified_by is null)),
  constraint failure_has_a_time check ((failed_at is null) = (failure is null))
);
insert into private.backup_state default values;

alter table private.backup_state enable row level security;
-- No policy and no grant: the server's set-up and the operator's commands use this table as the owner, and the inbox through a function.
revoke all on private.backup_state from public, anon, leads_intake, leads_delivery, leads_team;
