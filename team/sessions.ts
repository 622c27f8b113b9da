// Signing in to the inbox, and the session: invitations, passkeys, the company's own sign-in, all as functions over SQL.
import type { Ask } from "./ask.ts";

/** A session that began, or was unlocked. `token` is returned once, when it begins. */
export interface Session {
  token?: string;
  name: string;
  role: "member" | "manager";
  ends_at: string;
}

/** A passkey as the database keeps it. `public_key` is base64, `id` base64url. */
export interface Passkey {
  id: string;
  public_key: string;
  counter: number;
  transports: string[];
  backed_up: boolean;
}

export interface Challenge {
  challenge: string;
  name: string;
  member: string;
  /** The ids of the passkeys that the member has. */
  passkeys?: string[];
}

/** @throws Refused 401 saying whether the invitation was used, expired, or is unknown. */
export const openInvitation = async (ask: Ask, token: string) =>
  (await ask((sql) => sql`team.open_invitation(${token})`)) as { name: string; expires_at: string };

/** @throws Refused 401 saying whether the invitation was used, expired, or is unknown. */
export const challengeToJoin = async (ask: Ask, token: string) =>
  (await ask((sql) => sql`team.challenge_to_join(${token})`)) as Challenge;

/** Uses the invitation up. @throws Refused 401 for an invitation that is not valid, or for a challenge that is not this invitation's. */
export const joinWithPasskey = async (
  ask: Ask,
  token: string,
  challenge: string,
  passkey: Passkey,
  label: string,
) =>
  (await ask(
    (sql) => sql`team.join_with_passkey(${token}, ${challenge}, ${sql.json({ ...passkey })}, ${label})`,
  )) as Session;

export const challengeToSignIn = async (ask: Ask) =>
  (await ask((sql) => sql`team.challenge_to_sign_in()`)) as string;

/** @throws Refused 401 when no member has this passkey. */
export const passkeyToCheck = async (ask: Ask, id: string) =>
  (await ask((sql) => sql`team.passkey_to_check(${id})`)) as Omit<Passkey, "id" | "backed_up">;

/** After the signature was checked: unlocks the caller's session when it is the same member's, or begins one. */
export const signInWithPasskey = async (
  ask: Ask,
  { id, counter, backed_up }: Pick<Passkey, "id" | "counter" | "backed_up">,
  challenge: string,
) =>
  (await ask(
    (sql) => sql`team.sign_in_with_passkey(${id}, ${challenge}, ${counter}, ${backed_up})`,
  )) as Session;

/** Records a sign-in that begins at the company's identity provider. Where `token` is set, its invitation links the account to a member. */
export const beginCompanySignIn = (
  ask: Ask,
  begun: { state: string; nonce: string; verifier: string; token: string | undefined },
) =>
  ask(
    (sql) =>
      sql`team.begin_company_sign_in(${begun.state}, ${begun.nonce}, ${begun.verifier}, ${begun.token ?? null})`,
  );

/** What the identity provider's answer has to fit; null when no sign-in of the last ten minutes has this state. */
export const companySignInOf = async (ask: Ask, state: string) =>
  (await ask((sql) => sql`team.company_sign_in_of(${state})`)) as {
    nonce: string;
    code_verifier: string;
    begun_at: string;
  } | null;

/**
 * After the identity provider's answer was checked.
 * @throws Refused 401 when no member has the account, or when the sign-in or its invitation is not valid any more.
 */
export const signInWithCompany = async (ask: Ask, state: string, issuer: string, subject: string) =>
  (await ask((sql) => sql`team.sign_in_with_company(${state}, ${issuer}, ${subject})`)) as Session;

/** Does not count as activity. @throws Refused 401 or 423. */
export const me = async (ask: Ask) => (await ask((sql) => sql`team.me()`)) as { id: string; name: string };

export const keepAlive = (ask: Ask, leadOnScreen: string | undefined) =>
  ask((sql) => sql`team.keep_alive(${leadOnScreen ?? null})`);

export const lockSession = (ask: Ask) => ask((sql) => sql`team.lock_session()`);

/** Ends the session, locked or not. */
export const signOut = (ask: Ask) => ask((sql) => sql`team.sign_out()`);

export const passkeys = (ask: Ask) => ask((sql) => sql`team.passkeys()`);

export const challengeToAddPasskey = async (ask: Ask) =>
  (await ask((sql) => sql`team.challenge_to_add_passkey()`)) as Challenge;

export const addPasskey = (ask: Ask, challenge: string, passkey: Passkey, label: string) =>
  ask((sql) => sql`team.add_passkey(${challenge}, ${sql.json({ ...passkey })}, ${label})`);

/**
 * False when the member could not sign in any more without it: the last passkey of one who has no account at the company's identity
 * provider. `issuer` names that provider; without one, no member has such an account.
 */
export const removePasskey = async (ask: Ask, id: string, issuer: string | undefined) =>
  (await ask((sql) => sql`team.remove_passkey(${id}, ${issuer ?? null})`)) as boolean;
