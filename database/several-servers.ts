// Finds, of the servers in one address, the one that takes writes, at each connect anew: after a failover it is another one.
// postgres.js 3.4.9 has this built in, but takes a standby for read-write, and when no server answers it tries for ever,
// without a pause and without an error (its issue 1174).
import { connect as openSocket, Socket } from "node:net";
import type { ServerAddress, Sql } from "./connect.ts";
import { withTimeout } from "./timeout.ts";

/** None of the servers in the address takes writes now. */
export class NoWritableServer extends Error {
  override name = "NoWritableServer";
}

/**
 * Opens a socket to the first server in the address that takes writes. All are probed at once, so that one that does not
 * answer costs two seconds and no more. The socket fails with NoWritableServer when there is none.
 */
export async function openToWritable(
  servers: ServerAddress[],
  open: (server: ServerAddress) => Sql,
): Promise<Socket> {
  const probes = servers.map((server) => takesWrites(open(server)));
  for (const [index, answer] of probes.entries()) {
    if (await answer) return socketTo(servers[index] as ServerAddress);
  }
  // postgres.js learns of a failure only from a socket that it listens to.
  const none = new Socket();
  setImmediate(() => none.destroy(new NoWritableServer()));
  return none;
}

async function takesWrites(sql: Sql): Promise<boolean> {
  try {
    // On a standby, transactions are read only as well.
    const query = sql<
      { writes: boolean }[]
    >`select current_setting('transaction_read_only') = 'off' as writes`;
    const [row] = await withTimeout(2_000, query);
    return row?.writes === true;
  } catch {
    return false;
  } finally {
    sql.end({ timeout: 0 }).catch(() => {});
  }
}

// With TLS, postgres.js checks the certificate against the name it finds on the socket.
function socketTo({ host, port, path }: ServerAddress): Socket {
  const socket = path === undefined ? openSocket(port, host) : openSocket(path);
  return Object.assign(socket, { host, port });
}
