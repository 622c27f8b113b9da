// Sends a mail over SMTP, with TLS where the server offers it. Only what a server says of the mailboxes or of the mail
// itself is for good; a wrong password or a server that is away is mended by the operator, and the mail goes then.
import { createTransport } from "nodemailer";
import { codeOf } from "../../log/log.ts";
import type { Mail, Post } from "./email.ts";

/** Makes the post for an address such as `smtps://user:password@mail.example.com`. */
export function makeSmtp(url: string): Post {
  const transport = createTransport({
    url,
    connectionTimeout: 10_000,
    greetingTimeout: 10_000,
    dnsTimeout: 10_000,
    socketTimeout: 30_000,
    // The mail is made of what we hand over, and of nothing that a text in it names.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return async ({ from, to, subject, text, html, messageId }: Mail, signal) => {
    try {
      const sent = await transport.sendMail({ from, to: [...to], subject, text, html, messageId, signal });
      return { kind: "delivered", rejected: sent.rejected?.length ?? 0 };
    } catch (error) {
      const { responseCode, command } = error as { responseCode?: number; command?: string };
      if (isForGood(error)) return { kind: "never", reason: `the mail server answered ${responseCode}` };
      // The server's words may quote the mail, so only its number is kept, and what it was an answer to.
      const reason = responseCode
        ? `the mail server answered ${responseCode} to ${command}`
        : `no mail server (${codeOf(error)})`;
      return { kind: "not now", reason };
    }
  };
}

// Several mailboxes may have refused for different reasons; one that may take it later is reason to try again.
function isForGood(error: unknown): boolean {
  const { responseCode, command, rejectedErrors } = error as {
    responseCode?: number;
    command?: string;
    rejectedErrors?: { responseCode?: number }[];
  };
  const refused = (code = 0) => code >= 500;
  if (rejectedErrors) return rejectedErrors.every((rejection) => refused(rejection.responseCode));
  return command === "DATA" && refused(responseCode);
}
