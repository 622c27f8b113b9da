// Reads the options after `doctor`. What is not given is taken from the settings: SITE_URL only without --url, INBOX_URL and
// VITE_SUPABASE_ANON_KEY only where they are of the same deployment. For any other backend the key is ANON_KEY.
import { parseArgs } from "node:util";
import type { Config } from "../config/config.ts";
import { doctorProgram } from "../log/installation.ts";
import { type Deployment, isHosted } from "./finding.ts";

/** The options cannot be understood; the message says what to type. */
export class UsageError extends Error {
  override name = "UsageError";
}

export const help = `Usage: ${doctorProgram} --url <address> --key <key> [--site <address>]
${" ".repeat(`Usage: ${doctorProgram} `.length)}[--inbox <address>]

Examines a running deployment from outside, and says what fails and how to fix it. It sends one marked test lead.

  --url    The backend: a Supabase project (https://abc.supabase.co), or our own server  (else VITE_SUPABASE_URL, SITE_URL)
  --key    The public key of the pages: sb_publishable_..., eyJ..., or ANON_KEY           (else VITE_SUPABASE_ANON_KEY, ANON_KEY)
  --site   Where the pages are, when they are elsewhere than the backend                  (without --url: SITE_URL)
  --inbox  Where the team's inbox is, when it has an address of its own                   (else INBOX_URL, of the same deployment)
  --help   Print this

Two settings let it see more, and erase the test lead again. They are secrets, so they are never typed as options:
  DATABASE_URL          The database as its owner: rights, notices, channels, what waits to be delivered. Not needed where
                        the server runs on this machine with its embedded database
  SUPABASE_SECRET_KEY   A secret or service key: erases the test lead, nothing else

Exit status: 0 nothing failed; 1 something failed; 2 the command was not understood; 130 it was broken off (Ctrl-C).

Examples:
  ${doctorProgram} --url http://localhost:3000
  ${doctorProgram} --url https://abc.supabase.co --key sb_publishable_... --site https://www.example.com
`;

/** The options as they were typed. */
export interface Options {
  url?: string;
  key?: string;
  site?: string;
  inbox?: string;
  help?: boolean;
}

/** Reads the options, without the settings, which may have errors of their own. @throws UsageError */
export function readOptions(words: readonly string[]): Options {
  const options = {
    url: { type: "string" },
    key: { type: "string" },
    site: { type: "string" },
    inbox: { type: "string" },
    help: { type: "boolean", short: "h" },
  } as const;
  try {
    return parseArgs({ args: [...words], options, strict: true }).values;
  } catch (error) {
    const [sentence = ""] = error instanceof Error ? error.message.split(". ") : [];
    throw new UsageError(`${sentence.replace(/\.$/, "")}.\nHelp: ${doctorProgram} --help`);
  }
}

/** What to examine. @throws UsageError */
export function readDeployment(
  values: Options,
  { site, anonKey, inbox }: Pick<Config, "site" | "anonKey" | "inbox">,
): Deployment {
  const own = site.backendUrl ? base("VITE_SUPABASE_URL", site.backendUrl) : new URL(site.url).origin;
  const url = values.url === undefined ? own : base("--url", values.url);
  // An unset SITE_URL means this machine, and no hosted project has its pages here.
  const isSiteKnown = !isHosted({ url }) || !isLocal(site.url);
  const isOfBackend = site.backendUrl !== "" && url === own;
  const pages = values.site ?? (values.url === undefined && isSiteKnown ? site.url : undefined);
  // The settings of this machine are not those of another deployment.
  const isOurs = url === own || (pages !== undefined && origin("--site", pages) === new URL(site.url).origin);
  const team = values.inbox ?? (isOurs && !isLocal(inbox.url) ? inbox.url : undefined);
  const isProject = isHosted({ url });
  return {
    url,
    key: values.key === undefined ? (isOfBackend ? site.backendKey : anonKey) : readKey(values.key),
    site: pages !== undefined ? origin("--site", pages) : isProject ? undefined : new URL(url).origin,
    inbox: team === undefined ? undefined : origin("--inbox", team),
  };
}

// The key is sent in an HTTP header, which takes these characters only. A key that was copied from a shortened display ends with "…".
function readKey(text: string): string {
  const key = text.trim();
  if (/^[\x21-\x7e]+$/.test(key)) return key;
  throw new UsageError(
    "--key takes the whole key as the project's API keys have it, or ANON_KEY of our own server: one word of plain letters, digits and signs.",
  );
}

/** The address of a backend, which may stand below a path, without what leads to its data. */
function base(name: string, text: string): string {
  const server = origin(name, text);
  let path = new URL(text).pathname;
  for (const end of ["/", "/rest/v1", "/rest", "/"])
    if (path.endsWith(end)) path = path.slice(0, -end.length);
  return server + path;
}

const isLocal = (address: string) => /^(.*\.)?localhost$/.test(new URL(address).hostname);

/** `name`: the option or the setting that has the address. */
function origin(name: string, text: string): string {
  const given = URL.canParse(text) ? new URL(text) : undefined;
  if (!given || !/^https?:$/.test(given.protocol))
    throw new UsageError(`${name} takes a web address, such as ${name} https://www.example.com`);
  if (/^(app\.|)supabase\.com$/.test(given.hostname)) {
    throw new UsageError(
      `${name} is the dashboard's address. Take the project's own: https://<project>.supabase.co`,
    );
  }
  return given.origin;
}
