// How much longer an insert takes while the product gets 1,000 beacons a second. Inserts are timed alone, with the beacons sent to the
// product, and with the same beacons sent to a server that does nothing, because the sender itself takes processor time. Each round times
// all three, and begins with another one than the round before.
// `node bench/beacons.ts`; SECONDS (5), ROUNDS (12), INSERTS a second (200), BEACONS a second (1000).
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { Agent, createServer, request } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { median } from "./median.ts";
import { key, start } from "./running.ts";

const numberOf = (name: string, otherwise: number) => Number(process.env[name] ?? otherwise);
const [seconds, rounds] = [numberOf("SECONDS", 5), numberOf("ROUNDS", 12)];

if (process.argv[2] === "send") await sendBeacons(process.argv[3] ?? "");
else if (process.argv[2] === "idle") serveNothing();
else await measure();

async function measure(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "leads-bench-"));
  await chmod(folder, 0o711);
  const server = await start({ DATA_DIR: join(folder, "data"), DELIVERY: "off" });
  const idle = spawn(process.execPath, [import.meta.filename, "idle"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  process.once("exit", () => idle.kill());
  const [port] = await once(idle.stdout, "data");
  const ways: Record<string, string | undefined> = {
    "inserts alone": undefined,
    "with beacons": server.address,
    "with beacons to a server that does nothing": `http://127.0.0.1:${String(port).trim()}`,
  };
  await insertsFor(server.address, 2);
  const measured = new Map<string, number[][]>();
  for (let round = 0; round < rounds; round += 1) {
    for (const [name, target] of rotated(Object.entries(ways), round)) {
      const sender =
        target && spawn(process.execPath, [import.meta.filename, "send", target], { stdio: "inherit" });
      if (sender) {
        const end = () => sender.kill();
        process.once("exit", end);
        sender.once("exit", () => process.off("exit", end));
        // Measuring begins once the sender runs.
        await wait(1_000);
      }
      const latencies = await insertsFor(server.address, seconds);
      if (sender) {
        if (sender.exitCode !== null) throw new Error("The sender of the beacons has ended.");
        const gone = once(sender, "exit");
        sender.kill();
        await gone;
      }
      measured.set(name, [...(measured.get(name) ?? []), latencies]);
    }
  }
  for (const [name, latenciesByRound] of measured) {
    const percentileText = (share: number) =>
      `${percentile(latenciesByRound.flat(), share).toFixed(2)} ms (${median(latenciesByRound.map((one) => percentile(one, share))).toFixed(2)})`;
    process.stdout.write(`${name.padEnd(44)} p50 ${percentileText(0.5)}, p99 ${percentileText(0.99)}\n`);
  }
  process.stdout.write(`Of all inserts of ${rounds} rounds; in brackets the median of the rounds.\n`);
  idle.kill();
  await server.end();
  await rm(folder, { recursive: true, force: true, maxRetries: 20 });
}

/** Inserts at a steady rate, and how long each took from the moment it was due, in milliseconds. */
async function insertsFor(address: string, forSeconds: number): Promise<number[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: 64 });
  const latencies: number[] = [];
  const headers = { apikey: key, "content-type": "application/json", "user-agent": "bench" };
  await steadily(numberOf("INSERTS", 200), forSeconds, async (due, nth) => {
    const name = `Rosa ${process.pid} ${due} ${nth}`;
    const lead = {
      name,
      email: "rosa@example.com",
      phone: "(305) 555-0142",
      zip_code: "33101",
      has_medicare: true,
      has_diabetes: false,
    };
    const status = await post(`${address}/rest/v1/leads`, agent, headers, JSON.stringify(lead));
    if (status !== 201) throw new Error(`An insert was answered ${status}.`);
    latencies.push(performance.now() - due);
  });
  agent.destroy();
  return latencies;
}

/**
 * Sends beacons as the visitors of fifty campaigns do, until it is killed. It writes to plain sockets, because it shares two cores with what
 * is measured: Node's HTTP client takes more processor time for a beacon than the server does.
 */
async function sendBeacons(address: string): Promise<void> {
  const { hostname, port, host } = new URL(address);
  const sockets = Array.from({ length: 16 }, () => connect(Number(port), hostname).setNoDelay(true));
  for (const socket of sockets)
    socket.setEncoding("latin1").on("data", (answers: string) => {
      if (/^HTTP\/1\.1 (?!204)/m.test(answers)) throw new Error("A beacon was not answered 204.");
    });
  const headers = `host: ${host}\r\ncontent-type: text/plain\r\nuser-agent: Mozilla/5.0 (iPhone) Mobile/15E148`;
  await steadily(numberOf("BEACONS", 1_000), 3_600, async (_, nth) => {
    const body = `steps=view.half_read&lcp=3&cls=0&utm_source=facebook&utm_medium=paid&utm_campaign=spring-${nth % 50}`;
    sockets[nth % sockets.length]?.write(
      `POST /c HTTP/1.1\r\n${headers}\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
    );
  });
}

function serveNothing(): void {
  const server = createServer((incoming, outgoing) => {
    incoming.resume().on("end", () => outgoing.writeHead(204).end());
  });
  server.listen(0, "127.0.0.1", () => process.stdout.write(`${(server.address() as AddressInfo).port}\n`));
}

/**
 * Begins work `perSecond` times a second, whether the earlier work is done or not. Only after each 10,000 it waits for all of them, so that
 * the list of promises stays short.
 */
async function steadily(
  perSecond: number,
  forSeconds: number,
  work: (due: number, nth: number) => Promise<void>,
) {
  const began = performance.now();
  const underWay: Promise<void>[] = [];
  for (let nth = 0; nth < perSecond * forSeconds; ) {
    const now = performance.now();
    for (; nth < perSecond * forSeconds && began + (nth * 1000) / perSecond <= now; nth += 1)
      underWay.push(work(began + (nth * 1000) / perSecond, nth));
    await wait(1);
    if (underWay.length > 10_000) await Promise.all(underWay.splice(0));
  }
  await Promise.all(underWay);
}

function post(url: string, agent: Agent, headers: Record<string, string>, body: string): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const sent = request(
    url,
    { method: "POST", agent, headers: { ...headers, "content-length": Buffer.byteLength(body) } },
    (answer) => {
      answer.resume().on("end", () => resolve(answer.statusCode ?? 0));
    },
  );
  sent.on("error", reject).end(body);
  return promise;
}

/** The list with its first `count` elements moved to the end. */
function rotated<One>(list: One[], count: number): One[] {
  const at = count % list.length;
  return [...list.slice(at), ...list.slice(0, at)];
}

function percentile(latencies: number[], share: number): number {
  const sorted = latencies.toSorted((one, another) => one - another);
  return sorted[Math.floor(latencies.length * share)] ?? Number.NaN;
}
