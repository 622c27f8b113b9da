// `npm run bench:intake`: durable inserts a second of the running product, beside pgbench doing the same insert in the
// same database and beside a bare node:http + postgres.js server; with `-- --peers` also beside alternatives (peers.ts). One machine,
// one run, interleaved rounds, medians.
import { once } from "node:events";
import { existsSync, globSync } from "node:fs";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { connect } from "../database/connect.ts";
import { startEmbedded } from "../database/embedded.ts";
import { migrate } from "../database/migrate.ts";
import { openRoleLogins, roleAddress } from "../database/role-logins.ts";
import { startPeers } from "./peers.ts";
import { inserts, load, race, run, startProcess, type Turn } from "./processes.ts";
import { enableTwoChannels, requireWholeLeads } from "./whole-leads.ts";

const { values: options } = parseArgs({
  options: {
    seconds: { type: "string", default: "4" },
    rounds: { type: "string", default: "3" },
    connections: { type: "string", default: "1,8,32,64" },
    peers: { type: "boolean", default: false },
  },
});
const seconds = Number(options.seconds);
/** Of pgbench: the embedded PostgreSQL allows 50 connections, and the product needs a handful of them. */
const maxSessions = 32;
const key = "sb_publishable_bench";

const folder = await mkdtemp(join(tmpdir(), "leads-bench-"));
await chmod(folder, 0o711);
const database = await startEmbedded({ dataDir: join(folder, "data"), log: () => {} });
const owner = connect(database.url);
await migrate(owner);
await openRoleLogins(owner, database.url);
await enableTwoChannels(owner);
const intakeUrl = roleAddress(database.url, "leads_intake");

const ours = await startProcess(["bin/serve.ts"], / listening: [^:]*:\/\/localhost:(\d{1,5})$/, {
  PORT: "0",
  INBOX: "off",
  DATABASE_URL: database.url,
  ANON_KEY: key,
  RATE_LIMIT: "off",
  DELIVERY: "off",
});
const bare = await startProcess(["bench/bare-insert.ts", intakeUrl], /^(\d+)$/, {});
const pgbench = ["/usr/bin/pgbench", ...globSync("/usr/lib/postgresql/*/bin/pgbench")].find((path) =>
  existsSync(path),
);

// The peers get their own PostgreSQL, because their pools and pgbench's sessions together need more connections than one allows.
const databaseOfPeers = options.peers
  ? await startEmbedded({ dataDir: join(folder, "peers"), log: () => {} })
  : undefined;
const peers = databaseOfPeers ? await startPeers(databaseOfPeers.url) : [];

const contenders: Record<string, (connections: number) => Promise<Turn>> = {
  "this product": (connections) => load(ours.port, connections, seconds, inserts(key)),
  "bare node:http": (connections) => load(bare.port, connections, seconds, inserts(key)),
  ...Object.fromEntries(
    peers.map(({ name, port, target }) => [
      name,
      (connections: number) => load(port, connections, seconds, target),
    ]),
  ),
  ...(pgbench && { pgbench: async (connections: number) => runPgbench(pgbench, connections) }),
};

// A first turn for each, which is not counted, because all are slower at first.
for (const contend of Object.values(contenders)) await contend(8);
process.stdout.write(
  `${cpus().length} cores, ${cpus()[0]?.model}, ${options.rounds} rounds of ${seconds} s\n`,
);
for (const connections of options.connections.split(",").map(Number)) {
  const runs = Object.entries(contenders).map(
    ([name, contend]) => [nameWith(name, connections), () => contend(connections)] as const,
  );
  await race(
    Object.fromEntries(runs),
    Number(options.rounds),
    `${String(connections).padStart(3)} connections`,
  );
}

for (const { child } of [ours, bare, ...peers]) child.kill();
await once(ours.child, "exit");
await requireWholeLeads(owner);
await owner.end();
await Promise.all([database, databaseOfPeers].map((one) => one?.stop()));
await rm(folder, { recursive: true });

/** The name, with a note where pgbench has fewer sessions than the others have connections. */
function nameWith(name: string, connections: number): string {
  return name === "pgbench" && connections > maxSessions ? `${name}, ${maxSessions} only` : name;
}

async function runPgbench(program: string, connections: number): Promise<Turn> {
  const sessions = Math.min(connections, maxSessions);
  const workers = Math.min(2, sessions);
  const args = ["-n", "-M", "prepared", "-c", `${sessions}`, "-j", `${workers}`, "-T", `${seconds}`];
  const { output } = await run(program, [...args, "-f", "bench/insert.pgbench.sql", intakeUrl]);
  const answersPerSecond = Number(/tps = ([\d.]+)/.exec(output)?.[1]);
  if (!answersPerSecond) throw new Error("pgbench failed");
  // pgbench prints no median and no percentile without a log of each transaction.
  return { answersPerSecond, average: Number(/latency average = ([\d.]+)/.exec(output)?.[1]) };
}
