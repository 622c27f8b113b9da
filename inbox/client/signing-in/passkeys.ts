// Asks the browser for a passkey, and says in a sentence what went wrong when it gives none.
import {
  type PublicKeyCredentialCreationOptionsJSON,
  type PublicKeyCredentialRequestOptionsJSON,
  startAuthentication,
  startRegistration,
} from "@simplewebauthn/browser";
import type { SignInError } from "../../api-sign-in.ts";
import { CallFailed, callApi, callSignIn } from "../call-api.ts";
import { failureSentence } from "../page/failure.ts";

/** Begins a session, or unlocks the locked one. @throws CallFailed, or the browser's own error */
export async function signInWithPasskey(): Promise<void> {
  const { options } = await callSignIn("sign-in/options", {});
  const credential = await startAuthentication({
    optionsJSON: options as unknown as PublicKeyCredentialRequestOptionsJSON,
  });
  await callSignIn("sign-in/verify", { credential: { ...credential } });
}

/** Makes the invited member's first passkey, and begins a session. */
export async function joinWithPasskey(token: string): Promise<void> {
  const { options } = await callSignIn("join/options", { token });
  const credential = await create(options);
  await callSignIn("join/verify", { token, credential, label: deviceName() });
}

/** Makes a further passkey for the signed-in member. */
export async function addPasskey(): Promise<void> {
  const { options } = await callApi("passkeys/options", {});
  await callApi("passkeys/add", { credential: await create(options), label: deviceName() });
}

const create = async (options: object) => ({
  ...(await startRegistration({ optionsJSON: options as PublicKeyCredentialCreationOptionsJSON })),
});

/** The label of a new passkey in the list: the kind of device that it was made on. */
function deviceName(): string {
  const systems = ["Windows", "iPhone", "iPad", "Android", "Macintosh", "CrOS", "Linux"];
  const found = systems.find((name) => navigator.userAgent.includes(name));
  // An iPad calls itself a Mac, which has no touch screen.
  if (found === "Macintosh") return navigator.maxTouchPoints > 1 ? "iPad" : "Mac";
  return found === "CrOS" ? "Chromebook" : (found ?? "This device");
}

const sentences: Readonly<Record<SignInError, string>> = {
  "invitation used": "This link has been used already, or a newer one has replaced it. Ask for a new one.",
  "invitation expired": "This link is older than 24 hours. Ask for a new one.",
  "invitation unknown": "This link is not complete, or you are no longer in the team. Ask for a new one.",
  "not a member":
    "This passkey or account lets nobody in, or the account is another member's. Ask a manager for a new link.",
  "user not verified":
    "Your device did not check that it is you. Turn on its PIN, fingerprint or face check, then try again.",
  "try again": "That took too long, or the answer did not fit. Try again.",
  "sign-in refused":
    "Your company's sign-in said no, or was broken off. Try again, and tell your operator if it happens again.",
};

export const isSignInError = (word: string): word is SignInError => Object.hasOwn(sentences, word);

export function signInSentence(error: unknown): string {
  if (error instanceof CallFailed) {
    if (isSignInError(error.detail)) return sentences[error.detail];
    if (error.why === "offline") return "There is no connection. Try again in a moment.";
    // Not the sentence of `failureSentence`, which speaks of what was typed: here nothing was.
    if (error.why === "bug")
      return "The server made a mistake. Try again, and tell your operator if it happens again.";
    if (error.why === "database unreachable") return "The server is not ready. Try again in a moment.";
    return failureSentence(error);
  }
  const name = error instanceof Error ? error.name : "";
  if (name === "InvalidStateError") return "This device has a passkey for you already.";
  // Most browsers give one error for a closed window and for a device that does not check who uses it. Chrome on Android gives a
  // NotSupportedError for such a device.
  if (name === "NotAllowedError" || name === "AbortError")
    return "No passkey was used: its window was closed, it took too long, or your device did not check that it is you. Turn on its PIN, fingerprint or face check, and try again.";
  return "This browser or device cannot use passkeys here. Turn on its PIN, fingerprint or face check, try a newer browser, or ask your operator.";
}
