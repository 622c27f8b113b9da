// The requests with which a member signs in. They are outside of `/api/`, because below it nothing is answered without a session.
import * as v from "valibot";
import { Moment, NonEmptyText, Role } from "./api-values.ts";

const Token = v.pipe(v.string(), v.regex(/^[A-Za-z0-9_-]{20,100}$/));
const Credential = v.looseObject({});
const Empty = v.strictObject({});
const SignedIn = v.object({ name: v.string(), role: Role, ends_at: Moment });

/**
 * How a request is made: `POST /<name>` with JSON, from the inbox's own page. Answers:
 * - 200: JSON as `response` says; a session begins with its cookie where that is said.
 * - 401, `{"error": <one of signInErrors>}`. 400, 403, 413, 415, 500, 503 as in `inbox/api.ts`.
 * OpenID Connect: `oidc/start` answers with an address; go there. The provider returns to `GET /oidc/callback`, which answers
 * with a redirect to `/` (signed in) or to `/sign-in#<one of signInErrors with - for spaces>`.
 */
export const signIn = {
  /** How a member can sign in here. */
  "sign-in/methods": {
    request: Empty,
    response: v.object({ passkey: v.boolean(), oidc: v.boolean() }),
  },
  /** Options as `startAuthentication` of @simplewebauthn/browser takes them. */
  "sign-in/options": { request: Empty, response: v.object({ options: v.looseObject({}) }) },
  /** Begins a session, or unlocks the locked one of the same member. */
  "sign-in/verify": { request: v.strictObject({ credential: Credential }), response: SignedIn },
  /** Says whom an invitation is for. The token is what follows the # of the link: it is not sent to any server by itself. */
  "join/open": {
    request: v.strictObject({ token: Token }),
    response: v.object({ name: v.string(), expires_at: Moment, passkey: v.boolean(), oidc: v.boolean() }),
  },
  "join/options": {
    request: v.strictObject({ token: Token }),
    response: v.object({ options: v.looseObject({}) }),
  },
  /** Uses the invitation up and begins a session. */
  "join/verify": {
    request: v.strictObject({ token: Token, credential: Credential, label: v.optional(NonEmptyText(100)) }),
    response: SignedIn,
  },
  /** With a token: links the company's sign-in to the invited member. The provider asks the person to sign in anew; Google only asks for the account. */
  "oidc/start": {
    request: v.strictObject({ token: v.optional(Token) }),
    response: v.object({ address: v.string() }),
  },
} as const;

export const signInErrors = [
  /** The invitation was used or replaced by a newer one; is too old; was never made, or its member was removed. */
  "invitation used",
  "invitation expired",
  "invitation unknown",
  /** The passkey or the company's account belongs to no member, the account is another member's, or a later sign-in used the passkey. */
  "not a member",
  /** The device did not check who is there (no PIN, finger or face). */
  "user not verified",
  /**
   * The challenge is old, or the answer does not fit. Also when the database did not answer or this program failed after the
   * identity provider had sent the browser back.
   */
  "try again",
  /** The provider refused or did not answer as it must, the person cancelled, or there is no company sign-in here. */
  "sign-in refused",
] as const;
export type SignInError = (typeof signInErrors)[number];
export type SignInName = keyof typeof signIn;
