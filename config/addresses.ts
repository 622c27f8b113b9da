// The kinds of address that a setting may have: of pages, servers, mailboxes and networks. As in config/values.ts, each message follows the
// setting's name.
import ipaddr from "ipaddr.js";
import * as v from "valibot";
import { isThisMachine } from "./this-machine.ts";
import { isListOf, listOf } from "./values.ts";

const noWebAddress = "must be a web address such as https://example.com.";

export const webAddress = v.pipe(
  v.string(),
  v.check((given) => /^https?:\/\/./.test(given), "must be an address that starts with https:// or http://."),
  v.check((given) => !/^https?:\/\/./.test(given) || URL.canParse(given), noWebAddress),
);

/** A web address without a query, a fragment or a user. A slash at its end is removed. */
export const siteAddress = v.pipe(
  webAddress,
  v.check((given) => {
    const { search, hash, username, password } = URL.parse(given) ?? {};
    return !search && !hash && !username && !password;
  }, noWebAddress),
  v.transform((given) => withoutEndingSlashes(new URL(given).origin + new URL(given).pathname)),
);

/** The address of a Supabase project, or of a server that answers as its data API does. The pages add paths such as /rest/v1/leads. */
export const backendAddress = v.pipe(
  siteAddress,
  v.check(
    (given) => !/\/rest(\/v1)?$/.test(given),
    "must be the project's address, without /rest/v1 at its end.",
  ),
);

/** The address of a server that has a host name or port to itself, because its pages link to paths such as /assets or /account. */
export const addressWithoutPath = (example: string) =>
  v.pipe(siteAddress, v.check(isOrigin, `must be an address without a path, such as ${example}.`));

/** A web address that leads or secrets may be sent to: over https, or on this machine. */
export const encryptedOrLocalAddress = v.pipe(
  webAddress,
  v.check(
    (given) => !URL.parse(given)?.username && !URL.parse(given)?.password,
    "must not hold a user or a password, because none is sent.",
  ),
  v.check(
    (given) => !URL.canParse(given) || isEncryptedOrLocal(new URL(given)),
    "must start with https://, unless it is on this machine.",
  ),
);

const inThePassword = "In the password write @ as %40, / as %2F, ? as %3F, # as %23, % as %25.";

/** The address of a PostgreSQL server as libpq takes it, or of several. */
export const databaseAddress = v.pipe(
  v.string(),
  v.check(isDatabaseAddress, `must be as postgres://user:password@host:port/name. ${inThePassword}`),
  // The logins of the processes are made from this address, and a user after the ? would stay in them.
  v.check(
    (given) => !/[?&](user|password|dbname|hostaddr)=/.test(given),
    "must have the user, the password, the host and the name of the database before the ?.",
  ),
);

/** The address of a mail server, as nodemailer takes it. */
export const mailServer = v.pipe(
  v.string(),
  v.check(isMailServer, `must be as smtp://user:password@host:port or smtps://. ${inThePassword}`),
);

/**
 * Who sends a mail. A name with a comma, such as "Lane, Inc.", or with a colon, a semicolon or parentheses is quoted for the mail.
 * (RFC 5322, 3.4)
 */
export const sender = v.pipe(
  v.string(),
  v.check(isSender, "must be an address, or a name and an address: Leads <leads@example.com>."),
  v.transform((given) => {
    const { name, address } = senderOf(given);
    return /[,;:()]/.test(name) ? `"${name}" <${address}>` : given;
  }),
);

/** Mailboxes with commas between them. */
export const mailboxes = v.pipe(
  v.string(),
  v.transform((given) => given.split(",").flatMap((one) => one.trim() || [])),
  v.check(
    (given) => isListOf(given, isMailAddress),
    "must be one e-mail address without a name, or several with commas between them.",
  ),
);

/** Origins as browsers write them; "*" for any. */
export const origins = v.pipe(
  v.string(),
  v.transform(listOf),
  v.check(
    (given) => given.includes("*") || isListOf(given, isOrigin),
    "must be * or a list of origins such as https://www.example.com, in small letters and without a path.",
  ),
  v.transform((given): "*" | string[] => (given.includes("*") ? "*" : given.map(withoutEndingSlashes))),
);

/** Addresses, networks, or proxy-addr's words for them. */
export const proxies = v.pipe(
  v.string(),
  v.check(
    (given) => given === "" || isListOf(listOf(given), isProxy),
    "must be a list of addresses, networks (10.0.0.0/8), or loopback.",
  ),
  v.check(
    (given) => !listOf(given).some((one) => isProxy(one) && isTooLarge(one)),
    "must be networks no larger than 10.0.0.0/8 or fc00::/7, because whoever is in one may say who a visitor is.",
  ),
  v.transform(listOf),
);

function withoutEndingSlashes(given: string): string {
  let end = given.length;
  while (given[end - 1] === "/") end -= 1;
  return given.slice(0, end);
}

const isEncryptedOrLocal = ({ protocol, hostname }: URL): boolean =>
  protocol === "https:" || isThisMachine(hostname);

// A character of the password that is not encoded, such as / or ?, ends the host too early. The rest of the password is then read as
// a path, a query or a fragment.
function isMailServer(given: string): boolean {
  const url = URL.parse(given);
  if (!url || !/^smtps?:$/.test(url.protocol) || !url.hostname) return false;
  // A user without a password is one half of a login.
  if ((url.username === "") !== (url.password === "")) return false;
  return /^\/?$/.test(url.pathname) && !url.search.includes("@") && !url.hash && isEncodedInUtf8(given);
}

/** The parameters of libpq whose value may hold an @. */
const mayHoldAt = new Set(
  "application_name fallback_application_name options user password passfile host service krbsrvname requirepeer sslcert sslkey sslpassword sslrootcert sslcrl sslcrldir".split(
    " ",
  ),
);

/** Whether a part of the query, as it is written, is the rest of a password that was not encoded. */
function holdsPassword(part: string): boolean {
  const [name = ""] = part.split("=", 1);
  return part.includes("@") && (part.includes("?") || !part.includes("=") || !mayHoldAt.has(name));
}

// Divides the address as `database/connect.ts` does, because `URL` knows neither several hosts nor a socket's folder.
function isDatabaseAddress(given: string): boolean {
  const [scheme = "", rest = ""] = given.split(/:\/\/(.*)/s, 2);
  if (!/^postgres(ql)?$/.test(scheme) || rest === "" || rest.includes("#")) return false;
  const [server = ""] = rest.split("?", 1)[0]?.split("/", 1) ?? [];
  const [hosts = "", ...login] = server.split("@").toReversed();
  const isPort = (port: string) => /^\d{1,5}$/.test(port) && Number(port) <= 65535;
  const isHost = (host: string) => {
    const [, port] = /^(?:\[[^\]]+\]|[^:[\]]*)(?::(.*))?$/.exec(host) ?? ["", "none"];
    return port === undefined || isPort(port);
  };
  const [, query = ""] = rest.split(/\?(.*)/s, 2);
  const parameters = new URLSearchParams(query);
  const [named, ports] = ["host", "port"].map((name) => parameters.get(name)?.split(","));
  const written = hosts.split(",");
  // As in libpq, one port is that of each host.
  const portCount = (ports ?? written).length;
  const isPortMissing = portCount !== 1 && portCount !== (named ?? written).length;
  // As in leads:12/34@db.example.com or leads:12?3=4@db.example.com, whose password holds a / or ? that is not encoded.
  const afterServer = rest.slice(server.length);
  const isCut =
    /^\/[^?]*@/.test(afterServer) ||
    (login.length === 0 &&
      (/^(\/[^?]*)?(\?[^=&]*)?@/.test(afterServer) || query.split("&").some(holdsPassword)));
  if (login.length > 1 || isCut || isPortMissing || ports?.every(isPort) === false) return false;
  return written.every(isHost) && isEncodedInUtf8(given);
}

/** Whether what is written with % is UTF-8, as all who read the address expect. An é of Latin-1, %E9, is not. */
function isEncodedInUtf8(given: string): boolean {
  try {
    decodeURIComponent(given);
    return true;
  } catch {
    return false;
  }
}

// Strict on purpose: nothing that could start a new header or name a second mailbox.
function isMailAddress(given: string): boolean {
  return /^[^\s\p{Cc}<>()[\]\\,;:@"]+@[A-Za-z0-9.-]+$/u.test(given);
}

function isSender(given: string): boolean {
  const { name, address } = senderOf(given);
  return isMailAddress(address) && !/[\p{Cc}"\\@]/u.test(name);
}

function senderOf(given: string): { name: string; address: string } {
  const [, written = "", address = given] = /^([^<>]*)<([^<>]*)>$/.exec(given) ?? [];
  const name = written.trim();
  const isQuoted = name.length > 1 && name.startsWith('"') && name.endsWith('"');
  return { name: isQuoted ? name.slice(1, -1) : name, address };
}

function isOrigin(given: string): boolean {
  return /^https?:\/\/[^*]+$/.test(given) && URL.parse(given)?.origin === given.replace(/\/$/, "");
}

// A bare number is an address to ipaddr.js (1 is 0.0.0.1), and a count of proxies to those who write it.
function isProxy(given: string): boolean {
  const [address = ""] = given.split("/");
  if (/^(loopback|linklocal|uniquelocal)$/.test(given)) return true;
  if (!ipaddr.IPv4.isValidFourPartDecimal(address) && !ipaddr.IPv6.isValid(address)) return false;
  // No sender has these addresses.
  if (/^(0\.0\.0\.0|::)$/.test(given)) return false;
  // proxy-addr throws at 64:ff9b::10.0.0.1 and the like.
  if (address.includes("::") && address.includes(".") && !/^::ffff:/i.test(address)) return false;
  // proxy-addr throws at /0, which would trust everybody.
  return address === given || (ipaddr.isValidCIDR(given) && !/\/0+$/.test(given));
}

// The largest private networks. A larger one is no network of proxies, and 0.0.0.0/1 with 128.0.0.0/1 would trust everybody.
function isTooLarge(network: string): boolean {
  const [address = "", length] = network.split("/");
  if (length === undefined || !ipaddr.isValid(address)) return false;
  const parsed = ipaddr.parse(address);
  if (parsed.kind() === "ipv4") return Number(length) < 8;
  return Number(length) < ((parsed as ipaddr.IPv6).isIPv4MappedAddress() ? 96 + 8 : 7);
}
