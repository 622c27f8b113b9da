// Reads the settings once, at the entry point; every other file is handed what it needs. A wrong value stops the start with
// one sentence for each mistake.
import * as v from "valibot";
import { channelSettingsOf, type Given, jointRules, type Settings, settingsSchema } from "./settings.ts";
import { byTranslation, hoursSetting, reviewSetting } from "./translation-settings.ts";

export type { ChannelSettings } from "./settings.ts";

/** Settings that cannot be used. The message has one sentence a line, each naming the setting and the remedy. */
export class ConfigError extends Error {
  override name = "ConfigError";
}

/** Reads the settings. @throws ConfigError when any is wrong, telling of all of them at once. */
export function readConfig(env: Readonly<Record<string, string | undefined>>): Config {
  const names = Object.keys(settingsSchema.entries) as (keyof Settings)[];
  const given: Given = Object.fromEntries(
    names.flatMap((name) => (env[name]?.trim() ? [[name, env[name].trim()]] : [])),
  );
  const values = v.safeParse(settingsSchema, given);
  const joint = v.safeParse(jointRules, given);
  if (!values.success || !joint.success) throw new ConfigError(mistakesOf(values, joint).join("\n"));
  return configOf(values.output);
}

/** One sentence for each setting that is wrong, and for each rule about several. */
function mistakesOf(...results: { issues: readonly v.BaseIssue<unknown>[] | undefined }[]): string[] {
  const sentences = new Map<string, string>();
  for (const issue of results.flatMap(({ issues }) => issues ?? [])) {
    const name = v.getDotPath(issue);
    const sentence = name ? `${name} ${issue.message}` : issue.message;
    // Only the first mistake of each setting is reported, because the others usually follow from it.
    if (!sentences.has(name ?? sentence)) sentences.set(name ?? sentence, sentence);
  }
  return [...sentences.values()];
}

/** The settings in the groups in which modules take them. */
export type Config = ReturnType<typeof configOf>;

/** The provider as the settings name it; `content/provider.ts` fills what is not set. */
export type ProviderSettings = Config["provider"];

/** How the team's inbox is served, and how its members sign in. */
export type InboxSettings = Config["inbox"];

function configOf(settings: Settings) {
  return {
    http: { port: settings.PORT, host: settings.HOST },
    logFormat: settings.LOG_FORMAT,
    /** Where the embedded PostgreSQL keeps its data; unset means `data` beside the code (database/embedded.ts). */
    dataDir: settings.DATA_DIR,
    /** The provider's own PostgreSQL (14 or newer), as its owner; unset means the embedded one, unless a process has its own login below. */
    databaseUrl: settings.DATABASE_URL,
    /** Logins that an operator made for one process each; unset means those that are derived from the owner's. */
    intakeDatabaseUrl: settings.INTAKE_DATABASE_URL,
    deliveryDatabaseUrl: settings.DELIVERY_DATABASE_URL,
    inboxDatabaseUrl: settings.INBOX_DATABASE_URL,
    /** A standby, on which long reads cost the primary nothing; its logins are the primary's. */
    standbyUrl: settings.STANDBY_URL,
    /** The public anonymous key that the intake knows. */
    anonKey: settings.ANON_KEY,
    site: siteOf(settings),
    provider: providerOf(settings),
    /** The sites whose pages may send leads here; "*" for any, as Supabase has it. */
    allowedOrigins: allowedOriginsOf(settings),
    /** The proxies in front that may say who a visitor is: addresses, networks, or proxy-addr's words for them. */
    trustProxy: settings.TRUST_PROXY,
    /** Whether leads and beacons from one address are limited. */
    rateLimit: settings.RATE_LIMIT,
    delivery: deliveryOf(settings),
    inbox: inboxOf(settings),
    /** Where a backup is made each day, and how many are kept; unset means that none is made. */
    backups: settings.BACKUP_DIR ? { folder: settings.BACKUP_DIR, keep: settings.BACKUP_KEEP } : undefined,
    /** A project's secret key, for the doctor alone. */
    supabaseSecretKey: settings.SUPABASE_SECRET_KEY ?? settings.SUPABASE_SERVICE_ROLE_KEY,
  };
}

/**
 * Where SITE_URL is set, the site's own pages may always send leads, even if ALLOWED_ORIGINS does not name their origin: another host may
 * serve them.
 */
const allowedOriginsOf = ({ ALLOWED_ORIGINS: named, SITE_URL: site }: Settings): "*" | string[] =>
  named === "*" || !site ? named : [...new Set([...named, new URL(site).origin])];

const siteOf = (settings: Settings) => ({
  /** The site's public address, for canonical links and the share card. */
  url: settings.SITE_URL ?? `http://localhost:${settings.PORT}`,
  /** Where the page finds its backend; empty means its own origin. */
  backendUrl: settings.VITE_SUPABASE_URL ?? "",
  /** The key the page presents there. */
  backendKey: settings.VITE_SUPABASE_ANON_KEY ?? settings.ANON_KEY,
  /** The languages the pages are shown in, the first one at `/`. */
  languages: settings.LANGUAGES,
  /** Whether page loads are counted by campaign. */
  counting: settings.COUNTING,
  /** Who answers for the pages of a translation, by its code. */
  reviewedBy: byTranslation((code) => settings[reviewSetting(code)]),
});

const providerOf = (settings: Settings) =>
  withoutUnset({
    name: settings.PROVIDER_NAME,
    legalName: settings.PROVIDER_LEGAL_NAME,
    phone: settings.PROVIDER_PHONE,
    callsFrom: settings.PROVIDER_CALLS_FROM,
    /** When somebody answers the phone, as the pages of each language say it. */
    hours: { en: settings.PROVIDER_HOURS, ...byTranslation((code) => settings[hoursSetting(code)]) },
    address: settings.PROVIDER_ADDRESS,
    supplierId: settings.PROVIDER_SUPPLIER_ID,
    npi: settings.PROVIDER_NPI,
    acceptsAssignment: settings.PROVIDER_ASSIGNMENT,
    privacyUrl: settings.PROVIDER_PRIVACY_URL,
    languageHelpUrl: settings.LANGUAGE_HELP_URL,
    languageHelp: settings.LANGUAGE_HELP,
    /** A file with the provider's own permission notice. */
    noticeFile: settings.NOTICE_FILE,
  });

const deliveryOf = (settings: Settings) => ({
  /** Whether this process delivers. */
  on: settings.DELIVERY,
  /** The settings of the channels, as each channel reads them. */
  channels: channelSettingsOf(settings),
  /** Minutes after which leads that no channel took are an alert, and where that is sent. */
  alertAfterMinutes: settings.ALERT_AFTER_MINUTES,
  alertUrl: settings.ALERT_URL,
  /** The origin of the site's own pages. */
  siteOrigin: new URL(siteOf(settings).url).origin,
  /** The origins whose pages may send leads; "*" for any. */
  allowedOrigins: allowedOriginsOf(settings),
  /** Whether a permission keeps the visitor's network address. */
  keepAddress: settings.PERMISSION_ADDRESS,
  /** Days after which the circumstances of a permission are emptied: address, browser, page, campaign words. */
  permissionDays: settings.PERMISSION_DAYS,
  /** Days after which a lead is erased; unset means never. */
  retentionDays: settings.RETENTION_DAYS,
});

const inboxOf = (settings: Settings) => ({
  /** Whether this process serves it. */
  on: settings.INBOX,
  port: settings.INBOX_PORT,
  host: settings.INBOX_HOST,
  /** Its public address, to which passkeys and links are bound. */
  url: settings.INBOX_URL ?? `http://localhost:${settings.INBOX_PORT}`,
  idleMinutes: settings.INBOX_IDLE_MINUTES,
  sessionHours: settings.INBOX_SESSION_HOURS,
  /** What a monitoring program presents to read /metrics and /alertz. */
  metricsToken: settings.METRICS_TOKEN,
  openIdConnect:
    settings.OIDC_ISSUER && settings.OIDC_CLIENT_ID && settings.OIDC_CLIENT_SECRET
      ? {
          issuer: settings.OIDC_ISSUER,
          clientId: settings.OIDC_CLIENT_ID,
          clientSecret: settings.OIDC_CLIENT_SECRET,
        }
      : undefined,
});

/** Leaves out the keys that have no value, so that the rest can be spread over defaults. */
function withoutUnset<Values extends object>(
  values: Values,
): { [Key in keyof Values]?: NonNullable<Values[Key]> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as {
    [Key in keyof Values]?: NonNullable<Values[Key]>;
  };
}
