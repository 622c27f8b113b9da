// What 1,000 beacons a second cost the leads beside them: how long an insert waits, alone, with the beacons sent to the product, and with
// the same beacons sent to a server that does nothing, because the sender itself takes processor time. Interleaved rounds in one run.
// `node bench/beacons.ts`; SECONDS (5), ROUNDS (5), INSERTS a second (200), BEACONS a second (1000).
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { Agent, createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { key, median, start } from "./running.ts";

const numberOf = (name: string, otherwise: number) => Number(process.env[name] ?? otherwise);
const [seconds, rounds] = [numberOf("SECONDS", 5), numberOf("ROUNDS", 5)];

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
  const [port] = await once(idle.stdout, "data");
  const ways: Record<string, string | undefined> = {
    "inserts alone": undefined,
    "with beacons": server.address,
    "with beacons to a server that does nothing": `http://127.0.0.1:${String(port).trim()}`,
  };
  await insertsFor(server.address, 2);
  const measured = new Map<string, { p50: number; p99: number }[]>();
  for (let round = 0; round < rounds; round += 1) {
    for (const [name, target] of Object.entries(ways)) {
      const sender =
        target && spawn(process.execPath, [import.meta.filename, "send", target], { stdio: "inherit" });
      // Measuring begins once the sender runs.
      if (sender) await wait(1_000);
      const latencies = await insertsFor(server.address, seconds);
      if (sender) {
        sender.kill();
        await once(sender, "exit");
      }
      measured.set(name, [...(measured.get(name) ?? []), percentiles(latencies)]);
    }
  }
  for (const [name, figures] of measured) {
    const medianOf = (which: "p50" | "p99") => median(figures.map((one) => one[which])).toFixed(2);
    process.stdout.write(
      `${name.padEnd(44)} p50 ${medianOf("p50")} ms, p99 ${medianOf("p99")} ms (medians of ${rounds} rounds)\n`,
    );
  }
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

/** Sends beacons as the visitors of fifty campaigns do, until it is killed. */
async function sendBeacons(address: string): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 64 });
  const headers = { "content-type": "text/plain", "user-agent": "Mozilla/5.0 (iPhone) Mobile/15E148" };
  await steadily(numberOf("BEACONS", 1_000), 3_600, async (_, nth) => {
    const body = `steps=view.half_read&lcp=3&cls=0&utm_source=facebook&utm_medium=paid&utm_campaign=spring-${nth % 50}`;
    const status = await post(`${address}/c`, agent, headers, body);
    if (status !== 204) throw new Error(`A beacon was answered ${status}.`);
  });
}

function serveNothing(): void {
  const server = createServer((incoming, outgoing) => {
    incoming.resume().on("end", () => outgoing.writeHead(204).end());
  });
  server.listen(0, "127.0.0.1", () => process.stdout.write(`${(server.address() as AddressInfo).port}\n`));
}

/** Begins work `perSecond` times a second, whether the earlier work is done or not. */
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

function percentiles(latencies: number[]): { p50: number; p99: number } {
  const sorted = latencies.toSorted((one, another) => one - another);
  const at = (share: number) => sorted[Math.floor(sorted.length * share)] ?? Number.NaN;
  return { p50: at(0.5), p99: at(0.99) };
}
