// HTTP as bytes on a socket, for what no honest client would send: the bytes go out unchanged, and the answer is read
// strictly.
import { connect, type Socket } from "node:net";

export interface WireAnswer {
  status: number;
  /** Lower-case names; one that came twice is joined with a comma. */
  headers: Record<string, string>;
  body: string;
}

export interface Exchange {
  socket: Socket;
  /** All answers but those below 200, once the server has closed the connection. */
  closed: Promise<WireAnswer[]>;
}

/** Opens a connection and writes these bytes. `closed` rejects when the server has not closed it after `timeout` ms. */
export function openAndSend(address: string, bytes: string | Buffer = "", timeout = 20_000): Exchange {
  const { hostname, port } = new URL(address);
  const socket = connect({ host: hostname, port: Number(port) });
  const parts: Buffer[] = [];
  const closed = new Promise<WireAnswer[]>((resolve, reject) => {
    const hanging = setTimeout(() => {
      socket.destroy();
      reject(
        new Error(
          `The server has not closed the connection; it sent: ${Buffer.concat(parts).toString("latin1")}`,
        ),
      );
    }, timeout);
    // The server may reset the connection after its answer.
    socket.on("error", () => {});
    socket.on("data", (part) => parts.push(part));
    socket.on("close", () => {
      clearTimeout(hanging);
      const method = bytes.toString("latin1").split(" ")[0] ?? "";
      try {
        resolve(readAnswers(Buffer.concat(parts), method));
      } catch (error) {
        reject(error);
      }
    });
  });
  closed.catch(() => {});
  socket.write(bytes);
  return { socket, closed };
}

/** Sends bytes that end the connection with `connection: close`, or that make the server end it. */
export const sendBytes = (address: string, bytes: string | Buffer, timeout?: number): Promise<WireAnswer[]> =>
  openAndSend(address, bytes, timeout).closed;

function readAnswers(bytes: Buffer, method: string): WireAnswer[] {
  const answers: WireAnswer[] = [];
  for (let rest = bytes; rest.length > 0; ) {
    const end = rest.indexOf("\r\n\r\n");
    const [first = "", ...lines] = rest.subarray(0, end).toString("latin1").split("\r\n");
    const status = Number(/^HTTP\/1\.1 (\d{3}) [\x20-\x7e]+$/.exec(first)?.[1]);
    if (end < 0 || !status) throw new Error(`This is no HTTP: ${rest.toString("latin1").slice(0, 200)}`);
    const headers = readHeaders(lines);
    rest = rest.subarray(end + 4);
    const bodiless = status < 200 || status === 204 || status === 304 || method === "HEAD";
    const [body, after] = bodiless ? [Buffer.alloc(0), rest] : readBody(rest, headers);
    if (status >= 200) answers.push({ status, headers, body: body.toString() });
    rest = after;
  }
  return answers;
}

/** The body at the start of these bytes, and what follows it. */
function readBody(bytes: Buffer, headers: Record<string, string>): [Buffer, Buffer] {
  if (headers["transfer-encoding"] === "chunked") return readChunks(bytes);
  const length = Number(headers["content-length"] ?? Number.NaN);
  if (!(bytes.length >= length)) throw new Error("An answer was cut off, or has no content-length.");
  return [bytes.subarray(0, length), bytes.subarray(length)];
}

function readChunks(bytes: Buffer): [Buffer, Buffer] {
  const chunks: Buffer[] = [];
  for (let rest = bytes; ; ) {
    const line = rest.indexOf("\r\n");
    const length = Number.parseInt(rest.subarray(0, line).toString("latin1"), 16);
    if (!(rest.length >= line + length + 4)) throw new Error("An answer in chunks was cut off.");
    chunks.push(rest.subarray(line + 2, line + 2 + length));
    rest = rest.subarray(line + length + 4);
    if (length === 0) return [Buffer.concat(chunks), rest];
  }
}

function readHeaders(lines: string[]): Record<string, string> {
  const headers: Record<string, string> = Object.create(null);
  for (const line of lines) {
    const [, name = "", value = ""] = /^([\w-]+): ?(.*)$/.exec(line) ?? [];
    if (!name) throw new Error(`This is no header: ${line}`);
    const known = headers[name.toLowerCase()];
    headers[name.toLowerCase()] = known === undefined ? value : `${known}, ${value}`;
  }
  return headers;
}
