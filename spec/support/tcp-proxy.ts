// A TCP proxy between a program and its database. It can stall, as when a network is cut and neither end learns of it, and it can end
// the connections.
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

export interface TcpProxy {
  /** The database's address through this proxy. */
  url: string;
  /** How many connections it has, stalled ones among them. */
  connections(): number;
  /** Passes nothing more on, and closes nothing. */
  stall(): void;
  /** New connections pass again. Those from before stay dead, as they do on a real network. */
  recover(): void;
  /** Ends every connection at both ends, in the middle of whatever it carries. */
  hangUp(): void;
  close(): void;
}

/** Starts a proxy in front of the database at `url`, which is on loopback or behind a Unix socket. */
export async function startTcpProxy(url: string): Promise<TcpProxy> {
  const [, host = ""] = /@([^@/]*)\//.exec(url) ?? [];
  const pairs = new Set<[Socket, Socket]>();
  let isStalled = false;
  const server = createServer((client) => {
    const database = host.startsWith("%2F")
      ? connect(`${decodeURIComponent(host)}/.s.PGSQL.5432`)
      : connect(Number(host.split(":")[1]), "127.0.0.1");
    const pair: [Socket, Socket] = [client, database];
    pairs.add(pair);
    for (const socket of pair) socket.on("error", () => {}).on("close", () => pairs.delete(pair));
    if (isStalled) return void client.pause();
    client.pipe(database);
    database.pipe(client);
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const hangUp = () => {
    for (const socket of [...pairs].flat()) socket.destroy();
  };
  return {
    url: url.replace(`@${host}/`, `@127.0.0.1:${(server.address() as AddressInfo).port}/`),
    connections: () => pairs.size,
    stall: () => {
      isStalled = true;
      for (const [client, database] of pairs) {
        client.unpipe(database).pause();
        database.unpipe(client).pause();
      }
    },
    recover: () => {
      isStalled = false;
    },
    hangUp,
    close: () => {
      server.close();
      hangUp();
    },
  };
}
