// Connections to an HTTP server in the same process, without a socket and the kernel, to measure what the server's own code costs.
import type { Server } from "node:http";
import { Duplex } from "node:stream";

/** Opens as many connections to a server as `connections` says. The server need not listen. */
export function connectTo(server: Server, connections: number): Connection[] {
  return Array.from({ length: connections }, () => {
    const one = new Connection();
    server.emit("connection", one);
    return one;
  });
}

/** A connection without a socket. It sends each request after the answer to the one before, and takes each write for a whole answer. */
class Connection extends Duplex {
  remoteAddress = "127.0.0.1";
  #answered = () => {};
  setTimeout = () => this;
  setNoDelay = () => this;
  setKeepAlive = () => this;
  override _read() {}
  override _write(_: unknown, __: unknown, done: () => void) {
    done();
    this.#answered();
  }
  override _writev(_: unknown, done: () => void) {
    done();
    this.#answered();
  }
  send(count: number, request: () => string): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    let left = count;
    const next = () => this.push(Buffer.from(request(), "latin1"));
    this.#answered = () => {
      left -= 1;
      if (left > 0) setImmediate(next);
      else resolve();
    };
    next();
    return promise;
  }
}
