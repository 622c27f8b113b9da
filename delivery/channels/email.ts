// The e-mail channel: tells the team's mailboxes of leads that wait, and of withdrawals and erasures. What comes within some seconds of a
// mail goes together into the next one, so a burst becomes a digest. smtp.ts and mail-api.ts say how a mail travels.
import type { ChannelSettings } from "../../config/config.ts";
import type { Delivery } from "../delivery.ts";
import type { ChannelContext, ChannelDefinition, Outcome, Transport } from "./channel.ts";
import { type Message, writeMessage } from "./email-message.ts";
import { hashOf } from "./hash.ts";
import { makeMailApi } from "./mail-api.ts";
import { makeSmtp } from "./smtp.ts";

export const email: ChannelDefinition = {
  name: "email",
  setting: "NOTIFY_EMAIL",
  make: (settings, { linkTo, log }) => {
    const given = settingsOf(settings);
    const onRejected = (count: number) => log("mailbox-rejected", { count });
    return given && makeEmail({ ...given, linkTo }, { onRejected });
  },
};

export interface EmailSettings {
  /** An address, or a name and an address: `Leads <leads@example.com>`. */
  from: string;
  to: readonly string[];
  /** Whether a mail names the person and the answers. */
  details: boolean;
  via: { smtpUrl: string } | { apiKey: string; apiUrl?: string };
  linkTo?: ChannelContext["linkTo"];
}

/** A mail ready to travel. */
export interface Mail extends Message {
  from: string;
  to: readonly string[];
  /** With its angle brackets; the same for the same deliveries. */
  messageId: string;
  /** Whether it holds what visitors typed; without it, it does not. */
  details?: boolean;
}

/** Sends a mail. `rejected` counts mailboxes that refused while others took it. */
export type SendMail = (mail: Mail, stop: AbortSignal) => Promise<Outcome & { rejected?: number }>;

/** Makes the channel. `timeout` is in milliseconds; `onRejected` is told how many mailboxes refused a mail that others took. */
export function makeEmail(
  settings: EmailSettings,
  {
    timeout = 60_000,
    onRejected = () => {},
  }: { timeout?: number; onRejected?: (count: number) => void } = {},
): Transport {
  const sendMail = makeSendMail(settings.via);
  const send: Transport["send"] = async (deliveries, stop) => {
    const { from, to, details } = settings;
    const messageId = await messageIdOf(deliveries, from);
    const mail = { from, to, messageId, details, ...writeMessage(deliveries, settings) };
    const tooLate = AbortSignal.timeout(timeout);
    const { rejected = 0, ...outcome } = await sendMail(mail, AbortSignal.any([stop, tooLate]));
    if (rejected > 0) onRejected(rejected);
    if (outcome.kind !== "transient") return outcome;
    if (stop.aborted) return { kind: "transient", reason: "stopped while sending" };
    return tooLate.aborted ? { kind: "transient", reason: `not sent within ${timeout / 1000} s` } : outcome;
  };
  return { batch: 500, concurrency: 1, cooldown: 20, send };
}

function settingsOf({
  MAIL_FROM,
  NOTIFY_EMAIL,
  MAIL_DETAILS,
  SMTP_URL,
  RESEND_API_KEY,
}: ChannelSettings): EmailSettings | undefined {
  const via = RESEND_API_KEY ? { apiKey: RESEND_API_KEY } : SMTP_URL ? { smtpUrl: SMTP_URL } : undefined;
  if (!via || !MAIL_FROM || !NOTIFY_EMAIL) return undefined;
  return { from: MAIL_FROM, to: NOTIFY_EMAIL, details: MAIL_DETAILS === "full", via };
}

const makeSendMail = (via: EmailSettings["via"]): SendMail =>
  "smtpUrl" in via ? makeSmtp(via.smtpUrl) : makeMailApi(via.apiKey, via.apiUrl);

/** The same deliveries have the same id, in any order, so that a mailbox can tell a repetition. */
async function messageIdOf(deliveries: readonly Delivery[], from: string): Promise<string> {
  const ids = deliveries.map((delivery) => delivery.id).sort();
  const local = ids.length === 1 ? ids[0] : await hashOf(ids.join());
  return `<lead-${local}@${/@([^\s>]+)/.exec(from)?.[1] ?? "localhost"}>`;
}
