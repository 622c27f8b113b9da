// A bare node:http that answers every request with the same bytes and headers: the baseline for serving a page.
// Usage: node bench/bare-page.ts URL, whose answer it copies; prints its port.
import { createServer, get } from "node:http";
import type { AddressInfo } from "node:net";

const { status, headers, body } = await copyOf(process.argv[2] ?? "");
const server = createServer((_, response) => response.writeHead(status, headers).end(body));
server.listen(0, "127.0.0.1", () => process.stdout.write(`${(server.address() as AddressInfo).port}\n`));

function copyOf(url: string) {
  const { promise, resolve } = Promise.withResolvers<{
    status: number;
    headers: Record<string, string>;
    body: Buffer;
  }>();
  get(url, { headers: { "accept-encoding": "gzip, br" } }, async (answer) => {
    const body = Buffer.concat(await answer.toArray());
    const {
      date: _,
      connection: __,
      "keep-alive": ___,
      ...headers
    } = answer.headers as Record<string, string>;
    resolve({ status: answer.statusCode ?? 0, headers, body });
  });
  return promise;
}
