// Reads one setting at a time in the form it must have: a number, an address, on or off. What is wrong is gathered, so
// that one start tells of every mistake.
import ipaddr from "ipaddr.js";

export interface Settings {
  /** One sentence for each mistake so far, naming the setting and the mend. */
  wrong: string[];
  /** Notes a mistake. */
  refuse(name: string, must: string): undefined;
  /** The setting as it stands; blank counts as not set. */
  set(name: string): string | undefined;
  wholeNumber(name: string, byDefault: number, least: number, most: number): number;
  /** A web address. */
  address(name: string): string | undefined;
  /** The address of a PostgreSQL server as libpq takes it, or of several. */
  database(name: string): string | undefined;
  /** The address of a mail server, as nodemailer takes it. */
  mailServer(name: string): string | undefined;
  /** A web address without a query, and without the slash at its end. */
  origin(name: string): string | undefined;
  /** Something that can stand in a header. */
  oneWord(name: string, byDefault: string): string;
  onOrOff(name: string, byDefault: boolean): boolean;
  /** Origins as browsers write them; "*" when none is set. */
  origins(name: string): "*" | string[];
  /** Addresses, networks, or proxy-addr's words for them. */
  proxies(name: string): string[];
  /** Whether all of these are set. Some without the others is a mistake. */
  together(names: readonly string[], what: string): boolean;
}

/** Makes the reader of an environment. */
export function makeSettings(env: Readonly<Record<string, string | undefined>>): Settings {
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

  const address = (name: string): string | undefined => {
    const text = set(name);
    if (text === undefined) return undefined;
    if (!/^https?:\/\/./.test(text))
      return refuse(name, "must be an address that starts with https:// or http://.");
    return URL.canParse(text) ? text : refuse(name, "must be a web address such as https://example.com.");
  };

  const database = (name: string): string | undefined => {
    const text = set(name);
    if (text === undefined || isDatabaseAddress(text)) return text;
    return refuse(name, `must be as postgres://user:password@host:port/name. ${inThePassword}`);
  };

  const mailServer = (name: string): string | undefined => {
    const text = set(name);
    if (text === undefined || isMailServer(text)) return text;
    return refuse(name, `must be as smtp://user:password@host:port or smtps://. ${inThePassword}`);
  };

  const origin = (name: string): string | undefined => {
    const text = address(name);
    if (text === undefined) return undefined;
    const { origin, pathname, search, hash, username } = new URL(text);
    if (!search && !hash && !username) return `${origin}${pathname}`.replace(/\/+$/, "");
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
    const isOrigin = (one: string) =>
      !one.includes("*") && URL.canParse(one) && new URL(one).origin === one.replace(/\/$/, "");
    if (!given.every(isOrigin))
      refuse(name, "must be * or a list of origins such as https://www.example.com.");
    return given.map((one) => one.replace(/\/$/, ""));
  };

  const proxies = (name: string): string[] => {
    const given = list(name);
    if (!given.every(isProxy))
      refuse(name, "must be a list of addresses, networks (10.0.0.0/8), or loopback.");
    return given;
  };

  const together = (names: readonly string[], what: string): boolean => {
    const missing = names.filter((name) => !set(name));
    if (missing.length > 0 && missing.length < names.length) {
      refuse(missing.join(" and "), `must be set as well, because ${what} needs ${names.join(" and ")}.`);
    }
    return missing.length === 0;
  };

  return {
    ...{ wrong, refuse, set, wholeNumber, address, database, mailServer, origin, oneWord, onOrOff },
    ...{ origins, proxies, together },
  };
}

const inThePassword = "In the password write @ as %40, / as %2F, ? as %3F, # as %23, % as %25.";

// A sign of the password that is not written so ends the host, the path or the query too early.
function isMailServer(text: string): boolean {
  const url = URL.parse(text);
  if (!url || !/^smtps?:$/.test(url.protocol) || !url.hostname) return false;
  if (!/^\/?$/.test(url.pathname) || url.search.includes("@") || url.hash) return false;
  try {
    return decodeURIComponent(text) !== "";
  } catch {
    return false;
  }
}

// As `database/connect.ts` takes it apart.
function isDatabaseAddress(text: string): boolean {
  const [, hosts] =
    /^postgres(?:ql)?:\/\/(?=.)(?:[^@/?#]*@)?([^@/?#]*)(?:\/[^?#]*)?(?:\?[^#]*)?$/.exec(text) ?? [];
  const isHost = (host: string) => {
    const [, port] = /^(?:\[[^\]]+\]|[^:[\]]*)(?::(\d{1,5}))?$/i.exec(host) ?? ["", "none"];
    return port === undefined || Number(port) <= 65535;
  };
  return hosts?.split(",").every(isHost) === true && !/%(?![\da-f]{2})/i.test(text);
}

// A bare number is an address to ipaddr.js (1 is 0.0.0.1), and a count of proxies to those who write it.
function isProxy(text: string): boolean {
  const [address = ""] = text.split("/");
  if (/^(loopback|linklocal|uniquelocal)$/.test(text)) return true;
  if (!ipaddr.IPv4.isValidFourPartDecimal(address) && !ipaddr.IPv6.isValid(address)) return false;
  return address === text || ipaddr.isValidCIDR(text);
}
