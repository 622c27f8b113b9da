// At each connect, finds which of the servers in one address takes writes, because after a failover it is another one.
// postgres.js 3.4.9 has this built in, but takes a standby for read-write, and when no server answers it tries for ever,
// without a pause and without an error (its issue 1174).
import { connect as openSocket, Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import type { ServerAddress, Sql } from "./connect.ts";
import { withTimeout } from "./timeout.ts";

/** None of the servers in the address takes writes now. */
export class NoWritableServer extends Error {
  override name = "NoWritableServer";
}

/**
 * In milliseconds: `answer` is how long each server may take to answer, `grace` how long the others may once one takes writes.
 */
const limits = { answer: 2_000, grace: 100 };

/**
 * Opens a socket to the server in the address that takes writes. All are probed at once, and one that does not answer is not
 * waited for when another takes writes. The socket fails with NoWritableServer when there is none.
 *
 * Several take writes where one was promoted while the old primary went on, frozen or cut off for a moment. The one with
 * the newest timeline is taken, because with synchronous replication commits on the old one wait for a standby that it no
 * longer has. Of servers with the same timeline the first in the address is taken.
 */
export async function openToWritable(
  servers: ServerAddress[],
  open: (server: ServerAddress) => Sql,
  given: Partial<typeof limits> = {},
): Promise<Socket> {
  const { answer, grace } = { ...limits, ...given };
  const writable: Writable[] = [];
  const probes = servers.map(async (server) => {
    const timeline = await timelineOfWritable(open(server), answer);
    if (timeline === undefined) throw new NoWritableServer();
    writable.push({ server, timeline });
  });
  const all = Promise.allSettled(probes);
  await Promise.any(probes).catch(() => {});
  await Promise.race([all, pause(grace, undefined, { ref: false })]);
  writable.sort((a, b) => b.timeline - a.timeline || servers.indexOf(a.server) - servers.indexOf(b.server));
  const [best] = writable;
  if (best) return socketTo(best.server);
  // A socket that reports the error a moment later, because postgres.js listens for errors only on the socket that this returns.
  const none = new Socket();
  setImmediate(() => none.destroy(new NoWritableServer()));
  return none;
}

interface Writable {
  server: ServerAddress;
  /** A promotion begins a new one, with the next number. */
  timeline: number;
}

/** The timeline of a server that takes writes; undefined for one that does not, or does not answer. */
async function timelineOfWritable(sql: Sql, timeout: number): Promise<number | undefined> {
  try {
    return await withTimeout(timeout, readTimeline(sql));
  } catch {
    return undefined;
  } finally {
    sql.end({ timeout: 0 }).catch(() => {});
  }
}

async function readTimeline(sql: Sql): Promise<number | undefined> {
  // On a standby, every transaction is read only.
  const [answer] = await sql<{ writes: boolean }[]>`
    select current_setting('transaction_read_only') = 'off' as writes`;
  if (!answer?.writes) return undefined;
  // Hosts that keep the write-ahead log to themselves refuse this, and have no second primary.
  const [wal] = await sql<{ file: string }[]>`
    select pg_walfile_name(pg_current_wal_lsn()) as file`.catch(() => []);
  return Number.parseInt(wal?.file.slice(0, 8) ?? "0", 16);
}

// With TLS, postgres.js checks the certificate against the name it finds on the socket.
function socketTo({ host, port, path }: ServerAddress): Socket {
  const socket = path === undefined ? openSocket(port, host) : openSocket(path);
  return Object.assign(socket, { host, port });
}
