// The requests of a sign-in (inbox/api-sign-in.ts), which need no session. They tell which ways to sign in there are, whether a sign-in
// or an invitation is valid, and to whoever has an invitation, who is invited and until when it is valid.
import type * as v from "valibot";
import type { Ask } from "../team/ask.ts";
import * as sessions from "../team/sessions.ts";
import type { SignInName, signIn } from "./api-sign-in.ts";
import type { CompanySignIn } from "./company-sign-in.ts";
import { idOf, type Passkeys, SignInRefused } from "./passkeys.ts";

export interface SignInDependencies {
  passkeys: Passkeys;
  company: CompanySignIn | undefined;
}

/** What a sign-in request is answered with, and the cookies that go with it. */
export interface SignInAnswer {
  body: object;
  session?: sessions.Session;
  /** The state of a sign-in that goes on at the company's identity provider. */
  state?: string;
}

type Handlers = {
  [Name in SignInName]: (
    ask: Ask,
    request: v.InferOutput<(typeof signIn)[Name]["request"]>,
  ) => Promise<SignInAnswer>;
};

/** Makes the handlers. They throw SignInRefused, or Refused from SQL with one of the same words. */
export function makeSignIn({ passkeys, company }: SignInDependencies): Handlers {
  return {
    "sign-in/methods": async () => ({ body: { passkey: true, oidc: company !== undefined } }),
    "sign-in/options": async (ask) => ({
      body: { options: await passkeys.requestOptions(await sessions.challengeToSignIn(ask)) },
    }),
    "sign-in/verify": async (ask, { credential }) => {
      const kept = await sessions.passkeyToCheck(ask, idOf(credential));
      const { challenge, ...checked } = await passkeys.checkSignature(credential, kept);
      return signedIn(await sessions.signInWithPasskey(ask, checked, challenge));
    },
    "join/open": async (ask, { token }) => {
      const { name, expires_at } = await sessions.openInvitation(ask, token);
      return { body: { name, expires_at, passkey: true, oidc: company !== undefined } };
    },
    "join/options": async (ask, { token }) => ({
      body: { options: await passkeys.creationOptions(await sessions.challengeToJoin(ask, token)) },
    }),
    "join/verify": async (ask, { token, credential, label = "" }) => {
      const { challenge, passkey } = await passkeys.checkNew(credential);
      return signedIn(await sessions.joinWithPasskey(ask, token, challenge, passkey, label));
    },
    "oidc/start": async (ask, { token }) => {
      if (!company) throw new SignInRefused("sign-in refused");
      const { address, ...kept } = await company.begin();
      await sessions.beginCompanySignIn(ask, { ...kept, token });
      return { body: { address }, state: kept.state };
    },
  };
}

/**
 * Signs a member in when the company's identity provider has sent the browser back. `state` is the cookie's, so that a link that another
 * person made signs nobody in (login CSRF).
 */
export async function finishCompanySignIn(
  ask: Ask,
  company: CompanySignIn,
  address: URL,
  state: string | undefined,
): Promise<sessions.Session> {
  if (!state || address.searchParams.get("state") !== state) throw new SignInRefused("try again");
  const kept = await sessions.companySignInOf(ask, state);
  if (!kept) throw new SignInRefused("try again");
  const pending = { state, nonce: kept.nonce, verifier: kept.code_verifier };
  const { issuer, subject } = await company.finish(address.search, pending, new Date(kept.begun_at));
  return sessions.signInWithCompany(ask, state, issuer, subject);
}

const signedIn = (session: sessions.Session): SignInAnswer => {
  const { name, role, ends_at } = session;
  return { body: { name, role, ends_at }, session };
};
