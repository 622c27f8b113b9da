// The settings, read once at the door. Nothing else reads the environment: every other file is handed what
// it needs. A wrong value stops the start with one sentence for each mistake; `.env.example` documents them.
import { makeSettings, type Settings } from "./settings.ts";

export interface Config {
  http: { port: number; host: string };
  /** Where the embedded PostgreSQL keeps its data; unset means the supervisor's own choice. */
  dataDir: string | undefined;
  /** The provider's own PostgreSQL (14 or newer), as its owner; unset means the embedded one. */
  databaseUrl: string | undefined;
  /** The intake's own connection, for a web process that may hold no other. */
  intakeDatabaseUrl: string | undefined;
  /** The public anonymous key that the intake knows. */
  anonKey: string;
  site: {
    /** The site's public address, for canonical links and the share card. */
    url: string;
    /** Where the page finds its backend; empty means its own origin. */
    backendUrl: string;
    /** The key the page presents there. */
    backendKey: string;
  };
  provider: ProviderSettings;
  /** The sites whose pages may call the intake from a browser; "*" for any, as Supabase has it. */
  allowedOrigins: "*" | string[];
  /** The proxies in front that may say who a visitor is: addresses, networks, or proxy-addr's words for them. */
  trustProxy: string[];
  /** Whether leads from one address are limited. */
  rateLimit: boolean;
  delivery: DeliverySettings;
  /** A project's secret key, for the doctor alone. */
  supabaseSecretKey: string | undefined;
}

/** How the team hears of leads, and how long what is known of them is kept. */
export interface DeliverySettings {
  /** Whether this process delivers. */
  on: boolean;
  webhook: { url: string; secret: string } | undefined;
  email:
    | {
        from: string;
        to: string[];
        /** Whether a mail names the person and the answers. */
        details: boolean;
        via: { smtpUrl: string } | { apiKey: string };
      }
    | undefined;
  /** Whether a permission keeps the visitor's network address. */
  keepAddress: boolean;
  /** After so many days a permission's circumstances are emptied: address, browser, page. */
  permissionDays: number;
  /** After so many days a lead is erased; unset means never. */
  retentionDays: number | undefined;
}

/** The provider as the settings name it; `content/provider.ts` fills what is not set. */
export type ProviderSettings = Partial<Record<keyof typeof providerSettings | "privacyUrl", string>>;

const providerSettings = {
  name: "PROVIDER_NAME",
  legalName: "PROVIDER_LEGAL_NAME",
  phone: "PROVIDER_PHONE",
  callsFrom: "PROVIDER_CALLS_FROM",
  address: "PROVIDER_ADDRESS",
  supplierId: "PROVIDER_SUPPLIER_ID",
} as const;

/** A key for a first try; it is public by nature, and only says that a caller means this site's backend. */
const defaultAnonKey = "sb_publishable_anonymous_visitor";

/** Settings that cannot be used. The message has one sentence a line, each naming the setting and the mend. */
export class ConfigError extends Error {
  override name = "ConfigError";
}

/** Reads the settings. @throws ConfigError when any is wrong, telling of all of them at once. */
export function readConfig(env: Readonly<Record<string, string | undefined>>): Config {
  const settings = makeSettings(env);
  const { set, wholeNumber, database, origin, oneWord, onOrOff, origins, proxies } = settings;
  const anonKey = oneWord("ANON_KEY", defaultAnonKey);
  const port = wholeNumber("PORT", 3000, 0, 65535);
  const config: Config = {
    http: { port, host: set("HOST") ?? "127.0.0.1" },
    dataDir: set("DATA_DIR"),
    databaseUrl: database("DATABASE_URL"),
    intakeDatabaseUrl: database("INTAKE_DATABASE_URL"),
    anonKey,
    site: {
      url: origin("SITE_URL") ?? `http://localhost:${port}`,
      backendUrl: origin("VITE_SUPABASE_URL") ?? "",
      backendKey: oneWord("VITE_SUPABASE_ANON_KEY", anonKey),
    },
    provider: readProvider(settings),
    allowedOrigins: origins("ALLOWED_ORIGINS"),
    trustProxy: proxies("TRUST_PROXY"),
    rateLimit: onOrOff("RATE_LIMIT", true),
    delivery: {
      on: onOrOff("DELIVERY", true),
      webhook: readWebhook(settings),
      email: readEmail(settings),
      keepAddress: onOrOff("PERMISSION_ADDRESS", true),
      permissionDays: wholeNumber("PERMISSION_DAYS", 1826, 1, 36_500),
      retentionDays: set("RETENTION_DAYS") ? wholeNumber("RETENTION_DAYS", 0, 1, 36_500) : undefined,
    },
    supabaseSecretKey: set("SUPABASE_SECRET_KEY") ?? set("SUPABASE_SERVICE_ROLE_KEY"),
  };
  if (settings.wrong.length > 0) throw new ConfigError(settings.wrong.join("\n"));
  return config;
}

function readProvider({ set, address }: Settings): ProviderSettings {
  const privacyUrl = address("PROVIDER_PRIVACY_URL");
  const named = Object.entries(providerSettings).flatMap(([key, name]) =>
    set(name) ? [[key, set(name)]] : [],
  );
  return { ...Object.fromEntries(named), ...(privacyUrl && { privacyUrl }) };
}

function readWebhook({ set, address, together, refuse }: Settings): DeliverySettings["webhook"] {
  const url = address("WEBHOOK_URL");
  const secret = set("WEBHOOK_SECRET");
  if (!together(["WEBHOOK_URL", "WEBHOOK_SECRET"], "the webhook") || !url || !secret) return undefined;
  const problem = problemWithWebhook(url);
  if (problem) refuse("WEBHOOK_URL", problem);
  if (!isWebhookSecret(secret)) {
    refuse(
      "WEBHOOK_SECRET",
      "must be whsec_ and 24 to 64 random bytes in base64. One: whsec_$(openssl rand -base64 32)",
    );
  }
  return { url, secret };
}

function readEmail({ set, mailServer, together, refuse }: Settings): DeliverySettings["email"] {
  const smtpUrl = mailServer("SMTP_URL");
  const apiKey = set("RESEND_API_KEY");
  const details = set("MAIL_DETAILS")?.toLowerCase() ?? "none";
  if (!["none", "full"].includes(details)) refuse("MAIL_DETAILS", "must be none or full.");
  if (smtpUrl && apiKey)
    refuse("RESEND_API_KEY", "cannot be set together with SMTP_URL. Choose one of them.");
  const road = apiKey ? "RESEND_API_KEY" : "SMTP_URL";
  const from = set("MAIL_FROM") ?? "";
  const to = (set("NOTIFY_EMAIL") ?? "").split(",").flatMap((one) => one.trim() || []);
  if (!together([road, "MAIL_FROM", "NOTIFY_EMAIL"], "e-mail")) return undefined;
  if (!isSender(from))
    refuse("MAIL_FROM", "must be an address, or a name and an address: Leads <leads@example.com>.");
  if (!to.every(isMailAddress))
    refuse("NOTIFY_EMAIL", "must be one address, or several with commas between them.");
  const via = apiKey ? { apiKey } : smtpUrl ? { smtpUrl } : undefined;
  return via && { from, to, details: details === "full", via };
}

// A lead goes over the network enciphered, or not over the network at all.
function problemWithWebhook(text: string): string | undefined {
  const { protocol, hostname, username, password } = new URL(text);
  if (username || password) return "must not hold a user or a password. The signature tells who is calling.";
  const isHere = hostname === "localhost" || hostname === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(hostname);
  return protocol === "https:" || isHere
    ? undefined
    : "must start with https://, unless it is on this machine.";
}

function isWebhookSecret(text: string): boolean {
  const base64 = /^whsec_((?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?)$/.exec(text)?.[1];
  const bytes = base64 === undefined ? 0 : atob(base64).length;
  return bytes >= 24 && bytes <= 64;
}

// Strict on purpose: nothing that could start a new header or name a second mailbox.
const isMailAddress = (text: string) => /^[^\s\p{Cc}<>()[\]\\,;:@"]+@[A-Za-z0-9.-]+$/u.test(text);

function isSender(text: string): boolean {
  const [, name = "", address = text] = /^([^<>]*)<([^<>]*)>$/.exec(text) ?? [];
  return isMailAddress(address) && !/[\p{Cc}"\\,;:@]/u.test(name);
}
