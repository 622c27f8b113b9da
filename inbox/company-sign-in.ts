// Sign-in with the company's own accounts by OpenID Connect: code with PKCE, state and nonce. Only an invited member gets in, and is
// known again by issuer and subject, never by an e-mail address.
import * as openid from "openid-client";
import { SignInRefused } from "./passkeys.ts";

export interface CompanySettings {
  issuer: string;
  clientId: string;
  clientSecret: string;
}

/** What is kept of a sign-in until the provider has answered. */
export interface PendingSignIn {
  state: string;
  nonce: string;
  verifier: string;
}

/** Makes the company's sign-in for an inbox at this public address. The provider's metadata is fetched at the first use. */
export function makeCompanySignIn(settings: CompanySettings, inboxUrl: string) {
  const redirect_uri = `${inboxUrl}/oidc/callback`;
  let discovered: Promise<openid.Configuration> | undefined;
  const provider = () =>
    (discovered ??= discover(settings).catch((error) => {
      discovered = undefined;
      throw new SignInRefused("sign-in refused", error);
    }));

  return {
    /** The address to send the browser to. `reauthenticates` has the provider ask the person again, for an unlock. */
    async begin(reauthenticates: boolean): Promise<PendingSignIn & { address: string }> {
      const state = openid.randomState();
      const nonce = openid.randomNonce();
      const verifier = openid.randomPKCECodeVerifier();
      const address = openid.buildAuthorizationUrl(await provider(), {
        ...{ redirect_uri, state, nonce, scope: "openid" },
        code_challenge: await openid.calculatePKCECodeChallenge(verifier),
        code_challenge_method: "S256",
        ...(reauthenticates && { prompt: "login", max_age: "0" }),
      });
      return { state, nonce, verifier, address: address.href };
    },

    /** Checks the provider's answer, whose parameters stand in `search`. @throws SignInRefused */
    async finish(search: string, pending: PendingSignIn): Promise<{ issuer: string; subject: string }> {
      const tokens = await openid
        .authorizationCodeGrant(await provider(), new URL(`${redirect_uri}${search}`), {
          pkceCodeVerifier: pending.verifier,
          expectedState: pending.state,
          expectedNonce: pending.nonce,
          idTokenExpected: true,
        })
        .catch((cause) => {
          throw new SignInRefused("sign-in refused", cause);
        });
      const claims = tokens.claims();
      if (!claims) throw new SignInRefused("sign-in refused");
      return { issuer: claims.iss, subject: claims.sub };
    },
  };
}

export type CompanySignIn = ReturnType<typeof makeCompanySignIn>;

function discover({ issuer, clientId, clientSecret }: CompanySettings): Promise<openid.Configuration> {
  const address = new URL(issuer);
  // Without TLS only on this machine, for a trial.
  const isHere = ["localhost", "127.0.0.1", "[::1]"].includes(address.hostname);
  const execute = address.protocol === "http:" && isHere ? [openid.allowInsecureRequests] : [];
  return openid.discovery(address, clientId, clientSecret, undefined, { execute });
}
