// `node bench/kills.ts [ROUNDS]`: under load, kills the server, PostgreSQL, a session of the intake, and server and
// PostgreSQL together, 25 times each (100 kills) unless told otherwise. Prints how many promises were broken, and how long it took to the next
// acknowledgement.
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { killRepeatedly } from "../spec/support/kills.ts";
import { findDiscrepancies, noDiscrepancies } from "../spec/support/steady-load.ts";
import { median } from "./median.ts";
import { key, start } from "./running.ts";

const rounds = Number(process.argv[2] ?? 25);
if (!Number.isInteger(rounds) || rounds < 1) throw new Error("ROUNDS is a whole number from 1.");
const folder = await mkdtemp(join(tmpdir(), "leads-kills-"));
await chmod(folder, 0o711);
const dataDir = join(folder, "data");
const say = (line: string) => process.stdout.write(`${line}\n`);

// A channel that nobody answers: each lead gets a delivery, which stays pending.
const channel = {
  WEBHOOK_URL: "http://127.0.0.1:9/",
  WEBHOOK_SECRET: `whsec_${btoa("a secret of the measurement ....")}`,
};
const { load, times, owner, server } = await killRepeatedly({
  rounds,
  dataDir,
  key,
  start: () => start({ DATA_DIR: dataDir, ...channel }),
});
const broken = await findDiscrepancies(owner, load.acknowledged);
await owner.end();
await server.end();
await rm(folder, { recursive: true, maxRetries: 20 });

for (const [target, waits] of times) {
  say(
    `${target.padEnd(12)} ${waits.length} kills; next acknowledgement after p50 ${median(waits).toFixed(0)} ms, at most ${Math.max(...waits).toFixed(0)} ms`,
  );
}
const answers = [...load.answers]
  .map(([status, count]) => `${status || "no answer"} ${count} times`)
  .join(", ");
say(`${load.acknowledged.size} leads acknowledged; answers: ${answers}`);
say(
  `missing ${broken.missing.length}, twice ${broken.twice}, stored but never acknowledged ${broken.neverAcknowledged.length}, with other permissions or deliveries ${broken.withOtherPermissionsOrDeliveries.length}`,
);
if (!isDeepStrictEqual(broken, noDiscrepancies)) process.exitCode = 1;
