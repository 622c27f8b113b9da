// Says in a sentence what became of a call that failed. What was typed is kept (drafts.ts), unless the lead is gone or the member has signed out.
import { CallFailed, type Failure } from "../call-api.ts";

const sentences: Readonly<Record<Failure, string>> = {
  // Neither of these two says that nothing was done (mayBeDone).
  offline:
    "The server did not answer: there is no connection. What you typed is still here. Try again in a moment.",
  "database unreachable":
    "The server or its database does not answer. What you typed is still here. Try again in a moment.",
  "signed out": "You are signed out.",
  refused: "This was refused. Try again.",
  locked: "The inbox is locked.",
  forbidden: "Only a manager may do that.",
  "not found": "This is not there any more. Somebody may have erased it.",
  "not accepted": "The server does not accept this. Check what you typed.",
  conflict: "There is another one of this name already.",
  bug: "The server made a mistake. What you typed is still here. Try again, and tell your operator if it happens again.",
};

/**
 * Whether what was asked may have been done all the same, because it may be that only the answer was lost. What is sent again is done once
 * (docs/inbox.md).
 */
export const mayBeDone = (error: unknown): boolean =>
  !(error instanceof CallFailed) || error.why === "offline" || error.why === "database unreachable";

/** For an error of the page itself. */
const faultOfPage =
  "Something in this page went wrong. What you typed is still here. Load the page again, and tell your operator if it happens again.";

/** Where nothing was typed yet. Without an answer the page asks again by itself; after a mistake of the server it does not. */
const firstSentences: Partial<Record<Failure, string>> = {
  offline: "There is no connection. This page goes on trying.",
  "database unreachable": "The server or its database does not answer. This page goes on trying.",
  bug: "The server made a mistake. Load the page again, and tell your operator if it happens again.",
};

export const firstFailureSentence = (error: Error): string =>
  (error instanceof CallFailed && firstSentences[error.why]) || failureSentence(error);

export function failureSentence(error: Error): string {
  if (!(error instanceof CallFailed)) return faultOfPage;
  if (error.detail === "medicare number")
    return "What you typed holds what looks like a Medicare number. Take it out: we never keep those.";
  // The browser has the page from an address that is not INBOX_URL, such as 127.0.0.1.
  if (error.detail === "another page")
    return "This is not the inbox's own address, and nothing works here. Ask your operator for the right one.";
  return sentences[error.why];
}
