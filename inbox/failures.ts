// What a failed request of the inbox is answered with, and what its failure tells of a sign-in or a session.
import { isDatabaseTrouble } from "../database/trouble.ts";
import { logBug } from "../log/bug.ts";
import type { Log } from "../log/log.ts";
import { Refused } from "../team/ask.ts";
import { signInErrors } from "./api-sign-in.ts";
import { SignInRefused } from "./passkeys.ts";
import { json } from "./read-request.ts";

/** The answer to a failure. Below /api/ the answer to a missing or locked session has no body. */
export function answerToFailure(error: unknown, path: string, log: Log): Response {
  if (/^\/api(?:\/|$)/.test(path) && error instanceof Refused && isOfSession(error)) {
    return new Response(null, { status: error.status });
  }
  const why = signInRefusal(error);
  if (why) return json({ error: why }, 401);
  if (error instanceof Refused) {
    return json({ error: error.status === 404 ? "not found" : error.message }, error.status);
  }
  if (isDatabaseTrouble(error)) return json({ error: "the database does not answer" }, 503);
  logBug(log, error);
  return json({ error: "a bug" }, 500);
}

/** False for a 401 to a new passkey, which the database refuses with the words of a sign-in while the session goes on. */
const isOfSession = ({ status, message }: Refused): boolean =>
  status === 423 || (status === 401 && !signInErrors.some((word) => word === message));

/** Why a sign-in was refused, as one of the words in inbox/api-sign-in.ts; undefined for any other failure. */
export function signInRefusal(error: unknown): string | undefined {
  if (error instanceof SignInRefused) return error.why;
  return error instanceof Refused && error.status === 401 ? error.message : undefined;
}

// Only a refusal says that the session is over; any other failure leaves it unknown.
export const maySessionBeOpen = (error: unknown): boolean => !(error instanceof Refused);
