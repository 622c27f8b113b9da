-- Signing in with a passkey: the inbox checks a signature of a challenge with the public key that is stored here. The functions that
-- join and sign in run without a session, so they tell nothing of a member without a valid invitation or the id of a passkey.

-- Holds public keys only, because a copy of this table must not be enough to sign in.
create table private.passkeys (
  -- The credential id in base64url, as browsers send it.
  id text primary key,
  member_id uuid not null references private.members,
  public_key bytea not null,
  counter bigint not null,
  transports text[] not null default '{}',
  -- Whether the key is synced to other devices of the member.
  backed_up boolean not null,
  label text not null,
  created_at timestamptz not null default now(),
  last_used_at timestamptz,

  constraint id_is_short check (length(id) between 1 and 1400)
);
create index passkeys_of_member on private.passkeys (member_id);

-- What a passkey has to sign, once, within five minutes.
create table private.challenges (
  challenge_hash bytea primary key,
  purpose text not null,
  member_id uuid references private.members,
  expires_at timestamptz not null default now() + interval '5 minutes',

  constraint purpose_is_known check (purpose in ('join', 'sign in', 'add passkey'))
);

-- No policy and no grant: only the owner and the owner's functions use these tables.
alter table private.passkeys enable row level security;
alter table private.challenges enable row level security;
revoke all on private.passkeys, private.challenges from public, anon, leads_intake, leads_delivery, leads_team;

-- Stores a new challenge for a passkey to sign, and returns it in base64url.
create function private.new_challenge(purpose text, member uuid) returns text
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  challenge text := private.random_token();
begin
  delete from private.challenges c where c.expires_at < now();
  -- Anybody may ask for a challenge to sign in: the oldest are deleted, so that a flood neither fills the disk nor stops new ones.
  if purpose = 'sign in' and (select count(*) from private.challenges c where c.purpose = new_challenge.purpose) >= 10000 then
    delete from private.challenges c
    where c.challenge_hash in (
      select x.challenge_hash from private.challenges x where x.purpose = new_challenge.purpose order by x.expires_at limit 1000
    );
  end if;
  insert into private.challenges (challenge_hash, purpose, member_id) values (private.hash_of(challenge), purpose, member);
  return challenge;
end $$;

-- Uses a challenge up. Raises PT401 when it was not made for this purpose and member, was used, or is too old.
create function private.use_challenge(challenge text, expected_purpose text, member uuid) returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
begin
  delete from private.challenges c
  where c.challenge_hash = private.hash_of(challenge) and c.purpose = expected_purpose and c.expires_at > now()
    and c.member_id is not distinct from member;
  if not found then
    raise exception using errcode = 'PT401', message = 'try again';
  end if;
end $$;

-- Raises PT401 for an id that is taken: no authenticator makes one twice, but a program may state any.
create function private.add_passkey(member uuid, passkey jsonb, passkey_label text) returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
begin
  insert into private.passkeys (id, member_id, public_key, counter, transports, backed_up, label)
  values (
    passkey ->> 'id', member, decode(passkey ->> 'public_key', 'base64'), (passkey ->> 'counter')::bigint,
    array(select jsonb_array_elements_text(passkey -> 'transports')), (passkey ->> 'backed_up')::boolean,
    coalesce(nullif(left(btrim(passkey_label), 100), ''), 'Passkey')
  )
  on conflict (id) do nothing;
  if not found then
    raise exception using errcode = 'PT401', message = 'try again';
  end if;
end $$;

create function team.challenge_to_join(token text) returns jsonb
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  i private.invitations := private.invitation_of(private.hash_of(token));
begin
  return (
    select jsonb_build_object('challenge', private.new_challenge('join', m.id), 'name', m.name, 'member', m.id)
    from private.members m where m.id = i.member_id
  );
end $$;

-- `passkey`: id, public_key (base64), counter, transports, backed_up, as the inbox verified them.
create function team.join_with_passkey(token text, challenge text, passkey jsonb, passkey_label text) returns jsonb
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  i private.invitations := private.invitation_of(private.hash_of(token));
begin
  perform private.use_challenge(challenge, 'join', i.member_id);
  update private.invitations x set used_at = now() where x.token_hash = i.token_hash;
  perform private.add_passkey(i.member_id, passkey, passkey_label);
  return private.begin_session(i.member_id, 'invitation and new passkey');
end $$;

create function team.challenge_to_sign_in() returns text
language sql
security definer
set search_path = pg_catalog, pg_temp
as $$
  select private.new_challenge('sign in', null);
$$;

-- The public key to check a signature with. Raises PT401 for a passkey of no member.
create function team.passkey_to_check(passkey_id text) returns jsonb
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  found_passkey jsonb;
begin
  select jsonb_build_object(
    'public_key', translate(encode(p.public_key, 'base64'), e'\n', ''), 'counter', p.counter, 'transports', to_jsonb(p.transports)
  ) into found_passkey
  from private.passkeys p join private.members m on m.id = p.member_id
  where p.id = passkey_id and m.removed_at is null;
  if found_passkey is null then
    raise exception using errcode = 'PT401', message = 'not a member';
  end if;
  return found_passkey;
end $$;

-- After the inbox has checked the signature: unlocks the session of `leads.session` when it is this member's, or begins one.
create function team.sign_in_with_passkey(passkey_id text, challenge text, new_counter bigint, is_backed_up boolean) returns jsonb
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  member uuid;
  unlocked jsonb;
begin
  perform private.use_challenge(challenge, 'sign in', null);
  perform private.lock_member(p.member_id) from private.passkeys p where p.id = passkey_id;
  -- The inbox has checked the counter (WebAuthn 2, 7.2 step 21). This checks it again, because the later of two sign-ins at once may come
  -- from a copy of the passkey.
  update private.passkeys p set counter = new_counter, backed_up = is_backed_up, last_used_at = now()
  where p.id = passkey_id and (p.counter < new_counter or p.counter = 0 and new_counter = 0)
  returning p.member_id into member;
  if not found then
    raise exception using errcode = 'PT401', message = 'not a member';
  end if;
  unlocked := private.unlock_session(member);
  return coalesce(unlocked, private.begin_session(member, 'passkey'));
end $$;

create function team.passkeys() returns jsonb
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  actor private.actor := private.require_session();
begin
  return jsonb_build_object('passkeys', coalesce((
    select jsonb_agg(jsonb_build_object(
      'id', p.id, 'label', p.label, 'created_at', p.created_at, 'last_used_at', p.last_used_at, 'backed_up', p.backed_up
    ) order by p.created_at)
    from private.passkeys p where p.member_id = actor.member_id
  ), '[]'));
end $$;

create function team.challenge_to_add_passkey() returns jsonb
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  actor private.actor := private.require_session();
begin
  return jsonb_build_object(
    'challenge', private.new_challenge('add passkey', actor.member_id), 'name', actor.name, 'member', actor.member_id,
    'passkeys', (select coalesce(jsonb_agg(p.id), '[]') from private.passkeys p where p.member_id = actor.member_id)
  );
end $$;

create function team.add_passkey(challenge text, passkey jsonb, passkey_label text) returns void
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  actor private.actor := private.require_session();
begin
  -- Waits for a recovery of the member that is under way, which deletes the challenge.
  perform private.lock_member(actor.member_id);
  perform private.use_challenge(challenge, 'add passkey', actor.member_id);
  perform private.add_passkey(actor.member_id, passkey, passkey_label);
  perform private.audit(actor, 'added passkey');
end $$;

-- Returns false and removes nothing when the member could not sign in any more without this passkey.
create function team.remove_passkey(passkey_id text, company_issuer text) returns boolean
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  actor private.actor := private.require_session();
begin
  perform from private.members m where m.id = actor.member_id for update;
  -- Removed in another tab.
  if not exists (select from private.passkeys p where p.id = passkey_id and p.member_id = actor.member_id) then
    raise exception using errcode = 'PT404', message = 'There is no such passkey.';
  end if;
  if (select count(*) from private.passkeys p where p.member_id = actor.member_id) <= 1
    and not private.has_company_account(actor.member_id, company_issuer) then
    return false;
  end if;
  delete from private.passkeys p where p.id = passkey_id and p.member_id = actor.member_id;
  perform private.audit(actor, 'removed passkey');
  return true;
end $$;

revoke execute on function
  private.new_challenge, private.use_challenge, private.add_passkey, team.challenge_to_join, team.join_with_passkey,
  team.challenge_to_sign_in, team.passkey_to_check, team.sign_in_with_passkey, team.passkeys, team.challenge_to_add_passkey,
  team.add_passkey, team.remove_passkey
from public;
grant execute on function
  team.challenge_to_join, team.join_with_passkey, team.challenge_to_sign_in, team.passkey_to_check, team.sign_in_with_passkey,
  team.passkeys, team.challenge_to_add_passkey, team.add_passkey, team.remove_passkey
to leads_team;
