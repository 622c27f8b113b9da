// A free port, for programs that cannot be asked to choose one themselves.
import { once } from "node:events";
import { createServer } from "node:net";

/**
 * Each process of the tests has a thousand ports of its own. They are below 32768, because the system gives the ports from there on to
 * each connection and to each program that asks for any port: such a port may be taken between the look here and the listening.
 */
const portsOfEach = 1_000;
const first = 20_000 + (Number(process.env.VITEST_POOL_ID ?? 0) % 12) * portsOfEach;
/** Begins anywhere, because the tests may run twice on one machine. */
let next = Math.floor(Math.random() * portsOfEach);

/** A port of this machine's loopback address that was free a moment ago, and that this process was not given before. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = first + (next++ % portsOfEach);
    if (await isFree(port)) return port;
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, "127.0.0.1");
  try {
    await once(server, "listening");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EADDRINUSE") return false;
    throw error;
  }
  server.close();
  await once(server, "close");
  return true;
}
