-- The sessions of members: how one begins, is locked and ends, and how each function of the schema `team` finds out who acts.

-- The operator's settings of the inbox: one row, synced by the program when it starts as owner, so that a process that was
-- broken into cannot lengthen a session.
create table private.inbox_settings (
  only_row boolean primary key default true,
  idle_minutes integer not null default 15,
  session_hours integer not null default 12,

  constraint there_is_one_row check (only_row),
  constraint times_are_positive check (idle_minutes > 0 and session_hours > 0)
);
insert into private.inbox_settings default values;

create table private.sessions (
  id uuid primary key default gen_random_uuid(),
  token_hash bytea not null unique,
  member_id uuid not null references private.members,
  created_at timestamptz not null default now(),
  last_seen_at timestamptz not null default now(),
  ends_at timestamptz not null,
  -- Locked by the member; after idle minutes a session is locked without this.
  locked_at timestamptz,
  ended_at timestamptz
);
create index sessions_of_member on private.sessions (member_id) where ended_at is null;

-- No policy and no grant: only the owner and the owner's functions use these tables.
alter table private.inbox_settings enable row level security;
alter table private.sessions enable row level security;
revoke all on private.inbox_settings, private.sessions from public, anon, leads_intake, leads_delivery, leads_team;

create function private.hash_of(token text) returns bytea
language sql immutable
set search_path = pg_catalog, pg_temp
return sha256(convert_to(token, 'UTF8'));

-- 32 random bytes in base64url. Each uuid brings 122 random bits.
create function private.random_token() returns text
language sql volatile
set search_path = pg_catalog, pg_temp
return translate(
  rtrim(encode(sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())), 'base64'), '='),
  '+/', '-_'
);

-- When a session ends: after the hours of its beginning, or of the settings now, whichever is earlier.
create function private.end_of_session(s private.sessions) returns timestamptz
language sql stable
return least(s.ends_at, s.created_at + make_interval(hours => (select i.session_hours from private.inbox_settings i)));

-- Whether a session has not ended. One whose beginning is more than an hour ahead does not count, because the clock was ahead when it began,
-- and it would last too long.
create function private.is_current(s private.sessions) returns boolean
language sql stable
return s.ended_at is null and private.end_of_session(s) > now() and s.created_at < now() + interval '1 hour';

-- Raises PT403 in a transaction that is more than a minute old. All times are those of its beginning, so that it would act with the calling
-- hours, the locks and the entries in the audit log of then. The inbox uses one transaction for each statement.
create function private.refuse_old_transaction() returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
begin
  if clock_timestamp() - now() > interval '1 minute' then
    raise exception using errcode = 'PT403', message = 'The transaction is too old.';
  end if;
end $$;

-- Whether this transaction has stopped calls.
create function private.has_stopped_calls() returns boolean
language sql stable
set search_path = pg_catalog, pg_temp
return pg_current_xact_id_if_assigned() is not null and exists (
  select from private.audit_log a
  where a.at = now() and a.action = 'stopped calls' and a.xact = pg_current_xact_id_if_assigned()
);

-- Raises PT403 in a transaction that has stopped calls, because lists and refusals would tell whose number was stopped, and the transaction
-- could be rolled back with its entry in the audit log.
create function private.refuse_after_stop() returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
begin
  if private.has_stopped_calls() then
    raise exception using errcode = 'PT403', message = 'The transaction has stopped calls.';
  end if;
end $$;

-- Returns who acts, by the session token that the inbox sets for each transaction in `leads.session`. Counts as activity of the
-- session unless `is_activity` is false. Raises PT401 without a session and PT423 when it is locked. A session whose last activity is
-- too far ahead counts as locked too, because it would stay open until the clock reaches that time. Only the owner's own connection, which sets no token, is the operator.
create function private.require_session(is_activity boolean default true) returns private.actor
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  token text := coalesce(current_setting('leads.session', true), '');
  found_session record;
begin
  if token = '' and private.is_session_of_owner() then
    return row(null, null, 'operator', 'operator')::private.actor;
  end if;
  perform private.refuse_old_transaction();
  perform private.refuse_after_stop();
  select s.id, s.member_id, s.locked_at, s.last_seen_at, m.name, m.role,
    s.locked_at is not null
      or s.last_seen_at not between now() - make_interval(mins => i.idle_minutes) and now() + make_interval(mins => i.idle_minutes)
      as is_locked
  into found_session
  from private.sessions s
  join private.members m on m.id = s.member_id
  cross join private.inbox_settings i
  where s.token_hash = private.hash_of(token) and private.is_current(s) and m.removed_at is null;
  if not found then
    raise exception using errcode = 'PT401', message = 'There is no session.';
  elsif found_session.is_locked then
    raise exception using errcode = 'PT423', message = 'The session is locked.';
  end if;
  -- A standby takes no writes. Before the inbox reads there it asks the primary, which notes the activity.
  if is_activity and found_session.last_seen_at < now() - interval '20 seconds' and not pg_is_in_recovery() then
    update private.sessions s set last_seen_at = now() where s.id = found_session.id;
  end if;
  return row(found_session.id, found_session.member_id, found_session.name, found_session.role)::private.actor;
end $$;

-- Returns who acts, as require_session does, and raises PT403 for the operator, who has no claims and calls nobody.
create function private.require_member() returns private.actor
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  actor private.actor := private.require_session();
begin
  if actor.member_id is null then
    raise exception using errcode = 'PT403', message = 'Only a member may do that.';
  end if;
  return actor;
end $$;

-- Returns who acts, as require_session does, and raises PT403 for a member who is no manager.
create function private.require_manager(is_activity boolean default true) returns private.actor
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  actor private.actor := private.require_session(is_activity);
begin
  if actor.role not in ('manager', 'operator') then
    raise exception using errcode = 'PT403', message = 'Only a manager may do that.';
  end if;
  return actor;
end $$;

-- Locks a member until the end of the transaction. A sign-in locks it before it reads the passkey or account, and a recovery and a removal
-- lock it too. So these wait for a sign-in under way and then end its session, and a later sign-in finds no passkey or account. Raises PT401 for a member who was removed.
create function private.lock_member(member uuid) returns private.members
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  m private.members;
begin
  select * into m from private.members x where x.id = member and x.removed_at is null for no key update;
  if not found then
    raise exception using errcode = 'PT401', message = 'not a member';
  end if;
  return m;
end $$;

-- Begins a session and returns its token. Only its hash is stored, so the token cannot be read again. `method` says in the audit log
-- how the member signed in. Sessions whose planned end is more than 30 days ago are deleted, apart from a member's very last one: it says when they
-- were last seen.
create function private.begin_session(member uuid, method text) returns jsonb
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  token text := private.random_token();
  m private.members := private.lock_member(member);
  session private.sessions;
begin
  perform private.refuse_old_transaction();
  insert into private.sessions (token_hash, member_id, ends_at)
  select private.hash_of(token), member, now() + make_interval(hours => i.session_hours) from private.inbox_settings i
  returning * into session;
  update private.members x set joined_at = now() where x.id = member and x.joined_at is null;
  if found then
    perform private.notify_inbox('{"kind": "team"}');
  end if;
  delete from private.sessions s
  where s.ends_at < now() - interval '30 days'
    and exists (
      select from private.sessions later
      where later.member_id = s.member_id and (later.last_seen_at, later.id) > (s.last_seen_at, s.id)
    );
  perform private.audit(row(session.id, m.id, m.name, m.role)::private.actor, 'signed in', null, jsonb_build_object('with', method));
  return jsonb_build_object('token', token, 'name', m.name, 'role', m.role, 'ends_at', session.ends_at);
end $$;

-- Unlocks a session, by default that of `leads.session`, when it is of this member and has not ended; null when there is none.
create function private.unlock_session(
  member uuid, session_hash bytea default private.hash_of(coalesce(current_setting('leads.session', true), ''))
)
returns jsonb
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  s private.sessions;
  m private.members;
begin
  perform private.refuse_old_transaction();
  update private.sessions x set last_seen_at = now(), locked_at = null
  where x.token_hash = session_hash and x.member_id = member and private.is_current(x)
  returning * into s;
  select * into m from private.members y where y.id = member and y.removed_at is null;
  if s.id is null or m.id is null then
    return null;
  end if;
  perform private.audit(row(s.id, m.id, m.name, m.role)::private.actor, 'unlocked');
  return jsonb_build_object('name', m.name, 'role', m.role, 'ends_at', private.end_of_session(s));
end $$;

create function team.me() returns jsonb
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  actor private.actor := private.require_session(is_activity => false);
begin
  return (
    select jsonb_build_object(
      'id', actor.member_id, 'name', actor.name, 'role', actor.role, 'idle_minutes', i.idle_minutes,
      'ends_at', (select private.end_of_session(s) from private.sessions s where s.id = actor.session_id),
      'passkeys', (select count(*) from private.passkeys p where p.member_id = actor.member_id)
    )
    from private.inbox_settings i
  );
end $$;

create function team.lock_session() returns void
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  actor private.actor := private.require_session();
begin
  update private.sessions s set locked_at = now() where s.id = actor.session_id;
  perform private.audit(actor, 'locked');
  perform private.notify_inbox(jsonb_build_object('kind', 'session', 'member', actor.member_id));
end $$;

-- Works for a locked session too.
create function team.sign_out() returns void
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  member uuid;
begin
  update private.sessions s set ended_at = now()
  where s.token_hash = private.hash_of(coalesce(current_setting('leads.session', true), '')) and s.ended_at is null
  returning s.member_id into member;
  if found then
    perform private.audit(row(null, m.id, m.name, m.role)::private.actor, 'signed out') from private.members m where m.id = member;
    perform private.notify_inbox(jsonb_build_object('kind', 'session', 'member', member));
  end if;
end $$;

revoke execute on function
  private.hash_of, private.random_token, private.end_of_session, private.is_current, private.refuse_old_transaction, private.has_stopped_calls, private.refuse_after_stop, private.require_session, private.require_member, private.require_manager,
  private.lock_member, private.begin_session, private.unlock_session, team.me, team.lock_session, team.sign_out
from public;
grant execute on function team.me, team.lock_session, team.sign_out to leads_team;
