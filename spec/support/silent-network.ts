// A network between the server and its database that can fall silent: nothing arrives, and nobody is told.
import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";

export interface Network {
  host: string;
  fallSilent(): void;
  /** New connections pass again. Those from before stay dead, as they do on a real network. */
  recover(): void;
  close(): void;
}

/** Lays a network in front of a server that listens on loopback. */
export async function layNetwork(port: number): Promise<Network> {
  const pairs = new Set<[Socket, Socket]>();
  let isSilent = false;
  const server = createServer((near) => {
    const far = connect(port, "127.0.0.1");
    const pair: [Socket, Socket] = [near, far];
    pairs.add(pair);
    for (const socket of pair) socket.on("error", () => {}).on("close", () => pairs.delete(pair));
    if (isSilent) return void near.pause();
    near.pipe(far);
    far.pipe(near);
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  return {
    host: `127.0.0.1:${(server.address() as { port: number }).port}`,
    fallSilent: () => {
      isSilent = true;
      for (const [near, far] of pairs) {
        near.unpipe(far).pause();
        far.unpipe(near).pause();
      }
    },
    recover: () => {
      isSilent = false;
    },
    close: () => {
      server.close();
      for (const socket of [...pairs].flat()) socket.destroy();
    },
  };
}
