// The settings of the team's side: the channels that notify the team of a lead, the alert when none can, and the inbox.

import { addressWithoutPath, encryptedOrLocalAddress, mailboxes, mailServer, sender } from "./addresses.ts";
import { optional, withDefault } from "./setting.ts";
import { oneOf, onOrOff, text, token, webhookSecret, wholeNumber } from "./values.ts";

export const channels = {
  WEBHOOK_URL: optional(
    encryptedOrLocalAddress,
    "How the team hears of a lead. Set one channel or more; with none, leads are stored and the team is not told.\n\nA signed POST for each lead, and for its reminder, withdrawal and erasure, as Standard Webhooks describes it; https, or http to this machine itself.",
    "https://crm.example.com/leads",
  ),
  WEBHOOK_SECRET: optional(
    webhookSecret,
    "The key that signs it: whsec_ and 24 to 64 random bytes in base64, for instance whsec_$(openssl rand -base64 32)",
    "whsec_...",
  ),
  NOTIFY_EMAIL: optional(
    mailboxes,
    "An e-mail, to one mailbox or several with commas between them; leads that come close together share one mail.",
    "team@example.com",
  ),
  MAIL_FROM: optional(sender, "", "Leads <leads@example.com>"),
  SMTP_URL: optional(
    mailServer,
    "How mail is sent: over SMTP (TLS is used where it is offered; smtps:// or ?requireTLS=true insists on it) ...",
    "smtp://user:password@mail.example.com:587",
  ),
  RESEND_API_KEY: optional(
    token,
    "... or through the HTTP API of Resend, for places where SMTP is blocked.",
    "re_...",
  ),
  MAIL_DETAILS: withDefault(
    oneOf("none", "full"),
    "none",
    "A mail says that a lead is waiting, not whose. full: also the name, the contact and the answers. Mail is not a safe\nplace for health answers; choose full only when every mailbox and server on the way may hold them.",
  ),
  CHAT_URL: optional(
    encryptedOrLocalAddress,
    "A chat message that a lead is waiting, without a personal word, to an incoming webhook as Slack has it.",
    "https://hooks.example.com/services/...",
  ),
  DELIVERY: withDefault(
    onOrOff,
    "on",
    "off: this process delivers nothing, and `npm run deliver` does it in a process of its own.",
  ),
};

export const alert = {
  ALERT_AFTER_MINUTES: withDefault(
    wholeNumber(1, 1_440),
    "15",
    "When leads have waited so many minutes and no channel took word of them, the log, the inbox and /metrics say so ...",
  ),
  ALERT_URL: optional(
    encryptedOrLocalAddress,
    "... and a message without a personal word goes to this address, as JSON with a `text` that a chat's incoming webhook\nshows. Take another service than the channels use.",
    "https://hooks.example.com/services/...",
  ),
};

export const inbox = {
  INBOX: withDefault(
    onOrOff,
    "on",
    "The team's inbox, which `npm start` serves on a port of its own. off: it is not served here; `npm run inbox` serves it\nin a process of its own.",
  ),
  INBOX_PORT: withDefault(wholeNumber(0, 65_535), "3001", ""),
  INBOX_HOST: withDefault(text, "127.0.0.1", ""),
  INBOX_URL: optional(
    addressWithoutPath("https://inbox.example.com"),
    "The inbox's public address: passkeys and links in messages are bound to it. Browsers offer passkeys at https with a name, or at the name localhost.",
    "http://localhost:3001",
  ),
  INBOX_IDLE_MINUTES: withDefault(
    wholeNumber(1, 1_440),
    "15",
    "After so many minutes without a key, a tap or a move of the pointer the inbox locks; what was typed stays.",
  ),
  INBOX_SESSION_HOURS: withDefault(wholeNumber(1, 168), "12", "After so many hours a member signs in again."),
  METRICS_TOKEN: optional(
    token,
    "Opens /metrics on the inbox's port to a monitoring program that presents it as a bearer token. Without it, only a program\non this machine reads it, and only where INBOX_URL is an address of this machine.",
    "",
  ),
  OIDC_ISSUER: optional(
    encryptedOrLocalAddress,
    "Sign-in through your company's own OpenID Connect provider, for invited members; all three or none.",
    "https://login.example.com",
  ),
  OIDC_CLIENT_ID: optional(token, "", ""),
  OIDC_CLIENT_SECRET: optional(token, "", ""),
};
