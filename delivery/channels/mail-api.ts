// Sends a mail through an HTTP mail API in the shape of Resend, for places where SMTP is blocked, such as hosted
// functions. The same mail always carries the same idempotency key, which the API remembers for a day; within it the mail is not sent
// twice.
import type { SendMail } from "./email.ts";
import { hashOf } from "./hash.ts";
import { discardBody, outcomeOf } from "./http-response.ts";
import { whyUnreachable } from "./unreachable.ts";

/** Makes the function that sends mails with an API key. */
export function makeMailApi(apiKey: string, apiUrl = "https://api.resend.com"): SendMail {
  return async ({ from, to, subject, text, html, messageId }, signal) => {
    const body = JSON.stringify({ from, to, subject, text, html, headers: { "Message-ID": messageId } });
    try {
      const response = await fetch(`${apiUrl}/emails`, {
        method: "POST",
        headers: {
          authorization: `Bearer ${apiKey}`,
          "content-type": "application/json",
          // The hash of the whole mail, because the API refuses a key that it has seen with another body.
          "idempotency-key": await hashOf(body),
        },
        body,
        redirect: "manual",
        signal,
      });
      await discardBody(response);
      return outcomeOf(response, "the mail API ", new Date());
    } catch (error) {
      return { kind: "transient", reason: whyUnreachable("the mail API", error) };
    }
  };
}
