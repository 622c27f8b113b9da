// The most frequent requests, a page, an insert as the form sends it, and a beacon, answered on Node's own objects, because making a Request
// and a Response and reading them again costs more than the rest of the work here. Whatever is unusual
// about a request (no length, an odd host, an older HTTP) is left to the app, which answers the same.

import type { IncomingMessage, ServerResponse } from "node:http";
import { maxBeaconBytes } from "../campaigns/beacon.ts";
import type { Answer, HeaderValues } from "../intake/answer.ts";
import type { InsertRequest } from "../intake/insert-lead.ts";
import { answerOf, broken, maxBytes } from "../intake/refusals.ts";
import { logBug } from "../log/bug.ts";
import type { Log } from "../log/log.ts";
import type { Cors } from "./cors.ts";
import type { Counting } from "./counting.ts";
import { answerFor, type Page } from "./page.ts";

export interface HotRouteDependencies {
  pages: ReadonlyMap<string, Page>;
  articles?: ReadonlySet<string>;
  counting?: Counting | undefined;
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
  const { pages, insertLead, addressOf, cors, headers, log, counting, articles } = dependencies;

  const respond = async (
    answering: Promise<Answer>,
    shared: Readonly<Record<string, string>>,
    ...[incoming, outgoing, isClosing]: Parameters<HotRoutes>
  ): Promise<void> => {
    const write = (answer: Answer) => {
      const length = String(Buffer.byteLength(answer.body));
      if (isClosing()) outgoing.setHeader("connection", "close");
      outgoing.writeHead(answer.status, {
        ...shared,
        ...answer.headers,
        // RFC 9110, 8.6: a 204 has no length.
        ...(answer.status !== 204 && { "content-length": length }),
      });
      outgoing.end(answer.body);
    };
    try {
      write(await answering);
    } catch (error) {
      // A client that closes the connection in the middle of its request is no bug, and reads no answer.
      if (incoming.destroyed) return;
      logBug(log, error);
      write(answerOf(broken));
    }
  };

  const insert = async (incoming: IncomingMessage) =>
    insertLead({
      headers: valuesOf(incoming),
      query: new URLSearchParams(queryOf(incoming.url ?? "")),
      address: addressOf(incoming),
      body: () => bodyOf(incoming),
    });
  const count = async (counts: Counting, incoming: IncomingMessage) =>
    counts.answer({
      method: "POST",
      headers: valuesOf(incoming),
      query: queryOf(incoming.url ?? ""),
      address: addressOf(incoming),
      body: () => bodyOf(incoming),
    });

  return (incoming, outgoing, isClosing) => {
    if (incoming.httpVersion !== "1.1" || !isPlainHost(incoming.headers.host ?? "")) return false;
    const path = incoming.url?.split("?", 1)[0] ?? "";
    if (incoming.method === "GET" || incoming.method === "HEAD") {
      const page = pages.get(path);
      if (!page) return false;
      if (isClosing()) outgoing.setHeader("connection", "close");
      const variant = showPage(page, incoming, outgoing);
      if (counting && incoming.method === "GET" && articles?.has(path))
        counting.served(valuesOf(incoming), queryOf(incoming.url ?? ""), variant);
      return true;
    }
    if (incoming.method !== "POST") return false;
    if (path === "/rest/v1/leads" && isOfKnownLength(incoming, maxBytes)) {
      const shared = { ...headers, ...cors.headersFor(incoming.headers.origin) };
      void respond(insert(incoming), shared, incoming, outgoing, isClosing);
      return true;
    }
    if (path === "/c" && counting && isOfKnownLength(incoming, maxBeaconBytes)) {
      void respond(count(counting, incoming), headers, incoming, outgoing, isClosing);
      return true;
    }
    return false;
  };
}

/** Returns the variant that was shown, while an experiment runs. */
function showPage(page: Page, incoming: IncomingMessage, outgoing: ServerResponse): string | undefined {
  const { status, headers, bytes, variant } = answerFor(page, valuesOf(incoming));
  outgoing.writeHead(status, headers).end(incoming.method === "HEAD" ? undefined : bytes);
  return variant;
}

const isPlainHost = (host: string) => /^[\w.-]+(:\d+)?$/.test(host);

const isOfKnownLength = ({ headers }: IncomingMessage, longest: number): boolean =>
  headers["transfer-encoding"] === undefined &&
  headers.expect === undefined &&
  Number(headers["content-length"] ?? Number.NaN) <= longest;

// Only `set-cookie`, which no request has, is a list in Node's headers.
const valuesOf = ({ headers }: IncomingMessage): HeaderValues => ({
  get: (name) => headers[name] as string | undefined,
});

const queryOf = (url: string): string => {
  const at = url.indexOf("?");
  return at < 0 ? "" : url.slice(at + 1);
};

/** The body, of the length that was declared. Rejects when the client closes the connection before its end. */
function bodyOf(incoming: IncomingMessage): Promise<Uint8Array> {
  const { promise, resolve, reject } = Promise.withResolvers<Uint8Array>();
  const chunks: Buffer[] = [];
  incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
  incoming.on("end", () => resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)));
  incoming.on("close", () => incoming.complete || reject(new Error("The client closed the connection.")));
  return promise;
}
