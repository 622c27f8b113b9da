// Opens a pool of connections on an address of PostgreSQL. Addresses are libpq's, so the same string serves psql and pgbench,
// also one with several servers and one with a socket folder.
import postgres from "postgres";
import { openToWritable } from "./several-servers.ts";

export type Sql = postgres.Sql;

/**
 * Opens a pool on a libpq address. Nothing connects before the first query, and a pool whose server went away connects
 * again with the next one.
 * - A socket's folder is named as libpq has it: `postgres://user@%2Ffolder/name` or `?host=/folder`.
 * - Of several servers, `host1:port1,host2:port2`, the one that takes writes is found, at each connect anew.
 * - `connectTimeout` is how many seconds a connect may take; a `connect_timeout` in the address is ignored.
 * - Without `keepsConnections` the library makes each connection anew after half an hour to an hour, and what its session holds, such as
 *   a lock, ends.
 * - `timeZone` is that in which the database writes a time as text or JSON; unset: the server's own.
 * - `?prepare=false` is for a pooler that cannot keep prepared statements.
 */
export function connect(
  address: string,
  { max = 4, name = "leads", connectTimeout = 5, keepsConnections = false, timeZone = "" } = {},
): Sql {
  const { url, database, servers } = splitAddress(address);
  const [first = serverOf("", ""), ...others] = servers;
  const lifetime = keepsConnections && { max_lifetime: null };
  const connection = { application_name: name, ...(timeZone && { TimeZone: timeZone }) };
  const open = ({ host, port, ...path }: ServerAddress, options: object) => {
    // Lists, which the types of postgres.js do not declare. In a text postgres.js takes what follows a colon for the port, also in an IPv6
    // address, and would send the login to another server.
    const server: object = { host: [host], port: [port], ...path };
    return postgres(url, {
      ...defaults,
      connection,
      ...lifetime,
      ...(database && { database }),
      connect_timeout: connectTimeout,
      ...server,
      ...options,
    });
  };
  if (others.length === 0) return open(first, { max });
  const probe = (server: ServerAddress) => open(server, { max: 1, connect_timeout: 2 });
  return open(first, { max, socket: () => openToWritable(servers, probe) });
}

// An empty array is not searched, because most leads have no flag: an export of all leads takes a tenth less time.
const arrayOfTextOrUuid = {
  to: 1009,
  from: [1009, 2951],
  serialize: (items: string[]) => `{${items.map((item) => `"${item.replaceAll(/["\\]/g, "\\$&")}"`).join()}}`,
  parse: (text: string) => (text === "{}" ? [] : itemsOf(text)),
};

const itemsOf = (text: string) =>
  Array.from(text.slice(1, -1).matchAll(/"((?:[^"\\]|\\.)*)"|([^,]+)/g), ([, quoted, plain]) =>
    quoted === undefined ? plain : quoted.replaceAll(/\\(.)/gs, "$1"),
  );

const defaults = {
  // An unreachable server is tried again soon, because a lead may be waiting. The library's default waits up to 20 s.
  backoff: (tries: number) => Math.min(0.05 * 2 ** tries, 1),
  // The library would query the types of arrays on each new connection; where the server dies just then, nothing catches the
  // error of that query, and it ends this program.
  fetch_types: false,
  types: { array: arrayOfTextOrUuid },
  // Notices are for people at a psql prompt; some quote what was typed.
  onnotice: () => {},
};

/** Where one server listens. With a `path`, which is a socket's, the host is only a name. */
export interface ServerAddress {
  host: string;
  port: number;
  path?: string;
}

/** The address of the same database for another role. The password is percent-encoded where it must be. */
export function addressAs(address: string, role: string, password: string): string {
  const { scheme, hosts, database, query } = partsOf(address);
  if (/[?&](user|password)=/.test(query)) throw notAnAddress();
  return `${scheme}${encodeURIComponent(role)}:${encodeURIComponent(password)}@${hosts}${database}${query}`;
}

/** An address with the login of another, and its database where none is named: a standby has the logins of its primary. */
export function withLoginOf(address: string, other: string): string {
  const { scheme, hosts, database, query } = partsOf(address);
  const named = partsOf(other);
  return `${scheme}${named.login}${hosts}${database.length > 1 ? database : named.database}${query}`;
}

/** Another database of the same server. */
export function addressOfDatabase(address: string, name: string): string {
  const { scheme, login, hosts, query } = partsOf(address);
  return `${scheme}${login}${hosts}/${encodeURIComponent(name)}${query}`;
}

// Parameters that libpq reads itself. They are left out, because postgres.js would send them to the server, which has no such settings. So
// channel_binding=require is ignored: hosted databases put it into their addresses, and postgres.js does not have it. Those that name
// certificates and the like stay: the server then refuses the connection, which would be less safe than asked. `application_name` is
// left out, because our programs know each other by the name that they give themselves.
const clientOnly = [
  "host",
  "port",
  "target_session_attrs",
  "channel_binding",
  "gsslib",
  "krbsrvname",
  "keepalives",
  "keepalives_idle",
  "keepalives_interval",
  "keepalives_count",
  "tcp_user_timeout",
  "load_balance_hosts",
  "application_name",
  "fallback_application_name",
  "sslcompression",
  "sslsni",
];

// postgres.js understands one host name; sockets' folders, IPv6 addresses and several servers are read here. As in libpq, `?host=` and
// `?port=` stand in place of what is written before the name of the database, each by itself, and one port is that of each host.
function splitAddress(address: string): { url: string; database: string; servers: ServerAddress[] } {
  const { scheme, login, hosts, database, query } = partsOf(address);
  // libpq reads no plus sign as a blank.
  const parameters = new URLSearchParams(query.replaceAll("+", "%2B"));
  const written = hosts.split(",").map(hostAndPort);
  const names = parameters.get("host")?.split(",") ?? written.map(({ name }) => decoded(name));
  const ports = parameters.get("port")?.split(",") ?? written.map(({ port }) => port);
  if (ports.length !== 1 && ports.length !== names.length) throw notAnAddress();
  const servers = names.map((name, index) => serverOf(name, ports.at(ports.length === 1 ? 0 : index)));
  for (const name of clientOnly) parameters.delete(name);
  if (parameters.get("gssencmode") !== "require") parameters.delete("gssencmode");
  const rest = parameters.size > 0 ? `?${parameters}` : "";
  // Decoded here, because postgres.js does not decode the name of the database.
  return {
    url: `${scheme}${login}localhost${database}${rest}`,
    database: decoded(database.slice(1)),
    servers,
  };
}

function hostAndPort(text: string) {
  const found = /^(\[[^\]]*\]|[^:]*)(?::(\d+))?$/.exec(text);
  if (!found) throw notAnAddress();
  const [, name = "", port = ""] = found;
  return { name, port };
}

function serverOf(name: string, writtenPort: string | undefined): ServerAddress {
  const host = name.replace(/^\[(.*)\]$/, "$1") || "localhost";
  const port = Number(writtenPort || "5432");
  return host.startsWith("/")
    ? { host: "localhost", port, path: `${host}/.s.PGSQL.${port}` }
    : { host, port };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw notAnAddress();
  }
}

// An address that is understood only in part is refused, because the password could go to a server that it does not name.
const notAnAddress = () => new TypeError("This is not the address of a PostgreSQL server.");

function partsOf(address: string) {
  const found =
    /^(?<scheme>\w+:\/\/)(?<login>[^@/?#]*@)?(?<hosts>[^/?#]*)(?<database>\/[^?#]*)?(?<query>\?.*)?$/.exec(
      address,
    );
  if (!found?.groups) throw notAnAddress();
  const { scheme = "postgres://", login = "", hosts = "", database = "", query = "" } = found.groups;
  return { scheme, login, hosts, database, query };
}
