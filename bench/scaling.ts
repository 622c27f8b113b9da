// `node bench/scaling.ts`: several server processes on one PostgreSQL, directly and through PgBouncer in transaction
// pooling. Prints inserts a second and the processor time of an insert, on which the calculations in docs/scaling.md are based.
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { connect } from "../database/connect.ts";
import { startEmbedded } from "../database/embedded.ts";
import { startPooler } from "../spec/support/pgbouncer.ts";
import { median } from "./median.ts";
import { inserts, load } from "./processes.ts";
import { cpuOf, key, type Running, start } from "./running.ts";
import { enableTwoChannels, requireWholeLeads } from "./whole-leads.ts";

const { values: options } = parseArgs({
  options: {
    seconds: { type: "string", default: "5" },
    rounds: { type: "string", default: "3" },
    connections: { type: "string", default: "64" },
  },
});
const [seconds, rounds, connections] = [options.seconds, options.rounds, options.connections].map(Number) as [
  number,
  number,
  number,
];
const say = (line: string) => process.stdout.write(`${line}\n`);

const folder = await mkdtemp(join(tmpdir(), "leads-scaling-"));
await chmod(folder, 0o711);
const database = await startEmbedded({ dataDir: join(folder, "data"), log: () => {} });
const owner = connect(database.url, { max: 1 });
const pooler = await startPooler(database.url);

say(
  `${cpus().length} cores, ${cpus()[0]?.model}; ${connections} connections, ${rounds} rounds of ${seconds} s`,
);
for (const [name, url] of [
  ["directly", database.url],
  ["PgBouncer", pooler.url],
] as const) {
  for (const processes of [1, 2, 4]) await measure(name, url, processes);
}
await pooler.stop();
await requireWholeLeads(owner);
await owner.end();
await database.stop();
await rm(folder, { recursive: true });

async function measure(name: string, url: string, processes: number) {
  const env = { DATABASE_URL: url, DELIVERY: "off" };
  const servers = await Promise.all(Array.from({ length: processes }, () => start(env)));
  await untilReady(servers);
  await enableTwoChannels(owner);
  const all: { answersPerSecond: number; p99: number; web: number; database: number }[] = [];
  for (let round = 0; round < rounds + 1; round += 1) {
    const before = [servers.reduce((sum, { pid }) => sum + cpuOf(pid), 0), cpuOf(database.pid)] as const;
    const loads = await Promise.all(
      servers.map(({ port }) => load(port, Math.round(connections / processes), seconds, inserts(key))),
    );
    const after = [servers.reduce((sum, { pid }) => sum + cpuOf(pid), 0), cpuOf(database.pid)] as const;
    const answersPerSecond = loads.reduce((sum, one) => sum + one.answersPerSecond, 0);
    const each = (index: 0 | 1) => ((after[index] - before[index]) / (answersPerSecond * seconds)) * 1e6;
    // The first round warms up.
    if (round > 0)
      all.push({
        answersPerSecond,
        p99: Math.max(...loads.map(({ p99 }) => p99)),
        web: each(0),
        database: each(1),
      });
  }
  const medianOf = (what: keyof (typeof all)[number]) => median(all.map((one) => one[what]));
  say(
    `${name.padEnd(10)} ${processes} process${processes > 1 ? "es" : "  "}  ${medianOf("answersPerSecond").toFixed(0)} inserts a second, p99 ${medianOf("p99").toFixed(1)} ms; ` +
      `processor time an insert: Node ${medianOf("web").toFixed(0)} µs, PostgreSQL ${medianOf("database").toFixed(0)} µs`,
  );
  await Promise.all(servers.map((server) => server.end()));
}

async function untilReady(servers: Running[]) {
  for (const { address } of servers) while (!(await fetch(`${address}/readyz`)).ok);
}
