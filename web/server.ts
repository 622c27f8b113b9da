// The HTTP server under the app: timeouts, how much one connection may ask for at once, and a plain answer to bytes that are no
// request, because Node answers them with an empty 400, which the page would show as an empty banner. (Contract 2)
import { once } from "node:events";
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from "node:http";
import type { Duplex } from "node:stream";
import { getRequestListener } from "@hono/node-server";
import type { Refusal } from "../intake/refusals.ts";
import * as refusals from "../intake/refusals.ts";
import { codeOf } from "../log/log.ts";
import type { App } from "./app.ts";
import { withHeaders } from "./with-headers.ts";

/** How long a connection may take, in milliseconds. */
export interface Timeouts {
  /** Until the headers are here, counted from the connection, and anew from the first byte of each request. */
  headers: number;
  /** Until the whole request is here. */
  request: number;
  /** Without a byte in either direction; longer than the store waits for the database. */
  idle: number;
  /** Between two checks of the first two. */
  check: number;
}

// A visitor's phone may be slow, but a connection that says nothing is not a visitor.
const defaultTimeouts: Timeouts = { headers: 10_000, request: 20_000, idle: 30_000, check: 2_000 };

/** Makes the server, not listening yet. `headers` are for the answers that it gives without the app. */
export function makeHttpServer(
  app: Pick<App, "fetch"> & Partial<App>,
  headers: Readonly<Record<string, string>>,
  timeouts: Timeouts = defaultTimeouts,
): Server {
  const refuse: Refuse = (refusal) => withHeaders(refusals.refuse(refusal), headers);
  const isClosing = () => !server.listening;
  const answer = makeAnswer(app, refuse, isClosing);
  const pending: Pending = new WeakMap();
  const listener = (incoming: IncomingMessage, outgoing: ServerResponse) => {
    if (hasTooManyPending(pending, incoming.socket)) return void incoming.socket.destroy();
    const isTaken = app.hotRoutes?.(incoming, outgoing, isClosing) ?? false;
    if (!isSent(outgoing)) addPending(pending, incoming.socket, outgoing);
    if (isTaken) return;
    // HTTP/1.0, which health checks still speak, may leave its host unnamed.
    if (incoming.httpVersion === "1.0") incoming.headers.host ??= "localhost";
    answer(incoming, outgoing);
  };
  const server = createServer(
    {
      headersTimeout: timeouts.headers,
      requestTimeout: timeouts.request,
      connectionsCheckingInterval: timeouts.check,
      requireHostHeader: false,
    },
    listener,
  );
  server.setTimeout(timeouts.idle);
  // Only `100-continue` means something to us; other expectations may be left unmet (RFC 9110, 10.1.1).
  server.on("checkExpectation", listener);
  // At CONNECT, Node takes its own error listener off the socket, and an error without a listener ends the process.
  server.on("connection", (socket) => socket.on("error", () => {}));
  server.on("connect", (_, socket) => void answerAndClose(socket, refuse(refusals.noSuchMethod("CONNECT"))));
  refuseWhatIsNoRequest(server, pending, refuse);
  return server;
}

type Refuse = (refusal: Refusal) => Response;

/** Makes the listener for the requests that the app answers. */
function makeAnswer(app: Pick<App, "fetch">, refuse: Refuse, isClosing: () => boolean): RequestListener {
  // During shutdown, send `Connection: close` so that clients open their next request elsewhere.
  const closing = (answer: Response) => {
    if (isClosing()) answer.headers.set("connection", "close");
    return answer;
  };
  return getRequestListener(
    (request, env) => {
      const answer = app.fetch(request, env);
      return answer instanceof Promise ? answer.then(closing) : closing(answer);
    },
    { errorHandler: () => refuse(refusals.notARequest) },
  ) as RequestListener;
}

/** Answers bytes that are no request, once a connection, and after the answers to what came before on it. */
function refuseWhatIsNoRequest(server: Server, pending: Pending, refuse: Refuse): void {
  const refused = new WeakSet<Duplex>();
  server.on("clientError", async (error, socket) => {
    if (refused.has(socket)) return;
    refused.add(socket);
    const before = [...(pending.get(socket) ?? [])].filter(({ req }) => req.complete);
    await Promise.all(before.map((outgoing) => once(outgoing, "close")));
    await answerAndClose(socket, refuse(refusalOf(error)));
  });
}

/**
 * How many answers one connection may wait for. Browsers and proxies send one request after the other's answer; a program
 * that sends thousands at once would have all of them in memory together.
 */
const maxPending = 32;

type Pending = WeakMap<Duplex, Set<ServerResponse>>;

const hasTooManyPending = (pending: Pending, socket: Duplex): boolean =>
  (pending.get(socket)?.size ?? 0) >= maxPending;

/** Whether the whole answer, such as a page, is with the operating system already. */
const isSent = (outgoing: ServerResponse): boolean => outgoing.writableEnded && outgoing.writableLength === 0;

/** Records a pending answer of a connection until it is sent. */
function addPending(pending: Pending, socket: Duplex, outgoing: ServerResponse): void {
  let here = pending.get(socket);
  if (!here) {
    here = new Set();
    pending.set(socket, here);
  }
  here.add(outgoing);
  outgoing.on("close", () => pending.get(socket)?.delete(outgoing));
}

function refusalOf(error: Error): Refusal {
  const code = codeOf(error);
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") return refusals.tooSlow;
  if (code === "HPE_HEADER_OVERFLOW") return refusals.headersTooLarge;
  return refusals.notARequest;
}

async function answerAndClose(socket: Duplex, answer: Response): Promise<void> {
  const body = await answer.text();
  if (!socket.writable) return void socket.destroy();
  answer.headers.set("connection", "close");
  answer.headers.set("content-length", String(Buffer.byteLength(body)));
  const head = [...answer.headers].map(([name, value]) => `${name}: ${value}\r\n`).join("");
  // The socket is destroyed only once the answer is sent, because it might otherwise never arrive. What else comes is not read.
  socket.end(`HTTP/1.1 ${answer.status} ${STATUS_CODES[answer.status]}\r\n${head}\r\n${body}`, () =>
    socket.destroy(),
  );
}
