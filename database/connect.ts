// How this program meets PostgreSQL: one address in, one pool of connections out. Addresses are libpq's, so the same
// string serves psql and pgbench, also one with several servers and one with a socket folder.
import postgres from "postgres";

export type Sql = postgres.Sql;

/**
 * Opens a pool on a libpq address. Nothing connects before the first query, and a pool whose server went away connects
 * again with the next one.
 * - A socket's folder is named as libpq has it: `postgres://user@%2Ffolder/name` or `?host=/folder`.
 * - `host1,host2` with `?target_session_attrs=read-write` finds the server that takes writes.
 * - `?prepare=false` is for a pooler that cannot keep prepared statements.
 */
export function connect(address: string, { max = 4, name = "leads" } = {}): Sql {
  const { url, socketFolder } = splitAddress(address);
  return postgres(url, {
    max,
    ...(socketFolder && { host: socketFolder }),
    connection: { application_name: name },
    // A server that is away is asked again soon: a lead may be waiting. Its own default waits up to 20 s.
    backoff: (tries: number) => Math.min(0.05 * 2 ** tries, 1),
    connect_timeout: 5,
    // It would ask each new connection for the types of arrays, and a server that dies just then ends this program: the
    // answer to that question is nobody's to catch.
    fetch_types: false,
    types: { array: arrayOfTextOrUuid },
    // Notices are for people at a psql prompt; some quote what was typed.
    onnotice: () => {},
  });
}

/** The same database as another role. The password is percent-encoded where it must be. */
export function addressAs(address: string, role: string, password: string): string {
  const { scheme, hosts, database, query } = partsOf(address);
  return `${scheme}${encodeURIComponent(role)}:${encodeURIComponent(password)}@${hosts}${database}${query}`;
}

/** The same server and role, another database. */
export function addressOfDatabase(address: string, database: string): string {
  const { scheme, login, hosts, query } = partsOf(address);
  return `${scheme}${login}${hosts}/${database}${query}`;
}

// A socket's folder stands where the host does, percent-encoded, or in `?host=`. postgres.js knows neither: it would
// look the first up as a name and send the second to the server as a setting.
function splitAddress(address: string): { url: string; socketFolder: string | undefined } {
  const { scheme, login, hosts, database, query } = partsOf(address);
  const parameters = new URLSearchParams(query);
  const host = parameters.get("host") ?? decodeURIComponent(hosts);
  parameters.delete("host");
  const socketFolder = host.startsWith("/") ? host : undefined;
  const rest = parameters.size > 0 ? `?${parameters}` : "";
  return {
    url: `${scheme}${login}${socketFolder ? "localhost" : hosts || "localhost"}${database}${rest}`,
    socketFolder,
  };
}

function partsOf(address: string) {
  const found =
    /^(?<scheme>\w+:\/\/)(?<login>[^@/?#]*@)?(?<hosts>[^/?#]*)(?<database>\/[^?#]*)?(?<query>\?.*)?$/.exec(
      address,
    );
  const { scheme = "postgres://", login = "", hosts = "", database = "", query = "" } = found?.groups ?? {};
  return { scheme, login, hosts, database, query };
}

const arrayOfTextOrUuid = {
  to: 1009,
  from: [1009, 2951],
  serialize: (items: string[]) => `{${items.map((item) => `"${item.replaceAll(/["\\]/g, "\\$&")}"`).join()}}`,
  parse: (text: string) =>
    Array.from(text.slice(1, -1).matchAll(/"((?:[^"\\]|\\.)*)"|([^,]+)/g), ([, quoted, plain]) =>
      quoted === undefined ? plain : quoted.replaceAll(/\\(.)/gs, "$1"),
    ),
};
