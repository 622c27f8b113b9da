// A receiver of webhooks as the provider might run one: a real HTTP server that records each request and answers as
// the test says. And `until`, which waits for what a test expects, with a deadline.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { onTestFinished } from "vitest";
import { freePort } from "./free-port.ts";

export interface Received {
  headers: IncomingMessage["headers"];
  method: string | undefined;
  body: string;
  /** The body as JSON. */
  json: { type: string; timestamp: string; data: Record<string, unknown> };
}

type Answer = (response: ServerResponse, request: Received) => void;

export const answers = (status: number, headers: Record<string, string> = {}): Answer => {
  return (response) => response.writeHead(status, headers).end();
};

/** Starts a receiver that answers 204 until told otherwise; it is closed when the test is over. */
export async function startReceiver(answer: Answer = answers(204)) {
  const received: Received[] = [];
  const receiver = { received, answer, url: "", close, open };
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString();
    const one = { headers: request.headers, method: request.method, body, json: JSON.parse(body) };
    received.push(one);
    receiver.answer(response, one);
  });
  // A port that nobody else is given while the receiver is closed.
  const port = await freePort();
  async function open(): Promise<void> {
    await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
    receiver.url = `http://127.0.0.1:${port}/hook`;
  }
  async function close(): Promise<void> {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
  await open();
  onTestFinished(close);
  return receiver;
}

/** Waits until `look` returns something truthy, and returns that; fails when the deadline has passed, and quotes the condition. */
export async function until<T>(look: () => T | Promise<T>, seconds = 20): Promise<NonNullable<T>> {
  const deadline = Date.now() + seconds * 1000;
  while (true) {
    const seen = await look();
    if (seen) return seen as NonNullable<T>;
    if (Date.now() > deadline) throw new Error(`This did not come true within ${seconds} s: ${look}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
