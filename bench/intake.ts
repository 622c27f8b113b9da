// `npm run bench:intake`: durable inserts a second of the running product, beside pgbench doing the same insert in the
// same database and beside a bare node:http + postgres.js server. One machine, one run, interleaved rounds, medians.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, globSync } from "node:fs";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { parseArgs } from "node:util";
import { connect } from "../database/connect.ts";
import { startEmbedded } from "../database/embedded.ts";
import { intakeAddress, openIntakeLogin } from "../database/intake-login.ts";
import { migrate } from "../database/migrate.ts";

const { values: options } = parseArgs({
  options: {
    seconds: { type: "string", default: "4" },
    rounds: { type: "string", default: "3" },
    connections: { type: "string", default: "1,8,32,64" },
  },
});
const seconds = Number(options.seconds);
const key = "sb_publishable_bench";

interface Measured {
  perSecond: number;
  p50: number;
  p99: number;
}

const folder = await mkdtemp(join(tmpdir(), "leads-bench-"));
await chmod(folder, 0o711);
const database = await startEmbedded({ dataDir: join(folder, "data"), log: () => {} });
const owner = connect(database.url);
await migrate(owner);
await openIntakeLogin(owner, database.url);
await owner`update private.channels set enabled = true`;
const intakeUrl = intakeAddress(database.url);

const ours = await startProcess(["serve.ts"], / listening: .*:(\d+)$/, {
  PORT: "0",
  DATABASE_URL: database.url,
  ANON_KEY: key,
  RATE_LIMIT: "off",
  DELIVERY: "off",
});
const bare = await startProcess(["bench/bare-insert.ts", intakeUrl], /^(\d+)$/, {});
const pgbench = ["/usr/bin/pgbench", ...globSync("/usr/lib/postgresql/*/bin/pgbench")].find((path) =>
  existsSync(path),
);

const contenders: Record<string, (connections: number) => Promise<Measured>> = {
  "this product": (connections) => load(ours.port, connections),
  "bare node:http": (connections) => load(bare.port, connections),
  ...(pgbench && { pgbench: async (connections: number) => runPgbench(pgbench, connections) }),
};

for (const contend of Object.values(contenders)) await contend(8);
process.stdout.write(
  `${cpus().length} cores, ${cpus()[0]?.model}, ${options.rounds} rounds of ${seconds} s\n`,
);
for (const connections of options.connections.split(",").map(Number)) {
  const results = new Map<string, Measured[]>();
  for (let round = 0; round < Number(options.rounds); round += 1) {
    for (const [name, contend] of Object.entries(contenders)) {
      results.set(name, [...(results.get(name) ?? []), await contend(connections)]);
    }
  }
  for (const [name, measured] of results) {
    const median = (of: keyof Measured) =>
      measured.map((one) => one[of]).sort((a, b) => a - b)[measured.length >> 1] ?? 0;
    process.stdout.write(
      `${String(connections).padStart(3)} connections  ${name.padEnd(15)} ${median("perSecond").toFixed(0).padStart(6)}/s` +
        `  p50 ${median("p50").toFixed(2)} ms  p99 ${median("p99").toFixed(2)} ms\n`,
    );
  }
}

ours.child.kill();
bare.child.kill();
await once(ours.child, "exit");
await owner.end();
await database.stop();
await rm(folder, { recursive: true });

async function startProcess(args: string[], portIn: RegExp, env: Record<string, string>) {
  const child = spawn(process.execPath, args, {
    env: { PATH: process.env.PATH, ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const { promise, resolve } = Promise.withResolvers<number>();
  createInterface({ input: child.stdout }).on("line", (line) => {
    const port = portIn.exec(line)?.[1];
    if (port) resolve(Number(port));
  });
  return { child, port: await promise };
}

async function load(port: number, connections: number): Promise<Measured> {
  const child = spawn(
    process.execPath,
    ["bench/load.ts", String(port), String(connections), String(seconds), key],
    {
      stdio: ["ignore", "pipe", "inherit"],
    },
  );
  let output = "";
  child.stdout.on("data", (data) => {
    output += data;
  });
  await once(child, "close");
  const { refused, ...measured } = JSON.parse(output);
  if (refused > 0) throw new Error(`${refused} inserts were refused`);
  return measured;
}

async function runPgbench(program: string, connections: number): Promise<Measured> {
  const args = [
    "-n",
    "-M",
    "prepared",
    "-c",
    `${connections}`,
    "-j",
    `${Math.min(2, connections)}`,
    "-T",
    `${seconds}`,
  ];
  const child = spawn(program, [...args, "-f", "bench/insert.pgbench.sql", intakeUrl], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let output = "";
  child.stdout.on("data", (data) => {
    output += data;
  });
  await once(child, "close");
  const perSecond = Number(/tps = ([\d.]+)/.exec(output)?.[1]);
  const average = Number(/latency average = ([\d.]+)/.exec(output)?.[1]);
  if (!perSecond) throw new Error("pgbench failed");
  return { perSecond, p50: average, p99: Number.NaN };
}
