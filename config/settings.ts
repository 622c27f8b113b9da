// Every setting there is: its name, what it is for, its values and its default. The types, the messages and `.env.example`
// follow from this list, so a new setting is an entry here and nothing else.
import * as v from "valibot";
import {
  databaseAddress,
  languages,
  mailboxes,
  mailServer,
  oneOf,
  onOrOff,
  origins,
  privateAddress,
  proxies,
  sender,
  siteAddress,
  text,
  token,
  webAddress,
  webhookSecret,
  wholeNumber,
} from "./values.ts";

type Value = v.GenericSchema<string, unknown>;

/** A setting that may be left out. `example` is what `.env.example` shows for it. */
const optional = <Kind extends Value>(kind: Kind, about: string, example: string) =>
  v.pipe(v.optional(kind), v.description(about), v.examples([example]));

/** A setting with a default, which `.env.example` shows unless there is a better example. */
const withDefault = <Kind extends Value, const Default extends string>(
  kind: Kind,
  defaultValue: Default,
  about: string,
  example: string = defaultValue,
) => v.pipe(v.optional(kind, defaultValue), v.description(about), v.examples([example]));

const web = {
  PORT: withDefault(wholeNumber(0, 65_535), "3000", "Where the site listens."),
  HOST: withDefault(
    text,
    "127.0.0.1",
    "Only this machine unless you say otherwise; 0.0.0.0 is every network it is on.",
  ),
  SITE_URL: optional(
    siteAddress,
    "The site's public address, for canonical links and the share card.",
    "https://www.example.com",
  ),
  ANON_KEY: withDefault(
    token,
    "sb_publishable_anonymous_visitor",
    "The public anonymous key that the page presents and the intake knows. Not a secret.",
  ),
  ALLOWED_ORIGINS: withDefault(
    origins,
    "*",
    "The sites whose pages may send leads here (default: any; the key is public either way).",
    "https://www.example.com",
  ),
  TRUST_PROXY: withDefault(
    proxies,
    "",
    "The proxies in front that may say who a visitor is, as addresses or networks. Without it, all visitors behind a proxy\nshare one limit.",
    "loopback",
  ),
  RATE_LIMIT: withDefault(
    onOrOff,
    "on",
    'Sixty leads a minute from one address, then a kind "wait a minute". off is for tests.',
  ),
  LANGUAGES: withDefault(
    languages,
    "en",
    "The languages the pages are shown in, the first one at /. There is en and es.",
    "en,es",
  ),
  SPANISH_REVIEWED_BY: optional(
    text,
    "Who has read the Spanish pages and answers for them; until it is set, a start with es warns.",
    "",
  ),
  COUNTING: withDefault(
    onOrOff,
    "on",
    "Counts page loads by campaign, without anything that tells one visitor from another. off counts nothing.",
  ),
  LOG_FORMAT: withDefault(
    oneOf("text", "json"),
    "text",
    "How the log is written: text for a person, json for a program that collects logs.",
  ),
};

const database = {
  DATA_DIR: optional(
    text,
    "The embedded PostgreSQL keeps its data here (default: ./data). A folder that only root may enter cannot be used by\nPostgreSQL, which never runs as root: the data is then below /var/lib/sponsored-article, and the start says where.",
    "./data",
  ),
  DATABASE_URL: optional(
    databaseAddress,
    "Your own PostgreSQL, 14 or newer, as the owner of the database. Nothing is started then.",
    "postgres://owner:password@localhost:5432/leads",
  ),
  INTAKE_DATABASE_URL: optional(
    databaseAddress,
    "Connections of their own for the processes that should hold no owner's address: the intake ...",
    "postgres://leads_intake:password@localhost:5432/leads",
  ),
  DELIVERY_DATABASE_URL: optional(
    databaseAddress,
    "... the delivery ...",
    "postgres://leads_delivery:password@localhost:5432/leads",
  ),
  INBOX_DATABASE_URL: optional(
    databaseAddress,
    "... and the team's inbox.",
    "postgres://leads_team:password@localhost:5432/leads",
  ),
  BACKUP_DIR: optional(
    text,
    "A folder for a backup of the leads each day (default: none is made). Keep it on another disk.",
    "/var/backups/leads",
  ),
  BACKUP_KEEP: withDefault(wholeNumber(1, 1_000), "14", "How many of those backups are kept."),
};

const elsewhere = {
  VITE_SUPABASE_URL: optional(
    siteAddress,
    "Build time, for a site that is served elsewhere than its backend.",
    "https://project.supabase.co",
  ),
  VITE_SUPABASE_ANON_KEY: optional(token, "", "sb_publishable_..."),
  SUPABASE_SECRET_KEY: optional(
    text,
    "Only for `npm run doctor`: a project's secret or service key, with which it erases its test lead again.",
    "sb_secret_...",
  ),
  SUPABASE_SERVICE_ROLE_KEY: optional(text, "... under the name that older projects gave it.", ""),
};

const provider = {
  PROVIDER_NAME: optional(
    text,
    "The provider, as the pages and messages name it. What is not set is shown as a placeholder, with a warning.",
    "",
  ),
  PROVIDER_LEGAL_NAME: optional(text, "", ""),
  PROVIDER_PHONE: optional(text, "", ""),
  PROVIDER_CALLS_FROM: optional(text, "The number the provider's team calls from.", ""),
  PROVIDER_HOURS: optional(
    text,
    "When somebody answers PROVIDER_PHONE.",
    "Monday to Friday, 9 a.m. to 5 p.m. Eastern time",
  ),
  PROVIDER_HOURS_ES: optional(
    text,
    "The same for the Spanish pages, which leave it out while this is not set.",
    "Lunes a viernes, de 9 a. m. a 5 p. m., hora del este",
  ),
  PROVIDER_ADDRESS: optional(text, "", ""),
  PROVIDER_NPI: optional(
    text,
    "Your National Provider Identifier, ten digits. The number that Medicare gave you as a supplier must not be published.",
    "",
  ),
  PROVIDER_SUPPLIER_ID: optional(text, "The earlier name of PROVIDER_NPI: shown when it holds an NPI.", ""),
  PROVIDER_ASSIGNMENT: optional(
    onOrOff,
    "Whether you accept Medicare's assignment. Unset, the page tells readers to ask.",
    "on",
  ),
  PROVIDER_PRIVACY_URL: optional(
    webAddress,
    "The provider's own page on health data, if a law asks for one; linked from the foot of every page.",
    "https://www.example.com/health-data",
  ),
  LANGUAGE_HELP_URL: optional(
    webAddress,
    "Your page about free language help (45 CFR 92.11), linked from the foot of every page ...",
    "https://www.example.com/language-help",
  ),
  LANGUAGE_HELP: optional(
    languages,
    "... and the languages in which one line there says so: those listed for your state.",
    "es,zh,vi",
  ),
  NOTICE_FILE: optional(
    text,
    "A text file with your own permission notice, from your counsel. It is checked for what 47 CFR 64.1200(f)(9) asks.",
    "./notice.txt",
  ),
};

const channels = {
  WEBHOOK_URL: optional(
    privateAddress,
    "How the team hears of a lead. Set one channel or more; with none, leads are stored and the team is not told.\n\nA signed POST for each lead, as Standard Webhooks describes it; https, or http to this machine itself.",
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
    text,
    "... or through the HTTP API of Resend, for places where SMTP is blocked.",
    "re_...",
  ),
  MAIL_DETAILS: withDefault(
    oneOf("none", "full"),
    "none",
    "A mail says that a lead is waiting, not whose. full: also the name, the contact and the answers. Mail is not a safe\nplace for health answers; choose full only when every mailbox and server on the way may hold them.",
  ),
  CHAT_URL: optional(
    privateAddress,
    "A chat message that a lead is waiting, without a personal word, to an incoming webhook as Slack has it.",
    "https://hooks.example.com/services/...",
  ),
  DELIVERY: withDefault(
    onOrOff,
    "on",
    "off: this process delivers nothing, and `npm run deliver` does it in a process of its own.",
  ),
};

const alert = {
  ALERT_AFTER_MINUTES: withDefault(
    wholeNumber(1, 1_440),
    "15",
    "When leads have waited so many minutes and no channel took word of them, the log, the inbox and /metrics say so ...",
  ),
  ALERT_URL: optional(
    privateAddress,
    "... and a message without a personal word goes to this address, as JSON with a `text` that a chat's incoming webhook\nshows. Take another service than the channels use.",
    "https://hooks.example.com/services/...",
  ),
};

const inbox = {
  INBOX: withDefault(
    onOrOff,
    "on",
    "The team's inbox, which `npm start` serves on a port of its own. off: it is not served here; `npm run inbox` serves it\nin a process of its own.",
  ),
  INBOX_PORT: withDefault(wholeNumber(0, 65_535), "3001", ""),
  INBOX_HOST: withDefault(text, "127.0.0.1", ""),
  INBOX_URL: optional(
    siteAddress,
    "The inbox's public address: passkeys and links in messages are bound to it. Names other than localhost need https.",
    "http://localhost:3001",
  ),
  INBOX_IDLE_MINUTES: withDefault(
    wholeNumber(1, 1_440),
    "15",
    "After so many minutes without a key or a tap the inbox locks; what was typed stays.",
  ),
  INBOX_SESSION_HOURS: withDefault(wholeNumber(1, 168), "12", "After so many hours a member signs in again."),
  METRICS_TOKEN: optional(
    token,
    "Opens /metrics on the inbox's port to a monitoring program that presents it as a bearer token. Without it, only a program\non this machine reads it, and only where INBOX_URL is an address of this machine.",
    "",
  ),
  OIDC_ISSUER: optional(
    privateAddress,
    "Sign-in through your company's own OpenID Connect provider, for invited members; all three or none.",
    "https://login.example.com",
  ),
  OIDC_CLIENT_ID: optional(token, "", ""),
  OIDC_CLIENT_SECRET: optional(token, "", ""),
};

const retention = {
  RETENTION_DAYS: optional(
    wholeNumber(1, 36_500),
    "How long things are kept. Leads are erased after RETENTION_DAYS (default: never). What shows how a permission was\ngiven (address, browser, page) is emptied after PERMISSION_DAYS; its wording and time stay with the lead.",
    "",
  ),
  PERMISSION_DAYS: withDefault(wholeNumber(1, 36_500), "1826", ""),
  PERMISSION_ADDRESS: withDefault(
    onOrOff,
    "on",
    "off: a permission does not keep the visitor's network address at all.",
  ),
};

/** The settings in the sections of `.env.example`, in its order. */
export const sections = [web, database, elsewhere, provider, channels, alert, inbox, retention] as const;

/** All settings by name. */
export const settingsSchema = v.object({
  ...web,
  ...database,
  ...elsewhere,
  ...provider,
  ...channels,
  ...alert,
  ...inbox,
  ...retention,
});

export type Settings = v.InferOutput<typeof settingsSchema>;

/** The settings by which the team hears of leads. */
export type ChannelSettings = Pick<Settings, keyof typeof channels>;

/** Those of them alone. */
export const channelSettingsOf = (settings: Settings): ChannelSettings =>
  Object.fromEntries(
    Object.keys(channels).map((name) => [name, settings[name as keyof ChannelSettings]]),
  ) as ChannelSettings;

/** The settings as they were given: trimmed, and without the blank ones. */
export type Given = Partial<Record<keyof Settings, string>>;

/** What has to be true of several settings together, whatever their values are. */
export const jointRules = v.pipe(
  v.custom<Given>(() => true),
  allOrNone("the webhook", ["WEBHOOK_URL", "WEBHOOK_SECRET"]),
  v.check(
    (given) => !given.SMTP_URL || !given.RESEND_API_KEY,
    "RESEND_API_KEY cannot be set together with SMTP_URL. Choose one of them.",
  ),
  allOrNone("e-mail", (given) => [
    given.RESEND_API_KEY ? "RESEND_API_KEY" : "SMTP_URL",
    "MAIL_FROM",
    "NOTIFY_EMAIL",
  ]),
  allOrNone("sign-in with OpenID Connect", ["OIDC_ISSUER", "OIDC_CLIENT_ID", "OIDC_CLIENT_SECRET"]),
);

type Names = readonly (keyof Settings)[];

function allOrNone(what: string, names: Names | ((given: Given) => Names)) {
  const namesFor = (given: Given) => (typeof names === "function" ? names(given) : names);
  const missingIn = (given: Given) => namesFor(given).filter((name) => !given[name]);
  return v.check<Given, (issue: v.CheckIssue<Given>) => string>(
    (given) => [0, namesFor(given).length].includes(missingIn(given).length),
    ({ input }) =>
      `${missingIn(input).join(" and ")} must be set as well, because ${what} needs ${namesFor(input).join(" and ")}.`,
  );
}
