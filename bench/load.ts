// A load over plain sockets: each connection sends one lead, or asks for a page, waits for the answer, and goes on.
// It runs in a process of its own and does as little as it can, because it shares two cores with what it measures.
// Usage: node bench/load.ts PORT CONNECTIONS SECONDS TARGET, a Target as JSON; prints one line of JSON.
import { connect, type Socket } from "node:net";
import { performance } from "node:perf_hooks";
import type { Target } from "./processes.ts";

const [port, connections, seconds] = process.argv.slice(2, 5).map(Number) as [number, number, number];
const { path, status, leadHeaders }: Target = JSON.parse(process.argv[5] ?? "");
const expected = `HTTP/1.1 ${status}`;
const headers = Object.entries(leadHeaders ?? {}).map(([name, value]) => `${name}: ${value}\r\n`);
const run = Math.random().toString(36).slice(2, 10);
const latencies: number[] = [];
let refused = 0;
let count = 0;
const until = performance.now() + seconds * 1000;

function request(): string {
  if (!leadHeaders) return `GET ${path} HTTP/1.1\r\nhost: localhost\r\naccept-encoding: gzip, br\r\n\r\n`;
  count += 1;
  const body = `{"name":"Rosa ${run} ${count}","email":"rosa@example.com","phone":"(305) 555-0142","zip_code":"33101","has_medicare":true,"has_diabetes":false}`;
  return (
    `POST ${path} HTTP/1.1\r\nhost: localhost\r\n${headers.join("")}` +
    `content-type: application/json\r\nuser-agent: bench\r\nreferer: http://localhost/\r\ncontent-length: ${body.length}\r\n\r\n${body}`
  );
}

function work(socket: Socket): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const lose = () => {
    refused += 1;
    resolve();
  };
  let sent = performance.now();
  const send = () => {
    sent = performance.now();
    if (sent > until) {
      socket.destroy();
      resolve();
    } else socket.write(request());
  };
  socket.setNoDelay(true).setEncoding("latin1").on("connect", send);
  // A server that closes a connection in order causes no "error", but the rest of its load is lost all the same.
  socket.on("error", () => {}).on("close", () => sent <= until && lose());
  let answer = "";
  socket.on("data", (chunk) => {
    answer += chunk;
    const head = answer.indexOf("\r\n\r\n");
    const length = Number(/\r\ncontent-length: (\d+)/i.exec(answer.slice(0, head))?.[1] ?? 0);
    if (head < 0 || answer.length < head + 4 + length) return;
    latencies.push(performance.now() - sent);
    if (!answer.startsWith(expected)) refused += 1;
    answer = "";
    send();
  });
  return promise;
}

await Promise.all(Array.from({ length: connections }, () => work(connect(port, "127.0.0.1"))));
latencies.sort((a, b) => a - b);
const at = (share: number) =>
  latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * share))] ?? 0;
const result = { answersPerSecond: latencies.length / seconds, p50: at(0.5), p99: at(0.99), refused };
process.stdout.write(`${JSON.stringify(result)}\n`);
