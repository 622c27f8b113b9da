// Sends a mail through an HTTP mail API in the shape of Resend, for places where SMTP is blocked, such as hosted
// functions. The same mail always carries the same idempotency key, which the API remembers for a day; within that day the mail is
// not sent twice.
import type { SendMail } from "./email.ts";
import { hashOf } from "./hash.ts";
import { postJson } from "./post-json.ts";

/** Makes the function that sends mails with an API key. */
export function makeMailApi(apiKey: string, apiUrl = "https://api.resend.com"): SendMail {
  return async ({ from, to, subject, text, html, messageId }, stop) => {
    const body = JSON.stringify({ from, to, subject, text, html, headers: { "Message-ID": messageId } });
    const headers = {
      authorization: `Bearer ${apiKey}`,
      // The hash of the whole mail, because the API refuses a key that it has seen with another body.
      "idempotency-key": await hashOf(body),
    };
    const url = `${apiUrl}/emails`;
    return postJson({ url, body, headers, receiver: "the mail API", subject: "the mail API " }, stop);
  };
}
