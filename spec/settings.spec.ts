// The settings: one list, from which values, messages, defaults and `.env.example` follow.
import { readFileSync } from "node:fs";
import * as v from "valibot";
import { describe, expect, it } from "vitest";
import { readConfig } from "../config/config.ts";
import { envExample } from "../config/env-example.ts";
import { settingsSchema } from "../config/settings.ts";
import { languageCodes } from "../content/languages.ts";
import { messageFor } from "./support/refused-settings.ts";

describe("the settings", () => {
  it("let the site's own pages send leads, also when ALLOWED_ORIGINS names only other sites", () => {
    const named = { ALLOWED_ORIGINS: "https://other.example", SITE_URL: "https://www.example.com/" };
    expect(readConfig(named).allowedOrigins).toEqual(["https://other.example", "https://www.example.com"]);
    expect(readConfig(named).delivery.allowedOrigins).toEqual(readConfig(named).allowedOrigins);
    expect(readConfig({ SITE_URL: "https://www.example.com" }).allowedOrigins).toBe("*");
  });

  it("are all optional, and blank is not set", () => {
    expect(readConfig({ PORT: " ", SITE_URL: "" })).toEqual(readConfig({}));
    expect(readConfig({})).toMatchObject({
      http: { port: 3000, host: "127.0.0.1" },
      anonKey: "sb_publishable_anonymous_visitor",
      site: { url: "http://localhost:3000", backendUrl: "", languages: ["en"], counting: true },
      allowedOrigins: "*",
      trustProxy: [],
      rateLimit: true,
      logFormat: "text",
      provider: {},
      inbox: {
        on: true,
        port: 3001,
        host: "127.0.0.1",
        url: "http://localhost:3001",
        idleMinutes: 15,
        sessionHours: 12,
      },
    });
  });

  it("get defaults from one another: the pages' address from PORT, the inbox's from INBOX_PORT, the pages' key from ANON_KEY", () => {
    expect(readConfig({ PORT: "8080" }).site.url).toBe("http://localhost:8080");
    expect(readConfig({ INBOX_PORT: "8081" }).inbox.url).toBe("http://localhost:8081");
    expect(readConfig({ ANON_KEY: "sb_publishable_mine" }).site.backendKey).toBe("sb_publishable_mine");
  });

  it.each([
    ["SITE_URL", "https://www.example.com/", (config) => config.site.url, "https://www.example.com"],
    ["SITE_URL", "https://Example.com//", ({ site }) => site.url, "https://example.com"],
    [
      "ALLOWED_ORIGINS",
      "https://a.example, https://b.example/",
      (config) => config.allowedOrigins,
      ["https://a.example", "https://b.example"],
    ],
    ["ALLOWED_ORIGINS", "https://a.example *", (config) => config.allowedOrigins, "*"],
    ["TRUST_PROXY", "loopback, 10.0.0.0/8", (config) => config.trustProxy, ["loopback", "10.0.0.0/8"]],
    [
      "TRUST_PROXY",
      "uniquelocal 10.0.0.0/8 ::ffff:10.0.0.1 ::ffff:10.0.0.0/104 fc00::/7 2001:db8::1 127.0.0.1",
      (config) => config.trustProxy.length,
      7,
    ],
    ["RATE_LIMIT", "OFF", (config) => config.rateLimit, false],
    ["LANGUAGES", "en, es", (config) => config.site.languages, ["en", "es"]],
    ["LANGUAGE_HELP", "es, zh, es", (config) => config.provider.languageHelp, ["es", "zh"]],
    ["PROVIDER_ASSIGNMENT", "on", (config) => config.provider.acceptsAssignment, true],
    [
      "CHAT_URL",
      "https://hooks.example.com/x",
      ({ delivery }) => delivery.channels.CHAT_URL,
      "https://hooks.example.com/x",
    ],
    ["BACKUP_DIR", "/backups", (config) => config.backups, { folder: "/backups", keep: 14 }],
  ] satisfies [string, string, (config: ReturnType<typeof readConfig>) => unknown, unknown][])(
    "take %s=%s",
    (name, value, valueIn, expected) => {
      expect(valueIn(readConfig({ [name]: value }))).toEqual(expected);
    },
  );

  it.each([
    [{ INBOX_IDLE_MINUTES: "0" }, "INBOX_IDLE_MINUTES must be a whole number from 1 to 1440."],
    [{ INBOX: "yes" }, "INBOX must be on or off."],
    [
      { SITE_URL: "https://example.com/article", INBOX_URL: "https://example.com/inbox" },
      "SITE_URL must be an address without a path, such as https://www.example.com.\nINBOX_URL must be an address without a path, such as https://inbox.example.com.",
    ],
    [{ LOG_FORMAT: "xml" }, "LOG_FORMAT must be text or json."],
    [{ LANGUAGES: "english" }, "LANGUAGES must be a list of languages such as en, es."],
    [{ LANGUAGES: "," }, "LANGUAGES must be a list of languages such as en, es."],
    [{ TRUST_PROXY: "," }, "TRUST_PROXY must be a list of addresses, networks (10.0.0.0/8), or loopback."],
    [
      { ALLOWED_ORIGINS: "ftp://www.example.com" },
      "ALLOWED_ORIGINS must be * or a list of origins such as https://www.example.com, in small letters and without a path.",
    ],
    [
      { ALLOWED_ORIGINS: " , " },
      "ALLOWED_ORIGINS must be * or a list of origins such as https://www.example.com, in small letters and without a path.",
    ],
    [
      { CHAT_URL: "http://hooks.example.com" },
      "CHAT_URL must start with https://, unless it is on this machine.",
    ],
    [
      { OIDC_ISSUER: "https://login.example.com" },
      "OIDC_CLIENT_ID and OIDC_CLIENT_SECRET must be set as well, because sign-in with OpenID Connect needs OIDC_ISSUER, OIDC_CLIENT_ID and OIDC_CLIENT_SECRET.",
    ],
    [
      { DATA_DIR: "~/leads", BACKUP_DIR: "~/backups" },
      "DATA_DIR must be a path without ~, which only a shell understands.\nBACKUP_DIR must be a path without ~, which only a shell understands.",
    ],
    [
      { VITE_SUPABASE_URL: "https://project.supabase.co/rest/v1/" },
      "VITE_SUPABASE_URL must be the project's address, without /rest/v1 at its end.",
    ],
    [
      { STANDBY_URL: "postgres://standby.example.com/leads" },
      "STANDBY_URL needs DATABASE_URL, INTAKE_DATABASE_URL or INBOX_DATABASE_URL, because the embedded database has no standby.",
    ],
    [
      { PORT: "x", RATE_LIMIT: "maybe", SMTP_URL: "smtp://mail.example.com" },
      "PORT must be a whole number from 0 to 65535.\nRATE_LIMIT must be on or off.\nMAIL_FROM and NOTIFY_EMAIL must be set as well, because e-mail needs SMTP_URL (or RESEND_API_KEY), MAIL_FROM and NOTIFY_EMAIL.",
    ],
  ])("refuse %j with a sentence for each mistake", (env, message) => {
    expect(messageFor(env as Record<string, string>)).toBe(message);
  });

  it.each(["owner:p%E9@h/leads", "owner:p%zz@h/leads", "owner:p@%FF/leads", "owner:p@h/l%E9"])(
    "refuse postgres://%s, because its percent signs do not stand for UTF-8 text, and tell how to write the password",
    (rest) => {
      expect(messageFor({ DATABASE_URL: `postgres://${rest}` })).toBe(
        "DATABASE_URL must be as postgres://user:password@host:port/name. In the password write @ as %40, / as %2F, ? as %3F, # as %23, % as %25.",
      );
    },
  );

  it.each([
    "leads:12/34@db.example.com:5432/leads",
    "leads:12?34@db.example.com:5432/leads",
    "leads:12?3=4@db.example.com:5432/leads",
    "leads:12?3=4&5@db.example.com/leads",
    "leads:12?3=4?5@db.example.com/leads",
    "leads:1@2/3@db.example.com/leads",
  ])(
    "refuse postgres://%s, whose password is cut by a character that is not encoded, and tell how to write it",
    (rest) => {
      expect(messageFor({ DATABASE_URL: `postgres://${rest}` })).toContain("In the password write @ as %40");
    },
  );

  it.each([
    "h/leads?user=owner",
    "h/leads?sslmode=require&password=p",
    "h/?dbname=leads",
    "/leads?hostaddr=127.0.0.1",
  ])(
    "refuse postgres://%s, because user, password, dbname and hostaddr may not stand after the ?",
    (rest) => {
      expect(messageFor({ DATABASE_URL: `postgres://${rest}` })).toBe(
        "DATABASE_URL must have the user, the password, the host and the name of the database before the ?.",
      );
    },
  );

  it("take an address with other parameters after the ?", () => {
    const address =
      "postgres://owner:p@/leads?host=/run/postgresql&sslmode=require&application_name=password=";
    expect(readConfig({ DATABASE_URL: address }).databaseUrl).toBe(address);
  });

  it("say of LANGUAGES which languages there are", () => {
    const about = v.getDescription(settingsSchema.entries.LANGUAGES);
    const [, codes = ""] = /any of ([a-z, -]{1,200})\./.exec(about ?? "") ?? [];
    expect(codes.split(", ").toSorted()).toEqual(languageCodes.toSorted());
  });

  it("stand in .env.example as the list has them: npm run env-example writes it", () => {
    expect(readFileSync(new URL("../.env.example", import.meta.url), "utf8")).toBe(envExample());
  });
});
