// Sign-in with the company's own accounts by OpenID Connect: the code flow with PKCE, state and nonce. Only an invited member gets in,
// and is known again by issuer and subject, never by an e-mail address.
import { AsyncLocalStorage } from "node:async_hooks";
import * as openid from "openid-client";
import { isThisMachine } from "../config/this-machine.ts";
import { codeOf, type Log } from "../log/log.ts";
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

/** Seconds that the provider's clock may be behind ours. */
const clockTolerance = 60;

/**
 * Seconds that the provider may take for one answer. After 20 seconds the page would give up (inbox/client/first-requests.ts), and say that
 * there is no connection.
 */
const providerTimeout = 10;

/** Bytes of one answer of the provider at most, because one without an end would take the memory of the intake as well. */
const maxAnswer = 1024 * 1024;

/** The one provider that asks only for the account, and not for the password again (docs/inbox.md). */
const google = "https://accounts.google.com";

/** Makes the company's sign-in for an inbox at this public address. The provider's metadata is fetched at the first use. */
export function makeCompanySignIn(settings: CompanySettings, inboxUrl: string, log: Log) {
  const redirect_uri = `${inboxUrl}/oidc/callback`;
  const { refuse, noteSuccess } = makeRefuse(log);
  let discovered: Promise<openid.Configuration> | undefined;
  const provider = () =>
    (discovered ??= discover(settings).catch((cause) => {
      discovered = undefined;
      return refuse(cause);
    }));

  return {
    /**
     * The address to send the browser to. The provider is to ask who is there each time, because its own session may still be that of a
     * member who left a locked screen. Google asks for the account alone.
     */
    async begin(): Promise<PendingSignIn & { address: string }> {
      const state = openid.randomState();
      const nonce = openid.randomNonce();
      const verifier = openid.randomPKCECodeVerifier();
      const found = await provider();
      const address = openid.buildAuthorizationUrl(found, {
        redirect_uri,
        state,
        nonce,
        scope: "openid",
        code_challenge: await openid.calculatePKCECodeChallenge(verifier),
        code_challenge_method: "S256",
        ...questionFor(found.serverMetadata().issuer),
      });
      return { state, nonce, verifier, address: address.href };
    },

    /** Checks the provider's answer, whose parameters stand in `search`, to a sign-in begun at `begunAt`. @throws SignInRefused */
    async finish(
      search: string,
      pending: PendingSignIn,
      begunAt: Date,
    ): Promise<{ issuer: string; subject: string }> {
      const address = new URL(`${redirect_uri}${search}`);
      const tokens = await exchangeCode(await provider(), address, pending, refuse);
      const claims = tokens.claims();
      if (!claims) return refuse({ error: "no claims" });
      const { auth_time, iss, sub } = claims;
      if (!isFresh(auth_time, begunAt, iss))
        return refuse({ error: `${auth_time === undefined ? "no" : "old"} auth_time` }, "in its time");
      noteSuccess();
      return { issuer: iss, subject: sub };
    },
  };
}

export type CompanySignIn = ReturnType<typeof makeCompanySignIn>;

/** Exchanges the code in the address for tokens. A failure goes to `refuse`. */
async function exchangeCode(
  configuration: openid.Configuration,
  address: URL,
  { verifier, state, nonce }: PendingSignIn,
  refuse: ReturnType<typeof makeRefuse>["refuse"],
) {
  const progress = { hasAskedProvider: false };
  const exchange = () =>
    openid.authorizationCodeGrant(configuration, address, {
      pkceCodeVerifier: verifier,
      expectedState: state,
      expectedNonce: nonce,
      idTokenExpected: true,
    });
  return exchanges
    .run(progress, exchange)
    .catch((cause) => refuse(cause, progress.hasAskedProvider ? "at the provider" : "in the address"));
}

/** Whether the exchange of a code that is under way has asked the provider, and not only read the address. */
const exchanges = new AsyncLocalStorage<{ hasAskedProvider: boolean }>();

/** Where a sign-in fails; "in its time": the person's sign-in at the provider is too old, or the provider does not say when it was. */
type Part = "in the address" | "at the provider" | "in its time";

/**
 * Refuses sign-ins. Logs only the first failure after a successful sign-in, because anybody may begin sign-ins and would fill the log. An
 * error in the address with which the browser comes back is logged apart: anybody may write one there, and it must not keep a failure at
 * the provider out of the log. So is "in its time", caused by a person who takes the question out of the address, or for all members
 * by a provider that ignores it or whose clock is behind.
 */
function makeRefuse(log: Log) {
  const failing = new Set<Part>();
  return {
    refuse: (cause: unknown, where: Part = "at the provider"): never => {
      const code = codeOfFailure(cause);
      if (!failing.has(where) && !byThePerson.has(code)) {
        failing.add(where);
        const isKnown = where !== "in the address" || errorsInAddress.has(code);
        log("company-sign-in-failed", { code: isKnown ? code : "another error" });
      }
      throw new SignInRefused("sign-in refused", cause);
    },
    noteSuccess: () => failing.clear(),
  };
}

/** The errors that a provider sends with the browser (RFC 6749, 4.1.2.1; OpenID Connect Core 1.0, 3.1.2.6). */
const errorsInAddress: ReadonlySet<string> = new Set([
  "invalid_request",
  "unauthorized_client",
  "unsupported_response_type",
  "invalid_scope",
  "server_error",
  "temporarily_unavailable",
  "interaction_required",
  "login_required",
  "account_selection_required",
  "consent_required",
  "invalid_request_uri",
  "invalid_request_object",
  "request_not_supported",
  "request_uri_not_supported",
  "registration_not_supported",
]);

/** What a person causes in their browser: cancels, comes back too late or with a made-up code. */
const byThePerson: ReadonlySet<string> = new Set(["access_denied", "invalid_grant"]);

/** The error that the provider names (RFC 6749, 4.1.2.1 and 5.2), such as "invalid_client"; else the code of what went wrong. */
function codeOfFailure(failure: unknown): string {
  const { error, cause } = failure as { error?: unknown; cause?: unknown };
  if (typeof error === "string" && /^[a-z_ ]{1,40}$/.test(error)) return error;
  return codeOf(cause instanceof Error ? cause : failure);
}

/**
 * What the provider is to ask the person. Google's documents know no `max_age`, and of `prompt` no `login`, and it refuses a `prompt` that it
 * does not know.
 */
export const questionFor = (issuer: string): Record<string, string> =>
  issuer === google ? { prompt: "select_account" } : { prompt: "login", max_age: "0" };

/**
 * Whether the person signed in at the provider after this sign-in was begun; at Google it is not known. The browser may have taken `prompt`
 * and `max_age` out of the address, so the provider must tell that time; the standard demands it where `max_age` came (OpenID Connect Core
 * 1.0, 2).
 */
export function isFresh(authTime: number | undefined, begunAt: Date, issuer: string): boolean {
  if (issuer === google) return true;
  return authTime !== undefined && authTime >= begunAt.getTime() / 1000 - clockTolerance;
}

function discover({ issuer, clientId, clientSecret }: CompanySettings): Promise<openid.Configuration> {
  const address = new URL(issuer);
  // Without TLS only on this machine, for a trial.
  const execute = [
    // Checks the signature of the ID token, too, although the standard is content with TLS (OpenID Connect Core 1.0, 3.1.3.7).
    openid.enableNonRepudiationChecks,
    ...(address.protocol === "http:" && isThisMachine(address.hostname)
      ? [openid.allowInsecureRequests]
      : []),
  ];
  return openid.discovery(address, clientId, clientSecret, undefined, {
    execute,
    timeout: providerTimeout,
    [openid.customFetch]: fetchBounded,
  });
}

/** Fetches an answer of the provider, whose reading fails after `maxAnswer` bytes. */
async function fetchBounded(address: string, request: openid.CustomFetchOptions): Promise<Response> {
  const progress = exchanges.getStore();
  if (progress) progress.hasAskedProvider = true;
  const answer = await fetch(address, request as RequestInit);
  let bytes = 0;
  const bounded = answer.body?.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        bytes += chunk.byteLength;
        if (bytes > maxAnswer) controller.error(new AnswerTooLong());
        else controller.enqueue(chunk);
      },
    }),
  );
  return new Response(bounded ?? null, answer);
}

class AnswerTooLong extends Error {
  override name = "AnswerTooLong";
}
