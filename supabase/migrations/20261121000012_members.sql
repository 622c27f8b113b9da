-- Who works in the inbox. The inbox logs in as `leads_team` and has no right to any table: it calls functions of the schema `team`,
-- which find out from the session who acts. A change writes its audit log entry in its own transaction;
-- reading more of a person than a list shows needs one from an earlier transaction.

-- A member's name as it is stored: without invisible characters, with single spaces, in NFC. The joiners of some scripts (U+200C, U+200D)
-- stay. Invisible characters are removed before NFC and before spaces are joined, because one may stand between a letter and its accent
-- or between two spaces.
create function private.member_name(typed text) returns text
language sql immutable
set search_path = pg_catalog, pg_temp
return btrim(regexp_replace(normalize(
  regexp_replace(
    regexp_replace(typed, '[\s\u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u2800\u3000]', ' ', 'g'),
    '[\u0001-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]', '', 'g'
  ), nfc), ' +', ' ', 'g'));

-- The key by which two names count as the same: no two members have names that differ only in capitals and joiners.
-- In a database of the locale C, capitals are those of English letters.
create function private.member_key(name text) returns text
language sql immutable
set search_path = pg_catalog, pg_temp
return lower(private.member_name(regexp_replace(name, '[\u200c\u200d]', '', 'g')));

create table private.members (
  id uuid primary key default gen_random_uuid(),
  name text not null,
  role text not null default 'member',
  created_at timestamptz not null default now(),
  joined_at timestamptz,
  removed_at timestamptz,

  constraint role_is_known check (role in ('member', 'manager')),
  constraint name_is_normalized_and_short check (name = private.member_name(name) and char_length(name) between 1 and 100),
  -- The audit log calls whoever runs a command "operator".
  constraint name_is_not_the_operators check (private.member_key(name) <> 'operator')
);

-- The operator's commands name a member by name.
create unique index members_by_name on private.members (private.member_key(name)) where removed_at is null;

-- No policy and no grant: only the owner and the owner's functions use this table.
alter table private.members enable row level security;
revoke all on private.members from public, anon, leads_intake, leads_delivery, leads_team;
revoke execute on function private.member_name, private.member_key from public, anon, leads_intake, leads_delivery, leads_team;
