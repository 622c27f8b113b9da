// Passkeys for the inbox: what a browser is asked for, and whether its answer holds. User verification (a PIN, a finger, a face) is
// required and checked, and the public address of the inbox fixes the relying party and the origin.
import { isIP } from "node:net";
import {
  type AuthenticationResponseJSON,
  generateAuthenticationOptions,
  generateRegistrationOptions,
  type RegistrationResponseJSON,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
} from "@simplewebauthn/server";
import { decodeAttestationObject, isoBase64URL, isoCBOR } from "@simplewebauthn/server/helpers";
import type { Challenge, Passkey } from "../team/sessions.ts";
import type { SignInError } from "./api-sign-in.ts";

/** A sign-in is refused; the message is one of `signInErrors`, which the page puts into a sentence. */
export class SignInRefused extends Error {
  override name = "SignInRefused";
  readonly why: SignInError;

  constructor(why: SignInError, cause?: unknown) {
    super(why, { cause });
    this.why = why;
  }
}

/**
 * Whether browsers offer passkeys at an address: it has https or the name localhost, and a name, because no IP address can be a relying
 * party (Web Authentication Level 3, 5.1.3).
 */
export const mayHavePasskeys = ({ protocol, hostname }: URL): boolean =>
  (protocol === "https:" || /(^|\.)localhost$/.test(hostname)) &&
  isIP(hostname.replace(/^\[|\]$/g, "")) === 0;

/** A credential as a browser sent it; nothing in it is checked yet. */
export type Credential = Readonly<Record<string, unknown>>;

/** Asks for passkeys and checks them, for an inbox at one public address. */
export class Passkeys {
  readonly #rp: { rpName: string; rpID: string };
  readonly #expected: { expectedOrigin: string; expectedRPID: string; requireUserVerification: false };

  constructor(inboxUrl: string, rpName: string) {
    const { hostname: rpID, origin } = new URL(inboxUrl);
    this.#rp = { rpName, rpID };
    // The library is not to require user verification, because a missing one is refused below with an error of its own.
    this.#expected = { expectedOrigin: origin, expectedRPID: rpID, requireUserVerification: false };
  }

  /** Options for a new passkey of a member. */
  creationOptions({ challenge, name, member, passkeys = [] }: Challenge) {
    return generateRegistrationOptions({
      ...this.#rp,
      userName: name,
      userDisplayName: name,
      userID: bytesOf(member),
      challenge: Uint8Array.from(Buffer.from(challenge, "base64url")),
      attestationType: "none",
      excludeCredentials: passkeys.map((id) => ({ id })),
      authenticatorSelection: { residentKey: "required", userVerification: "required" },
    });
  }

  /** Options to sign in with whichever passkey the device holds. */
  requestOptions(challenge: string) {
    return generateAuthenticationOptions({
      rpID: this.#rp.rpID,
      challenge: Uint8Array.from(Buffer.from(challenge, "base64url")),
      userVerification: "required",
    });
  }

  /** Checks a new passkey, all but its challenge, which is returned for the database to check. @throws SignInRefused */
  async checkNew(credential: Credential): Promise<{ challenge: string; passkey: Passkey }> {
    const { expectedChallenge, signed } = noteChallenge();
    const { verified, registrationInfo } = await withoutAttestation(credential)
      .then((response) => verifyRegistrationResponse({ ...this.#expected, response, expectedChallenge }))
      .catch(refuse);
    if (!verified || !registrationInfo) throw new SignInRefused("try again");
    if (!registrationInfo.userVerified) throw new SignInRefused("user not verified");
    const { publicKey, counter, transports = [], ...made } = registrationInfo.credential;
    const id = idOf(made);
    const backed_up = registrationInfo.credentialBackedUp;
    const public_key = Buffer.from(publicKey).toString("base64");
    return { challenge: signed(), passkey: { id, public_key, counter, transports, backed_up } };
  }

  /** Checks a signature by the passkey's public key, and leaves its challenge to the database, as `checkNew` does. @throws SignInRefused */
  async checkSignature(credential: Credential, kept: Omit<Passkey, "id" | "backed_up">) {
    const { expectedChallenge, signed } = noteChallenge();
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      ...this.#expected,
      response: credential as unknown as AuthenticationResponseJSON,
      expectedChallenge,
      credential: {
        id: idOf(credential),
        publicKey: Uint8Array.from(Buffer.from(kept.public_key, "base64")),
        counter: kept.counter,
      },
    }).catch(refuse);
    if (!verified) throw new SignInRefused("try again");
    if (!authenticationInfo.userVerified) throw new SignInRefused("user not verified");
    const { newCounter: counter, credentialBackedUp: backed_up } = authenticationInfo;
    return { challenge: signed(), id: idOf(credential), counter, backed_up };
  }
}

/**
 * A new passkey as the library checks it: without an attestation, because none was asked for. The library would check one also where the
 * sender made up its certificates, and would load lists of revoked certificates from wherever they say.
 */
async function withoutAttestation(credential: Credential): Promise<RegistrationResponseJSON> {
  const sent = credential as unknown as RegistrationResponseJSON;
  const attestation = decodeAttestationObject(isoBase64URL.toBuffer(sent.response.attestationObject));
  const none = new Map<string, string | Uint8Array | Map<string, string>>([["fmt", "none"]]);
  none.set("attStmt", new Map<string, string>()).set("authData", attestation.get("authData"));
  const attestationObject = isoBase64URL.fromBuffer(isoCBOR.encode(none));
  return { ...sent, response: { ...sent.response, attestationObject } };
}

/** The id of the passkey that a browser names. @throws SignInRefused when it names none. */
export function idOf({ id }: Credential): string {
  if (typeof id !== "string" || id.length > 1400) throw new SignInRefused("try again");
  return id;
}

// Each challenge is kept in the database by its hash: the check notes which one was signed, and SQL uses it up.
function noteChallenge() {
  let noted = "";
  return {
    expectedChallenge: (challenge: string) => {
      noted = challenge;
      return true;
    },
    signed: () => noted,
  };
}

// Any error of the library means a bad credential, because the credential comes from the browser.
function refuse(cause: unknown): never {
  throw new SignInRefused("try again", cause);
}

const bytesOf = (uuid: string) => Uint8Array.from(Buffer.from(uuid.replaceAll("-", ""), "hex"));
