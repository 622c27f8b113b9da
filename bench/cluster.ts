// `deploy/cluster/trial [ROUNDS [MINUTES]]` runs this on the host `visitors` of the cluster: kills programs and cuts networks under
// load, then upgrades the web processes and the schema, and prints which promises were broken.
import { setTimeout as pause } from "node:timers/promises";
import { connect } from "../database/connect.ts";
import { findDiscrepancies, type SteadyLoad, startLoad } from "../spec/support/steady-load.ts";
import { checkDeliveries } from "./cluster-deliveries.ts";
import { type Fault, faults, frozenPatroni } from "./cluster-faults.ts";
import { hostsIn, site, webAddresses } from "./cluster-hosts.ts";
import { median } from "./median.ts";
import { key } from "./running.ts";

const [, , folder = "", rounds = "10", minutes = "60", nextRelease = ""] = process.argv;
for (const given of [rounds, minutes])
  if (!/^\d+$/.test(given)) throw new Error(`ROUNDS and MINUTES are whole numbers, and not ${given}.`);
const deadline = performance.now() + Number(minutes) * 60_000;
const hosts = hostsIn(folder);
const say = (line: string) => process.stdout.write(`${line}\n`);

const load = startLoad(key, () => site, { visitors: 8, pauseAfter: 80 });
const owner = connect(hosts.databaseUrl, { max: 1, name: "leads trial" });
try {
  await causeFaults();
  await upgrade();
  await load.stop();
} catch (error) {
  // Said first, because where the cluster did not come back what follows fails as well.
  console.error(error);
  process.exitCode = 1;
}
// Where the cluster did not come back, the visitors would wait for ever.
await load.stopRetrying();
const answers = [...load.answers].map(([status, count]) => `${status || "no answer"} ${count} times`);
say(`${load.acknowledged.size} leads acknowledged; answers: ${answers.join(", ")}`);
await settle();
await owner.end();

async function causeFaults() {
  if (Number(rounds) === 0) return;
  const times = new Map<string, number[]>(Object.keys(faults).map((name) => [name, []]));
  const gaps = new Map<string, number[]>(Object.keys(faults).map((name) => [name, []]));
  const failed = new Map<string, number>();
  for (let round = 1; round <= Number(rounds) && performance.now() < deadline; round += 1) {
    for (const [name, fault] of Object.entries(faults)) {
      await until("the cluster is whole", hosts.isWhole, 180_000);
      const { time, gap, failedTries, failover } = await causeFault(
        fault,
        name === frozenPatroni ? 40_000 : 2_000,
      );
      times.get(name)?.push(time);
      gaps.get(name)?.push(gap);
      failed.set(name, (failed.get(name) ?? 0) + failedTries);
      say(
        `${round} ${name}: next acknowledgement after ${seconds(time)}, longest gap ${seconds(gap)}, ${failedTries} failed tries${failover}`,
      );
      if (performance.now() > deadline) break;
    }
  }
  say(
    "\n| what | times | next acknowledgement: p50 | at most | longest gap: p50 | at most | failed tries |\n|---|---|---|---|---|---|---|",
  );
  // The time may have been over before each fault had its turn.
  for (const [name, each] of [...times].filter(([, { length }]) => length > 0))
    say(
      `| ${name} | ${each.length} | ${spread(each)} | ${spread(gaps.get(name) ?? [])} | ${failed.get(name)} |`,
    );
}

/** Causes a fault, which lasts until a lead is acknowledged and `hold` milliseconds more. Times are in milliseconds. */
async function causeFault(fault: Fault, hold: number) {
  const [primary, standby, etcd] = await Promise.all([
    hosts.hostOf("leader"),
    hosts.hostOf("sync_standby"),
    hosts.etcdLeader(),
  ]);
  if (!primary || !standby || !etcd) throw new Error("The cluster is not whole.");
  const acknowledged = load.acknowledged.size;
  await until("leads flow", async () => load.acknowledged.size > acknowledged + 20, 20_000);
  const before = failedTriesOf(load);
  const stopWatching = watchGaps();
  const undo = fault(hosts, { primary, standby, etcd });
  // A signal and a rule of the network take a moment to work.
  await pause(20);
  const time = await Promise.race([load.nextAcknowledgement(), pause(150_000, undefined, { ref: false })]);
  if (time === undefined) throw new Error("No lead was acknowledged for 150 s.");
  await pause(hold);
  undo();
  await until("the cluster is whole", hosts.isWhole, 180_000);
  const gap = stopWatching();
  const now = await hosts.hostOf("leader");
  return {
    time: time + 20,
    gap,
    failedTries: failedTriesOf(load) - before,
    failover: now === primary ? "" : `, ${primary} -> ${now}`,
  };
}

/** Returns a function that ends the watch, and returns the longest time in milliseconds without an acknowledgement. */
function watchGaps(): () => number {
  let [longest, since, size] = [0, performance.now(), load.acknowledged.size];
  const look = () => {
    longest = Math.max(longest, performance.now() - since);
    if (load.acknowledged.size === size) return;
    [since, size] = [performance.now(), load.acknowledged.size];
  };
  const timer = setInterval(look, 20);
  return () => {
    clearInterval(timer);
    return longest;
  };
}

/**
 * Restarts one web process after the other, `rounds` times, and at least once. Then restarts the delivery from the next release, which applies
 * its migration while they serve, and restarts them from that release, too.
 */
async function upgrade() {
  await until("the cluster is whole", hosts.isWhole, 180_000);
  const before = [load.acknowledged.size, failedTriesOf(load)] as const;
  const restarts = Math.max(Number(rounds), 1);
  for (let time = 0; time < restarts; time += 1) await restartWeb();
  say(`web processes restarted ${restarts} times each: ${describeSince(before)}`);
  const beforeSchema = [load.acknowledged.size, failedTriesOf(load)] as const;
  await hosts.end("delivery", "deliver");
  hosts.start("delivery", "deliver", nextRelease);
  const isMigrated = async () =>
    (await owner`select from supabase_migrations.schema_migrations where name = 'trial'`).length === 1;
  await until("the schema is new", isMigrated, 60_000);
  await pause(2_000);
  await restartWeb(nextRelease);
  say(`a migration, then web processes of its release: ${describeSince(beforeSchema)}`);
}

function describeSince([acknowledged, failed]: readonly [number, number]): string {
  return `${load.acknowledged.size - acknowledged} leads acknowledged meanwhile, ${failedTriesOf(load) - failed} failed tries`;
}

async function restartWeb(from?: string) {
  for (const host of ["web1", "web2"] as const) {
    await hosts.balancer(`set server web/${host} state drain`);
    const isDrained = async () => (await hosts.sessionsOf(host)) === 0;
    await until(`${host} has no request`, isDrained, 20_000);
    await hosts.end(host, "web");
    hosts.start(host, "web", from);
    const isReady = async () => (await fetch(`${webAddresses[host]}/readyz`)).ok;
    await until(`${host} is ready`, isReady, 60_000);
    await hosts.balancer(`set server web/${host} state ready`);
    await until(`${host} gets requests`, () => hosts.isUp(host), 20_000);
  }
}

/** Waits until everything is delivered, three minutes at most, and says what promise was broken. */
async function settle() {
  const broken = await findDiscrepancies(owner, load.acknowledged);
  const { missing, repeated, delivered } = await checkDeliveries(owner, hosts.receivedFile);
  say(
    `missing ${broken.missing.length}, twice ${broken.twice}, stored but never acknowledged ${broken.neverAcknowledged.length}, with other permissions or deliveries ${broken.withOtherPermissionsOrDeliveries.length}`,
  );
  say(`${delivered} deliveries made, ${missing} missing; ${repeated} messages repeated with the same id`);
  // Leads that were stored and never acknowledged are none of these, because a lead may have been on its way when the retries were stopped.
  const wrong =
    [broken.missing, broken.withOtherPermissionsOrDeliveries].flat().length + broken.twice + missing;
  if (wrong > 0) process.exitCode = 1;
}

async function until(what: string, holds: () => Promise<boolean>, milliseconds: number) {
  const late = performance.now() + milliseconds;
  let cause: unknown;
  const isSo = () =>
    holds().catch((error: unknown) => {
      cause = error;
      return false;
    });
  while (!(await isSo())) {
    if (performance.now() > late) throw new Error(`Not within ${milliseconds / 1000} s: ${what}.`, { cause });
    await pause(200);
  }
}

function failedTriesOf({ answers }: SteadyLoad): number {
  return [...answers].reduce(
    (sum, [status, count]) => (status === 201 || status === 303 ? sum : sum + count),
    0,
  );
}

function spread(each: number[]): string {
  return `${seconds(median(each))} | ${seconds(Math.max(...each))}`;
}

function seconds(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(2)} s`;
}
