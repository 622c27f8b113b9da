// `node bench/start-and-memory.ts [INSERTS]`: how long the product takes to start, the first time (PostgreSQL's data is
// created, and no code is compiled yet) and again, and what memory its Node process needs at the start and after 100,000 inserts.
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { median } from "./median.ts";
import { inserts, load } from "./processes.ts";
import { key, memoryOf, type Running, start } from "./running.ts";

const wanted = Number(process.argv[2] ?? 100_000);
const folder = await mkdtemp(join(tmpdir(), "leads-start-"));
await chmod(folder, 0o711);
const say = (line: string) => process.stdout.write(`${line}\n`);
const inSeconds = (milliseconds: number) => (milliseconds / 1000).toFixed(2);
const startInFolder = (name: string) =>
  start({ DATA_DIR: join(folder, name), NODE_COMPILE_CACHE: join(folder, `${name}-compiled`) });

const cold: number[] = [];
for (const name of ["one", "two", "three"]) {
  const server = await startInFolder(name);
  cold.push(server.startedIn);
  if (name === "three") await measureMemory("of a first start", server);
  await server.end();
}
say(`first start: median ${inSeconds(median(cold))} s of ${cold.map(inSeconds).join(", ")}`);

const warm: number[] = [];
for (let time = 0; time < 5; time += 1) {
  const server = await startInFolder("one");
  warm.push(server.startedIn);
  if (time === 4) await measureMemory("of a later start", server);
  await server.end();
}
say(`later starts: median ${inSeconds(median(warm))} s of ${warm.map(inSeconds).join(", ")}`);
await rm(folder, { recursive: true, maxRetries: 20 });

async function measureMemory(name: string, server: Running) {
  await (await fetch(server.address)).arrayBuffer();
  say(`memory ${name}: ${memoryOf(server.pid).now.toFixed(0)} MB`);
  for (let sent = 0; sent < wanted; ) {
    const { answersPerSecond } = await load(server.port, 32, 5, inserts(key));
    sent += answersPerSecond * 5;
    const { now, peak } = memoryOf(server.pid);
    say(`  after ${sent.toFixed(0)} inserts: ${now.toFixed(0)} MB, at most ${peak.toFixed(0)} MB`);
  }
}
