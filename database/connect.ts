// How this program meets PostgreSQL: one address in, one pool of connections out. Addresses are libpq's, so the same
// string serves psql and pgbench, also one with several servers and one with a socket folder.
import postgres from "postgres";

export type Sql = postgres.Sql;

/**
 * Opens a pool on a libpq address. Nothing connects before the first query, and a pool whose server went away connects
 * again with the next one.
 * - `?host=/folder` names a socket folder.
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
    // Notices are for people at a psql prompt; some quote what was typed.
    onnotice: () => {},
  });
}

/** The same database as another role. The password is percent-encoded where it must be. */
export function addressAs(address: string, role: string, password: string): string {
  return address.replace(/^(postgres(?:ql)?:\/\/)(?:[^@/?#]*@)?/, (_, scheme: string) => {
    return `${scheme}${encodeURIComponent(role)}:${encodeURIComponent(password)}@`;
  });
}

// postgres.js would send `host` and `port` to the server as settings, so they are taken out here.
function splitAddress(address: string): { url: string; socketFolder: string | undefined } {
  const [base = "", query = ""] = address.split("?", 2);
  const parameters = new URLSearchParams(query);
  const host = parameters.get("host") ?? undefined;
  parameters.delete("host");
  const rest = parameters.toString();
  // An empty host between "@" and "/" is libpq's way to say "a socket", which URL parsers refuse.
  const url = base.replace(/^([a-z]+:\/\/[^@/]*@?)(?=\/|$)/, "$1localhost") + (rest && `?${rest}`);
  return { url, socketFolder: host?.startsWith("/") ? host : undefined };
}
