// The HTTP server under the app: how long a connection may take, how much it may ask for at once, and a plain answer to what
// is not even a request. Neither Node nor the adapter says anything there: an empty 400 would be an empty red banner.
// (CONTRACT 2)
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
import { withHeaders } from "./with-headers.ts";

/** How long a connection may take, in milliseconds. */
export interface Patience {
  /** Until the headers are here, counted from the connection or the last answer. */
  headers: number;
  /** Until the whole request is here. */
  request: number;
  /** In which nothing moves either way; longer than the store's patience with the database. */
  silence: number;
  /** Between two looks at who has used up the first two. */
  look: number;
}

// A visitor's phone may be slow, but a connection that says nothing is not a visitor.
const usual: Patience = { headers: 10_000, request: 20_000, silence: 30_000, look: 2_000 };

/** Makes the server, not listening yet. `headers` go on what it answers by itself, too. */
export function makeHttpServer(
  fetch: (request: Request, env: object) => Promise<Response> | Response,
  headers: Readonly<Record<string, string>>,
  patience: Patience = usual,
): Server {
  const refuse = (refusal: Refusal) => withHeaders(refusals.refuse(refusal), headers);
  // Who stops says so with each answer, or the next request on that connection would meet nobody.
  const last = (answer: Response) => {
    if (!server.listening) answer.headers.set("connection", "close");
    return answer;
  };
  const answer = getRequestListener(
    (request, env) => {
      const answer = fetch(request, env);
      return answer instanceof Promise ? answer.then(last) : last(answer);
    },
    { errorHandler: () => refuse(refusals.notARequest) },
  ) as RequestListener;
  const owed = new WeakMap<Duplex, Set<ServerResponse>>();
  const listener = (incoming: IncomingMessage, outgoing: ServerResponse) => {
    if (!owe(owed, incoming.socket, outgoing)) return;
    // HTTP/1.0, which health checks still speak, may leave its host unnamed.
    if (incoming.httpVersion === "1.0") incoming.headers.host ??= "localhost";
    answer(incoming, outgoing);
  };
  const server = createServer(
    {
      headersTimeout: patience.headers,
      requestTimeout: patience.request,
      connectionsCheckingInterval: patience.look,
      requireHostHeader: false,
    },
    listener,
  );
  server.setTimeout(patience.silence);
  // Only `100-continue` means something to us; other expectations may be left unmet (RFC 9110, 10.1.1).
  server.on("checkExpectation", listener);
  server.on("connect", (_, socket) => void answerAndClose(socket, refuse(refusals.noSuchMethod("CONNECT"))));
  const refused = new WeakSet<Duplex>();
  // Once a connection, however much it goes on to send; and what came before on it is answered before.
  server.on("clientError", async (error, socket) => {
    if (refused.has(socket)) return;
    refused.add(socket);
    const before = [...(owed.get(socket) ?? [])].filter(({ req }) => req.complete);
    await Promise.all(before.map((outgoing) => once(outgoing, "close")));
    await answerAndClose(socket, refuse(refusalOf(error)));
  });
  return server;
}

/**
 * How many answers one connection may wait for. Browsers and proxies send one request after the other's answer; a program
 * that sends thousands at once would have all of them in memory together.
 */
const mostOwed = 32;

/** Notes an answer that is owed on a connection, until it is given. Closes one that waits for too many, and says false. */
function owe(owed: WeakMap<Duplex, Set<ServerResponse>>, socket: Duplex, outgoing: ServerResponse): boolean {
  const here = owed.get(socket) ?? new Set();
  owed.set(socket, here);
  if (here.size >= mostOwed) {
    socket.destroy();
    return false;
  }
  here.add(outgoing);
  outgoing.on("close", () => here.delete(outgoing));
  return true;
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
  // Destroyed at once, the answer might never arrive; whatever else comes is not read.
  socket.end(`HTTP/1.1 ${answer.status} ${STATUS_CODES[answer.status]}\r\n${head}\r\n${body}`, () =>
    socket.destroy(),
  );
}
