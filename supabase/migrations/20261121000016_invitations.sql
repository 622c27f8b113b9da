-- How somebody becomes a member: through a link that a manager or the operator gives them, and that works once. A member who lost
-- their passkeys gets a new link.

-- Holds hashes only, because a copy of this table must not be enough to join.
create table private.invitations (
  token_hash bytea primary key,
  member_id uuid not null references private.members,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null default now() + interval '24 hours',
  -- When it was used, was replaced by a newer one, or ended because the member was removed.
  used_at timestamptz
);

-- No policy and no grant: only the owner and the owner's functions use this table.
alter table private.invitations enable row level security;
revoke all on private.invitations from public, anon, leads_intake, leads_delivery, leads_team;

-- Whether an invitation has not expired. One that is dated more than an hour ahead does not count: a clock that was ahead made it, and it
-- would be valid for too long.
create function private.is_in_time(i private.invitations) returns boolean
language sql stable
return i.expires_at > now() and i.created_at < now() + interval '1 hour';

-- Locks the invitation whose token has this hash, and its member, until the end of the transaction, and returns the invitation. Raises PT401
-- saying whether it was used or replaced by a newer one, is too old, or is nobody's.
create function private.invitation_of(hash bytea) returns private.invitations
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  i private.invitations;
begin
  -- Locks the member first, as a sign-in, a recovery and a removal do: two transactions that lock in two orders would wait for each other.
  perform from private.members m
  where m.id = (select x.member_id from private.invitations x where x.token_hash = hash) and m.removed_at is null
  for no key update;
  select x.* into i from private.invitations x join private.members m on m.id = x.member_id
  where x.token_hash = hash and m.removed_at is null
  for update of x;
  if not found then
    raise exception using errcode = 'PT401', message = 'invitation unknown';
  elsif i.used_at is not null then
    raise exception using errcode = 'PT401', message = 'invitation used';
  elsif not private.is_in_time(i) then
    raise exception using errcode = 'PT401', message = 'invitation expired';
  end if;
  return i;
end $$;

create function team.open_invitation(token text) returns jsonb
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  i private.invitations := private.invitation_of(private.hash_of(token));
begin
  return (
    select jsonb_build_object('name', m.name, 'member', m.id, 'expires_at', i.expires_at)
    from private.members m where m.id = i.member_id
  );
end $$;

-- Makes an invitation. The caller has ended the member's earlier ones.
create function private.invite(member uuid) returns jsonb
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  token text := private.random_token();
  expires timestamptz;
begin
  insert into private.invitations (token_hash, member_id) values (private.hash_of(token), member)
  returning expires_at into expires;
  return jsonb_build_object('token', token, 'expires_at', expires, 'member_id', member);
end $$;

-- Adds a member and returns their invitation, as private.invite does. Raises PT400 for a name that nobody can see, or that has more than
-- 100 characters as it is stored, and PT409 for the name of another member or of the operator.
create function team.invite_member(member_name text, member_role text) returns jsonb
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  actor private.actor := private.require_manager();
  kept_name constant text := private.member_name(member_name);
  m private.members;
begin
  if private.shown(kept_name, '') = '' then
    raise exception using errcode = 'PT400', message = 'Nobody could see this name.';
  elsif char_length(kept_name) > 100 then
    raise exception using errcode = 'PT400', message = 'The name has more than 100 characters.';
  end if;
  if private.member_key(kept_name) <> 'operator' then
    insert into private.members (name, role) values (kept_name, member_role)
    on conflict (private.member_key(name)) where removed_at is null do nothing
    returning * into m;
  end if;
  if m.id is null then
    raise exception using errcode = 'PT409', message = 'A member has this name.';
  end if;
  perform private.audit(actor, 'invited member', null, jsonb_build_object('member', m.name, 'role', m.role));
  perform private.notify_inbox('{"kind": "team"}');
  return private.invite(m.id);
end $$;

-- Ends a member's sessions and invitations and deletes what they sign in with.
create function private.end_access(member uuid) returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
begin
  update private.sessions s set ended_at = now() where s.member_id = member and s.ended_at is null;
  update private.invitations i set used_at = now() where i.member_id = member and i.used_at is null;
  delete from private.passkeys p where p.member_id = member;
  delete from private.company_accounts a where a.member_id = member;
  delete from private.challenges c where c.member_id = member;
  perform private.notify_inbox(jsonb_build_object('kind', 'session', 'member', member));
end $$;

-- Returns a new invitation, and ends the member's passkeys, company accounts and sessions.
create function team.recover_member(member uuid) returns jsonb
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  actor private.actor := private.require_manager();
  m private.members;
begin
  select * into m from private.members x where x.id = member and x.removed_at is null for no key update;
  if not found then
    raise exception using errcode = 'PT404', message = 'There is no such member.';
  end if;
  -- Whoever waited for their own removal by this member is no manager any more.
  actor := private.require_manager();
  perform private.end_access(member);
  perform private.audit(actor, 'recovered member', null, jsonb_build_object('member', m.name));
  perform private.notify_inbox('{"kind": "team"}');
  return private.invite(member);
end $$;

revoke execute on function
  private.is_in_time, private.invitation_of, private.invite, private.end_access, team.open_invitation, team.invite_member, team.recover_member
from public;
grant execute on function team.open_invitation, team.invite_member, team.recover_member to leads_team;
