// Sends a mail over SMTP, with TLS where the server offers it. Nearly everything that a server refuses (a password, a
// sender, a full mailbox, a policy) is transient, because people can fix it; only a mail that is too large is a permanent failure.
import type { Transporter } from "nodemailer";
import type { Outcome } from "./channel.ts";
import type { Mail, SendMail } from "./email.ts";
import { whyUnreachable } from "./unreachable.ts";

/** In milliseconds. */
interface Timeouts {
  connect: number;
  /** Some servers greet up to half a minute late on purpose, because spammers do not wait (RFC 5321, 4.5.3.2.1 allows more). */
  greeting: number;
}

/** Makes the function that sends mails to an address such as `smtps://user:password@mail.example.com`. */
export function makeSmtp(
  url: string,
  { connect = 10_000, greeting = 40_000 }: Partial<Timeouts> = {},
): SendMail {
  let transport: Transporter | undefined;
  return async ({ from, to, subject, text, html, messageId, details = false }: Mail, signal) => {
    // Outside the `try` below, because a failure here does not come from a mail server.
    transport ??= await openTransport(url, { connect, greeting });
    try {
      const sent = await transport.sendMail({ from, to: [...to], subject, text, html, messageId, signal });
      return { kind: "delivered", rejected: sent.rejected?.length ?? 0 };
    } catch (error) {
      return outcomeOf(error as SmtpError, details);
    }
  };
}

// Loaded with the first mail, because loading it takes an eighth of a server's start, and most servers send none.
async function openTransport(url: string, { connect, greeting }: Timeouts): Promise<Transporter> {
  const { createTransport } = await import("nodemailer");
  return createTransport({
    url,
    // The library's limit for connecting includes the greeting.
    connectionTimeout: connect + greeting,
    greetingTimeout: greeting,
    dnsTimeout: connect,
    // A filter of the server's may look at the mail for long before it takes it (RFC 5321, 4.5.3.2.6). The channel's own limit ends the wait.
    socketTimeout: 120_000,
    // The mail is made of what it is given, and of no file or address that a text in it names.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
}

/** What nodemailer says of a failure, as far as it is used. */
interface SmtpError extends Error {
  code?: string;
  /** What the server answered, and its number. */
  response?: string;
  responseCode?: number;
  /** What it was an answer to. */
  command?: string;
}

// The server's words may quote the mail, so only its number is kept, and what it was an answer to.
function outcomeOf(error: SmtpError, details: boolean): Outcome {
  const { code, responseCode, command } = error;
  if (responseCode === undefined) {
    const reason =
      code === "EAUTH"
        ? "SMTP_URL names a way to sign in that this program does not know (EAUTH)"
        : whyUnreachable("the mail server", error);
    return { kind: "transient", reason };
  }
  // One lead's words may be why, and a mail without it would pass.
  if (command === "DATA" && isRefusedByPolicy(error.response ?? "", details))
    return {
      kind: "transient",
      reason: `the mail server answered ${responseCode} to DATA`,
      mayPassDivided: true,
      ...(details && { isRefusedContent: true }),
    };
  if (responseCode === 552 && command === "DATA") return outcomeOfSize(error.response ?? "");
  const reason = `the mail server answered ${responseCode}${commandIn(error)}${remedyFor(error)}`;
  return { kind: "transient", reason };
}

// Security or policy (RFC 3463, 3.8). A filter may refuse what a visitor typed without an enhanced status code.
const isRefusedByPolicy = (response: string, details: boolean): boolean =>
  /^55[024][ -]5\.7\.\d{1,3}\b/.test(response) ||
  (details && /^55[04]\b/.test(response) && !/^55[04][ -]5\.\d\.\d/.test(response));

// A server answers 552 for a mail that is too large and for a full mailbox. The enhanced status code says which (RFC 3463); without one,
// a mail with fewer leads may pass, and people can empty a mailbox.
function outcomeOfSize(response: string): Outcome {
  const [, status] = /^552[ -]5\.(\d\.\d{1,3})\b/.exec(response) ?? [];
  if (status === "2.3" || status === "3.4")
    return {
      kind: "permanent",
      reason: "the mail is too large for the mail server (552)",
      mayPassDivided: true,
    };
  if (status === "2.2") return { kind: "transient", reason: "a mailbox is full (552)" };
  const reason = "the mail server answered 552 to DATA: a mailbox is full, or the mail is too large";
  return { kind: "transient", reason, mayPassDivided: true };
}

// A server that answers 421 ends the connection, whatever it was asked (RFC 5321, 4.2.3). CONN is no command: nodemailer calls the
// connection itself so.
function commandIn({ command, responseCode }: SmtpError): string {
  if (responseCode === 421) return "";
  return ` to ${command === "CONN" ? "the connection" : command}`;
}

function remedyFor({ code, command, responseCode }: SmtpError): string {
  if (responseCode === 421) return ": it is busy or stops";
  // RFC 4954, 6, and RFC 3207, 4.
  if (responseCode === 530) return ": it wants a user and a password, or TLS";
  // 454 is a sign-in that fails for a while, 504 one of a kind that is not offered, and 538 one that needs TLS (RFC 4954, 6; RFC 2554, 6).
  if (code === "EAUTH" && responseCode === 504) return ": it offers no sign-in with a user and a password";
  if (code === "EAUTH" && responseCode === 538) return ": it wants TLS before the sign-in";
  if (code === "EAUTH" && responseCode !== 454) return ": check the user and the password";
  if (command === "MAIL FROM") return ": check the sender";
  if (command === "RCPT TO") return ": check the mailboxes";
  return "";
}
