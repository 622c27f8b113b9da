// Every setting there is. The types, the messages and `.env.example` follow from the lists that are joined here. A new setting
// needs an entry in one of them and, unless it is a channel's, a line in config/config.ts; `npm run env-example` writes the file anew.
import * as v from "valibot";
import { database, retention } from "./database-settings.ts";
import { provider, supabase, web } from "./site-settings.ts";
import { alert, channels, inbox } from "./team-settings.ts";

/** The settings in the sections of `.env.example`, in its order. */
export const sections = [web, database, supabase, provider, channels, alert, inbox, retention] as const;

/** All settings by name. */
export const settingsSchema = v.object({
  ...web,
  ...database,
  ...supabase,
  ...provider,
  ...channels,
  ...alert,
  ...inbox,
  ...retention,
});

export type Settings = v.InferOutput<typeof settingsSchema>;

/** The settings of the channels. */
export type ChannelSettings = Pick<Settings, keyof typeof channels>;

/** Picks the settings of the channels. */
export const channelSettingsOf = (settings: Settings): ChannelSettings =>
  Object.fromEntries(
    Object.keys(channels).map((name) => [name, settings[name as keyof ChannelSettings]]),
  ) as ChannelSettings;

/** The settings as they were given: trimmed, and without the blank ones. */
export type Given = Partial<Record<keyof Settings, string>>;

/** The rules about several settings: which need each other, and which exclude each other. */
export const jointRules = v.pipe(
  // Any object: the settings by themselves were checked before.
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
  v.check(
    (given) =>
      !given.STANDBY_URL ||
      [given.DATABASE_URL, given.INTAKE_DATABASE_URL, given.INBOX_DATABASE_URL].some(Boolean),
    "STANDBY_URL needs DATABASE_URL, INTAKE_DATABASE_URL or INBOX_DATABASE_URL, because the embedded database has no standby.",
  ),
  allOrNone("sign-in with OpenID Connect", ["OIDC_ISSUER", "OIDC_CLIENT_ID", "OIDC_CLIENT_SECRET"]),
);

/** A setting's name, with the one that can take its place. */
const named = (name: keyof Settings) => (name === "SMTP_URL" ? "SMTP_URL (or RESEND_API_KEY)" : name);

type Names = readonly (keyof Settings)[];

/** "A", "A and B", "A, B and C". Not by Intl, which takes a tenth of a program's start to load. */
const listed = (names: Names): string =>
  names
    .map(named)
    .join(", ")
    .replace(/, ([^,]*)$/, " and $1");

function allOrNone(what: string, names: Names | ((given: Given) => Names)) {
  const namesFor = (given: Given) => (typeof names === "function" ? names(given) : names);
  const missingIn = (given: Given) => namesFor(given).filter((name) => !given[name]);
  return v.check<Given, (issue: v.CheckIssue<Given>) => string>(
    (given) => [0, namesFor(given).length].includes(missingIn(given).length),
    ({ input }) =>
      `${listed(missingIn(input))} must be set as well, because ${what} needs ${listed(namesFor(input))}.`,
  );
}
