// The two most frequent requests, a page and an insert as the form sends it, answered on Node's own objects, because making a Request
// and a Response and reading them again costs more than the rest of the work here. Whatever is unusual
// about a request (no length, an odd host, an older HTTP) is left to the app, which answers the same.
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Answer, HeaderValues } from "../intake/answer.ts";
import type { InsertRequest } from "../intake/insert-lead.ts";
import { answerOf, broken, maxBytes } from "../intake/refusals.ts";
import { logBug } from "../log/bug.ts";
import type { Log } from "../log/log.ts";
import type { Cors } from "./cors.ts";
import { answerFor, type Page } from "./page.ts";

export interface HotRouteDependencies {
  pages: ReadonlyMap<string, Page>;
  insertLead: (request: InsertRequest) => Promise<Answer>;
  addressOf: (incoming: IncomingMessage) => string;
  cors: Cors;
  /** Headers that every answer of the intake carries. */
  headers: Readonly<Record<string, string>>;
  log: Log;
}

/** Answers a request, or returns false and leaves it untouched. `isClosing` says whether the server is shutting down. */
export type HotRoutes = (
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  isClosing: () => boolean,
) => boolean;

/** Makes the routes. */
export function makeHotRoutes(dependencies: HotRouteDependencies): HotRoutes {
  const { pages, insertLead, addressOf, cors, headers, log } = dependencies;

  const insert: (...request: Parameters<HotRoutes>) => Promise<void> = async (
    incoming,
    outgoing,
    isClosing,
  ) => {
    const shared = { ...headers, ...cors.headersFor(incoming.headers.origin) };
    const write = (answer: Answer) => {
      const length = String(Buffer.byteLength(answer.body));
      if (isClosing()) outgoing.setHeader("connection", "close");
      outgoing.writeHead(answer.status, { ...shared, ...answer.headers, "content-length": length });
      outgoing.end(answer.body);
    };
    try {
      write(
        await insertLead({
          headers: valuesOf(incoming),
          query: queryOf(incoming.url ?? ""),
          address: addressOf(incoming),
          body: () => bodyOf(incoming),
        }),
      );
    } catch (error) {
      // A client that closes the connection in the middle of its request is no bug, and reads no answer.
      if (incoming.destroyed) return;
      logBug(log, error);
      write(answerOf(broken));
    }
  };

  return (incoming, outgoing, isClosing) => {
    if (incoming.httpVersion !== "1.1" || !isPlainHost(incoming.headers.host ?? "")) return false;
    const path = incoming.url?.split("?", 1)[0] ?? "";
    if (incoming.method === "GET" || incoming.method === "HEAD") {
      const page = pages.get(path);
      if (page && isClosing()) outgoing.setHeader("connection", "close");
      if (page) showPage(page, incoming, outgoing);
      return page !== undefined;
    }
    if (incoming.method !== "POST" || path !== "/rest/v1/leads" || !isOfKnownLength(incoming)) return false;
    void insert(incoming, outgoing, isClosing);
    return true;
  };
}

function showPage(page: Page, incoming: IncomingMessage, outgoing: ServerResponse): void {
  const { status, headers, bytes } = answerFor(page, valuesOf(incoming));
  outgoing.writeHead(status, headers).end(incoming.method === "HEAD" ? undefined : bytes);
}

const isPlainHost = (host: string) => /^[\w.-]+(:\d+)?$/.test(host);

const isOfKnownLength = ({ headers }: IncomingMessage): boolean =>
  headers["transfer-encoding"] === undefined &&
  headers.expect === undefined &&
  Number(headers["content-length"] ?? Number.NaN) <= maxBytes;

// Only `set-cookie`, which no request has, is a list in Node's headers.
const valuesOf = ({ headers }: IncomingMessage): HeaderValues => ({
  get: (name) => headers[name] as string | undefined,
});

const queryOf = (url: string): URLSearchParams => {
  const at = url.indexOf("?");
  return at < 0 ? noQuery : new URLSearchParams(url.slice(at + 1));
};

const noQuery = new URLSearchParams();

/** The body, of the length that was declared. Rejects when the client closes the connection before its end. */
function bodyOf(incoming: IncomingMessage): Promise<Uint8Array> {
  const { promise, resolve, reject } = Promise.withResolvers<Uint8Array>();
  const chunks: Buffer[] = [];
  incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
  incoming.on("end", () => resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)));
  incoming.on("close", () => incoming.complete || reject(new Error("The client closed the connection.")));
  return promise;
}
