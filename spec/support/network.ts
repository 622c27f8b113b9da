// A network between a program and its database that can stall, so that nothing arrives and neither end is told, and can
// hang up.
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

export interface Network {
  /** The database's address through this network. */
  url: string;
  /** Nothing passes any more, and neither end is told. */
  stall(): void;
  /** New connections pass again. Those from before stay dead, as they do on a real network. */
  recover(): void;
  /** Ends every connection at both ends, in the middle of whatever it carries. */
  hangUp(): void;
  close(): void;
}

/** Lays a network in front of the database at `url`, which is on loopback or behind a Unix socket. */
export async function layNetwork(url: string): Promise<Network> {
  const [, host = ""] = /@([^@/]*)\//.exec(url) ?? [];
  const pairs = new Set<[Socket, Socket]>();
  let isStalled = false;
  const server = createServer((near) => {
    const far = host.startsWith("%2F")
      ? connect(`${decodeURIComponent(host)}/.s.PGSQL.5432`)
      : connect(Number(host.split(":")[1]), "127.0.0.1");
    const pair: [Socket, Socket] = [near, far];
    pairs.add(pair);
    for (const socket of pair) socket.on("error", () => {}).on("close", () => pairs.delete(pair));
    if (isStalled) return void near.pause();
    near.pipe(far);
    far.pipe(near);
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const hangUp = () => {
    for (const socket of [...pairs].flat()) socket.destroy();
  };
  return {
    url: url.replace(`@${host}/`, `@127.0.0.1:${(server.address() as AddressInfo).port}/`),
    stall: () => {
      isStalled = true;
      for (const [near, far] of pairs) {
        near.unpipe(far).pause();
        far.unpipe(near).pause();
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
