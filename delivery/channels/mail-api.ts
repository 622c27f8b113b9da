// Sends a mail through an HTTP mail API in the shape of Resend, for places where SMTP is blocked, such as hosted
// functions. A repetition within a day carries the same idempotency key, and is not sent twice.
import { askedToWait } from "./channel.ts";
import type { Post } from "./email.ts";
import { hashOf } from "./hash.ts";
import { codeOfCause, letGo, waitAskedFor } from "./http-response.ts";

/** Makes the post for an API key. */
export function makeMailApi(apiKey: string, apiUrl = "https://api.resend.com"): Post {
  return async ({ from, to, subject, text, html, messageId }, signal) => {
    const body = JSON.stringify({ from, to, subject, text, html, headers: { "Message-ID": messageId } });
    try {
      const response = await fetch(`${apiUrl}/emails`, {
        method: "POST",
        headers: {
          authorization: `Bearer ${apiKey}`,
          "content-type": "application/json",
          // Of the whole mail: the API refuses a key that comes again with other words.
          "idempotency-key": await hashOf(body),
        },
        body,
        redirect: "manual",
        signal,
      });
      await letGo(response);
      return outcomeOf(response);
    } catch (error) {
      return { kind: "not now", reason: `no mail API (${codeOfCause(error)})` };
    }
  };
}

// A mail that the API cannot accept as it is (an address that is none) stays so. A wrong key or a quota is the
// operator's to mend, and the mail goes then.
function outcomeOf({ ok, status, headers }: Response): Awaited<ReturnType<Post>> {
  if (ok) return { kind: "delivered" };
  if (status === 400 || status === 422) return { kind: "never", reason: `the mail API answered ${status}` };
  const wait = waitAskedFor(headers.get("retry-after"), new Date());
  if (!wait) return { kind: "not now", reason: `the mail API answered ${status}` };
  return { kind: "not now", reason: `the mail API answered ${status}, ${askedToWait}`, askedToWait: wait };
}
