// The settings, read once at the door. Nothing else reads the environment: every other file is handed what
// it needs. A wrong value stops the start with one sentence for each mistake; `.env.example` documents them.

import ipaddr from "ipaddr.js";

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
}

/** The provider as the settings name it; `content/provider.ts` fills what is not set. */
export type ProviderSettings = Partial<Record<keyof typeof providerSettings, string>>;

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
  const wrong: string[] = [];
  const set = (name: string) => env[name]?.trim() || undefined;
  const refuse = (name: string, must: string) => {
    wrong.push(`${name} ${must}`);
    return undefined;
  };

  const wholeNumber = (name: string, byDefault: number, least: number, most: number): number => {
    const text = set(name);
    if (text === undefined) return byDefault;
    const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= least && value <= most) return value;
    refuse(name, `must be a whole number from ${least} to ${most}.`);
    return byDefault;
  };

  const address = (name: string, schemes: readonly string[]): string | undefined => {
    const text = set(name);
    if (text === undefined) return undefined;
    const scheme = /^([a-z]+):\/\/./.exec(text)?.[1];
    if (scheme && schemes.includes(scheme)) return text;
    return refuse(name, `must be an address that starts with ${schemes.map((s) => `${s}://`).join(" or ")}.`);
  };

  const origin = (name: string): string | undefined => {
    const text = address(name, ["https", "http"]);
    if (text === undefined) return undefined;
    if (URL.canParse(text)) return text.replace(/\/+$/, "");
    return refuse(name, "must be a web address such as https://example.com.");
  };

  const oneWord = (name: string, byDefault: string): string => {
    const text = set(name) ?? byDefault;
    if (/^[\x21-\x7e]+$/.test(text)) return text;
    refuse(name, "must be one word of plain letters, digits and signs, without spaces.");
    return byDefault;
  };

  const list = (name: string): string[] => (set(name) ?? "").split(/[\s,]+/).filter(Boolean);

  const onOrOff = (name: string, byDefault: boolean): boolean => {
    const text = set(name)?.toLowerCase();
    if (text === undefined) return byDefault;
    if (text !== "on" && text !== "off") refuse(name, "must be on or off.");
    return text === "on";
  };

  const origins = (name: string): "*" | string[] => {
    const given = list(name);
    if (given.length === 0 || given.includes("*")) return "*";
    const odd = given.some((one) => !URL.canParse(one) || new URL(one).origin !== one.replace(/\/$/, ""));
    if (odd) refuse(name, "must be * or a list of origins such as https://www.example.com.");
    return given.map((one) => one.replace(/\/$/, ""));
  };

  const proxies = (name: string): string[] => {
    const given = list(name);
    const known = (one: string) =>
      /^(loopback|linklocal|uniquelocal)$/.test(one) || ipaddr.isValid(one) || ipaddr.isValidCIDR(one);
    if (!given.every(known)) refuse(name, "must be a list of addresses, networks (10.0.0.0/8), or loopback.");
    return given;
  };

  const anonKey = oneWord("ANON_KEY", defaultAnonKey);
  const port = wholeNumber("PORT", 3000, 0, 65535);
  const config: Config = {
    http: { port, host: set("HOST") ?? "127.0.0.1" },
    dataDir: set("DATA_DIR"),
    databaseUrl: address("DATABASE_URL", ["postgres", "postgresql"]),
    intakeDatabaseUrl: address("INTAKE_DATABASE_URL", ["postgres", "postgresql"]),
    anonKey,
    site: {
      url: origin("SITE_URL") ?? `http://localhost:${port}`,
      backendUrl: origin("VITE_SUPABASE_URL") ?? "",
      backendKey: oneWord("VITE_SUPABASE_ANON_KEY", anonKey),
    },
    provider: Object.fromEntries(
      Object.entries(providerSettings).flatMap(([key, name]) => (set(name) ? [[key, set(name)]] : [])),
    ),
    allowedOrigins: origins("ALLOWED_ORIGINS"),
    trustProxy: proxies("TRUST_PROXY"),
    rateLimit: onOrOff("RATE_LIMIT", true),
  };
  if (wrong.length > 0) throw new ConfigError(wrong.join("\n"));
  return config;
}
