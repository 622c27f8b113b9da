// Opens a server's port, and closes it so that each request under way is still answered.
import { once } from "node:events";
import type { Server } from "node:http";
import { Server as NetServer, type Socket } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { codeOf } from "../log/log.ts";

/** Where to listen. */
export interface ListenAt {
  host: string;
  /** 0 takes any that is free. */
  port: number;
  /** How the names of the settings for host and port begin, which stand in messages: INBOX_ for INBOX_HOST and INBOX_PORT. */
  prefix?: string;
  /** The descriptor of a socket that listens already; the host and the port are then not used to listen. */
  descriptor?: number | undefined;
}

/** The server cannot listen there; the message is for the person who started it. */
export class ListenError extends Error {
  override name = "ListenError";
}

/** The open connections of each server that listens through this module. */
const connections = new WeakMap<Server, Set<Socket>>();

/** Listens, and returns the address to open in a browser. @throws ListenError */
export async function listen(server: Server, at: ListenAt): Promise<string> {
  rememberConnections(server);
  for (let tries = 0; ; tries += 1) {
    try {
      const { descriptor, ...hostAndPort } = at;
      server.listen(descriptor === undefined ? hostAndPort : { fd: descriptor });
      await once(server, "listening");
      break;
    } catch (error) {
      // A server that was just killed may hold its port for a moment longer.
      if (codeOf(error) === "EADDRINUSE" && tries < 15) await wait(200);
      else throw new ListenError(whyNotListening(at, codeOf(error)), { cause: error });
    }
  }
  const bound = server.address();
  if (bound === null || typeof bound === "string")
    throw new ListenError(
      "The socket that was handed over is no TCP port. Name one as ListenStream=127.0.0.1:3000.",
    );
  const { address, port } = bound;
  const isLocalhost = ["127.0.0.1", "0.0.0.0", "::"].includes(address);
  const host = isLocalhost ? "localhost" : at.descriptor === undefined ? at.host : address;
  return `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
}

function rememberConnections(server: Server): void {
  const open = new Set<Socket>();
  connections.set(server, open);
  server.on("connection", (socket) => {
    open.add(socket);
    socket.once("close", () => open.delete(socket));
  });
}

/** Milliseconds that a connection has, once the server stops, for the first byte of its first request. */
const firstByteGrace = 1_000;

/**
 * Stops listening. Requests under way have 7 s to be answered. Connections without a request are closed: all of them up to a second later where
 * one has sent no byte yet, because its first request may be on its way, and a proxy would answer that request with an error.
 */
export async function drain(server: Server): Promise<void> {
  const closed = once(server, "close");
  const open = connections.get(server) ?? new Set();
  const begun = performance.now();
  // Not the HTTP server's own `close`, because from Node 26 on it closes connections whose first request is still on its way, and before
  // Node 26 it waits for connections that send no request.
  NetServer.prototype.close.call(server);
  const closeIdle = setInterval(() => {
    const silent = [...open].filter(({ bytesRead }) => bytesRead === 0);
    if (silent.length > 0 && performance.now() - begun < firstByteGrace) return;
    for (const socket of silent) socket.destroy();
    // Node takes an answer for sent as soon as it has all of it, and would cut off what a slow visitor has not got yet.
    if (![...open].some(({ writableLength }) => writableLength > 0)) server.closeIdleConnections();
  }, 50);
  const late = setTimeout(() => server.closeAllConnections(), 7_000);
  await closed;
  clearInterval(closeIdle);
  clearTimeout(late);
}

function whyNotListening({ port, host, prefix = "", descriptor }: ListenAt, code: string): string {
  if (descriptor !== undefined)
    return `Cannot listen on the socket that the service manager handed over (${code}). Look at its unit.`;
  if (code === "EADDRINUSE")
    return `The port ${port} is in use by another program. Stop it, or set ${prefix}PORT to another.`;
  if (code === "EACCES")
    return `The port ${port} needs more rights than this user has. Set ${prefix}PORT to one above 1023.`;
  return `Cannot listen on ${host}, port ${port} (${code}). Check ${prefix}HOST and ${prefix}PORT.`;
}
