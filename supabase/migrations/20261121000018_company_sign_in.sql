-- Signing in with an account at the company's identity provider (OpenID Connect), which a member links through their invitation. The
-- functions run without a session, so they tell of a member only to whoever brings a valid invitation or a linked account.

-- The account of the company's own sign-in that an invited member linked.
create table private.company_accounts (
  issuer text not null,
  subject text not null,
  member_id uuid not null references private.members,
  linked_at timestamptz not null default now(),
  primary key (issuer, subject)
);

-- Sign-ins that were begun at the company's identity provider, until they end.
create table private.company_sign_ins (
  state_hash bytea primary key,
  nonce text not null,
  code_verifier text not null,
  -- The invitation that the account is to be linked through; null for a member who linked one before.
  invitation_hash bytea references private.invitations,
  -- The session of the browser that began it. It is kept here, because a browser sends no session cookie when the provider's site sends it
  -- back.
  session_hash bytea,
  begun_at timestamptz not null default now(),
  expires_at timestamptz not null default now() + interval '10 minutes'
);

-- No policy and no grant: only the owner and the owner's functions use these tables.
alter table private.company_accounts enable row level security;
alter table private.company_sign_ins enable row level security;
revoke all on private.company_accounts, private.company_sign_ins from public, anon, leads_intake, leads_delivery, leads_team;

create function team.begin_company_sign_in(state text, new_nonce text, verifier text, token text) returns void
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  i private.invitations;
begin
  if token is not null then
    i := private.invitation_of(private.hash_of(token));
  end if;
  delete from private.company_sign_ins c where c.expires_at < now();
  -- As with challenges: anybody may begin a sign-in, so the oldest are deleted.
  if (select count(*) from private.company_sign_ins) >= 10000 then
    delete from private.company_sign_ins c
    where c.state_hash in (select x.state_hash from private.company_sign_ins x order by x.expires_at limit 1000);
  end if;
  insert into private.company_sign_ins (state_hash, nonce, code_verifier, invitation_hash, session_hash)
  values (private.hash_of(state), new_nonce, verifier, i.token_hash, private.hash_of(current_setting('leads.session', true)));
end $$;

-- What the provider's answer to a sign-in has to fit; null when none is under way with this state.
create function team.company_sign_in_of(state text) returns jsonb
language sql
security definer
set search_path = pg_catalog, pg_temp
as $$
  select jsonb_build_object('nonce', c.nonce, 'code_verifier', c.code_verifier, 'begun_at', c.begun_at)
  from private.company_sign_ins c where c.state_hash = private.hash_of(state) and c.expires_at > now();
$$;

-- After the inbox has checked the provider's answer: links the account through the invitation, or finds the member who linked it.
create function team.sign_in_with_company(state text, account_issuer text, account_subject text) returns jsonb
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  begun private.company_sign_ins;
  i private.invitations;
  member uuid;
  unlocked jsonb;
  new_token text;
begin
  delete from private.company_sign_ins c where c.state_hash = private.hash_of(state) and c.expires_at > now() returning * into begun;
  if not found then
    raise exception using errcode = 'PT401', message = 'try again';
  end if;
  if begun.invitation_hash is null then
    perform private.lock_member(a.member_id) from private.company_accounts a
    where a.issuer = account_issuer and a.subject = account_subject;
    select a.member_id into member from private.company_accounts a
    where a.issuer = account_issuer and a.subject = account_subject;
    if not found then
      raise exception using errcode = 'PT401', message = 'not a member';
    end if;
    unlocked := private.unlock_session(member, begun.session_hash);
    if unlocked is null then
      return private.begin_session(member, 'company account');
    end if;
    -- A new token, because the browser may hold the session of a colleague by now. It sends no cookie along from the provider's site.
    new_token := private.random_token();
    update private.sessions s set token_hash = private.hash_of(new_token) where s.token_hash = begun.session_hash;
    return unlocked || jsonb_build_object('token', new_token);
  end if;
  i := private.invitation_of(begun.invitation_hash);
  insert into private.company_accounts (issuer, subject, member_id) values (account_issuer, account_subject, i.member_id)
  on conflict do nothing;
  if not found then
    -- The account is another member's already.
    raise exception using errcode = 'PT401', message = 'not a member';
  end if;
  update private.invitations x set used_at = now() where x.token_hash = i.token_hash;
  return private.begin_session(i.member_id, 'invitation and company account');
end $$;

-- Whether the member can sign in with a company account. `company_issuer` names the identity provider that the inbox signs members in with,
-- and is null where there is none. An account at another provider opens nothing any more.
create function private.has_company_account(member uuid, company_issuer text) returns boolean
language sql stable
set search_path = pg_catalog, pg_temp
return exists (
  select from private.company_accounts a
  -- The settings may name it with a slash at the end, and the provider itself without one.
  where a.member_id = member and rtrim(a.issuer, '/') = rtrim(company_issuer, '/')
);

revoke execute on function
  private.has_company_account, team.begin_company_sign_in, team.company_sign_in_of, team.sign_in_with_company
from public;
grant execute on function team.begin_company_sign_in, team.company_sign_in_of, team.sign_in_with_company to leads_team;
