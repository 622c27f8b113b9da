// Answers the most frequent requests (a page, an insert as the form sends it, a beacon) on Node's own objects, because to make and read
// a Request and a Response costs more than the rest of the work here. An unusual request (no length, an odd host, an older HTTP) is left
// to the app, which answers the same.

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
  /** Headers that the answers to inserts and beacons carry; a page has its own. */
  headers: Readonly<Record<string, string>>;
  log: Log;
}

/** Answers a request, or returns false and leaves it untouched. `isClosing` says whether the server is shutting down. */
export type HotRoutes = (
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  isClosing: () => boolean,
) => boolean;

export function makeHotRoutes(dependencies: HotRouteDependencies): HotRoutes {
  const { counting, cors, headers, log } = dependencies;
  return (incoming, outgoing, isClosing) => {
    if (incoming.httpVersion !== "1.1" || !isPlainHost(incoming.headers.host ?? "")) return false;
    const path = incoming.url?.split("?", 1)[0] ?? "";
    if (incoming.method === "GET" || incoming.method === "HEAD")
      return showPage(dependencies, path, incoming, outgoing, isClosing);
    if (incoming.method !== "POST") return false;
    if (path === "/rest/v1/leads" && declaresLengthUpTo(incoming, maxBytes)) {
      const shared = { ...headers, ...cors.headersFor(incoming.headers.origin) };
      respond(log, inserting(dependencies, incoming), shared, incoming, outgoing, isClosing);
      return true;
    }
    if (path === "/c" && counting && declaresLengthUpTo(incoming, maxBeaconBytes)) {
      const answerTo = takingBeacon(counting, dependencies.addressOf, incoming);
      respond(log, answerTo, headers, incoming, outgoing, isClosing);
      return true;
    }
    return false;
  };
}

/** Answers with the page of a path, and counts it where it is an article. Returns false where the path has none. */
function showPage(
  { pages, articles, counting }: HotRouteDependencies,
  path: string,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  isClosing: () => boolean,
): boolean {
  const page = pages.get(path);
  if (!page) return false;
  if (isClosing()) outgoing.setHeader("connection", "close");
  const { status, headers, bytes, variant } = answerFor(page, valuesOf(incoming));
  outgoing.writeHead(status, headers).end(incoming.method === "HEAD" ? undefined : bytes);
  if (counting && incoming.method === "GET" && articles?.has(path))
    counting.served(valuesOf(incoming), queryOf(incoming.url ?? ""), variant);
  return true;
}

type AnswerTo = (body: Uint8Array) => Answer | Promise<Answer>;

/** Inserts the lead of a body. */
const inserting =
  ({ insertLead, addressOf }: HotRouteDependencies, incoming: IncomingMessage): AnswerTo =>
  (body) =>
    insertLead({
      headers: valuesOf(incoming),
      query: parametersOf(queryOf(incoming.url ?? "")),
      address: addressOf(incoming),
      body,
    });

/** Counts the beacon of a body. */
const takingBeacon =
  (counting: Counting, addressOf: HotRouteDependencies["addressOf"], incoming: IncomingMessage): AnswerTo =>
  (body) =>
    counting.answer({
      method: "POST",
      headers: valuesOf(incoming),
      query: queryOf(incoming.url ?? ""),
      address: addressOf(incoming),
      body,
    });

/** Reads the body and then writes the answer to it. `shared` are headers that every answer has. */
function respond(
  log: Log,
  answerTo: AnswerTo,
  shared: Readonly<Record<string, string>>,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  isClosing: () => boolean,
): void {
  readBody(incoming, async (body) => {
    try {
      const answer = answerTo(body);
      // An answer that is no promise, as a beacon's, is not awaited, because an await puts the rest off even then.
      write(answer instanceof Promise ? await answer : answer, shared, outgoing, isClosing);
    } catch (error) {
      logBug(log, error);
      write(answerOf(broken), shared, outgoing, isClosing);
    }
  });
}

function write(
  { status, headers, body }: Answer,
  shared: Readonly<Record<string, string>>,
  outgoing: ServerResponse,
  isClosing: () => boolean,
): void {
  if (isClosing()) outgoing.setHeader("connection", "close");
  outgoing.writeHead(status, {
    ...shared,
    ...headers,
    // RFC 9110, 8.6: a 204 has no length.
    ...(status !== 204 && { "content-length": String(Buffer.byteLength(body)) }),
  });
  outgoing.end(body);
}

/** Reads a body of the length that was declared. A client that closes the connection before its end gets no answer. */
function readBody(incoming: IncomingMessage, use: (body: Uint8Array) => Promise<void>): void {
  const chunks: Buffer[] = [];
  incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
  incoming.on("end", () => void use(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)));
}

const isPlainHost = (host: string) => /^[\w.-]+(:\d+)?$/.test(host);

const declaresLengthUpTo = ({ headers }: IncomingMessage, maxLength: number): boolean =>
  headers["transfer-encoding"] === undefined &&
  headers.expect === undefined &&
  Number(headers["content-length"] ?? Number.NaN) <= maxLength;

// Only `set-cookie`, which no request has, is a list in Node's headers.
const valuesOf = ({ headers }: IncomingMessage): HeaderValues => ({
  get: (name) => headers[name] as string | undefined,
});

const queryOf = (url: string): string => {
  const at = url.indexOf("?");
  return at < 0 ? "" : url.slice(at + 1);
};

const noParameters = new URLSearchParams();
const parametersOf = (query: string) => (query === "" ? noParameters : new URLSearchParams(query));
