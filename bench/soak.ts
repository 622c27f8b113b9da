// `node bench/soak.ts [--minutes 180] [--leads 60] [--readers 300] [--outage-every 10]`: the whole product under hours of realistic traffic:
// readers, leads and beacons a minute, a member at work in the inbox, a monitoring program, and every so many minutes an outage of the
// receiver, the database server or the server itself. Prints each minute the figures that must not grow (memory, descriptors, connections),
// and those that must not grow faster than the leads (disk, log). At the end it exits with 1 unless every acknowledged lead is stored once,
// with its permission and its delivery, the delivery is recorded as delivered, and no visitor gave up.
import { readFileSync } from "node:fs";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { parseArgs } from "node:util";
import { connect, type Sql } from "../database/connect.ts";
import { findDataFolder, findRunning } from "../database/embedded.ts";
import { retryDeadlock } from "../database/retry-transaction.ts";
import { freePort } from "../spec/support/free-port.ts";
import { findDiscrepancies } from "../spec/support/steady-load.ts";
import { childrenOf, descriptorsOf, key, memoryOf, sizeOf, start } from "./running.ts";
import { startTraffic } from "./soak-traffic.ts";

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "180" },
    leads: { type: "string", default: "60" },
    readers: { type: "string", default: "300" },
    "outage-every": { type: "string", default: "10" },
  },
});
const minute = 60_000;
const minutes = Number(values.minutes);
const say = (line: string) => process.stdout.write(`${line}\n`);

const folder = await mkdtemp(join(tmpdir(), "leads-soak-"));
await chmod(folder, 0o711);
const dataDir = join(folder, "data");
const receiver = await startReceiver();
const inboxPort = await freePort();
const port = await freePort();
const settings = {
  DATA_DIR: dataDir,
  PORT: String(port),
  INBOX: "on",
  INBOX_PORT: String(inboxPort),
  INBOX_IDLE_MINUTES: "1440",
  INBOX_SESSION_HOURS: "168",
  BACKUP_DIR: join(folder, "backups"),
  BACKUP_KEEP: "2",
  WEBHOOK_URL: receiver.url,
  WEBHOOK_SECRET: `whsec_${btoa("a secret of the measurement ....")}`,
};
let server = await start(settings);
let logged = 0;
const owner = connect((await findRunning({ dataDir })) ?? "", { max: 1, name: "leads soak" });
const traffic = startTraffic({
  address: () => server.address,
  inboxUrl: `http://localhost:${inboxPort}`,
  key,
  leadsAMinute: Number(values.leads),
  readersAMinute: Number(values.readers),
  cookie: await cookieOfMember(owner),
});

say(
  "minute   memory  peak   PG memory  files  connections  data    log     backups  leads  delivered  answers",
);
const began = Date.now();
const outages = ["receiver", "database", "server"] as const;
let nthOutage = 0;
for (let nth = 1; nth <= minutes; nth += 1) {
  if (nth % Number(values["outage-every"]) === 0)
    await breakSomething(outages[nthOutage++ % outages.length] ?? "receiver");
  await wait(Math.max(0, began + nth * minute - Date.now()));
  await printLine(nth).catch((error) => say(`${nth}: ${(error as Error).message}`));
}
await traffic.stop();
process.exitCode = await judge();
await owner.end();
await server.end();
receiver.close();
await rm(folder, { recursive: true, maxRetries: 20 });

async function printLine(nth: number): Promise<void> {
  const { now, peak } = memoryOf(server.pid);
  const [row] = await owner<{ connections: number; delivered: number }[]>`
    select
      (select count(*)::int from pg_stat_activity where datname = current_database()) as connections,
      (select count(delivered_at)::int from private.deliveries) as delivered`;
  const answers = [...traffic.answers].sort(([a], [b]) => a - b).map(([status, n]) => `${status}:${n}`);
  say(
    [
      String(nth).padStart(6),
      `${now.toFixed(0)} MB`.padStart(9),
      `${peak.toFixed(0)} MB`.padStart(7),
      `${databaseMemory().toFixed(0)} MB`.padStart(9),
      String(descriptorsOf(server.pid)).padStart(7),
      String(row?.connections).padStart(10),
      megabytes(sizeOf(dataDir)).padStart(10),
      megabytes(logged + server.logged()).padStart(9),
      megabytes(sizeOf(join(folder, "backups"))).padStart(8),
      String(traffic.acknowledged.size).padStart(8),
      String(row?.delivered).padStart(9),
      `  ${answers.join(" ")}`,
    ].join(""),
  );
}

function megabytes(bytes: number): string {
  return `${(bytes / 1024 / 1024).toFixed(1)} MB`;
}

/** PostgreSQL's first process; it outlives a `bin/serve.ts` that was killed. */
function postmaster(): number {
  const file = join(findDataFolder(dataDir).cluster, "postmaster.pid");
  return Number(readFileSync(file, "utf8").split("\n")[0]);
}

/** What the embedded server's processes have in memory that is their own, in MB. */
function databaseMemory(): number {
  const processes = [postmaster(), ...childrenOf(postmaster())];
  return processes.reduce((sum, pid) => sum + memoryOf(pid).own, 0);
}

async function breakSomething(what: (typeof outages)[number]): Promise<void> {
  say(`        an outage of the ${what}`);
  if (what === "receiver") {
    receiver.isDown = true;
    setTimeout(() => (receiver.isDown = false), 30_000);
  } else if (what === "database") {
    // As the kernel does when memory is short; the server starts it again.
    process.kill(postmaster(), "SIGKILL");
  } else {
    logged += server.logged();
    await server.end("SIGKILL");
    server = await start(settings);
  }
}

/** Checks that every acknowledged lead is stored once and whole, and was delivered. Returns the exit status. */
async function judge(): Promise<number> {
  const pending = await deliverTheRest(Date.now() + 2 * minute);
  const { missing, twice, withOtherPermissionsOrDeliveries } = await findDiscrepancies(
    owner,
    traffic.acknowledged,
  );
  say(
    `${traffic.acknowledged.size} leads acknowledged, ${traffic.givenUp.size} given up; missing ${missing.length}, twice ${twice}, with other permissions or deliveries ${withOtherPermissionsOrDeliveries.length}, not delivered ${pending}, received ${receiver.received.size}`,
  );
  say(`the member's work: ${[...traffic.work].map(([name, count]) => `${name} ${count}`).join(", ")}`);
  return traffic.givenUp.size + missing.length + twice + withOtherPermissionsOrDeliveries.length + pending > 0
    ? 1
    : 0;
}

/** Has every delivery retried until all are made, or the deadline has passed. Returns how many are not made. */
async function deliverTheRest(deadline: number): Promise<number> {
  for (;;) {
    // A query of its own counts, because the update leaves out a delivery that is under way: that one is claimed.
    const [row] = await owner<{ pending: number }[]>`
      select count(*)::int as pending from private.deliveries where delivered_at is null`;
    const pending = row?.pending ?? 0;
    if (pending === 0 || Date.now() > deadline) return pending;
    await retryDeadlock(
      () => owner`
        update private.deliveries set due_at = now() where delivered_at is null and claimed_until is null`,
    );
    await wait(1_000);
  }
}

async function cookieOfMember(sql: Sql): Promise<string> {
  // The server may listen before it has migrated the database.
  for (;;) {
    const found = await sql`select from pg_proc where proname = 'begin_session'`.catch(() => []);
    if (found.length > 0) break;
    await wait(100);
  }
  const [made] = await sql<{ session: { token: string } }[]>`
    with made as (insert into private.members (name, role) values ('Soak', 'manager') returning id)
    select private.begin_session(id, 'soak') as session from made`;
  return `session=${made?.session.token}`;
}

async function startReceiver() {
  const received = new Set<string>();
  const state = { url: "", isDown: false, received, close: () => void server.close() };
  const server = createServer((request, response) => {
    request.resume().on("end", () => {
      if (!state.isDown) received.add(String(request.headers["webhook-id"]));
      response.writeHead(state.isDown ? 503 : 204).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  state.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  return state;
}
